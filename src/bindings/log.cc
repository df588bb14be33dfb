// SPDX-License-Identifier: Apache-2.0
// Python's records go into the same sink as ours; settings for the documentation.
#include "platform/log/log.h"

#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/objects.h"
#include "bindings/parts.h"
#include "platform/options/options.h"

namespace mycel::bindings {
namespace {

namespace nb = nanobind;

// The settings in force, named as the variables that set them.
nb::dict log_settings() {
  const platform::LogOptions options = platform::log_options();
  nb::dict entry;
  entry["GLOG_v"] = std::to_string(static_cast<int>(options.level));
  entry["GLOG_logtostderr"] = options.to_stderr ? "1" : "0";
  if (options.to_stderr) return entry;
  entry["GLOG_log_dir"] = options.folder;
  entry["logger_maxBytes"] = options.python_max_file_bytes;
  entry["logger_backupCount"] = options.python_backup_count;
  entry["GLOG_stderrthreshold"] = std::to_string(static_cast<int>(options.stderr_level));
  return entry;
}

nb::list all_settings() {
  return list_of(platform::settings(), [](const platform::Setting& one) {
    return nb::make_tuple(text_object(one.name), text_object(one.initial), text_object(one.help));
  });
}

}  // namespace

void bind_log(nb::module_& module) {
  // Called at import; ValueError when a variable makes no sense.
  module.def("configure_log",
             [] { platform::configure_log(platform::log_options_from_environment()); });
  module.def("log_settings", log_settings);
  module.def("set_log_level",
             [](std::int64_t level) { platform::set_log_level(platform::log_level_of(level)); });
  module.def("log_may_pass", [](std::int64_t level) {
    return platform::log_may_pass(platform::log_level_of(level));
  });
  module.def(
      "log_record", [](std::int64_t level, const std::string& submodule, const std::string& file,
                       std::uint32_t line, const std::string& text) {
        platform::log_record(platform::log_level_of(level), submodule, file, line, text, true);
      });
  module.def("flush_log", &platform::flush_log);
  module.def("settings", all_settings);
}

}  // namespace mycel::bindings
