// SPDX-License-Identifier: Apache-2.0
#include "operator/turn_log.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "platform/error/error.h"

namespace mycel::op {

using platform::Ref;
using tensor::Storage;
using tensor::Tensor;

namespace {

constexpr std::size_t kAlignment = 16;
constexpr std::size_t kLarge = 4096;
constexpr std::size_t kSmallestChunk = 16384;
constexpr std::int64_t kShareOfGrowth = 32;  // a new chunk is so small a part of what there is

struct PlaceBytes {
  std::uint64_t mark = 0;
  const TurnLog* log = nullptr;
};
constexpr std::uint64_t kMark = 0x5475726e4c6f6721;

bool is_on_host(const Tensor& tensor) { return tensor.device().backend == device::kHostBackend; }

// A tensor of the host over bytes that outlive it.
Tensor seen_as_tensor(PlaceBytes& place) {
  const TensorSpec spec = TurnLog::type();
  return Tensor::from_storage(Storage::borrow(
                                  {}, &place, sizeof(place), [](void*) {}, nullptr),
                              spec.shape, spec.dtype);
}

}  // namespace

TurnLog::TurnLog(std::span<const Column> columns, std::int64_t rows)
    : columns_(columns.begin(), columns.end()),
      blocks_(columns.size()),
      most_rows_(rows),
      on_device_(columns.size()) {
  for (const Column& column : columns_) {
    offsets_.push_back(row_bytes_);
    if (column.bytes >= kLarge) continue;
    row_bytes_ += (column.bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
}

TurnLog::~TurnLog() {
  for (const Chunk& chunk : chunks_) device::release({}, chunk.block);
  for (const std::vector<device::Block>& column : blocks_) {
    for (const device::Block& block : column) device::release({}, block);
  }
}

void TurnLog::make_room() {
  if (turns_ <= room_) return;
  const std::int64_t smallest =
      most_rows_ > 0 ? most_rows_ : static_cast<std::int64_t>(kSmallestChunk / row_bytes_);
  const std::int64_t rows = std::max({turns_ - room_, smallest, room_ / kShareOfGrowth});
  const device::Block block = device::allocate({}, static_cast<std::size_t>(rows) * row_bytes_);
  chunks_.push_back({room_, block});
  room_ += static_cast<std::int64_t>(block.bytes / row_bytes_);  // it may have got more
}

void TurnLog::require_turn(std::int64_t turn) const {
  platform::require(turn >= 0 && turn < turns_, platform::ErrorKind::Internal, "a loop of ", turns_,
                    " turns has no turn ", turn);
}

char* TurnLog::place(std::int64_t turn, std::size_t column) const {
  if (columns_[column].bytes >= kLarge)
    return static_cast<char*>(blocks_[column][static_cast<std::size_t>(turn)].data);
  const auto behind = std::upper_bound(
      chunks_.begin(), chunks_.end(), turn,
      [](std::int64_t wanted, const Chunk& chunk) { return wanted < chunk.first; });
  const Chunk& chunk = *(behind - 1);
  return static_cast<char*>(chunk.block.data) +
         static_cast<std::size_t>(turn - chunk.first) * row_bytes_ + offsets_[column];
}

void TurnLog::keep(std::size_t column, const Tensor& value) {
  if (columns_[column].is_log) inner_.emplace_back(&at(value));
  if (!is_on_host(value)) {
    Tensor copy = Tensor::empty(value.shape(), value.dtype(), value.device());
    tensor::copy_elements(value, copy);
    on_device_[column].push_back(std::move(copy));
    return;
  }
  if (value.bytes() == 0) return;
  if (columns_[column].bytes >= kLarge)
    blocks_[column].push_back(device::allocate({}, columns_[column].bytes));
  else
    make_room();
  std::memcpy(place(turns_ - 1, column), value.raw(), columns_[column].bytes);
}

void TurnLog::read(std::int64_t turn, std::size_t column, const Tensor& target) const {
  require_turn(turn);
  platform::require(columns_[column].bytes == target.bytes(), platform::ErrorKind::Internal,
                    "a loop has kept ", columns_[column].bytes, " bytes, not ", target.bytes());
  if (target.bytes() == 0) return;
  if (is_on_host(target))
    std::memcpy(target.raw(), place(turn, column), target.bytes());
  else
    tensor::copy_elements(on_device_[column][static_cast<std::size_t>(turn)], target);
}

TensorSpec TurnLog::type() {
  return {DType::UInt8, {static_cast<std::int64_t>(sizeof(PlaceBytes))}, false};
}

void TurnLog::note_place(const Tensor& bytes) const {
  PlaceBytes place{kMark, this};
  if (is_on_host(bytes))
    std::memcpy(bytes.raw(), &place, sizeof(place));
  else
    tensor::copy_elements(seen_as_tensor(place), bytes);
}

TurnLog& TurnLog::at(const Tensor& bytes) {
  PlaceBytes place;
  if (is_on_host(bytes))
    std::memcpy(&place, bytes.raw(), sizeof(place));
  else
    tensor::copy_elements(bytes, seen_as_tensor(place));
  platform::require(place.mark == kMark, platform::ErrorKind::Internal,
                    "what the turns of a loop have kept is read from something else");
  return const_cast<TurnLog&>(*place.log);
}

Tensor TurnLog::owner_of(const Ref<TurnLog>& log, device::Device device) {
  struct Owner {
    Tensor place;
    Ref<TurnLog> log;
  };
  const TensorSpec spec = type();
  auto owner = std::make_unique<Owner>(Owner{Tensor::empty(spec.shape, spec.dtype, device), log});
  log->note_place(owner->place);
  void* const bytes = owner->place.raw();
  return Tensor::from_storage(
      Storage::borrow(
          device, bytes, sizeof(PlaceBytes),
          [](void* memory) { delete static_cast<Owner*>(memory); }, owner.release()),
      spec.shape, spec.dtype);
}

}  // namespace mycel::op
