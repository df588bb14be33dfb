// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "tensor/tensor.h"

namespace mycel::tensor {

// Rows of tensors, one after the other: what a loop that runs many training steps pulls its batches
// from, wherever they come from.
class TensorStream {
 public:
  virtual ~TensorStream() = default;
  // False at the end of an epoch; the next call begins the next one. Errors of the maker come out
  // here.
  virtual bool next(std::vector<Tensor>& row) = 0;
  // Waits a while at most; true: next() has something to do at once. A caller that must look after
  // other things (signals) waits in this way.
  virtual bool wait(std::chrono::milliseconds most) = 0;
  // True after the last epoch.
  virtual bool ended() const = 0;
};

}  // namespace mycel::tensor
