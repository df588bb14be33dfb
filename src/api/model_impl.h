// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "api/built_model.h"
#include "include/api/cell.h"
#include "include/api/context.h"
#include "include/api/graph.h"

namespace mindspore {

// What a `Model` stands for at the moment. Build puts another one in its place while calls under
// way go on with the one they have.
class ModelImpl {
 public:
  using Built = std::shared_ptr<mycel::api::BuiltModel>;

  ModelImpl() = default;
  explicit ModelImpl(Built built) : built_(std::move(built)) {}

  Built built() const {
    const std::lock_guard lock(mutex_);
    return built_;
  }
  void set(Built built) {
    const std::lock_guard lock(mutex_);
    built_.swap(built);
  }

  // Null: the graph is.
  static std::shared_ptr<const mycel::api::ProgramSource> source_of(const GraphCell& cell);

 private:
  mutable std::mutex mutex_;  // guards built_
  Built built_;
};

}  // namespace mindspore
