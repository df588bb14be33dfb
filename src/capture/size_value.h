// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "capture/script_writer.h"

namespace mycel::capture {

// A number that knows how it was computed from lengths of tensors in the script of one writer. For
// everybody else it is a plain number.
class SizeValue {
 public:
  explicit SizeValue(SizeNumber number) : expression_(ir::number_size(number)), now_(number) {}
  SizeValue(const ScriptWriter& writer, SizeRef expression, SizeNumber now)
      : expression_(std::move(expression)), now_(now), writer_(writer.serial()) {}
  static SizeValue length(ScriptWriter& writer, const Tensor& tensor, std::size_t axis);

  const SizeRef& expression() const { return expression_; }
  SizeNumber now() const { return now_; }
  bool is_constant() const { return writer_ == 0; }
  // The writer it belongs to; null: that is gone, or at work on another thread, and will know that
  // the number was used where nobody could write it down.
  ScriptWriter* writer() const;
  // From here on the script relies on the number, or on its being zero or not.
  SizeNumber plain() const;
  bool is_true() const;
  Tensor operand() const;  // of an operator

 private:
  SizeRef expression_;
  SizeNumber now_;
  std::uint64_t writer_ = 0;  // 0: a number that is the same every time
};

// Nothing: expressions do not know such a number, or a script does not know an operand.
std::optional<SizeValue> combined(ir::SizeOperation operation, const SizeValue& a,
                                  const SizeValue& b);
// The script relies on the outcome.
std::optional<bool> compared(SizeComparison how, const SizeValue& a, const SizeValue& b);

// The number of a tensor's elements, times `factor`.
std::optional<SizeValue> element_count(ScriptWriter& writer, const Tensor& tensor,
                                       std::int64_t factor);

// Whether a number of this writer was used where nobody could write it down.
bool was_used_elsewhere(const ScriptWriter& writer);

}  // namespace mycel::capture
