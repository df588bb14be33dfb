// SPDX-License-Identifier: Apache-2.0
// serving_worker: runs models for the serving process that started it, over descriptor 3.
#include <csignal>
#include <cstdio>
#include <exception>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "platform/log/log.h"
#include "serving/model/model_worker.h"
#include "serving/worker/child_process.h"

namespace {

// What has come is still done; after that the socket reads as if the server were gone.
void on_interrupt(int /*number*/) { shutdown(mycel::serving::kWorkerSocket, SHUT_RD); }

}  // namespace

int main() {
  if (fcntl(mycel::serving::kWorkerSocket, F_GETFD) < 0) {
    std::fputs("serving_worker is started by a serving process, not by hand.\n", stderr);
    return 2;
  }
  fcntl(mycel::serving::kWorkerSocket, F_SETFD, FD_CLOEXEC);
  // Without the server there is nothing to do, whatever is being computed.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
  try {
    mycel::platform::configure_log(mycel::platform::log_options_from_environment());
    mycel::serving::Channel channel{mycel::platform::Descriptor(mycel::serving::kWorkerSocket)};
    return mycel::serving::serve_models(channel);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "serving_worker: %s\n", problem.what());
    return 1;
  }
}
