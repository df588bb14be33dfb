// SPDX-License-Identifier: Apache-2.0
// What a model file keeps of the dataset that its network was trained with: Map operations. They
// are run by the library of transforms, which is opened when a model first needs it: programs that
// prepare their inputs themselves load no codecs.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace mycel::api {

// A Map operation, as JSON texts.
struct StoredMap {
  std::string input_columns, output_columns, operations;
};

// Safe to use from many threads at once.
class Preprocessing {
 public:
  virtual ~Preprocessing() = default;
  // Columns that a sample has, in the order in which the operations ask for them.
  virtual const std::vector<std::string>& columns() const = 0;
  virtual std::vector<tensor::Tensor> run(std::span<const tensor::Tensor> sample) const = 0;
};

using PreprocessingMaker = std::unique_ptr<const Preprocessing> (*)(std::span<const StoredMap>);

// By the library of transforms, when it is loaded.
void offer_preprocessing(PreprocessingMaker maker);
// Refuses (kMEFailed) where a transform, or the library, is not there.
std::shared_ptr<const Preprocessing> make_preprocessing(std::span<const StoredMap> maps);

}  // namespace mycel::api
