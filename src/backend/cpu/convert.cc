// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/convert.h"

#include "backend/cpu/number.h"
#include "backend/cpu/strided_walk.h"
#include "platform/thread/parallel_for.h"

namespace mycel::cpu {

using tensor::Tensor;

void convert_elements(const Tensor& source, const Tensor& target) {
  if (source.dtype() == target.dtype()) {
    tensor::copy_elements(source, target);
    return;
  }
  const std::int64_t count = target.size();
  if (count == 0) return;
  const ConvertFunction convert = conversion(source.dtype(), target.dtype());
  const auto* from = source.data<const char>();
  auto* to = target.data<char>();
  const auto from_bytes = static_cast<std::int64_t>(tensor::size_of(source.dtype()));
  const auto to_bytes = static_cast<std::int64_t>(tensor::size_of(target.dtype()));
  if (source.is_contiguous() && target.is_contiguous()) {
    platform::parallel_for(count, 1, [&](std::int64_t begin, std::int64_t end) {
      convert(from + begin * from_bytes, 1, to + begin * to_bytes, 1, end - begin);
    });
    return;
  }
  const Tensor* operands[] = {&source, &target};
  const StridedWalk walk(target.shape(), operands);
  const std::int64_t length = walk.inner_length();
  platform::parallel_for(count / length, length, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      convert(from + walk.row_offset(0, row) * from_bytes, walk.inner_stride(0),
              to + walk.row_offset(1, row) * to_bytes, walk.inner_stride(1), length);
    }
  });
}

}  // namespace mycel::cpu
