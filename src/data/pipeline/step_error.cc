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

void rethrow_located(const std::string& operation, const Row& row) {
  try {
    throw;
  } catch (const StepError& error) {
    error.rethrow_with(file_of(row) + place_of(row));
  } catch (const platform::Error& error) {
    throw platform::Error(error.kind(), operation + " failed. " + file_of(row) + error.message() +
                                            (error.message().ends_with('.') ? " " : ". ") +
                                            place_of(row));
  }
}

std::exception_ptr located(const std::exception_ptr& failure, const std::string& operation,
                           const Row& row) {
  try {
    std::rethrow_exception(failure);
  } catch (...) {
    try {
      rethrow_located(operation, row);
    } catch (...) {
      return std::current_exception();
    }
  }
}

}  // namespace mycel::data
