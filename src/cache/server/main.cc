// SPDX-License-Identifier: Apache-2.0
// cache_server: started by `cache_admin --start`, which waits at a pipe for the word that it is
// ready.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/server/server.h"
#include "platform/log/log.h"

namespace {

using mycel::cache::Server;
using mycel::cache::ServerOptions;
using mycel::platform::join;
using mycel::platform::Result;

constexpr int kWords = 8;

volatile std::sig_atomic_t stop_descriptor = -1;

void on_signal(int /*number*/) {
  const int saved = errno;
  const std::uint64_t one = 1;
  if (write(stop_descriptor, &one, sizeof one) < 0) stop_descriptor = -1;
  errno = saved;
}

void catch_signals(int descriptor) {
  stop_descriptor = descriptor;
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

void tell(int pipe, const std::string& text) {
  if (pipe < 0) return;
  if (write(pipe, text.data(), text.size()) < 0) return;  // the command was killed: go on
  close(pipe);
}

// Locks, pipes and files of whoever started us would stay in use for as long as the server runs.
void close_all_but(int kept) {
  const int first = 3;
  if (kept > first) close_range(first, static_cast<unsigned>(kept) - 1, 0);
  close_range(static_cast<unsigned>(std::max(first, kept + 1)), ~0U, 0);
}

// No terminal, no folder in use, no descriptors but the pipe.
void become_daemon(int pipe) {
  setsid();
  umask(0077);
  close_all_but(pipe);
  if (chdir("/") != 0) return;
  const int nothing = open("/dev/null", O_RDWR);
  for (int number = 0; number < 3; ++number) dup2(nothing, number);
  if (nothing > 2) close(nothing);
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int serve(const ServerOptions& options, int pipe) {
  Result<std::unique_ptr<Server>> started = Server::start(options);
  if (!started) {
    mycel::platform::log_error("cache: the server was not started: ", started.error().message());
    tell(pipe, join("failed\n", started.error().message()));
    return 1;
  }
  std::unique_ptr<Server> server = std::move(started).value();
  catch_signals(server->stop_descriptor());
  tell(pipe, join("ready\n", server->warning()));
  server->run();
  std::signal(SIGTERM, SIG_IGN);
  std::signal(SIGINT, SIG_IGN);
  server.reset();
  mycel::platform::log_info("cache: the server on port ", options.port, " has ended");
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count != kWords) {
    std::fputs("cache_server is started by 'cache_admin --start'.\n", stderr);
    return 1;
  }
  ServerOptions options;
  options.spill_folder = words[1];
  options.workers = std::atoi(words[2]);
  options.port = static_cast<std::uint16_t>(std::atoi(words[3]));
  options.shared_memory_gb = std::atoi(words[4]);
  options.log_level = std::atoi(words[5]);
  options.memory_cap_ratio = std::atof(words[6]);
  const int pipe = std::atoi(words[7]);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a spill file at its limit is a full disk, not the end
  std::signal(SIGHUP, SIG_IGN);
  fcntl(pipe, F_SETFD, FD_CLOEXEC);
  become_daemon(pipe);
  raise_descriptor_limit();
  try {
    if (const auto folder = mycel::cache::make_user_folder()) {
      mycel::platform::LogOptions log;
      log.level = mycel::platform::log_level_of(options.log_level);
      log.to_stderr = false;
      log.stderr_level = mycel::platform::LogLevel::Critical;
      log.folder = mycel::cache::server_place(folder.value(), options.port).log_folder().string();
      mycel::platform::configure_log(log);
    }
    return serve(options, pipe);
  } catch (const std::exception& problem) {
    tell(pipe, join("failed\nUnexpected error. ", problem.what()));
    return 1;
  }
}
