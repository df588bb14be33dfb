// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "api/program_source.h"
#include "include/api/graph.h"

namespace mindspore {

class Graph::GraphData {
 public:
  GraphData(std::shared_ptr<const mycel::api::ProgramSource> source, enum ModelType type)
      : source(std::move(source)), type(type) {}
  const std::shared_ptr<const mycel::api::ProgramSource> source;
  const enum ModelType type;
};

}  // namespace mindspore
