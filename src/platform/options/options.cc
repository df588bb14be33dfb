// SPDX-License-Identifier: Apache-2.0
#include "platform/options/options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "platform/error/error.h"

namespace mycel::platform {
namespace {

// Sorted by name.
constexpr Setting kSettings[] = {
    {"DEVICE_ID", "0", "device used when 'device_id' is not set in the context"},
    {"DNNL_MAX_CPU_ISA", "", "the older name of ONEDNN_MAX_CPU_ISA"},
    {"GLOG_log_dir", "", "folder of the log files; needed when GLOG_logtostderr is 0"},
    {"GLOG_logfile_mode", "0640", "permissions of the log files, octal"},
    {"GLOG_logtostderr", "1", "1: log to stderr, 0: to files in GLOG_log_dir"},
    {"GLOG_max_log_size", "50", "megabytes a log file may reach before the next one is begun"},
    {"GLOG_stderrthreshold", "2",
     "with log files: records of this level and above go to stderr too"},
    {"GLOG_v", "2", "lowest level that is logged: 0 DEBUG, 1 INFO, 2 WARNING, 3 ERROR, 4 CRITICAL"},
    {"HOME", "", "the user's folder; generated code is kept below it"},
    {"MINDSPORE_CPP_DEVICE", "",
     "cpu, gpu or auto: where programs in C++ that ask for an Ascend device run instead"},
    {"MS_CACHE_HOST", "127.0.0.1", "host of the cache server; it has to be this one"},
    {"MS_CACHE_PORT", "50052", "port of the cache server"},
    {"MS_NODE_ID", "", "rank given by msrun, where RANK_ID is not set"},
    {"MS_SUBMODULE_LOG_v", "", "levels of single sub-modules, as in {PYNATIVE:0,KERNEL:1}"},
    {"MYCEL_CACHE_DIR", "", "folder of the cache server instead of /tmp/mindspore"},
    {"MYCEL_CODEGEN", "on", "off: formulas are never compiled while the program runs"},
    {"MYCEL_CODE_CACHE", "", "folder of compiled formulas; off: none are kept"},
    {"MYCEL_MISSING_KERNELS", "host",
     "what happens to an operator a device has no kernel for: host or error"},
    {"MYCEL_POISON_MEMORY", "0", "1: memory of a device holds no numbers until it is written"},
    {"MYCEL_RECORDINGS", "on", "off: no compiled function is recorded on a device as a whole"},
    {"MYCEL_SIMULATED_COMPUTE", "1", "whether the simulated device runs operators"},
    {"MYCEL_SIMULATED_DEVICES", "2", "how many simulated devices there are"},
    {"MYCEL_SIMULATED_MEMORY_MB", "4096", "memory of each simulated device"},
    {"MYCEL_SIMULATED_MISSING", "0",
     "n: of every n operators the simulated device lacks the kernel of one; 0: of none"},
    {"MYCEL_SIMULATED_REGIONS", "on",
     "whether the simulated device computes regions in one go: on, off, declined, late or failing"},
    {"MYCEL_STRESS_SECONDS", "2", "how long each stress test runs"},
    {"MYCEL_STRESS_SEED", "0", "the round the stress test begins with; 0: another one every time"},
    {"OMPI_COMM_WORLD_RANK", "", "rank given by mpirun, where RANK_ID is not set"},
    {"ONEDNN_MAX_CPU_ISA", "", "the most that oneDNN may use, such as AVX2; never more than works"},
    {"RANK_ID", "", "rank of this process in a distributed job"},
    {"XDG_CACHE_HOME", "", "the user's cache folder, where it is not ~/.cache"},
    {"XDG_RUNTIME_DIR", "", "folder of the cache server where /tmp/mindspore cannot be used"},
    {"logger_backupCount", "30", "older files of Python's log that are kept"},
    {"logger_maxBytes", "52428800", "bytes Python's log file may reach before it is rotated"},
};

const Setting& declared(std::string_view name) {
  const auto* found = std::ranges::find(kSettings, name, &Setting::name);
  require(found != std::end(kSettings), ErrorKind::Internal, "the environment variable '", name,
          "' is not declared in platform/options");
  return *found;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

std::span<const Setting> settings() { return kSettings; }

std::optional<std::string> setting_if_given(std::string_view name) {
  const char* text = std::getenv(declared(name).name.data());  // literals end with a zero
  return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

std::string setting(std::string_view name) {
  return setting_if_given(name).value_or(std::string(declared(name).initial));
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end || text.empty()) return std::nullopt;
  return number;
}

std::int64_t integer_setting(std::string_view name, std::int64_t low, std::int64_t high) {
  const std::string text = setting(name);
  const std::optional<std::int64_t> number = parse_integer(text);
  require(number && low <= *number && *number <= high, ErrorKind::Value,
          "the environment variable '", name, "' must be a whole number in [", low, ", ", high,
          "], but got '", text, "'.");
  return *number;
}

bool flag_setting(std::string_view name) {
  const std::string text = lower(setting(name));
  for (const char* no : {"", "0", "false", "off", "no"}) {
    if (text == no) return false;
  }
  for (const char* yes : {"1", "true", "on", "yes"}) {
    if (text == yes) return true;
  }
  fail(ErrorKind::Value, "the environment variable '", name, "' must be 0 or 1, but got '", text,
       "'.");
}

}  // namespace mycel::platform
