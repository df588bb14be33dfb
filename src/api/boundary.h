// SPDX-License-Identifier: Apache-2.0
// Where exceptions end: the interface answers with statuses, and every failure is also in the log.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "include/api/status.h"
#include "platform/error/error.h"

namespace mycel::api {

// Thrown inside the library where the code matters to callers.
class Refusal : public std::exception {
 public:
  Refusal(enum mindspore::StatusCode code, std::string message)
      : code_(code), message_(std::move(message)) {}
  enum mindspore::StatusCode code() const { return code_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  enum mindspore::StatusCode code_;
  std::string message_;
};

template <class... Parts>
[[noreturn]] void refuse(enum mindspore::StatusCode code, const Parts&... parts) {
  throw Refusal(code, platform::join(parts...));
}

template <class... Parts>
void require(bool ok, enum mindspore::StatusCode code, const Parts&... parts) {
  if (!ok) [[unlikely]]
    refuse(code, parts...);
}

// The log as the environment wants it; the first call does it. Python does this for itself.
void start_log();

// A status with this message, which is also logged.
mindspore::Status failure(enum mindspore::StatusCode code, std::string_view operation,
                          std::string_view message) noexcept;
// Of the exception that is being handled; `code` unless it brings its own.
mindspore::Status current_failure(enum mindspore::StatusCode code,
                                  std::string_view operation) noexcept;

// Runs the body; what it throws becomes a status of this code, or of its own.
template <class Body>
mindspore::Status guarded(enum mindspore::StatusCode code, std::string_view operation,
                          const Body& body) noexcept {
  try {
    body();
    return {};
  } catch (...) {
    return current_failure(code, operation);
  }
}

// For functions that give no status: `fallback` and a line in the log.
template <class Result, class Body>
Result guarded_value(std::string_view operation, Result fallback, const Body& body) noexcept {
  try {
    return body();
  } catch (...) {
    current_failure(mindspore::kMCFailed, operation);
    return fallback;
  }
}

// Something was asked of a handle that stands for nothing.
void note_null_handle(std::string_view operation) noexcept;

}  // namespace mycel::api
