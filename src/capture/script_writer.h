// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "capture/recorder.h"
#include "capture/script.h"
#include "eager/interceptor.h"

namespace mycel::capture {

// Writes down what Python does while it runs under a recorder. Whatever a script cannot express is
// refused: that ends the run with an error, and there is no script. Used for runs that are only
// rehearsals (Recorder::forbid_runs).
class ScriptWriter final : public eager::CallLog {
 public:
  ScriptWriter(Recorder& recorder, std::size_t argument_count,
               std::function<ir::Position()> position);
  virtual ~ScriptWriter();
  ScriptWriter(const ScriptWriter&) = delete;
  ScriptWriter& operator=(const ScriptWriter&) = delete;

  // ---- sizes ----------------------------------------------------------------------------------

  // A value of the script, whose lengths may be others another time.
  bool knows(const Tensor& tensor) const;
  SizeRef length(const Tensor& tensor, std::size_t axis);
  void require(SizeRef a, SizeComparison how, SizeRef b, bool outcome);
  // A length of this tensor, or all of them, have to be what they are.
  void require_length(const Tensor& tensor, std::size_t axis);
  void require_shape(const Tensor& tensor);
  // A number as an operand.
  Tensor number(SizeRef size, SizeNumber now);
  // Parts of the next call's attributes, and its index, that are not the same every time.
  void note_attribute(std::size_t attribute, int element, SizeRef size);
  void note_index(ScriptIndex index) { index_ = std::move(index); }

  // ---- gradients ------------------------------------------------------------------------------

  std::size_t begin_gradient();
  void watch(std::size_t scope, const Tensor& input, const Tensor& alias);
  void watch_parameter(std::size_t scope, const Tensor& parameter);
  void end_forward(std::size_t scope);
  void begin_backward(std::size_t scope, std::span<const Tensor> outputs,
                      std::span<const Tensor> seeds, bool keep);
  void end_backward(std::span<const Tensor> gradients);
  std::size_t begin_switch(step::BeginSwitch change);
  void end_switch(std::size_t scope);
  void detach(const Tensor& input, const Tensor& result);
  void drop_history(const Tensor& tensor);                     // before it is dropped
  void overwrite(const Tensor& target, const Tensor& result);  // before it is recorded
  void history_changed(const Tensor& tensor);                  // after either
  void is_tracked(const Tensor& tensor, bool outcome);

  // ---- the end --------------------------------------------------------------------------------

  // Python did something with a tensor that is not written down.
  void note_unlogged(const Tensor& tensor) noexcept;
  [[noreturn]] void refuse(std::string_view reason);
  void mark(std::string_view reason) noexcept;
  const std::string& refusal() const { return refusal_; }
  std::uint64_t serial() const { return serial_; }
  Script finish(std::span<const Tensor> results, std::vector<SizeRef> numbers);

  void begin_call(const op::OpDef& definition, std::span<const Tensor> inputs,
                  std::span<const op::AttributeValue> attributes) override;
  void end_call(std::span<const Tensor> outputs) override;
  void fail_call() noexcept override;
  bool is_inside_call() const override { return depth_ > 0; }

 private:
  // Storages and nodes of the tape are numbered and never met again: names that cannot be reused.
  // The text says which part of the storage a tensor is.
  using Key = std::tuple<std::size_t, std::uint64_t, std::uint32_t, std::string>;
  static Key key_of(std::size_t order, const Tensor& tensor);
  ScriptOperand operand(const Tensor& tensor);
  std::optional<std::size_t> find(const Tensor& tensor) const;
  std::vector<ScriptOperand> operands(std::span<const Tensor> tensors);
  void enter(const Tensor& tensor);  // as the next value
  void name(const Tensor& tensor, std::size_t value);
  std::vector<ScriptResult> enter_results(std::span<const Tensor> tensors);
  ScriptStep& add(decltype(ScriptStep::action) action);
  void note_watched(const Tensor& tensor, const std::string& name);

  Recorder& recorder_;
  std::function<ir::Position()> position_;
  Script script_;
  std::size_t next_value_ = 0;
  std::size_t next_scope_ = 0;
  std::map<Key, std::size_t> values_;  // of what is computed later
  struct Held {
    Tensor tensor;
    std::size_t value = 0;
  };
  std::unordered_map<const void*, Held> held_;  // of what exists already, by body
  std::unordered_map<const void*, std::size_t> watched_;
  std::vector<Tensor> given_;  // to the call under way
  std::vector<AttributeSize> sizes_;
  std::optional<ScriptIndex> index_;
  std::size_t depth_ = 0;
  std::uint64_t serial_;
  std::string refusal_;
};

// The one that is at work on this thread.
ScriptWriter* script_writer();
// The same if the tensor is a value of its script, whose lengths may be others another time; or
// null.
ScriptWriter* script_writer_of(const Tensor& tensor);

}  // namespace mycel::capture
