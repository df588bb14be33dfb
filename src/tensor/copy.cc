// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <mutex>

#include "device/current.h"
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

// Where work on the device side of a copy is put; the bytes are used there from now on. Whoever
// brings something to the host has not always thought of the stream that computes it.
device::Stream& stream_for(const Tensor& tensor) {
  device::Stream& stream = device::current_stream(tensor.device());
  device::Stream* const maker = tensor.storage().stream();
  if (maker != nullptr && maker != &stream) {
    device::order(tensor.device(), *maker, stream);
    tensor.storage().note_use(stream);
  }
  return stream;
}

device::Backend& backend_of(const Tensor& tensor) {
  return device::backend_at(tensor.device().backend);
}

// Both are dense and of one size. What the host is to see has been waited for.
void copy_dense(const Tensor& source, const Tensor& target) {
  using device::CopyDirection;
  const std::size_t bytes = source.bytes();
  if (bytes == 0) return;
  const Tensor& there = is_on_host(target) ? source : target;
  const CopyDirection direction = is_on_host(target)   ? CopyDirection::DeviceToHost
                                  : is_on_host(source) ? CopyDirection::HostToDevice
                                                       : CopyDirection::DeviceToDevice;
  device::Stream& stream = stream_for(there);
  if (direction == CopyDirection::DeviceToDevice) source.storage().note_use(stream);
  backend_of(there).copy(there.device().index, target.raw(), source.raw(), bytes, direction,
                         stream);
  if (is_on_host(target)) stream.synchronize();
}

Tensor dense_on(const Tensor& source, Device device) {
  Tensor dense = Tensor::empty(source.shape(), source.dtype(), device);
  copy_elements(source, dense);
  return dense;
}

// A copy on one device, by its own kernel. False: it has none.
bool copy_on_device(const Tensor& source, const Tensor& target) {
  const Plan plan = coalesce(source, target);
  device::StridedCopy copy;
  copy.target = target.raw();
  copy.source = source.raw();
  copy.element_bytes = size_of(source.dtype());
  copy.shape = {plan.shape.data(), plan.shape.size()};
  copy.target_strides = {plan.target.data(), plan.target.size()};
  copy.source_strides = {plan.source.data(), plan.source.size()};
  device::Stream& stream = stream_for(target);
  source.storage().note_use(stream);
  return backend_of(target).copy_strided(target.device().index, copy, stream);
}

// The stretch of storage a strided tensor reaches, dense in its own right.
Tensor stretch_of(const Tensor& tensor, std::int64_t& skipped) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (std::size_t i = 0; i < tensor.shape().size(); ++i) {
    const std::int64_t reach = tensor.strides()[i] * (tensor.shape()[i] - 1);
    (reach < 0 ? low : high) += reach;
  }
  skipped = -low;
  return Tensor::view(tensor, {high - low + 1}, {1}, tensor.body().offset + low);
}

// For devices without a kernel: what lies between the target's elements comes back unchanged.
void copy_through_host(const Tensor& source, const Tensor& target) {
  std::int64_t skipped = 0;
  const Tensor from = stretch_of(source, skipped);
  const Tensor from_host = dense_on(from, Device{});
  const Tensor elements = Tensor::view(from_host, source.shape(), source.strides(), skipped);
  const Tensor to = stretch_of(target, skipped);
  const Tensor to_host = dense_on(to, Device{});
  copy_host_elements(elements, Tensor::view(to_host, target.shape(), target.strides(), skipped));
  copy_dense(to_host, to);
}

// Between devices of one backend, without the host. False: it cannot.
bool copy_to_peer(const Tensor& source, const Tensor& target) {
  const Device from = source.device();
  const Device to = target.device();
  if (from.backend != to.backend) return false;
  device::Stream& stream = stream_for(target);
  device::order(from, device::current_stream(from), stream);
  source.storage().note_use(stream);
  return backend_of(target).copy_from_peer(to.index, target.raw(), from.index, source.raw(),
                                           source.bytes(), stream);
}

void copy_remote_elements(const Tensor& source, const Tensor& target) {
  if (source.size() == 0) return;
  const bool is_dense = source.is_contiguous() && target.is_contiguous();
  const bool one_device = source.device() == target.device();
  if (is_dense && (one_device || is_on_host(source) || is_on_host(target)))
    return copy_dense(source, target);
  if (one_device) {
    if (!copy_on_device(source, target)) copy_through_host(source, target);
    return;
  }
  // The side that is not dense is walked where it lies.
  if (!source.is_contiguous()) return copy_elements(dense_on(source, source.device()), target);
  if (!target.is_contiguous()) return copy_elements(dense_on(source, target.device()), target);
  if (!copy_to_peer(source, target)) copy_dense(dense_on(source, Device{}), target);
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
  return tensor.is_contiguous() ? tensor : dense_on(tensor, tensor.device());
}

Tensor copy_to_device(const Tensor& source, Device target) {
  return source.device() == target ? source : dense_on(source, target);
}

void Storage::move_to(Device device) {
  // Nobody is told: this is no look at what the bytes are. Threads that share a tensor may come
  // here together.
  static std::mutex moving;
  const std::lock_guard guard(moving);
  if (this->device() == device) return;
  platform::require(block_.data != nullptr || bytes_ == 0, platform::ErrorKind::Internal,
                    "bytes that do not exist yet cannot be moved to another device");
  const auto count = static_cast<std::int64_t>(bytes_);
  const Tensor here =
      Tensor::from_storage(borrow(
                               this->device(), block_.data, bytes_, [](void*) {}, nullptr),
                           {count}, DType::UInt8);
  if (device.backend == device::kHostBackend) {
    const Ref<Storage> there = allocate(device, bytes_);
    copy_elements(here, Tensor::from_storage(there, {count}, DType::UInt8));
    return take_memory(there);
  }
  // Waited for: whoever uses the tensor next may do so on any stream.
  device::Stream& stream = device::copy_stream(device);
  const device::StreamScope scope(device, stream);
  const Ref<Storage> there = allocate(device, bytes_);
  copy_elements(here, Tensor::from_storage(there, {count}, DType::UInt8));
  stream.synchronize();
  take_memory(there);
}

void settle_on(Device device, std::span<const Tensor> tensors) {
  for (const Tensor& tensor : tensors) {
    if (!tensor.defined() || tensor.body().is_number || tensor.device() == device) continue;
    tensor.storage().move_to(device);
  }
}

}  // namespace mycel::tensor
