// SPDX-License-Identifier: Apache-2.0
// What rules ask that say what an operator of a recorded program becomes in a model file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "operator/contexts.h"

namespace mycel::op {

struct UsedOperand {
  bool is_present = false;  // optional ones may be absent
  TensorSpec spec;
  Tensor number;  // of a Python number: itself
  bool is_parameter = false;
  std::string name;  // of a parameter that has one
};

// One use of an operator. Attributes are read by name, as everywhere.
class OperatorUse : public AttributeReader {
 public:
  struct Facts {
    const OpDef& definition;
    std::span<AttributeValue> attributes;
    std::vector<UsedOperand> operands = {};
    std::vector<TensorSpec> outputs = {};
    std::vector<bool> is_read = {};  // of the outputs
    std::string place = {};          // the user's line
    std::string_view format = {};    // that is written
  };
  explicit OperatorUse(Facts facts)
      : AttributeReader(facts.definition, facts.attributes), facts_(std::move(facts)) {}

  using AttributeReader::dtype;
  DType dtype() const { return facts_.outputs[0].dtype; }
  const Shape& shape() const { return facts_.outputs[0].shape; }
  std::int64_t rank() const { return facts_.outputs[0].rank(); }
  const std::vector<TensorSpec>& outputs() const { return facts_.outputs; }

  std::size_t operand_count() const { return facts_.operands.size(); }
  bool has(std::size_t i) const { return i < operand_count() && facts_.operands[i].is_present; }
  bool is_number(std::size_t i) const { return has(i) && facts_.operands[i].number.defined(); }
  const UsedOperand& operand(std::size_t i) const { return facts_.operands[i]; }
  DType dtype_of(std::size_t i) const { return facts_.operands[i].spec.dtype; }
  const Shape& shape_of(std::size_t i = 0) const { return facts_.operands[i].spec.shape; }
  std::int64_t rank_of(std::size_t i = 0) const { return facts_.operands[i].spec.rank(); }

  bool is_read(std::size_t output) const { return facts_.is_read[output]; }
  // How many of the first outputs must be there for those that are read.
  std::size_t wanted() const;
  // The type in which operands of different types are compared.
  DType common_type() const;
  // An attribute that is an axis, from 0 on.
  std::int64_t axis(std::string_view attribute, std::int64_t rank) const;
  // An attribute with axes, from 0 on; None or no axis stands for all of the first operand.
  IntList axes(std::string_view attribute) const;

  // Says that this use has no counterpart in the format.
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... why) const {
    platform::fail(ErrorKind::Type, "'", definition().name, "' at ", facts_.place,
                   " cannot be written as ", facts_.format, ": ", why..., ".");
  }

 private:
  Facts facts_;
};

}  // namespace mycel::op
