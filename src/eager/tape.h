// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "operator/op_def.h"
#include "operator/origin.h"
#include "platform/ref.h"
#include "tensor/tensor.h"

namespace mycel::eager {

using platform::Ref;
using tensor::Tensor;

// One outermost gradient computation. Nodes of another one are ignored: a tensor that outlives its
// gradient call is an ordinary tensor afterwards.
class Scope : public platform::RefCounted<Scope> {
 public:
  // Storages of Parameters that have notes about this computation.
  std::vector<Ref<tensor::Storage>> written;
};

class Node;

struct Edge {
  Ref<Node> node;  // null: nobody differentiates with respect to this input
  std::uint32_t output = 0;
};

// A value kept for backward. It shares the storage; whoever writes that keeps a copy of the content
// for those who have saved it (aliases.h).
class Saved {
 public:
  Saved() = default;
  explicit Saved(const Tensor& tensor);
  Saved(const Saved& other);
  Saved(Saved&& other) noexcept = default;
  Saved& operator=(Saved other) noexcept;
  ~Saved();

  bool defined() const { return tensor_.defined(); }
  // The tensor that was saved, without history; it may hold something else by now.
  const Tensor& tensor() const { return tensor_; }
  // The same with the content it had when it was saved.
  Tensor content() const;

 private:
  Tensor tensor_;
  std::uint32_t version_ = 0;
};

// Where the elements of a tensor lie in its storage.
struct Layout {
  tensor::Strides strides;
  std::int64_t offset = 0;
};

using BackwardFunction =
    std::function<std::vector<Tensor>(std::span<const Tensor> output_gradients)>;
using Hook = std::function<Tensor(const Tensor& gradient)>;

// The gradient of many calls that were recorded as one: those of a loop.
class RegionGradient {
 public:
  // What a gradient goes on to.
  struct Target {
    bool is_wanted = false;
    std::size_t same_as = 0;  // the first target that is the same value
    Tensor found;             // the gradient that later calls have given it; undefined: none
  };
  RegionGradient() = default;
  RegionGradient(const RegionGradient&) = delete;
  RegionGradient& operator=(const RegionGradient&) = delete;
  virtual ~RegionGradient() = default;

  // Everything it has saved of the program around the region.
  virtual void visit_saved(const std::function<void(Saved&)>& visit) = 0;
  // What there is for each target when the calls have added their parts to what was found, one
  // after the other as if they had been recorded one by one.
  virtual std::vector<Tensor> backward(std::span<const Tensor> output_gradients,
                                       std::span<const Target> targets) = 0;
};

// One recorded operator call.
class Node : public tensor::History {
 public:
  Ref<Scope> scope;
  std::uint64_t sequence = 0;  // grows with time; every input was recorded earlier
  const op::OpDef* definition = nullptr;
  BackwardFunction custom;  // instead of a definition: a user's own backward
  std::string custom_name;
  std::shared_ptr<RegionGradient> region;  // instead of a definition
  op::AttributeList attributes;
  op::Origin origin;  // of the call, if that was recorded
  std::vector<Edge> edges;
  std::vector<bool> present;           // false: an optional input that was left out
  std::vector<Saved> inputs, outputs;  // only what the gradient rule reads is there
  std::vector<op::TensorSpec> input_specs, output_specs;
  bool is_window = false;  // its outputs share the memory of its first input
  // Of other outputs that are not their whole storage, in order (arguments, users' results).
  std::vector<std::pair<std::uint32_t, Layout>> layouts;
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
  Node* receiver = nullptr;       // of a leaf: another one, which gets its gradients
  std::vector<Tensor> gradients;

  Node() = default;
  ~Node() override;
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
// Outputs of a region, and what its gradient goes on to.
void record_region(std::shared_ptr<RegionGradient> region, std::vector<Edge> edges,
                   std::span<Tensor> outputs);
int add_hook(const Tensor& tensor, Hook hook);  // 0: not tracked
void remove_hook(const Tensor& tensor, int id);

// A tensor with the same data and no history.
Tensor detach(const Tensor& tensor);

}  // namespace mycel::eager
