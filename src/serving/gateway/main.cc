// SPDX-License-Identifier: Apache-2.0
// serving_server CONFIG: serves what the file describes until SIGTERM or SIGINT. The file is
// written by `python -m mindspore_serving`.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

#include <signal.h>
#include <sys/resource.h>

#include "platform/json/json.h"
#include "platform/log/log.h"
#include "serving/gateway/server_config.h"

int main(int count, char** words) {
  if (count != 2) {
    std::fputs("usage: serving_server CONFIG\n", stderr);
    return 2;
  }
  // Taken by this thread alone, in sigwait.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  // A connection is a descriptor, and the usual limit is low.
  rlimit descriptors{};
  getrlimit(RLIMIT_NOFILE, &descriptors);
  descriptors.rlim_cur = descriptors.rlim_max;
  setrlimit(RLIMIT_NOFILE, &descriptors);
  try {
    mycel::platform::configure_log(mycel::platform::log_options_from_environment());
    mycel::serving::Server server;
    mycel::serving::start(server, mycel::platform::read_json(words[1]));
    std::puts("ready");
    std::fflush(stdout);
    constexpr std::chrono::seconds kPatience{30};
    constexpr timespec kLook{0, 200'000'000};
    while (!server.wait(std::chrono::milliseconds(0)))
      if (sigtimedwait(&ends, nullptr, &kLook) > 0) server.stop(kPatience);
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "serving_server: %s\n", problem.what());
    return 1;
  }
}
