// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "operator/op_def.h"
#include "platform/ref.h"
#include "tensor/tensor.h"

namespace mycel::eager {

using platform::Ref;
using tensor::Tensor;

// One outermost gradient computation. Nodes of another one are ignored: a tensor that outlives its
// gradient call is an ordinary tensor afterwards.
class Scope : public platform::RefCounted<Scope> {};

class Node;

struct Edge {
  Ref<Node> node;  // null: nobody differentiates with respect to this input
  std::uint32_t output = 0;
};

// A value kept for backward: shares the storage, remembers its version.
struct Saved {
  Tensor tensor;  // without history
  std::uint32_t version = 0;
};

using BackwardFunction =
    std::function<std::vector<Tensor>(std::span<const Tensor> output_gradients)>;
using Hook = std::function<Tensor(const Tensor& gradient)>;

// One recorded operator call.
class Node : public tensor::History {
 public:
  Ref<Scope> scope;
  std::uint64_t sequence = 0;  // grows with time; every input was recorded earlier
  const op::OpDef* definition = nullptr;
  BackwardFunction custom;  // instead of a definition: a user's own backward
  std::string custom_name;
  op::AttributeList attributes;
  std::vector<Edge> edges;
  std::vector<bool> present;           // false: an optional input that was left out
  std::vector<Saved> inputs, outputs;  // only what the gradient rule reads is there
  std::vector<op::TensorSpec> input_specs, output_specs;
  struct OutputHook {
    std::uint32_t output;
    int id;
    Hook call;
  };
  std::vector<OutputHook> hooks;
  bool released = false;

  // Used by one backward walk at a time.
  std::uint64_t walk = 0;
  bool needed = false;
  const void* leaf_of = nullptr;  // the gradient call that watches it
  std::vector<Tensor> gradients;

  void release_saved();
};

// Is any gradient being recorded on this thread, and does it reach this tensor?
bool is_recording();
bool is_tracked(const Tensor& tensor);
Node* node_of(const Tensor& tensor);  // null when not tracked

// Switches recording on this thread for a while.
class RecordingSwitch {
 public:
  explicit RecordingSwitch(bool on);
  ~RecordingSwitch();
  RecordingSwitch(const RecordingSwitch&) = delete;
  RecordingSwitch& operator=(const RecordingSwitch&) = delete;

 private:
  bool before_;
};

// Called by dispatch after the kernel; decides itself whether there is something to record.
void record(const op::OpDef& definition, std::span<const Tensor> inputs,
            std::span<const op::AttributeValue> attributes, std::span<Tensor> outputs);
// Outputs computed by other means, with a backward of their own.
void record_custom(std::string name, std::span<const Tensor> inputs, std::span<Tensor> outputs,
                   BackwardFunction backward);
// `target` was overwritten in place by what `result` holds: it takes over its history.
void record_overwrite(const Tensor& target, const Tensor& result);

int add_hook(const Tensor& tensor, Hook hook);  // 0: not tracked
void remove_hook(const Tensor& tensor, int id);

// A tensor with the same data and no history.
Tensor detach(const Tensor& tensor);

}  // namespace mycel::eager
