// SPDX-License-Identifier: Apache-2.0
// Class labels of any integer type, checked.
#pragma once

#include <vector>

#include "operator/contexts.h"

namespace mycel::ops {

enum class NegativeLabels : std::uint8_t { Wrap, Refuse };

constexpr std::int64_t kIgnored = -1;  // in the result of `checked_labels`

// Labels in [0, classes); kIgnored where the label is `ignore_index`. IndexError otherwise.
inline std::vector<std::int64_t> checked_labels(const op::KernelContext& kernel,
                                                const tensor::Tensor& labels, std::int64_t classes,
                                                std::int64_t ignore_index,
                                                NegativeLabels negative) {
  const tensor::Tensor dense = tensor::contiguous(labels);
  std::vector<std::int64_t> result(static_cast<std::size_t>(dense.size()));
  tensor::with_integer_type(dense.dtype(), [&]<class T>() {
    for (std::size_t i = 0; i < result.size(); ++i) {
      const auto label = static_cast<std::int64_t>(dense.data<T>()[i]);
      if (label == ignore_index) {
        result[i] = kIgnored;
        continue;
      }
      const std::int64_t lowest = negative == NegativeLabels::Wrap ? -classes : 0;
      kernel.require(label >= lowest && label < classes, platform::ErrorKind::Index,
                     "every label must be in [", lowest, ", ", classes, ") for ", classes,
                     " classes, but got label ", label, " at position ", i, ".");
      result[i] = label < 0 ? label + classes : label;
    }
  });
  return result;
}

}  // namespace mycel::ops
