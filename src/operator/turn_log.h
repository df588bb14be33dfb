// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "operator/value.h"
#include "platform/ref.h"
#include "tensor/tensor.h"

namespace mycel::op {

// What the turns of a loop leave for its gradient: a row of values for each turn, in memory that
// grows with them. Large values have blocks of their own, so that there is no more of it than a
// tape of all turns would keep; small ones share some. Programs hand it on as a few bytes that say
// where it lies; whoever made it, or keeps it in a row of its own (a loop in a loop), answers for
// it being there.
class TurnLog : public platform::RefCounted<TurnLog> {
 public:
  struct Column {
    std::size_t bytes = 0;
    bool is_log = false;  // of a loop inside
  };
  explicit TurnLog(std::span<const Column> columns);
  ~TurnLog();
  TurnLog(const TurnLog&) = delete;
  TurnLog& operator=(const TurnLog&) = delete;

  std::int64_t turns() const { return turns_; }
  void begin_turn();
  void keep(std::size_t column, const void* bytes);  // in the row of the newest turn
  const void* value(std::int64_t turn, std::size_t column) const;
  std::size_t bytes_of(std::size_t column) const { return columns_[column].bytes; }

  // The type of the bytes that say where a log lies.
  static TensorSpec type();
  void note_place(void* bytes) const;
  static TurnLog& at(const void* bytes);
  // Such bytes, which keep the log.
  static tensor::Tensor owner_of(const platform::Ref<TurnLog>& log);

 private:
  struct Chunk {
    std::int64_t first = 0;  // turn
    device::Block block;
  };
  char* place(std::int64_t turn, std::size_t column) const;

  std::vector<Column> columns_;
  std::vector<std::size_t> offsets_;                // of small values, in a row
  std::vector<std::vector<device::Block>> blocks_;  // of large ones, by column
  std::size_t row_bytes_ = 0;
  std::int64_t turns_ = 0, room_ = 0;  // rows that there are, and could be
  std::vector<Chunk> chunks_;
  std::vector<platform::Ref<TurnLog>> inner_;
};

}  // namespace mycel::op
