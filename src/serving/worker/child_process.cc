// SPDX-License-Identifier: Apache-2.0
#include "serving/worker/child_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/error/error.h"

extern char** environ;

namespace mycel::serving {
namespace {

using platform::ErrorKind;
using platform::join;
using platform::require;

constexpr int kUnknown = -1;  // no status of a process looks like this

// What the C library wants to be set up and torn down in pairs.
struct SpawnSettings {
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    // Signals that we block or ignore are the worker's own affair.
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGCHLD}) sigaddset(&usual, number);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& words, int socket,
                           const std::string& log_file) {
  SpawnSettings settings;
  // dup2 of a descriptor to itself would leave it to be closed at exec.
  const int moved = fcntl(socket, F_DUPFD_CLOEXEC, kWorkerSocket + 1);
  require(moved >= 0, ErrorKind::Runtime, "no descriptor is left for a worker process");
  const platform::Descriptor owned(moved);
  posix_spawn_file_actions_adddup2(&settings.actions, moved, kWorkerSocket);
  if (!log_file.empty()) {
    posix_spawn_file_actions_addopen(&settings.actions, STDOUT_FILENO, log_file.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0640);
    posix_spawn_file_actions_adddup2(&settings.actions, STDOUT_FILENO, STDERR_FILENO);
  }
  // Connections of clients and the ports are not its own: what it held would stay open after us.
  posix_spawn_file_actions_addclosefrom_np(&settings.actions, kWorkerSocket + 1);
  std::vector<char*> arguments;
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));  // NOLINT
  arguments.push_back(nullptr);
  const int problem = posix_spawn(&id_, words[0].c_str(), &settings.actions, &settings.attributes,
                                  arguments.data(), environ);
  require(problem == 0, ErrorKind::Runtime, "the worker program '", words[0],
          "' cannot be started: ", std::strerror(problem));
}

ChildProcess::~ChildProcess() {
  if (status()) return;
  signal(SIGKILL);
  int status = 0;
  while (waitpid(id_, &status, 0) < 0 && errno == EINTR) continue;
}

void ChildProcess::signal(int number) const {
  if (!status_) kill(id_, number);
}

std::optional<int> ChildProcess::status() {
  if (status_) return status_;
  int status = 0;
  const pid_t ended = waitpid(id_, &status, WNOHANG);
  // Somebody else may have reaped it: scripts that wait for all their children.
  if (ended == id_) status_ = status;
  if (ended < 0 && errno == ECHILD) status_ = kUnknown;
  return status_;
}

std::string ChildProcess::told(int status) {
  if (status == kUnknown) return "nobody knows how: somebody else waited for it";
  if (WIFSIGNALED(status))
    return join("killed by signal ", WTERMSIG(status), " (", strsignal(WTERMSIG(status)), ")");
  return join("exit status ", WEXITSTATUS(status));
}

}  // namespace mycel::serving
