// SPDX-License-Identifier: Apache-2.0
// Class labels of any integer type, checked.
#pragma once

#include <optional>
#include <vector>

#include "operator/contexts.h"

namespace mycel::ops {

constexpr std::int64_t kIgnored = -1;  // in the result of `checked_labels`

// Labels in [0, classes); kIgnored where the label is the attribute `ignore_index`, unless that is
// None. IndexError otherwise: a negative label is a mistake, not a class counted from the end.
inline std::vector<std::int64_t> checked_labels(const op::KernelContext& kernel,
                                                const tensor::Tensor& labels,
                                                std::int64_t classes) {
  std::optional<std::int64_t> ignored;
  if (!kernel.is_none("ignore_index")) ignored = kernel.integer("ignore_index");
  const tensor::Tensor dense = tensor::contiguous(labels);
  std::vector<std::int64_t> result(static_cast<std::size_t>(dense.size()));
  tensor::with_integer_type(dense.dtype(), [&]<class T>() {
    for (std::size_t i = 0; i < result.size(); ++i) {
      const auto label = static_cast<std::int64_t>(dense.data<T>()[i]);
      if (label == ignored) {
        result[i] = kIgnored;
        continue;
      }
      kernel.require(label >= 0 && label < classes, platform::ErrorKind::Index,
                     "every label must be in [0, ", classes, ") for ", classes,
                     " classes, but got label ", label, " at position ", i, ".");
      result[i] = label;
    }
  });
  return result;
}

}  // namespace mycel::ops
