// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/step_error.h"

namespace mycel::data {

std::string place_of(const Row& row) {
  return "This is row " + std::to_string(row.index) + " of its source, in pass " +
         std::to_string(row.pass + 1) + " over it.";
}

std::string file_of(const Row& row) {
  return row.file == nullptr ? "" : "The corresponding data file is: " + *row.file + ". ";
}

std::exception_ptr located(const std::exception_ptr& failure, const std::string& operation,
                           const Row& row) {
  try {
    std::rethrow_exception(failure);
  } catch (const StepError& error) {
    return error.with(file_of(row) + place_of(row));
  } catch (const platform::Error& error) {
    return std::make_exception_ptr(platform::Error(
        error.kind(), operation + " failed. " + file_of(row) + error.message() +
                          (error.message().ends_with('.') ? " " : ". ") + place_of(row)));
  } catch (...) {
    return failure;
  }
}

void rethrow_located(const std::string& operation, const Row& row) {
  std::rethrow_exception(located(std::current_exception(), operation, row));
}

std::exception_ptr noted(const std::exception_ptr& failure, const std::string& note) {
  try {
    std::rethrow_exception(failure);
  } catch (const StepError& error) {
    return error.with(note);
  } catch (...) {
    return failure;
  }
}

}  // namespace mycel::data
