// SPDX-License-Identifier: Apache-2.0
#include "api/load_program.h"

#include "api/boundary.h"

namespace mycel::api {

std::shared_ptr<const ProgramSource> load_program(const std::string& file, ModelKey /*key*/) {
  refuse(mindspore::kMEInvalidInput, "'", file, "' cannot be read");
}

std::shared_ptr<const ProgramSource> load_program(std::string_view /*bytes*/, ModelKey /*key*/) {
  refuse(mindspore::kMEInvalidInput, "models cannot be read from memory");
}

}  // namespace mycel::api
