// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "operator/op_def.h"
#include "operator/origin.h"
#include "operator/value.h"

namespace mycel::eager {

using tensor::Tensor;

// Hears of operator calls as they were made, before anything is inferred; those that a call makes
// itself (composites, gradient rules) lie between its begin and its end.
class CallLog {
 public:
  virtual void begin_call(const op::OpDef& definition, std::span<const Tensor> inputs,
                          std::span<const op::AttributeValue> attributes) = 0;
  virtual void end_call(std::span<const Tensor> outputs) = 0;
  virtual void fail_call() noexcept = 0;
  virtual bool is_inside_call() const = 0;

 protected:
  ~CallLog() = default;
};

// Sees every operator call of a thread after inference and before the kernel, and may keep it for
// later: that is how a graph is captured.
class Interceptor {
 public:
  // True: `outputs` holds tensors that stand for the results, no kernel has to run. Inputs have
  // been promoted, attributes are in their plain form. `specs` is empty for operators whose kernel
  // decides the shapes.
  virtual bool take(const op::OpDef& definition, std::span<Tensor> inputs,
                    std::span<op::AttributeValue> attributes, std::span<const op::TensorSpec> specs,
                    std::vector<Tensor>& outputs) = 0;

  // What a storage holds now, as a storage that nobody will write; null: its bytes are there to be
  // copied.
  virtual platform::Ref<tensor::Storage> content_now(tensor::Storage& storage) = 0;

  // Of the call that it took last.
  virtual const op::Origin& last_origin() const = 0;

  CallLog* log = nullptr;  // null: nobody wants to hear

 protected:
  ~Interceptor() = default;
};

Interceptor* interceptor();  // of this thread; null: calls are executed
void set_interceptor(Interceptor* interceptor);

}  // namespace mycel::eager
