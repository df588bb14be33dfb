// SPDX-License-Identifier: Apache-2.0
// cache_admin: the command that starts, stops and asks cache servers.
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "cache/admin/commands.h"

int main(int count, char** words) {
  using namespace mycel::cache;  // NOLINT: this file is about nothing else
  std::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> given(words + (count > 0 ? 1 : 0), words + count);
  try {
    const Result<Arguments> arguments = parse_arguments(given);
    if (given.empty() || (arguments && arguments.value().wants_help)) {
      std::cerr << usage();
      return given.empty() ? 1 : 0;
    }
    if (!arguments) {
      std::cerr << arguments.error().message() << "\n";
      return 1;
    }
    const Result<Done> done = run_command(arguments.value(), std::cout);
    std::cout.flush();
    if (done) return 0;
    std::cerr << done.error().message() << "\n";
  } catch (const std::exception& problem) {
    std::cerr << "Unexpected error. " << problem.what() << "\n";
  }
  return 1;
}
