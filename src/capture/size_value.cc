// SPDX-License-Identifier: Apache-2.0
#include "capture/size_value.h"

#include <mutex>
#include <set>

#include "eager/dispatch.h"

namespace mycel::capture {

using ir::SizeOperation;

namespace {

std::mutex mutex;                        // guards the set
std::set<std::uint64_t> used_elsewhere;  // numbers of writers

}  // namespace

SizeValue SizeValue::length(ScriptWriter& writer, const Tensor& tensor, std::size_t axis) {
  return {writer, writer.length(tensor, axis), SizeNumber::of(tensor.shape()[axis])};
}

ScriptWriter* SizeValue::writer() const {
  ScriptWriter* writer = script_writer();
  if (writer != nullptr && writer->serial() == writer_) return writer;
  const std::lock_guard lock(mutex);
  used_elsewhere.insert(writer_);
  return nullptr;
}

SizeNumber SizeValue::plain() const {
  if (ScriptWriter* known = writer())
    known->require(expression_, SizeComparison::Equal, ir::number_size(now_), true);
  return now_;
}

bool SizeValue::is_true() const {
  const bool outcome = now_.is_real ? now_.real != 0 : now_.whole != 0;
  if (ScriptWriter* known = writer())
    known->require(expression_, SizeComparison::NotEqual,
                   ir::number_size(SizeNumber::of(std::int64_t{0})), outcome);
  return outcome;
}

Tensor SizeValue::operand() const {
  if (ScriptWriter* known = writer()) return known->number(expression_, now_);
  return now_.is_real ? eager::number_tensor(now_.real) : eager::number_tensor(now_.whole);
}

namespace {

// Null: a script cannot be told what is made of the two.
ScriptWriter* writer_of_both(const SizeValue& a, const SizeValue& b) {
  for (const SizeValue* value : {&a, &b})
    if (!value->is_constant() && value->writer() == nullptr) return nullptr;
  return script_writer();
}

}  // namespace

std::optional<SizeValue> combined(SizeOperation operation, const SizeValue& a, const SizeValue& b) {
  ScriptWriter* const writer = writer_of_both(a, b);
  if (writer == nullptr) return std::nullopt;
  const std::optional<SizeNumber> now = ir::apply(operation, a.now(), b.now());
  if (!now) return std::nullopt;
  return SizeValue(*writer, ir::combined_size(operation, a.expression(), b.expression()), *now);
}

std::optional<bool> compared(SizeComparison how, const SizeValue& a, const SizeValue& b) {
  ScriptWriter* const writer = writer_of_both(a, b);
  if (writer == nullptr) return std::nullopt;
  const std::optional<bool> outcome = ir::compare(how, a.now(), b.now());
  if (outcome) writer->require(a.expression(), how, b.expression(), *outcome);
  return outcome;
}

std::optional<SizeValue> element_count(ScriptWriter& writer, const Tensor& tensor,
                                       std::int64_t factor) {
  std::optional<SizeValue> product(SizeNumber::of(factor));
  for (std::size_t axis = 0; product && axis < tensor.shape().size(); ++axis)
    product = combined(SizeOperation::Multiply, *product, SizeValue::length(writer, tensor, axis));
  return product;
}

bool was_used_elsewhere(const ScriptWriter& writer) {
  const std::lock_guard lock(mutex);
  return used_elsewhere.contains(writer.serial());
}

}  // namespace mycel::capture
