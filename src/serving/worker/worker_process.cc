// SPDX-License-Identifier: Apache-2.0
#include "serving/worker/worker_process.h"

#include <csignal>
#include <new>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <sys/socket.h>
#include <sys/wait.h>

#include "platform/error/error.h"

namespace mycel::serving {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using platform::Descriptor;
using platform::ErrorKind;
using platform::join;
using platform::require;

constexpr std::chrono::milliseconds kReapEvery{5};
constexpr std::chrono::seconds kReapPatience{2};

}  // namespace

WorkerProcess::WorkerProcess(asio::io_context& context, Events events)
    : socket_(context), timer_(context), events_(std::move(events)) {}

std::shared_ptr<WorkerProcess> WorkerProcess::start(asio::io_context& context,
                                                    const std::vector<std::string>& words,
                                                    const std::string& log_file,
                                                    const std::string& load_description,
                                                    const std::string& key, Events events) {
  std::shared_ptr<WorkerProcess> worker(new WorkerProcess(context, std::move(events)));  // NOLINT
  worker->launch(words, log_file);
  OutgoingFrame load = write_text(FrameKind::Load, 0, load_description);
  if (!key.empty()) {
    auto* head = reinterpret_cast<FrameHead*>(load.beginning.data());
    head->data_bytes = key.size();
    load.beginning += key;
  }
  worker->send(std::move(load));
  worker->read_head();
  return worker;
}

void WorkerProcess::launch(const std::vector<std::string>& words, const std::string& log_file) {
  int ends[2] = {-1, -1};
  require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, ErrorKind::Runtime,
          "no descriptor is left for a worker process");
  const Descriptor theirs(ends[1]);
  socket_.assign(asio::local::stream_protocol(), ends[0]);
  child_ = std::make_unique<ChildProcess>(words, theirs.number(), log_file);
}

void WorkerProcess::send(OutgoingFrame frame) {
  if (is_closed_) return;
  outgoing_.push_back(std::move(frame));
  if (!is_writing_) write_next();
}

void WorkerProcess::write_next() {
  const OutgoingFrame& frame = outgoing_.front();
  std::vector<asio::const_buffer> parts = {asio::buffer(frame.beginning)};
  for (const std::span<const std::byte> part : frame.data)
    parts.emplace_back(part.data(), part.size());
  is_writing_ = true;
  asio::async_write(socket_, parts, [self = shared_from_this()](error_code error, std::size_t) {
    self->is_writing_ = false;
    if (error) return self->close("");
    self->outgoing_.pop_front();
    if (!self->outgoing_.empty()) self->write_next();
  });
}

void WorkerProcess::read_head() {
  asio::async_read(socket_, asio::buffer(&incoming_.head, sizeof incoming_.head),
                   [self = shared_from_this()](error_code error, std::size_t) {
                     if (error) return self->close("");
                     if (!check_head(self->incoming_.head))
                       return self->close("it sent what is no message of a worker");
                     self->read_rest();
                   });
}

void WorkerProcess::read_rest() {
  try {
    incoming_.description.resize(incoming_.head.description_bytes);
    incoming_.data = take_data(incoming_.head.data_bytes);
  } catch (const std::bad_alloc&) {
    return close("there is no memory for what it sent");
  }
  const std::array<asio::mutable_buffer, 2> parts = {
      asio::buffer(incoming_.description),
      asio::mutable_buffer(incoming_.data.get(), incoming_.head.data_bytes)};
  asio::async_read(socket_, parts, [self = shared_from_this()](error_code error, std::size_t) {
    if (error) return self->close("");
    self->deliver();
    if (!self->is_closed_) self->read_head();
  });
}

void WorkerProcess::deliver() {
  switch (incoming_.head.kind) {
    case FrameKind::Ready: return events_.ready(incoming_.description);
    case FrameKind::Failed: failure_ = incoming_.description; return;
    case FrameKind::Result:
    case FrameKind::Call: return events_.frame(std::move(incoming_));
    case FrameKind::Load:
    case FrameKind::Run:
    case FrameKind::Stop: return close("it sent what only the server sends");
  }
}

void WorkerProcess::stop(std::chrono::milliseconds patience) {
  if (is_stopping_ || is_closed_) return;
  is_stopping_ = true;
  send(write_text(FrameKind::Stop, 0, ""));
  timer_.expires_after(patience);
  timer_.async_wait([self = shared_from_this()](error_code error) {
    if (!error) self->kill("it did not end in time");
  });
}

void WorkerProcess::kill(const std::string& why) {
  child_->signal(SIGKILL);
  close(why);
}

void WorkerProcess::close(const std::string& how) {
  if (is_closed_) return;
  is_closed_ = true;
  how_ = how;
  error_code ignored;
  socket_.close(ignored);
  if (!how.empty()) child_->signal(SIGKILL);
  patience_end_ = Clock::now() + kReapPatience;
  timer_.cancel();
  // Not at once: whoever closes is in the middle of something, and may be one of the events.
  asio::post(timer_.get_executor(), [self = shared_from_this()] { self->reap(); });
}

// The socket closes a moment before the process is gone, and its exit status says why.
void WorkerProcess::reap() {
  const std::optional<int> status = child_->status();
  if (!status) {
    if (Clock::now() > patience_end_) child_->signal(SIGKILL);
    timer_.expires_after(kReapEvery);
    timer_.async_wait([self = shared_from_this()](error_code) { self->reap(); });
    return;
  }
  Events::End end;
  end.was_asked = is_stopping_;
  end.in_order = WIFEXITED(*status) && WEXITSTATUS(*status) == 0 && how_.empty();
  end.was_killed = how_.empty() && WIFSIGNALED(*status) && WTERMSIG(*status) == SIGKILL;
  end.was_told = !failure_.empty();
  end.how = !failure_.empty() ? failure_ : !how_.empty() ? how_ : ChildProcess::told(*status);
  const auto ended = std::move(events_.ended);
  events_ = {};
  ended(end);
}

}  // namespace mycel::serving
