// SPDX-License-Identifier: Apache-2.0
#include "operator/turn_log.h"

#include <algorithm>
#include <cstring>

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

}  // namespace

TurnLog::TurnLog(std::span<const Column> columns)
    : columns_(columns.begin(), columns.end()), blocks_(columns.size()) {
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

void TurnLog::begin_turn() {
  ++turns_;
  if (turns_ <= room_ || row_bytes_ == 0) return;
  const auto smallest = static_cast<std::int64_t>(kSmallestChunk / row_bytes_);
  const std::int64_t rows = std::max({std::int64_t{1}, smallest, room_ / kShareOfGrowth});
  const device::Block block = device::allocate({}, static_cast<std::size_t>(rows) * row_bytes_);
  chunks_.push_back({room_, block});
  room_ += static_cast<std::int64_t>(block.bytes / row_bytes_);  // it may have got more
}

char* TurnLog::place(std::int64_t turn, std::size_t column) const {
  platform::require(turn >= 0 && turn < turns_, platform::ErrorKind::Internal, "a loop of ", turns_,
                    " turns has no turn ", turn);
  if (columns_[column].bytes >= kLarge)
    return static_cast<char*>(blocks_[column][static_cast<std::size_t>(turn)].data);
  const auto behind = std::upper_bound(
      chunks_.begin(), chunks_.end(), turn,
      [](std::int64_t wanted, const Chunk& chunk) { return wanted < chunk.first; });
  const Chunk& chunk = *(behind - 1);
  return static_cast<char*>(chunk.block.data) +
         static_cast<std::size_t>(turn - chunk.first) * row_bytes_ + offsets_[column];
}

void TurnLog::keep(std::size_t column, const void* bytes) {
  if (columns_[column].bytes >= kLarge)
    blocks_[column].push_back(device::allocate({}, columns_[column].bytes));
  std::memcpy(place(turns_ - 1, column), bytes, columns_[column].bytes);
  if (columns_[column].is_log) inner_.emplace_back(&at(bytes));
}

const void* TurnLog::value(std::int64_t turn, std::size_t column) const {
  return place(turn, column);
}

TensorSpec TurnLog::type() {
  return {DType::UInt8, {static_cast<std::int64_t>(sizeof(PlaceBytes))}, false};
}

void TurnLog::note_place(void* bytes) const {
  const PlaceBytes place{kMark, this};
  std::memcpy(bytes, &place, sizeof(place));
}

TurnLog& TurnLog::at(const void* bytes) {
  PlaceBytes place;
  std::memcpy(&place, bytes, sizeof(place));
  platform::require(place.mark == kMark, platform::ErrorKind::Internal,
                    "what the turns of a loop have kept is read from something else");
  return const_cast<TurnLog&>(*place.log);
}

Tensor TurnLog::owner_of(const Ref<TurnLog>& log) {
  struct Owner {
    PlaceBytes place;
    Ref<TurnLog> log;
  };
  auto* const owner = new Owner{{}, log};
  log->note_place(&owner->place);
  const TensorSpec spec = type();
  return Tensor::from_storage(Storage::borrow(
                                  {}, &owner->place, sizeof(PlaceBytes),
                                  [](void* memory) { delete static_cast<Owner*>(memory); }, owner),
                              spec.shape, spec.dtype);
}

}  // namespace mycel::op
