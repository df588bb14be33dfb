// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cache/client/cache_client.h"
#include "platform/error/error.h"

namespace mycel::cache {

enum class Command : std::uint8_t {
  None,
  Start,
  Stop,
  GenerateSession,
  DestroySession,
  ListSessions,
  ServerInfo,
};

struct Arguments {
  Command command = Command::None;
  bool wants_help = false;
  bool wants_json = false;
  std::string host = "127.0.0.1";
  std::int32_t port = kDefaultPort;
  std::int32_t workers = -1;  // -1: the server's choice
  std::int32_t log_level = 1;
  std::int32_t shared_memory_gb = 4;
  double memory_cap_ratio = 0.8;
  std::string spill_folder;
  std::vector<std::uint32_t> sessions;
};

// Words as the shell gave them, without the program's name. They are one stream: an empty word is
// none, and the value of an option is the next word, whatever it looks like. The error is what to
// print.
platform::Result<Arguments> parse_arguments(std::span<const std::string> words);

std::string usage();

}  // namespace mycel::cache
