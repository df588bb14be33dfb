// SPDX-License-Identifier: Apache-2.0
#include "api/boundary.h"

#include <mutex>

#include "platform/log/log.h"

namespace mycel::api {

void start_log() {
  static std::once_flag once;
  std::call_once(once, [] {
    try {
      platform::configure_log(platform::log_options_from_environment());
    } catch (const platform::Error& error) {
      platform::log_warning("the log stays as it is: ", error.message());
    }
  });
}

mindspore::Status failure(enum mindspore::StatusCode code, std::string_view operation,
                          std::string_view message) noexcept {
  try {
    start_log();
    const std::string text = platform::join(operation, ": ", message);
    platform::log_error(text);
    return mindspore::Status(code, text);
  } catch (...) {
    return code;
  }
}

mindspore::Status current_failure(enum mindspore::StatusCode code,
                                  std::string_view operation) noexcept {
  try {
    throw;
  } catch (const Refusal& refusal) {
    return failure(refusal.code(), operation, refusal.what());
  } catch (const std::bad_alloc&) {
    return failure(mindspore::kMCFailed, operation, "out of memory");
  } catch (const platform::Error& error) {
    if (error.kind() == platform::ErrorKind::Memory)
      return failure(mindspore::kMCFailed, operation, "out of memory: " + error.message());
    return failure(code, operation, error.message());
  } catch (const std::exception& error) {
    return failure(code, operation, error.what());
  } catch (...) {
    return failure(code, operation, "an exception of unknown kind");
  }
}

void note_null_handle(std::string_view operation) noexcept {
  failure(mindspore::kMCFailed, operation, "the handle is null");
}

}  // namespace mycel::api
