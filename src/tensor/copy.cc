// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "platform/error/error.h"
#include "platform/thread/parallel_for.h"
#include "tensor/tensor.h"

namespace mycel::tensor {
namespace {

struct Plan {
  Shape shape;
  Strides source;
  Strides target;
};

// Drops axes of length one and joins neighbours that both sides walk through evenly.
Plan coalesce(const Tensor& source, const Tensor& target) {
  Plan plan;
  for (std::size_t i = 0; i < source.shape().size(); ++i) {
    const std::int64_t length = source.shape()[i];
    if (length == 1) continue;
    const std::int64_t from = source.strides()[i];
    const std::int64_t to = target.strides()[i];
    const bool joins = !plan.shape.empty() && plan.source.back() == from * length &&
                       plan.target.back() == to * length;
    if (joins) {
      plan.shape.back() *= length;
      plan.source.back() = from;
      plan.target.back() = to;
    } else {
      plan.shape.push_back(length);
      plan.source.push_back(from);
      plan.target.push_back(to);
    }
  }
  return plan;
}

constexpr std::int64_t kTile =
    32;  // 32 x 32 elements of 4 bytes fill half of the first-level cache

template <class T>
void copy_tile(const T* source, std::int64_t source_row, std::int64_t source_column, T* target,
               std::int64_t target_row, std::int64_t target_column, std::int64_t rows,
               std::int64_t columns) {
  if (source_column == 1 && target_column == 1) {
    for (std::int64_t r = 0; r < rows; ++r) {
      std::memcpy(target + r * target_row, source + r * source_row,
                  static_cast<std::size_t>(columns) * sizeof(T));
    }
    return;
  }
  for (std::int64_t r0 = 0; r0 < rows; r0 += kTile) {
    const std::int64_t r1 = std::min(rows, r0 + kTile);
    for (std::int64_t c0 = 0; c0 < columns; c0 += kTile) {
      const std::int64_t c1 = std::min(columns, c0 + kTile);
      for (std::int64_t r = r0; r < r1; ++r) {
        const T* from = source + r * source_row;
        T* to = target + r * target_row;
        for (std::int64_t c = c0; c < c1; ++c) to[c * target_column] = from[c * source_column];
      }
    }
  }
}

template <class T>
void copy_planned(const Plan& plan, const T* source, T* target, std::int64_t count) {
  const std::size_t rank = plan.shape.size();
  // The axis the source walks most closely becomes the tile's rows when it is not the last one, so
  // that a transposition touches each cache line once.
  const std::size_t last = rank - 1;
  std::size_t row = rank >= 2 ? rank - 2 : 0;
  for (std::size_t i = 0; i + 1 < rank; ++i) {
    if (plan.source[i] == 1) row = i;
  }
  IntList outer;
  for (std::size_t i = 0; i < last; ++i) {
    if (i != row || rank == 1) outer.push_back(static_cast<std::int64_t>(i));
  }
  const std::int64_t rows = rank >= 2 ? plan.shape[row] : 1;
  const std::int64_t columns = plan.shape[last];
  const std::int64_t tile_rows = std::max<std::int64_t>(kTile, (1 << 14) / columns);
  const std::int64_t row_blocks = (rows + tile_rows - 1) / tile_rows;
  const std::int64_t jobs = count / (rows * columns) * row_blocks;
  platform::parallel_for(
      jobs, std::min(rows, tile_rows) * columns, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t job = begin; job < end; ++job) {
          std::int64_t rest = job / row_blocks;
          const std::int64_t first_row = job % row_blocks * tile_rows;
          std::int64_t from = rank >= 2 ? first_row * plan.source[row] : 0;
          std::int64_t to = rank >= 2 ? first_row * plan.target[row] : 0;
          for (std::size_t k = outer.size(); k-- > 0;) {
            const auto axis = static_cast<std::size_t>(outer[k]);
            const std::int64_t i = rest % plan.shape[axis];
            rest /= plan.shape[axis];
            from += i * plan.source[axis];
            to += i * plan.target[axis];
          }
          copy_tile(source + from, rank >= 2 ? plan.source[row] : 0, plan.source[last], target + to,
                    rank >= 2 ? plan.target[row] : 0, plan.target[last],
                    std::min(tile_rows, rows - first_row), columns);
        }
      });
}

void copy_host_elements(const Tensor& source, const Tensor& target) {
  const std::int64_t count = source.size();
  if (count == 0) return;
  const Plan plan = coalesce(source, target);
  with_bits_type(source.dtype(), [&]<class T>() {
    if (plan.shape.empty()) {
      *target.data<T>() = *source.data<T>();
    } else {
      copy_planned<T>(plan, source.data<T>(), target.data<T>(), count);
    }
  });
}

bool is_on_host(const Tensor& tensor) { return tensor.device().backend == device::kHostBackend; }

// Waits for the result.
void copy_bytes(Device side, void* target, const void* source, std::size_t bytes,
                device::CopyDirection direction) {
  if (bytes == 0) return;
  device::Backend& backend = device::backend_at(side.backend);
  backend.copy(side.index, target, source, bytes, direction, backend.default_stream(side.index));
  backend.synchronize(side.index);
}

// The stretch of storage a strided tensor reaches, and a host tensor that mirrors it.
struct Mirror {
  Tensor host;        // same shape and strides as the tensor
  void* remote;       // start of the stretch on the device
  void* local;        // start of the stretch on the host
  std::size_t bytes;  // of the stretch
};

Mirror mirror_of(const Tensor& tensor) {
  std::int64_t low = 0;
  std::int64_t high = tensor.size() == 0 ? -1 : 0;
  for (std::size_t i = 0; i < tensor.shape().size() && high >= 0; ++i) {
    const std::int64_t reach = tensor.strides()[i] * (tensor.shape()[i] - 1);
    (reach < 0 ? low : high) += reach;
  }
  const Tensor stretch = Tensor::empty({high - low + 1}, tensor.dtype());
  const auto element = static_cast<std::int64_t>(size_of(tensor.dtype()));
  return {Tensor::view(stretch, tensor.shape(), tensor.strides(), -low),
          static_cast<char*>(tensor.raw()) + low * element, stretch.raw(), stretch.bytes()};
}

Tensor fetch(const Tensor& tensor) {
  const Mirror mirror = mirror_of(tensor);
  copy_bytes(tensor.device(), mirror.local, mirror.remote, mirror.bytes,
             device::CopyDirection::DeviceToHost);
  return mirror.host;
}

// A device's own kernels copy in place; without one the elements take the way through the host.
void copy_remote_elements(const Tensor& source, const Tensor& target) {
  const Tensor from = is_on_host(source) ? source : fetch(source);
  if (is_on_host(target)) return copy_host_elements(from, target);
  const Mirror to = mirror_of(target);
  // What lies between the target's elements must come back unchanged.
  if (!target.is_contiguous()) {
    copy_bytes(target.device(), to.local, to.remote, to.bytes, device::CopyDirection::DeviceToHost);
  }
  copy_host_elements(from, to.host);
  copy_bytes(target.device(), to.remote, to.local, to.bytes, device::CopyDirection::HostToDevice);
}

}  // namespace

void copy_elements(const Tensor& source, const Tensor& target) {
  if (is_on_host(source) && is_on_host(target)) [[likely]] {
    copy_host_elements(source, target);
  } else {
    copy_remote_elements(source, target);
  }
}

Tensor contiguous(const Tensor& tensor) {
  if (tensor.is_contiguous()) return tensor;
  Tensor dense = Tensor::empty(tensor.shape(), tensor.dtype(), tensor.device());
  copy_elements(tensor, dense);
  return dense;
}

Tensor copy_to_device(const Tensor& source, Device target) {
  if (source.device() == target) return source;
  if (!is_on_host(source) && target.backend != device::kHostBackend) {
    return copy_to_device(copy_to_device(source, Device{}), target);
  }
  Tensor result = Tensor::empty(source.shape(), source.dtype(), target);
  if (is_on_host(source)) {
    const Tensor dense = contiguous(source);
    copy_bytes(target, result.raw(), dense.raw(), dense.bytes(),
               device::CopyDirection::HostToDevice);
  } else if (source.is_contiguous()) {
    copy_bytes(source.device(), result.raw(), source.raw(), source.bytes(),
               device::CopyDirection::DeviceToHost);
  } else {
    copy_elements(source, result);
  }
  return result;
}

}  // namespace mycel::tensor
