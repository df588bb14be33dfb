// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "operator/op_def.h"
#include "operator/value.h"
#include "platform/ref.h"
#include "tensor/tensor.h"

namespace mycel::op {

// What the turns of a loop leave for its gradient: a row of values for each turn, in memory that
// grows with them. A side of a decision leaves one row. Large values have blocks of their own, so
// that there is no more of it than a tape of all turns would keep; small ones share some. On a
// device each value has memory of its own there. Programs hand a log on as a few bytes that say
// where it lies; whoever made it, or keeps it in a row of its own (a loop in a loop), answers for
// it being there.
class TurnLog : public platform::RefCounted<TurnLog> {
 public:
  struct Column {
    std::size_t bytes = 0;
    bool is_log = false;  // of a loop or decision inside
  };
  // `rows`: how many there will be at most; 0: nobody knows.
  explicit TurnLog(std::span<const Column> columns, std::int64_t rows = 0);
  ~TurnLog();
  TurnLog(const TurnLog&) = delete;
  TurnLog& operator=(const TurnLog&) = delete;

  std::int64_t turns() const { return turns_; }
  void begin_turn() { ++turns_; }
  // In the row of the newest turn; the value is dense.
  void keep(std::size_t column, const tensor::Tensor& value);
  // Fills `target`, which is dense, with a value of a turn.
  void read(std::int64_t turn, std::size_t column, const tensor::Tensor& target) const;

  // Whether an operator makes a log of one row of its inputs: whoever runs the program keeps it.
  static bool is_made_by(const OpDef& definition) { return definition.name == kMaker; }
  static constexpr std::string_view kMaker = "kept_row";

  // The type of the bytes that say where a log lies.
  static TensorSpec type();
  void note_place(const tensor::Tensor& bytes) const;
  static TurnLog& at(const tensor::Tensor& bytes);
  // Such bytes, which keep the log.
  static tensor::Tensor owner_of(const platform::Ref<TurnLog>& log, device::Device device = {});

 private:
  struct Chunk {
    std::int64_t first = 0;  // turn
    device::Block block;
  };
  void make_room();  // for the newest turn
  void require_turn(std::int64_t turn) const;
  char* place(std::int64_t turn, std::size_t column) const;

  std::vector<Column> columns_;
  std::vector<std::size_t> offsets_;                // of small values, in a row
  std::vector<std::vector<device::Block>> blocks_;  // of large ones, by column
  std::size_t row_bytes_ = 0;
  std::int64_t most_rows_ = 0;
  std::int64_t turns_ = 0, room_ = 0;  // rows that there are, and could be
  std::vector<Chunk> chunks_;
  std::vector<std::vector<tensor::Tensor>> on_device_;  // by column
  std::vector<platform::Ref<TurnLog>> inner_;
};

}  // namespace mycel::op
