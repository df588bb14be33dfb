// SPDX-License-Identifier: Apache-2.0
#include "cache/admin/server_process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cache/client/control.h"
#include "cache/client/places.h"
#include "cache/client/server_lock.h"

namespace mycel::cache {
namespace {

using platform::Descriptor;
using platform::Error;
using platform::ErrorKind;
using platform::join;

constexpr int kStartMs = 60000;
constexpr int kOrderlyMs = 10000;
constexpr int kSignalMs = 3000;

using Clock = std::chrono::steady_clock;

Error system_error(const std::string& what) {
  return {ErrorKind::Runtime, join("Unexpected error. ", what, ": ", std::strerror(errno))};
}

std::string server_program() {
  std::error_code error;
  const Path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / "cache_server").string();
}

struct ServerWords {
  std::string program = server_program();
  std::string spill, workers, port, memory, level, ratio, pipe;

  ServerWords(const Arguments& arguments, int pipe_number)
      : spill(arguments.spill_folder),
        workers(join(arguments.workers)),
        port(join(arguments.port)),
        memory(join(arguments.shared_memory_gb)),
        level(join(arguments.log_level)),
        ratio(std::to_string(arguments.memory_cap_ratio)),
        pipe(join(pipe_number)) {}
};

// In the new process: a grandchild, so that nobody has to wait for it.
[[noreturn]] void become_server(ServerWords& words, int pipe) {
  setsid();
  if (fork() != 0) _exit(0);
  fcntl(pipe, F_SETFD, 0);
  char* const list[] = {words.program.data(), words.spill.data(),  words.workers.data(),
                        words.port.data(),    words.memory.data(), words.level.data(),
                        words.ratio.data(),   words.pipe.data(),   nullptr};
  execv(words.program.c_str(), list);
  const std::string text = join("failed\nUnexpected error. The program '", words.program,
                                "' cannot be started: ", std::strerror(errno));
  if (write(pipe, text.data(), text.size()) < 0) _exit(126);
  _exit(127);
}

// At least 0.
int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return left <= 0 ? 0 : static_cast<int>(left);
}

// Everything up to the end of the pipe; nothing when that takes too long.
std::optional<std::string> read_all(int pipe, int timeout_ms) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  std::string text;
  while (true) {
    const int left = milliseconds_until(deadline);
    if (left == 0) return std::nullopt;
    pollfd wait{pipe, POLLIN, 0};
    if (poll(&wait, 1, left) <= 0) continue;
    char part[1024];
    const ssize_t count = read(pipe, part, sizeof part);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part, static_cast<std::size_t>(count));
  }
}

// The process, held so that its number cannot become another's. -1: it is gone.
Descriptor hold(const ProcessIdentity& process) {
  Descriptor held(static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0)));
  return held.number() >= 0 && is_alive(process) ? std::move(held) : Descriptor();
}

bool has_ended(const Descriptor& process, int timeout_ms) {
  pollfd wait{process.number(), POLLIN, 0};
  return poll(&wait, 1, timeout_ms) > 0;
}

Error not_there(std::uint16_t port) {
  return {ErrorKind::Runtime,
          join("Server on port ", port, " is not reachable or has been shutdown already.")};
}

// The folder in which somebody holds the lock of that port, and who it is.
std::optional<LockHolder> running_server(std::uint16_t port) {
  for (const Path& folder : user_folders()) {
    if (std::optional<LockHolder> holder = lock_holder(server_place(folder, port).lock()))
      return holder;
  }
  return std::nullopt;
}

}  // namespace

Result<StartedServer> start_server(const Arguments& arguments) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return system_error("a pipe cannot be made");
  const Descriptor reader(ends[0]);
  Descriptor writer(ends[1]);
  ServerWords words(arguments, writer.number());
  const pid_t child = fork();
  if (child < 0) return system_error("a process cannot be made");
  if (child == 0) become_server(words, writer.number());
  writer = Descriptor(dup(STDERR_FILENO));  // our end must not keep the pipe open
  waitpid(child, nullptr, 0);
  const std::optional<std::string> answer = read_all(reader.number(), kStartMs);
  if (!answer) {
    return Error(ErrorKind::Runtime,
                 "Unexpected error. The cache server was not ready within 60 s; see its logs.");
  }
  if (answer->starts_with("failed\n")) return Error(ErrorKind::Runtime, answer->substr(7));
  if (!answer->starts_with("ready\n")) {
    return Error(ErrorKind::Runtime,
                 "Unexpected error. The cache server ended before it was ready; see its logs.");
  }
  StartedServer started;
  started.warning = answer->substr(6);
  const auto port = static_cast<std::uint16_t>(arguments.port);
  const std::optional<LockHolder> holder = running_server(port);
  if (holder && holder->process) started.pid = holder->process->pid;
  return started;
}

Result<Done> stop_server(std::uint16_t port) {
  const std::optional<LockHolder> holder = running_server(port);
  if (!holder || !holder->process) return not_there(port);
  const Descriptor process = hold(*holder->process);
  if (process.number() < 0) return not_there(port);
  Result<Descriptor> socket = connect_to_server(port);
  if (socket) {
    const auto deadline = Clock::now() + std::chrono::milliseconds(kOrderlyMs);
    // Whatever the answer is: what counts is that the process ends.
    static_cast<void>(make_control(std::move(socket).value(), port)->stop(kOrderlyMs));
    if (has_ended(process, milliseconds_until(deadline))) return Done{};
  }
  for (const int signal : {SIGTERM, SIGKILL}) {
    syscall(SYS_pidfd_send_signal, process.number(), signal, nullptr, 0);
    if (has_ended(process, kSignalMs)) return Done{};
  }
  return Error(ErrorKind::Runtime, join("Unexpected error. The cache server on port ", port,
                                        " (process ", holder->process->pid, ") cannot be ended."));
}

}  // namespace mycel::cache
