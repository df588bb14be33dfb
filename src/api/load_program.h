// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/program_source.h"
#include "include/api/types.h"

namespace mycel::api {

// How a model is encrypted; an empty key: it is not.
struct ModelKey {
  std::string_view key;
  std::string_view mode;
};

bool is_loadable(mindspore::ModelType type);
// Of a type that is loadable. What is wrong with the file, key or bytes is thrown.
std::shared_ptr<const ProgramSource> load_program(const std::string& file,
                                                  mindspore::ModelType type, ModelKey key);
std::shared_ptr<const ProgramSource> load_program(std::string_view bytes, mindspore::ModelType type,
                                                  ModelKey key);

}  // namespace mycel::api
