// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "data/pipeline/row_stream.h"
#include "tensor/tensor_stream.h"

namespace mycel::data {

// A running pipeline as a stream of tensors; batches are handed over, not copied. RuntimeError for
// a column that is no array of numbers.
class RowFeed : public tensor::TensorStream {
 public:
  explicit RowFeed(std::shared_ptr<RowStream> stream) : stream_(std::move(stream)) {}
  bool next(std::vector<Tensor>& row) override;
  bool wait(std::chrono::milliseconds most) override { return ended_ || stream_->wait(most); }
  bool ended() const override { return ended_; }

 private:
  std::shared_ptr<RowStream> stream_;
  bool ended_ = false;
};

}  // namespace mycel::data
