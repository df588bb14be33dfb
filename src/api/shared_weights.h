// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "tensor/tensor.h"

namespace mycel::api {

// Models of a process that hold the same weights hold them once, however they came by them: from
// the same file or bytes, or from files that have a part in common. Nobody may write what is
// shared. Bytes live as long as a tensor over them does.
class SharedWeights {
 public:
  static SharedWeights& of_process();

  // A tensor of this content; if there is one already, over the same bytes.
  tensor::Tensor shared(const tensor::Tensor& read);

 private:
  using Content = std::shared_ptr<const tensor::Tensor>;
  Content content(const tensor::Tensor& read);
  void forget_dead();

  std::mutex mutex_;  // guards what follows
  std::unordered_multimap<std::size_t, std::weak_ptr<const tensor::Tensor>> known_;  // by a hash
  std::size_t next_clearing_ = 64;  // when so many are known
};

}  // namespace mycel::api
