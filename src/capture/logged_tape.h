// SPDX-License-Identifier: Apache-2.0
// The tape's objects as Python uses them: a script that is being written hears of it.
#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "capture/script_writer.h"
#include "eager/dispatch.h"
#include "eager/gradient_call.h"
#include "eager/tape.h"

namespace mycel::capture {

using tensor::Tensor;

// Which script knows an object, and under which number.
class ScriptScope {
 public:
  void begin(ScriptWriter& writer, std::size_t scope) {
    serial_ = writer.serial();
    scope_ = scope;
  }
  // Null: none is written, or another one.
  ScriptWriter* writer() const;
  std::size_t number() const { return scope_; }

 private:
  std::uint64_t serial_ = 0;
  std::size_t scope_ = 0;
};

class LoggedGradientCall {
 public:
  LoggedGradientCall();
  ~LoggedGradientCall() { end_forward(); }
  LoggedGradientCall(const LoggedGradientCall&) = delete;
  LoggedGradientCall& operator=(const LoggedGradientCall&) = delete;

  Tensor watch(const Tensor& input);
  void watch_parameter(const Tensor& parameter);
  void end_forward();
  std::vector<Tensor> backward(std::span<const Tensor> outputs, std::span<const Tensor> seeds,
                               bool keep);

 private:
  eager::GradientCall call_;
  ScriptScope script_;
  bool in_forward_ = true;
};

// Switches recording, or the type in which operators compute, for a while.
class LoggedSwitch {
 public:
  explicit LoggedSwitch(bool recording);
  explicit LoggedSwitch(tensor::DType compute_type);
  ~LoggedSwitch();
  LoggedSwitch(const LoggedSwitch&) = delete;
  LoggedSwitch& operator=(const LoggedSwitch&) = delete;

 private:
  std::unique_ptr<eager::RecordingSwitch> recording_;
  std::unique_ptr<eager::ComputeTypeSwitch> compute_type_;
  ScriptScope script_;
};

Tensor detach(const Tensor& tensor);
void drop_history(const Tensor& tensor);
void overwrite_history(const Tensor& target, const Tensor& result);
bool is_tracked(const Tensor& tensor);

// What no script can express.
void refuse_in_script(const char* what);

}  // namespace mycel::capture
