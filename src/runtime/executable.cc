// SPDX-License-Identifier: Apache-2.0
#include "runtime/executable.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <unordered_map>

#include "eager/aliases.h"
#include "eager/random_state.h"
#include "operator/contexts.h"
#include "operator/registry.h"
#include "operator/written_input.h"
#include "platform/error/error.h"
#include "runtime/memory_plan.h"
#include "tensor/overlap.h"

namespace mycel::runtime {

using ir::Node;
using ir::NodeKind;
using ir::Output;
using op::OpDef;
using platform::ErrorKind;
using platform::Ref;
using tensor::Storage;

// Where the bytes behind a value come from.
enum class RootKind : std::uint8_t { Argument, Constant, Parameter, Arena, Fresh, Dynamic };

struct Root {
  RootKind kind = RootKind::Arena;
  std::size_t index = 0;  // argument number, or place in its list
  Ref<Storage> loan;      // pointed at the real bytes for each run; null for constants
  Tensor tensor;          // of parameters
  std::size_t bytes = 0;
  int first = -1, last = -1;  // instructions that touch it
};

struct Executable::Instruction {
  enum class Kind : std::uint8_t { Kernel, DenseCopy, Host };
  Kind kind = Kind::Kernel;
  const Node* node = nullptr;
  std::size_t inputs = 0, outputs = 0, end = 0;  // places in the frame's operands
};

struct Executable::Frame {
  std::vector<Root> roots;
  std::vector<Tensor> operands;
  std::vector<op::AttributeList> attributes;  // one list per instruction; kernels get a span of it
  struct Result {
    Tensor tensor;
    std::size_t root = 0;
    std::size_t operand = 0;  // of dynamic ones
    bool is_shared = false;   // with an argument, a parameter, a constant or another result
  };
  std::vector<Result> results;
  std::vector<Ref<Storage>> fresh;  // per root, while running
  Ref<Storage> arena;
};

namespace {

struct NodeClock {
  std::atomic<bool> on = false;
  std::mutex mutex;
  std::map<const Node*, NodeTime> times;
};
NodeClock& node_clock() {
  static NodeClock instance;
  return instance;
}

char* bytes_of(const Tensor& tensor) {
  const tensor::TensorBody& body = tensor.body();
  return static_cast<char*>(body.storage->data_unwatched()) +
         static_cast<std::size_t>(body.offset) * tensor::size_of(body.dtype);
}

Tensor copy_of(const Tensor& tensor) {
  Tensor copy = Tensor::empty(tensor.shape(), tensor.dtype());
  tensor::copy_elements(tensor, copy);
  return copy;
}

Ref<Storage> empty_loan(std::size_t bytes) {
  return Storage::borrow(
      {}, nullptr, bytes, [](void*) {}, nullptr);
}

std::size_t bytes_of(const op::TensorSpec& type) {
  return static_cast<std::size_t>(tensor::element_count(type.shape)) * tensor::size_of(type.dtype);
}

}  // namespace

// Lays out one frame; the same graph gives the same layout every time.
class Executable::Builder {
 public:
  Builder(const ir::Graph& graph, std::vector<Instruction>* instructions)
      : graph_(graph), instructions_(instructions), frame_(std::make_unique<Frame>()) {}

  std::unique_ptr<Frame> build() {
    const ir::Region& body = graph_.body();
    for (std::size_t i = 0; i < body.arguments().size(); ++i) {
      Node& node = *body.arguments()[i];
      define(node.output(), add_root(RootKind::Argument, i, node.type()));
    }
    for (Node* node : body.nodes()) add(*node);
    add_results();
    return std::move(frame_);
  }

 private:
  struct Value {
    Tensor tensor;
    std::size_t root = 0;
  };
  struct OutputHash {
    std::size_t operator()(const Output& output) const {
      return std::hash<const void*>()(output.node) * 31 + output.index;
    }
  };

  std::size_t add_root(RootKind kind, std::size_t index, const op::TensorSpec& type) {
    Root root;
    root.kind = kind;
    root.index = index;
    root.bytes = bytes_of(type);
    root.loan = empty_loan(root.bytes);
    frame_->roots.push_back(std::move(root));
    pending_type_ = type;
    return frame_->roots.size() - 1;
  }

  void define(Output output, std::size_t root) {
    Tensor tensor =
        Tensor::from_storage(frame_->roots[root].loan, pending_type_.shape, pending_type_.dtype);
    values_[output] = {std::move(tensor), root};
  }

  void add(Node& node) {
    switch (node.kind()) {
      case NodeKind::Constant: add_constant(node); break;
      case NodeKind::Parameter: {
        const std::size_t root = add_root(RootKind::Parameter, frame_->roots.size(), node.type());
        frame_->roots[root].tensor = node.tensor();
        define(node.output(), root);
        break;
      }
      case NodeKind::Operator: add_operator(node); break;
      case NodeKind::HostCall: add_call(node, Instruction::Kind::Host); break;
      default:
        platform::fail(ErrorKind::Internal, "a graph with '", ir::name_of(node.kind()),
                       "' cannot be executed");
    }
  }

  void add_constant(Node& node) {
    Root root;
    root.kind = RootKind::Constant;
    root.tensor = node.tensor();
    frame_->roots.push_back(std::move(root));
    values_[node.output()] = {node.tensor(), frame_->roots.size() - 1};
  }

  void add_operator(Node& node) {
    if (node.definition()->view != nullptr && add_view(node)) return;
    add_call(node, Instruction::Kind::Kernel);
  }

  bool view_of(Node& node, const Tensor& base, std::size_t root) {
    std::vector<op::TensorSpec> types;
    for (std::size_t i = 0; i < node.output_count(); ++i) types.push_back(node.type(i));
    op::AttributeList attributes = node.attributes();
    op::ViewContext view(*node.definition(), attributes, base, types);
    if (!node.definition()->view(view)) return false;
    for (std::uint32_t i = 0; i < view.views().size(); ++i) {
      const op::ViewSpec& spec = view.views()[i];
      values_[node.output(i)] = {Tensor::view(base, spec.shape, spec.strides, spec.offset), root};
    }
    return true;
  }

  bool add_view(Node& node) {
    const Value base = values_.at(node.operands()[0]);
    if (view_of(node, base.tensor, base.root)) return true;
    if (!node.definition()->kernels[device::kHostBackend].empty()) return false;
    const Value dense = dense_copy(node, base);  // only a dense tensor can be seen that way
    platform::require(view_of(node, dense.tensor, dense.root), ErrorKind::Internal, "operator '",
                      node.definition()->name, "' gives no view of a dense tensor");
    return true;
  }

  // Has `value` copied before the node.
  Value dense_copy(Node& node, const Value& value) {
    const op::TensorSpec type{value.tensor.dtype(), value.tensor.shape(), false};
    const std::size_t root = add_root(RootKind::Arena, 0, type);
    const Tensor dense = Tensor::from_storage(frame_->roots[root].loan, type.shape, type.dtype);
    Instruction copy;
    copy.kind = Instruction::Kind::DenseCopy;
    copy.node = &node;
    begin(copy);
    push(value);
    copy.outputs = frame_->operands.size();
    push({dense, root});
    finish(copy, {});
    return {dense, root};
  }

  // What a kernel reads beside the memory that it writes in place.
  std::vector<Value> operands_of(Node& node) {
    std::vector<Value> operands;
    for (const Output& operand : node.operands())
      operands.push_back(operand ? values_.at(operand) : Value());
    const OpDef* definition = node.definition();
    if (definition == nullptr || !definition->has_effects) return operands;
    std::map<std::size_t, std::vector<Tensor>> written;  // by root
    std::vector<bool> is_written(operands.size(), false);
    for (std::uint32_t i = 0; i < node.output_count(); ++i) {
      const int place = op::written_input(*definition, i);
      if (place < 0) continue;
      const Value& target = operands[static_cast<std::size_t>(place)];
      is_written[static_cast<std::size_t>(place)] = true;
      written[target.root].push_back(target.tensor);
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (is_written[i] || !operands[i].tensor.defined()) continue;
      const auto same = written.find(operands[i].root);
      if (same == written.end()) continue;
      const bool meets = std::any_of(
          same->second.begin(), same->second.end(),
          [&](const Tensor& target) { return tensor::may_overlap(target, operands[i].tensor); });
      if (meets) operands[i] = dense_copy(node, operands[i]);
    }
    return operands;
  }

  void add_call(Node& node, Instruction::Kind kind) {
    const std::vector<Value> operands = operands_of(node);
    Instruction instruction;
    instruction.kind = kind;
    instruction.node = &node;
    begin(instruction);
    for (const Value& operand : operands) push(operand);
    instruction.outputs = frame_->operands.size();
    for (std::uint32_t i = 0; i < node.output_count(); ++i) {
      add_output(node, i);
      push(values_.at(node.output(i)));
    }
    finish(instruction, node.attributes());
  }

  void add_output(Node& node, std::uint32_t i) {
    const OpDef* definition = node.definition();
    const int written = definition == nullptr ? -1 : op::written_input(*definition, i);
    if (written >= 0) {
      values_[node.output(i)] = values_.at(node.operands()[static_cast<std::size_t>(written)]);
      return;
    }
    const bool shaped = definition != nullptr && !definition->dynamic_outputs;
    const std::size_t root =
        add_root(shaped ? RootKind::Arena : RootKind::Dynamic, 0, node.type(i));
    if (shaped) {
      define(node.output(i), root);
    } else {
      frame_->roots[root].index = frame_->operands.size();  // where the call leaves it
      values_[node.output(i)] = {Tensor(), root};
    }
  }

  void begin(Instruction& instruction) { instruction.inputs = frame_->operands.size(); }

  void push(const Value& value) {
    frame_->operands.push_back(value.tensor);
    if (!value.tensor.defined()) return;
    Root& root = frame_->roots[value.root];
    const int now = static_cast<int>(frame_->attributes.size());
    if (root.first < 0) root.first = now;
    root.last = now;
  }

  void finish(Instruction instruction, op::AttributeList attributes) {
    instruction.end = frame_->operands.size();
    frame_->attributes.push_back(std::move(attributes));
    if (instructions_ != nullptr) instructions_->push_back(instruction);
  }

  void add_results() {
    std::set<std::size_t> taken;  // roots
    for (const Output& result : graph_.body().results()) {
      const Value& value = values_.at(result);
      Root& root = frame_->roots[value.root];
      if (root.kind == RootKind::Arena) root.kind = RootKind::Fresh;
      const bool is_given = root.kind != RootKind::Fresh && root.kind != RootKind::Dynamic;
      const bool is_shared = is_given || !taken.insert(value.root).second;
      frame_->results.push_back({value.tensor, value.root, root.index, is_shared});
    }
    frame_->fresh.resize(frame_->roots.size());
  }

  const ir::Graph& graph_;
  std::vector<Instruction>* instructions_;
  std::unique_ptr<Frame> frame_;
  op::TensorSpec pending_type_;
  std::unordered_map<Output, Value, OutputHash> values_;
};

namespace {

std::size_t elements_touched(std::span<const Tensor> operands) {
  std::size_t count = 0;
  for (const Tensor& tensor : operands) {
    if (tensor.defined()) count += static_cast<std::size_t>(tensor.size());
  }
  return count;
}

}  // namespace

Executable::Executable(std::unique_ptr<ir::Graph> graph) : graph_(std::move(graph)) {
  std::unique_ptr<Frame> frame = Builder(*graph_, &instructions_).build();
  work_ = elements_touched(frame->operands);
  plan_arena(*frame);
  free_frames_.push_back(std::move(frame));
  note_effects();
}

namespace {

// The operand whose memory an elementwise operator may write its result over: read here for the
// last time, element by element in the order in which the result is written.
std::size_t overwritten_root(const std::vector<Root>& roots, std::span<const Tensor> inputs,
                             const Tensor& output, int now,
                             const std::unordered_map<const Storage*, std::size_t>& root_of) {
  for (const Tensor& input : inputs) {
    if (!input.defined()) continue;
    const auto found = root_of.find(&input.storage());
    if (found == root_of.end()) continue;
    const Root& root = roots[found->second];
    const bool fits = root.kind == RootKind::Arena && root.last == now && root.first < now &&
                      input.shape() == output.shape() && input.is_contiguous() &&
                      input.body().offset == 0 && root.bytes == output.bytes() &&
                      tensor::size_of(input.dtype()) == tensor::size_of(output.dtype());
    const auto others = std::count_if(inputs.begin(), inputs.end(), [&](const Tensor& other) {
      return other.defined() && &other.storage() == &input.storage();
    });
    if (fits && others == 1) return found->second;
  }
  return roots.size();
}

}  // namespace

void Executable::plan_arena(const Frame& frame) {
  const std::vector<Root>& roots = frame.roots;
  std::unordered_map<const Storage*, std::size_t> root_of;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (roots[i].kind == RootKind::Arena) root_of[roots[i].loan.get()] = i;
  }
  // Roots that share a block, by the first of them.
  std::vector<std::size_t> block_of(roots.size());
  std::vector<Lifetime> lifetimes(roots.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    block_of[i] = i;
    lifetimes[i] = {roots[i].bytes, roots[i].first, roots[i].last};
  }
  const std::span<const Tensor> all(frame.operands);
  for (std::size_t i = 0; i < instructions_.size(); ++i) {
    const Instruction& instruction = instructions_[i];
    const OpDef* definition = instruction.node->definition();
    if (instruction.kind != Instruction::Kind::Kernel || !definition->is_elementwise()) continue;
    const Tensor& output = all[instruction.outputs];
    const auto written = output.defined() ? root_of.find(&output.storage()) : root_of.end();
    if (written == root_of.end()) continue;
    const std::size_t source = overwritten_root(
        roots, all.subspan(instruction.inputs, instruction.outputs - instruction.inputs), output,
        static_cast<int>(i), root_of);
    if (source == roots.size()) continue;
    block_of[written->second] = block_of[source];
    lifetimes[block_of[source]].last = lifetimes[written->second].last;
  }
  std::vector<Lifetime> blocks;
  std::vector<std::size_t> place(roots.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (roots[i].kind != RootKind::Arena || block_of[i] != i) continue;
    place[i] = blocks.size();
    blocks.push_back(lifetimes[i]);
  }
  const MemoryPlan plan = plan_memory(blocks);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (roots[i].kind == RootKind::Arena) offsets_.push_back(plan.offsets[place[block_of[i]]]);
  }
  arena_bytes_ = plan.bytes;
}

void Executable::note_effects() {
  for (const Instruction& instruction : instructions_) {
    const OpDef* definition = instruction.node->definition();
    has_effects_ = has_effects_ || definition == nullptr || definition->is_random;
    if (definition == nullptr || !definition->has_effects) continue;
    for (std::size_t i = 0; i < instruction.node->output_count(); ++i) {
      const int written = op::written_input(*definition, i);
      if (written < 0) continue;
      const Output& operand = instruction.node->operands()[static_cast<std::size_t>(written)];
      if (!operand) continue;
      if (operand.node->kind() == NodeKind::Parameter) written_.push_back(operand.node->tensor());
      const auto& arguments = graph_->body().arguments();
      const auto place = std::find(arguments.begin(), arguments.end(), operand.node);
      if (place != arguments.end())
        written_arguments_.push_back(static_cast<std::size_t>(place - arguments.begin()));
    }
  }
  has_effects_ = has_effects_ || !written_.empty() || !written_arguments_.empty();
}

Executable::~Executable() {
  NodeClock& clock = node_clock();
  const std::lock_guard lock(clock.mutex);
  for (const Instruction& instruction : instructions_) clock.times.erase(instruction.node);
}

std::unique_ptr<Executable::Frame> Executable::build_frame() const {
  return Builder(*graph_, nullptr).build();
}

class Executable::FrameLease {
 public:
  explicit FrameLease(Executable& owner) : owner_(owner) {
    {
      const std::lock_guard lock(owner.mutex_);
      if (!owner.free_frames_.empty()) {
        frame_ = std::move(owner.free_frames_.back());
        owner.free_frames_.pop_back();
      }
    }
    if (!frame_) frame_ = owner.build_frame();
  }
  ~FrameLease() {
    frame_->arena.reset();
    for (Ref<Storage>& storage : frame_->fresh) storage.reset();
    const std::lock_guard lock(owner_.mutex_);
    owner_.free_frames_.push_back(std::move(frame_));
  }
  FrameLease(const FrameLease&) = delete;
  FrameLease& operator=(const FrameLease&) = delete;
  Frame& operator*() const { return *frame_; }

 private:
  Executable& owner_;
  std::unique_ptr<Frame> frame_;
};

void Executable::bind(Frame& frame, std::span<const Tensor> arguments) const {
  frame.arena = Storage::allocate({}, arena_bytes_);
  char* base = static_cast<char*>(frame.arena->data_unwatched());
  std::size_t next = 0;
  for (std::size_t i = 0; i < frame.roots.size(); ++i) {
    Root& root = frame.roots[i];
    switch (root.kind) {
      case RootKind::Arena: root.loan->rebind(base + offsets_[next++]); break;
      case RootKind::Argument: root.loan->rebind(bytes_of(arguments[root.index])); break;
      case RootKind::Parameter: root.loan->rebind(bytes_of(root.tensor)); break;
      case RootKind::Fresh:
        frame.fresh[i] = Storage::allocate({}, root.bytes);
        root.loan->rebind(frame.fresh[i]->data_unwatched());
        break;
      case RootKind::Constant:
      case RootKind::Dynamic: break;
    }
  }
}

void Executable::run_kernel(Frame& frame, const Instruction& instruction) const {
  const Node& node = *instruction.node;
  const OpDef& definition = *node.definition();
  const std::span<Tensor> all(frame.operands);
  const auto place = static_cast<std::size_t>(&instruction - instructions_.data());
  op::KernelContext kernel(
      definition, frame.attributes[place],
      all.subspan(instruction.inputs, instruction.outputs - instruction.inputs),
      all.subspan(instruction.outputs, instruction.end - instruction.outputs));
  if (definition.is_random) eager::assign_random_key(kernel);
  op::run_kernel(kernel, {});
}

void Executable::execute(Frame& frame, const Instruction& instruction) const {
  switch (instruction.kind) {
    case Instruction::Kind::Kernel: run_kernel(frame, instruction); break;
    case Instruction::Kind::DenseCopy:
      tensor::copy_elements(frame.operands[instruction.inputs],
                            frame.operands[instruction.outputs]);
      break;
    case Instruction::Kind::Host: {
      const std::span<const Tensor> all(frame.operands);
      std::vector<Tensor> outputs = instruction.node->host_function()(
          all.subspan(instruction.inputs, instruction.outputs - instruction.inputs));
      for (std::size_t i = 0; i < outputs.size(); ++i)
        frame.operands[instruction.outputs + i] = std::move(outputs[i]);
      break;
    }
  }
}

void Executable::execute_measured(Frame& frame, const Instruction& instruction) const {
  const auto start = std::chrono::steady_clock::now();
  execute(frame, instruction);
  const auto spent = std::chrono::steady_clock::now() - start;
  NodeClock& clock = node_clock();
  const std::lock_guard lock(clock.mutex);
  NodeTime& entry = clock.times[instruction.node];
  entry.node = instruction.node;
  ++entry.calls;
  entry.nanoseconds += static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count());
}

void measure_nodes(bool on) {
  NodeClock& clock = node_clock();
  const std::lock_guard lock(clock.mutex);
  clock.times.clear();
  clock.on = on;
}

std::vector<NodeTime> node_times() {
  NodeClock& clock = node_clock();
  const std::lock_guard lock(clock.mutex);
  std::vector<NodeTime> times;
  for (const auto& [node, entry] : clock.times) times.push_back(entry);
  return times;
}

std::vector<Tensor> Executable::results(Frame& frame) const {
  std::vector<Tensor> results;
  results.reserve(frame.results.size());
  for (const Frame::Result& result : frame.results) {
    Root& root = frame.roots[result.root];
    if (root.kind == RootKind::Dynamic) {
      const Tensor& made = frame.operands[result.operand];
      results.push_back(result.is_shared ? copy_of(made) : made);
      continue;
    }
    Tensor value = result.tensor;
    if (root.kind == RootKind::Fresh) {
      const tensor::TensorBody& layout = result.tensor.body();
      value = Tensor::from_storage(frame.fresh[result.root], layout.shape, layout.dtype);
      value.body().strides = layout.strides;
      value.body().offset = layout.offset;
    }
    results.push_back(result.is_shared ? copy_of(value) : std::move(value));
  }
  for (const Frame::Result& result : frame.results) {
    if (frame.roots[result.root].kind == RootKind::Dynamic)
      frame.operands[result.operand] = Tensor();
  }
  return results;
}

// Memory is asked for as a whole, before anything is computed; the largest value in it is most
// likely the one its author did not expect.
void Executable::tell_what_needs_room(const Frame& frame, const platform::Error& error) const {
  const Node* maker = nullptr;
  const Tensor* largest = nullptr;
  for (const Instruction& instruction : instructions_) {
    for (std::size_t i = instruction.outputs; i < instruction.end; ++i) {
      const Tensor& output = frame.operands[i];
      if (!output.defined() || (largest != nullptr && output.bytes() <= largest->bytes())) continue;
      largest = &output;
      maker = instruction.node;
    }
  }
  std::string text = platform::join("For '", graph_->name(), "', ", error.message());
  if (maker != nullptr && maker->definition() != nullptr) {
    text += platform::join(" The largest value computed in it is that of '",
                           maker->definition()->shown_name(), "', of shape ", largest->shape(),
                           " and type ", largest->dtype(), ": ", largest->bytes(), " bytes.");
    const ir::Position& position = maker->position();
    if (!position.file.empty())
      text += platform::join("\n  at ", position.file, ":", position.line);
  }
  platform::fail(ErrorKind::Memory, text);
}

std::vector<Tensor> Executable::run(std::span<const Tensor> arguments, const Observer& observer) {
  const FrameLease lease(*this);
  Frame& frame = *lease;
  try {
    bind(frame, arguments);
  } catch (const platform::Error& error) {
    if (error.kind() != ErrorKind::Memory) throw;
    tell_what_needs_room(frame, error);
  }
  const bool measured = node_clock().on.load(std::memory_order_relaxed);
  for (const Instruction& instruction : instructions_) {
    try {
      measured ? execute_measured(frame, instruction) : execute(frame, instruction);
    } catch (const platform::Error& error) {
      const ir::Position& position = instruction.node->position();
      if (position.file.empty()) throw;
      platform::fail(error.kind(), error.message(), "\n  at ", position.file, ":", position.line);
    }
    if (observer) {
      const std::span<const Tensor> all(frame.operands);
      observer({*instruction.node,
                all.subspan(instruction.outputs, instruction.end - instruction.outputs)});
    }
  }
  return results(frame);
}

void Executable::prepare_writes(std::span<const Tensor> arguments) const {
  for (const Tensor& parameter : written_) eager::keep_saved_content(parameter.storage());
  for (const std::size_t i : written_arguments_) eager::keep_saved_content(arguments[i].storage());
}

void Executable::count_writes(std::span<const Tensor> arguments) const {
  for (const Tensor& parameter : written_) parameter.storage().bump_version();
  for (const std::size_t i : written_arguments_) arguments[i].storage().bump_version();
}

}  // namespace mycel::runtime
