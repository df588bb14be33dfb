// SPDX-License-Identifier: Apache-2.0
#include "cache/admin/arguments.h"

#include <algorithm>
#include <bitset>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <thread>

#include "platform/options/options.h"

namespace mycel::cache {
namespace {

using platform::Done;
using platform::Error;
using platform::ErrorKind;
using platform::join;
using platform::Result;

constexpr int kLowestPort = 1025;
constexpr int kHighestPort = 65535;
constexpr const char* kHint = "Please try `cache_admin --help` for more information";

enum class OptionKind : std::uint8_t { Command, Flag, Integer, Ratio, Text, Host, SessionIds };

// One thing that can be said on the command line. The member that takes the value belongs to the
// kind.
struct Option {
  const char* brief;  // null: none
  const char* full;
  OptionKind kind;
  Command command = Command::None;
  bool Arguments::*flag = nullptr;
  std::int32_t Arguments::*integer = nullptr;
  std::string Arguments::*text = nullptr;
};

constexpr Option kOptions[] = {
    {nullptr, "--start", OptionKind::Command, Command::Start},
    {nullptr, "--stop", OptionKind::Command, Command::Stop},
    {"-g", "--generate_session", OptionKind::Command, Command::GenerateSession},
    {"-d", "--destroy_session", OptionKind::SessionIds, Command::DestroySession},
    {nullptr, "--list_sessions", OptionKind::Command, Command::ListSessions},
    {nullptr, "--server_info", OptionKind::Command, Command::ServerInfo},
    {nullptr, "--help", OptionKind::Flag, {}, &Arguments::wants_help},
    {nullptr, "--json", OptionKind::Flag, {}, &Arguments::wants_json},
    {"-h", "--hostname", OptionKind::Host, {}, {}, {}, &Arguments::host},
    {"-p", "--port", OptionKind::Integer, {}, {}, &Arguments::port},
    {"-w", "--workers", OptionKind::Integer, {}, {}, &Arguments::workers},
    {"-s", "--spilldir", OptionKind::Text, {}, {}, {}, &Arguments::spill_folder},
    {"-l", "--loglevel", OptionKind::Integer, {}, {}, &Arguments::log_level},
    {"-m", "--shared_memory_size", OptionKind::Integer, {}, {}, &Arguments::shared_memory_gb},
    {"-r", "--memory_cap_ratio", OptionKind::Ratio},
};
constexpr std::size_t kOptionCount = std::size(kOptions);

Error wrong(std::string text) { return {ErrorKind::Value, std::move(text)}; }

// The number a text begins with: what follows it does not matter, and too much is as much as fits.
std::optional<std::int32_t> leading_integer(const std::string& text) {
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  if (end == text.c_str()) return std::nullopt;
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(std::clamp<long long>(value, Limits::min(), Limits::max()));
}

// Nothing, too, where the number is followed by something else.
std::optional<std::int32_t> whole_integer(const std::string& text) {
  const bool is_whole = text.find_first_not_of("0123456789", text[0] == '-' ? 1 : 0) == text.npos;
  return is_whole ? leading_integer(text) : std::nullopt;
}

std::optional<double> leading_real(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? std::nullopt : std::optional(value);
}

std::int32_t most_workers() {
  return std::max(static_cast<std::int32_t>(std::thread::hardware_concurrency()), 100);
}

class Parser {
 public:
  explicit Parser(std::span<const std::string> words) {
    std::string all;
    for (const std::string& word : words) all += word + " ";
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = all.find_first_of(" \t\n\r\f\v", at);
      if (end > at) words_.push_back(all.substr(at, end - at));
      at = end + 1;
    }
  }

  Result<Arguments> parse() {
    std::string unknown;
    while (next_ < words_.size()) {
      const std::string word = words_[next_++];
      const auto* found = std::ranges::find_if(kOptions, [&](const Option& option) {
        return word == option.full || (option.brief != nullptr && word == option.brief);
      });
      if (found == std::end(kOptions)) {
        unknown += " " + word;
        continue;
      }
      if (Result<Done> done = take(*found, word); !done) return done.error();
    }
    if (!unknown.empty()) return wrong(join("Invalid arguments provided: ", unknown, "\n", kHint));
    if (arguments_.wants_help) return arguments_;
    if (arguments_.command == Command::None) return wrong(join("No command provided\n", kHint));
    if (Result<Done> done = read_environment(); !done) return done.error();
    if (Result<Done> done = check_ranges(); !done) return done.error();
    return arguments_;
  }

 private:
  Result<Done> take(const Option& option, const std::string& word) {
    const auto index = static_cast<std::size_t>(&option - kOptions);
    if (given_[index] && option.kind != OptionKind::Flag)
      return wrong(join("The ", word, " argument was given more than once."));
    given_[index] = true;
    if (option.command != Command::None) {
      if (arguments_.command != Command::None) {
        return wrong(join("Only one command at a time is allowed.  Invalid command: ", word));
      }
      arguments_.command = option.command;
    }
    if (option.kind == OptionKind::Command) return Done{};
    if (option.kind == OptionKind::Flag) {
      arguments_.*option.flag = true;
      return Done{};
    }
    return option.kind == OptionKind::SessionIds ? take_sessions(word) : take_value(option, word);
  }

  static Error needs_value(const std::string& word) {
    return wrong(join(word, " option requires an argument field.  Syntax: ", word, " <field>"));
  }

  Result<Done> take_value(const Option& option, const std::string& word) {
    if (next_ == words_.size()) return needs_value(word);
    const std::string value = words_[next_++];
    switch (option.kind) {
      case OptionKind::Integer: {
        const std::optional<std::int32_t> number = leading_integer(value);
        if (!number) return wrong(join("Invalid numeric value: ", value));
        arguments_.*option.integer = *number;
        return Done{};
      }
      case OptionKind::Ratio: {
        const std::optional<double> number = leading_real(value);
        if (!number) return wrong(join("Invalid numeric value: ", value));
        arguments_.memory_cap_ratio = *number;
        return Done{};
      }
      case OptionKind::Host:
        if (value != "127.0.0.1") {
          return wrong(join("Invalid host interface: ", value,
                            ". Current limitation, only 127.0.0.1 can be used."));
        }
        return Done{};
      default: arguments_.*option.text = value; return Done{};
    }
  }

  // As many numbers as follow. What sticks to the last one is a word of its own.
  Result<Done> take_sessions(const std::string& word) {
    while (next_ < words_.size()) {
      const std::string& text = words_[next_];
      std::uint32_t session = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), session);
      if (error == std::errc::result_out_of_range)
        return wrong(join("Invalid numeric value: ", text));
      if (error != std::errc()) break;
      arguments_.sessions.push_back(session);
      const std::string rest(end, text.data() + text.size());
      if (!rest.empty()) {
        words_[next_] = rest;
        break;
      }
      ++next_;
    }
    return arguments_.sessions.empty() ? Result<Done>(needs_value(word)) : Result<Done>(Done{});
  }

  bool is_given(const char* full) const {
    const auto* found =
        std::ranges::find(kOptions, std::string_view(full),
                          [](const Option& option) { return std::string_view(option.full); });
    return given_[static_cast<std::size_t>(found - kOptions)];
  }

  Result<Done> read_environment() {
    struct Variable {
      const char* name;
      const char* option;
      const char* what;
      std::int32_t Arguments::*target;
      const char* range;
    };
    const Variable variables[] = {
        {"GLOG_v", "--loglevel", "Log level", &Arguments::log_level,
         "Log level must be in range (0..4)."},
        {"MS_CACHE_PORT", "--port", "Cache port", &Arguments::port,
         "Port must be in range (1025..65535)."},
    };
    for (const Variable& variable : variables) {
      const std::optional<std::string> text = platform::setting_if_given(variable.name);
      if (!text || text->empty() || is_given(variable.option)) continue;
      const std::optional<std::int32_t> number = whole_integer(*text);
      if (!number) {
        return wrong(join(variable.what, " from env variable ", variable.name, " is invalid\n",
                          variable.range));
      }
      arguments_.*variable.target = *number;
    }
    return Done{};
  }

  Result<Done> check_ranges() const {
    const Arguments& given = arguments_;
    const std::int32_t most = most_workers();
    if (is_given("--workers") && (given.workers < 1 || given.workers > most))
      return wrong(join("Number of workers must be in range of 1 and ", most, "."));
    if (given.log_level < 0 || given.log_level > 4)
      return wrong("Log level must be in range (0..4).");
    if (!(given.memory_cap_ratio > 0 && given.memory_cap_ratio <= 1))
      return wrong("Memory cap ratio should be positive and no greater than 1");
    if (given.port < kLowestPort || given.port > kHighestPort)
      return wrong(join("Port must be in range (", kLowestPort, "..", kHighestPort, ")."));
    return Done{};
  }

  std::vector<std::string> words_;
  std::size_t next_ = 0;
  Arguments arguments_;
  std::bitset<kOptionCount> given_;
};

}  // namespace

Result<Arguments> parse_arguments(std::span<const std::string> words) {
  return Parser(words).parse();
}

std::string usage() {
  const int workers = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / 2);
  return join(
      "Usage: cache_admin COMMAND [OPTIONS]\n"
      "\n"
      "Commands, exactly one:\n"
      "  --start                     start the cache server\n"
      "  --stop                      stop it and drop everything it holds\n"
      "  -g, --generate_session      make a session and print its id\n"
      "  -d, --destroy_session ID..  drop sessions with their caches\n"
      "  --list_sessions             show sessions and caches\n"
      "  --server_info               show the server's configuration\n"
      "  --help                      show this text\n"
      "\n"
      "Options of every command:\n"
      "  -h, --hostname ADDRESS      host of the server; only 127.0.0.1 (default 127.0.0.1)\n"
      "  -p, --port N                port of the server, 1025..65535 (default 50052)\n"
      "  --json                      print --list_sessions and --server_info as JSON\n"
      "\n"
      "Options of --start:\n"
      "  -w, --workers N             threads that answer, 1..",
      most_workers(), " (default ", workers,
      ")\n"
      "  -s, --spilldir DIR          folder for rows memory has no room for (default none)\n"
      "  -l, --loglevel N            0 DEBUG, 1 INFO, 2 WARNING, 3 ERROR, 4 CRITICAL (default "
      "1)\n");
}

}  // namespace mycel::cache
