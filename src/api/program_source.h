// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "api/preprocessing.h"
#include "api/walk_lock.h"
#include "tensor/tensor.h"

namespace mycel::api {

using tensor::Tensor;

constexpr std::int64_t kAnyLength = -1;
constexpr std::int64_t kAnyShape = -2;  // the only entry of a shape of which nothing is known

struct ProgramInput {
  std::string name;
  tensor::DType dtype = tensor::DType::Float32;
  std::vector<std::int64_t> shape;  // may hold the two above
};

// A program that was loaded, whatever it was loaded from: it can be walked, which calls its
// operators one after the other through `eager::emitter()`. By themselves they execute; under a
// recorder they become a graph.
class ProgramSource {
 public:
  virtual ~ProgramSource() = default;
  virtual const std::string& name() const = 0;  // of the file, for messages
  virtual const std::vector<ProgramInput>& inputs() const = 0;
  // Empty: they have none.
  virtual const std::vector<std::string>& output_names() const {
    static const std::vector<std::string> none;
    return none;
  }
  virtual std::vector<Tensor> walk(std::span<const Tensor> inputs) const = 0;
  virtual std::size_t weights_bytes() const = 0;
  // Stored with it, for its inputs.
  virtual std::vector<StoredMap> preprocessing() const { return {}; }
  virtual std::string user_info() const { return "{}"; }  // JSON

  WalkLock& lock() const { return lock_; }

 private:
  mutable WalkLock lock_;
};

}  // namespace mycel::api
