// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "platform/file/file.h"

namespace mycel::serving {

// Number of the descriptor that a worker process finds its end of the socket under.
constexpr int kWorkerSocket = 3;

// A process of ours. When the object goes the process is killed if it is still there, and reaped.
class ChildProcess {
 public:
  // Starts `words[0]` with our environment; it gets `socket` as descriptor 3, and its output goes
  // to the end of `log_file` (empty: to where ours goes). RuntimeError with the path that was
  // tried.
  ChildProcess(const std::vector<std::string>& words, int socket, const std::string& log_file);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t id() const { return id_; }
  void signal(int number) const;  // nothing happens when it has ended
  // Reaps it if it has ended. Nothing: it is still there.
  std::optional<int> status();
  // "exit status 1", "killed by signal 9 (Killed)".
  static std::string told(int status);

 private:
  pid_t id_ = -1;
  std::optional<int> status_;
};

}  // namespace mycel::serving
