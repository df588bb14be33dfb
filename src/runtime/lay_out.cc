// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "operator/contexts.h"
#include "operator/registry.h"
#include "operator/spec_bytes.h"
#include "operator/written_input.h"
#include "platform/error/error.h"
#include "runtime/frame.h"
#include "runtime/overwriting.h"
#include "tensor/overlap.h"

namespace mycel::runtime {

using ir::Node;
using ir::NodeKind;
using ir::Output;
using op::OpDef;
using platform::ErrorKind;

namespace {

Ref<Storage> empty_loan(std::size_t bytes, device::Device device) {
  return Storage::borrow(
      device, nullptr, bytes, [](void*) {}, nullptr);
}

struct Value {
  Tensor tensor;
  std::size_t root = 0;
};

struct OutputHash {
  std::size_t operator()(const Output& output) const {
    return std::hash<const void*>()(output.node) * 31 + output.index;
  }
};

class Builder {
 public:
  Builder(const ir::Graph& graph, const Constants& constants, const FusedRegions& fused,
          Program& program)
      : graph_(graph),
        constants_(constants),
        fused_(fused),
        program_(program),
        frame_(std::make_unique<Frame>()) {}

  std::unique_ptr<Frame> build() {
    const ir::Region& body = graph_.body();
    for (std::size_t i = 0; i < body.arguments().size(); ++i) {
      Node& node = *body.arguments()[i];
      values_[node.output()] = new_value(RootKind::Argument, i, node.type());
    }
    for (Node* node : body.nodes()) add(*node);
    add_results();
    settle_exchanges();
    find_exchanged_places();
    frame_->logs.resize(program_.logs.size());
    return std::move(frame_);
  }

 private:
  // ---- memory ----------------------------------------------------------------------------------

  std::size_t add_root(RootKind kind, std::size_t index, const op::TensorSpec& type) {
    Root root;
    root.kind = kind;
    root.index = index;
    root.bytes = bytes_of(type);
    root.loan = empty_loan(root.bytes, type.is_number ? device::Device{} : graph_.device());
    frame_->roots.push_back(std::move(root));
    return frame_->roots.size() - 1;
  }

  Value new_value(RootKind kind, std::size_t index, const op::TensorSpec& type) {
    const std::size_t root = add_root(kind, index, type);
    Tensor tensor = Tensor::from_storage(frame_->roots[root].loan, type.shape, type.dtype);
    tensor.body().is_number = type.is_number;  // kernels ask for it: it has no say in types
    return {std::move(tensor), root};
  }

  int now() const { return static_cast<int>(program_.instructions.size()); }

  void touch(std::size_t place) {
    Root& root = frame_->roots[place];
    if (root.first < 0) root.first = now();
    root.last = now();
  }

  void live_until_now(std::size_t place) {
    Root& root = frame_->roots[place];
    root.last = std::max(root.last, now());
  }

  // ---- straight lines --------------------------------------------------------------------------

  void add(Node& node) {
    switch (node.kind()) {
      case NodeKind::Constant: add_constant(node); break;
      case NodeKind::Parameter:
        values_[node.output()] = new_value(RootKind::Parameter, frame_->roots.size(), node.type());
        frame_->roots.back().tensor = node.tensor();
        break;
      case NodeKind::Operator: add_operator(node); break;
      case NodeKind::HostCall: add_call(node, Instruction::Kind::Host); break;
      case NodeKind::If: add_branch(node); break;
      case NodeKind::While: add_loop(node); break;
      case NodeKind::Fused: add_fused(node); break;
      case NodeKind::Argument:
        platform::fail(ErrorKind::Internal, "an argument stands among the nodes of a region");
    }
  }

  void add_constant(Node& node) {
    const auto brought = constants_.find(&node);
    const Tensor tensor = brought == constants_.end() ? node.tensor() : brought->second;
    Root root;
    root.kind = RootKind::Constant;
    root.tensor = tensor;
    frame_->roots.push_back(std::move(root));
    values_[node.output()] = {tensor, frame_->roots.size() - 1};
  }

  void add_operator(Node& node) {
    if (node.definition()->view != nullptr && add_view(node)) return;
    if (op::TurnLog::is_made_by(*node.definition())) {
      add_row(node);
      return;
    }
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

  void copy(const Node& node, const Value& from, const Value& to) {
    Instruction instruction = begin(node, Instruction::Kind::DenseCopy);
    push(from);
    instruction.outputs = frame_->operands.size();
    push(to);
    finish(instruction, {});
  }

  // Has `value` copied before the node.
  Value dense_copy(const Node& node, const Value& value) {
    const op::TensorSpec type{value.tensor.dtype(), value.tensor.shape(), false};
    Value dense = new_value(RootKind::Arena, 0, type);
    copy(node, value, dense);
    return dense;
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
    Instruction instruction = begin(node, kind);
    for (const Value& operand : operands) push(operand);
    instruction.outputs = frame_->operands.size();
    for (std::uint32_t i = 0; i < node.output_count(); ++i) {
      add_output(node, i);
      push(values_.at(node.output(i)));
    }
    if (kind == Instruction::Kind::Kernel) make_single(instruction);
    if (instruction.kind == Instruction::Kind::Kernel) choose_kernel(instruction);
    finish(instruction, node.attributes());
  }

  // What a value decides is chosen when it is known; what there is no kernel for is told when the
  // program comes to it.
  void choose_kernel(Instruction& instruction) {
    const Node& node = *instruction.node;
    if (node.definition()->is_random) instruction.random_key = program_.random_calls++;
    const std::span<Tensor> all(frame_->operands);
    const auto inputs = all.subspan(instruction.inputs, instruction.outputs - instruction.inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].defined() && node.operands()[i]) return;
    }
    op::AttributeList attributes = node.attributes();
    const op::KernelContext kernel(*node.definition(), attributes, inputs,
                                   all.subspan(instruction.outputs));
    try {
      instruction.kernel = op::find_kernel(kernel, graph_.device());
    } catch (const platform::Error&) {
    }
  }

  // A call on single elements is little work: what it needs is looked up here, once.
  void make_single(Instruction& instruction) {
    if (graph_.device().backend != device::kHostBackend) return;
    const std::span<const Tensor> all(frame_->operands);
    if (all.size() != instruction.outputs + 1) return;
    const std::size_t count = instruction.outputs - instruction.inputs;
    const auto inputs = all.subspan(instruction.inputs, count);
    const op::SingleCall call{*instruction.node->definition(), instruction.node->attributes(),
                              inputs, all.back(), instruction.inputs};
    instruction.single = op::add_single_call(call, program_.singles);
    if (instruction.single.first != instruction.single.last)
      instruction.kind = Instruction::Kind::Single;
  }

  void add_output(Node& node, std::uint32_t i) {
    const OpDef* definition = node.definition();
    const int written = definition == nullptr ? -1 : op::written_input(*definition, i);
    if (written >= 0) {
      values_[node.output(i)] = values_.at(node.operands()[static_cast<std::size_t>(written)]);
      return;
    }
    const bool shaped = definition != nullptr && !definition->dynamic_outputs;
    if (shaped) {
      values_[node.output(i)] = new_value(RootKind::Arena, 0, node.type(i));
      return;
    }
    const std::size_t root = add_root(RootKind::Dynamic, 0, node.type(i));
    frame_->roots[root].index = frame_->operands.size();  // where the call leaves it
    values_[node.output(i)] = {Tensor(), root};
  }

  Instruction begin(const Node& node, Instruction::Kind kind) const {
    Instruction instruction;
    instruction.kind = kind;
    instruction.node = &node;
    instruction.inputs = frame_->operands.size();
    return instruction;
  }

  void push(const Value& value) {
    frame_->operands.push_back(value.tensor);
    if (value.tensor.defined()) touch(value.root);
  }

  void finish(Instruction instruction, op::AttributeList attributes) {
    instruction.end = frame_->operands.size();
    frame_->attributes.push_back(std::move(attributes));
    program_.instructions.push_back(instruction);
  }

  // ---- regions ---------------------------------------------------------------------------------

  // An instruction whose results have memory of their own, which its regions fill.
  std::vector<Value> add_owner(Node& node, Instruction::Kind kind) {
    Instruction instruction = begin(node, kind);
    instruction.regions = program_.regions.size();
    program_.regions.emplace_back();
    for (const Output& operand : node.operands()) push(known(operand));
    instruction.outputs = frame_->operands.size();
    std::vector<Value> results;
    for (std::uint32_t i = 0; i < node.output_count(); ++i) {
      results.push_back(new_value(RootKind::Arena, 0, node.type(i)));
      values_[node.output(i)] = results.back();
      push(results.back());
    }
    finish(instruction, {});
    return results;
  }

  // A value that regions can hand on: one whose size was known before the program ran.
  const Value& known(const Output& output) const {
    const Value& value = values_.at(output);
    platform::require(value.tensor.defined(), ErrorKind::NotImplemented,
                      "a value whose size is only known when it has been computed cannot go into "
                      "or out of a branch or loop of a graph");
    return value;
  }

  std::vector<Value> results_of(const ir::Region& region) const {
    std::vector<Value> results;
    for (const Output& result : region.results()) results.push_back(known(result));
    return results;
  }

  static bool is_same(const Value& a, const Value& b) {
    const tensor::TensorBody& x = a.tensor.body();
    const tensor::TensorBody& y = b.tensor.body();
    return a.root == b.root && x.offset == y.offset && x.shape == y.shape &&
           x.strides == y.strides && x.dtype == y.dtype;
  }

  // Whether a result of a region is all there is in a block that the region has made (roots from
  // `first` on), so that it can be made somewhere else instead.
  bool is_movable(const std::vector<Value>& results, std::size_t i, std::size_t first) const {
    const Value& value = results[i];
    const Root& root = frame_->roots[value.root];
    if (root.kind != RootKind::Arena || value.root < first || root.is_exchanged) return false;
    if (!value.tensor.is_contiguous() || value.tensor.body().offset != 0 ||
        root.bytes != value.tensor.bytes())
      return false;
    return std::count_if(results.begin(), results.end(),
                         [&](const Value& other) { return other.root == value.root; }) == 1;
  }

  void make_alias(std::size_t place, std::size_t target) {
    Root& alias = frame_->roots[place];
    Root& owner = frame_->roots[target];
    alias.kind = RootKind::Alias;
    alias.index = target;
    owner.has_aliases = true;
    owner.last = std::max(owner.last, alias.last);
  }

  void add_branch(Node& node) {
    const std::vector<Value> results = add_owner(node, Instruction::Kind::Branch);
    const std::size_t regions = program_.regions.size() - 1;
    for (std::size_t part = 0; part < 2; ++part) {
      const std::size_t begin_at = program_.instructions.size();
      add_branch_part(node, part, results);
      program_.regions[regions].parts[part] = {begin_at, program_.instructions.size()};
      for (const Value& result : results) live_until_now(result.root);
    }
  }

  // In one go where the device has it ready, one by one where it never will be; else both, in the
  // same memory, and every run takes what there is.
  void add_fused(Node& node) {
    const auto found = fused_.find(&node);
    if (found == fused_.end()) {
      add_fused_nodes(node);
      return;
    }
    Instruction instruction = begin(node, Instruction::Kind::Fused);
    instruction.fused = &found->second;
    instruction.regions = program_.regions.size();
    if (found->second.needs_nodes) program_.regions.emplace_back();
    for (const Output& operand : node.operands()) push(known(operand));
    instruction.outputs = frame_->operands.size();
    std::vector<Value> results;
    for (std::uint32_t i = 0; i < node.output_count(); ++i) {
      results.push_back(new_value(RootKind::Arena, 0, node.type(i)));
      values_[node.output(i)] = results.back();
      push(results.back());
    }
    finish(instruction, {});
    if (!found->second.needs_nodes) return;
    const std::size_t begin_at = program_.instructions.size();
    enter_fused(node);
    add_branch_part(node, 0, results);
    program_.regions[instruction.regions].parts[1] = {begin_at, program_.instructions.size()};
    for (const Value& result : results) live_until_now(result.root);
  }

  void enter_fused(const Node& node) {
    for (std::size_t i = 0; i < node.operands().size(); ++i)
      values_[node.region(0).arguments()[i]->output()] = values_.at(node.operands()[i]);
  }

  void add_fused_nodes(Node& node) {
    const std::size_t first = frame_->roots.size();
    enter_fused(node);
    for (Node* inner : node.region(0).nodes()) add(*inner);
    const std::vector<Value> made = results_of(node.region(0));
    for (std::uint32_t i = 0; i < made.size(); ++i)
      values_[node.output(i)] = is_movable(made, i, first) ? made[i] : dense_copy(node, made[i]);
  }

  void add_branch_part(Node& node, std::size_t part, const std::vector<Value>& wanted) {
    const std::size_t first = frame_->roots.size();
    for (Node* inner : node.region(part).nodes()) add(*inner);
    const std::vector<Value> made = results_of(node.region(part));
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (is_movable(made, i, first)) {
        make_alias(made[i].root, wanted[i].root);
      } else {
        copy(node, made[i], wanted[i]);
      }
      frame_->roots[wanted[i].root].is_log = frame_->roots[made[i].root].is_log;
    }
  }

  void add_loop(Node& node) {
    const int start = now();
    std::vector<Value> state = add_owner(node, Instruction::Kind::Loop);
    const std::size_t regions = program_.regions.size() - 1;
    const std::size_t first = frame_->roots.size();
    if (node.keeps_turns()) {
      program_.regions[regions].log = static_cast<int>(program_.logs.size());
      program_.logs.emplace_back();
      frame_->roots[state.back().root].is_log = true;
      state.pop_back();
    }
    for (std::size_t part = 0; part < 2; ++part) {
      const std::size_t begin_at = program_.instructions.size();
      const auto& arguments = node.region(part).arguments();
      for (std::size_t i = 0; i < arguments.size(); ++i) values_[arguments[i]->output()] = state[i];
      const std::size_t own = frame_->roots.size();
      const auto log = static_cast<std::size_t>(std::max(program_.regions[regions].log, 0));
      if (part == 1) keep_given(node, log);
      for (Node* inner : node.region(part).nodes()) {
        add(*inner);
        if (part == 1) keep_made(node, *inner, log);
      }
      if (part == 0) {
        program_.regions[regions].condition = frame_->operands.size();
        push(known(node.region(0).results()[0]));
      } else {
        carry(node, state, own, regions);
      }
      program_.regions[regions].parts[part] = {begin_at, program_.instructions.size()};
    }
    // What a turn reads from outside, the next one reads again.
    for (std::size_t i = 0; i < first; ++i) {
      if (frame_->roots[i].last > start) live_until_now(i);
    }
    for (const Value& value : state) live_until_now(value.root);
  }

  // Values of a turn that the loop keeps are kept as soon as they are there, so that nothing has to
  // live longer for it.
  void keep(Node& loop, std::size_t column, std::size_t log) {
    Value value = known(loop.region(1).results()[loop.operands().size() + column]);
    if (!value.tensor.is_contiguous()) value = dense_copy(loop, value);
    std::vector<op::TurnLog::Column>& columns = program_.logs[log];
    if (columns.size() <= column) columns.resize(column + 1);
    columns[column] = {value.tensor.bytes(), frame_->roots[value.root].is_log};
    Instruction instruction = begin(loop, Instruction::Kind::Keep);
    instruction.log = log;
    instruction.column = column;
    push(value);
    instruction.outputs = frame_->operands.size();
    finish(instruction, {});
  }

  // Values of a side of a branch that its gradient needs.
  void add_row(Node& node) {
    std::vector<Value> values;
    std::vector<op::TurnLog::Column> columns;
    for (const Output& operand : node.operands()) {
      Value value = known(operand);
      if (!value.tensor.is_contiguous()) value = dense_copy(node, value);
      columns.push_back({value.tensor.bytes(), frame_->roots[value.root].is_log});
      values.push_back(std::move(value));
    }
    Instruction instruction = begin(node, Instruction::Kind::KeepRow);
    instruction.log = program_.logs.size();
    program_.logs.push_back(std::move(columns));
    for (const Value& value : values) push(value);
    instruction.outputs = frame_->operands.size();
    const Value log = new_value(RootKind::Arena, 0, node.type());
    frame_->roots[log.root].is_log = true;
    values_[node.output()] = log;
    push(log);
    finish(instruction, {});
  }

  void keep_given(Node& loop, std::size_t log) {
    const std::vector<Output>& results = loop.region(1).results();
    for (std::size_t i = loop.operands().size(); i < results.size(); ++i) {
      const Node& maker = *results[i].node;
      if (maker.kind() == NodeKind::Argument || &maker.parent() != &loop.region(1))
        keep(loop, i - loop.operands().size(), log);
    }
  }

  void keep_made(Node& loop, const Node& maker, std::size_t log) {
    const std::vector<Output>& results = loop.region(1).results();
    for (std::size_t i = loop.operands().size(); i < results.size(); ++i) {
      if (results[i].node == &maker) keep(loop, i - loop.operands().size(), log);
    }
  }

  // Brings what a turn has computed to where the next one reads it: best it is computed there, else
  // the two places are exchanged.
  void carry(Node& node, const std::vector<Value>& state, std::size_t first, std::size_t regions) {
    std::vector<Value> made = results_of(node.region(1));
    made.resize(state.size());  // what is kept besides is kept by now
    std::vector<std::size_t> copied;
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (is_same(made[i], state[i])) continue;
      const bool movable = is_movable(made, i, first);
      if (movable && can_replace(made, i, state[i])) {
        make_alias(made[i].root, state[i].root);
      } else if (movable && !frame_->roots[made[i].root].has_aliases) {
        exchange(made[i].root, state[i].root, regions);
      } else {
        copied.push_back(i);
      }
    }
    for (const std::size_t i : copied) {
      const Value next = dense_copy(node, made[i]);
      exchange(next.root, state[i].root, regions);
    }
  }

  // Whether result i can be computed where the state lies: nobody reads that any more by then.
  bool can_replace(const std::vector<Value>& made, std::size_t i, const Value& state) const {
    const bool handed_on = std::any_of(
        made.begin(), made.end(), [&](const Value& other) { return other.root == state.root; });
    if (handed_on) return false;
    const int last_read = frame_->roots[state.root].last;
    const int written = frame_->roots[made[i].root].first;
    if (last_read != written) return last_read < written;
    const Instruction& maker = program_.instructions[static_cast<std::size_t>(written)];
    const std::span<const Tensor> all(frame_->operands);
    const auto inputs = all.subspan(maker.inputs, maker.outputs - maker.inputs);
    return is_elementwise(maker) &&
           std::all_of(inputs.begin(), inputs.end(), [&](const Tensor& input) {
             return !input.defined() || &input.storage() != &state.tensor.storage() ||
                    can_overwrite(inputs, input, made[i].tensor);
           });
  }

  void exchange(std::size_t made, std::size_t state, std::size_t regions) {
    frame_->roots[made].is_exchanged = true;
    frame_->roots[state].is_exchanged = true;
    program_.regions[regions].exchanges.emplace_back(made, state);
  }

  // Either of the two holds the state in turn: both blocks are taken as long as it is.
  void settle_exchanges() {
    for (const InnerRegions& inner : program_.regions) {
      for (const auto& [made, state] : inner.exchanges) {
        Root& a = frame_->roots[made];
        Root& b = frame_->roots[state];
        a.first = b.first = std::min(a.first, b.first);
        a.last = b.last = std::max(a.last, b.last);
      }
    }
  }

  // Which places of single calls lie elsewhere after a turn.
  void find_exchanged_places() {
    const std::span<const op::SingleCalls::PlaceSource> places = program_.singles.places();
    for (InnerRegions& inner : program_.regions) {
      std::set<const Storage*> storages;
      for (const auto& [made, state] : inner.exchanges) {
        storages.insert(frame_->roots[made].loan.get());
        storages.insert(frame_->roots[state].loan.get());
      }
      for (op::SingleCalls::Place i = 0; i < places.size() && !storages.empty(); ++i) {
        if (places[i].kind == op::SingleCalls::PlaceKind::Operand &&
            storages.contains(&frame_->operands[places[i].index].storage()))
          inner.exchanged.push_back(i);
      }
    }
  }

  // ---- results ---------------------------------------------------------------------------------

  void add_results() {
    std::set<std::size_t> taken;  // roots
    for (const Output& result : graph_.body().results()) {
      const Value& value = values_.at(result);
      Root& root = frame_->roots[value.root];
      if (root.kind == RootKind::Arena && root.is_exchanged) root.last = now();
      if (root.kind == RootKind::Arena && !root.is_exchanged) root.kind = RootKind::Fresh;
      const bool is_given = root.kind != RootKind::Fresh && root.kind != RootKind::Dynamic;
      const bool is_shared = is_given || !taken.insert(value.root).second;
      frame_->results.push_back({value.tensor, value.root, root.index, is_shared});
    }
    frame_->fresh.resize(frame_->roots.size());
  }

  const ir::Graph& graph_;
  const Constants& constants_;
  const FusedRegions& fused_;
  Program& program_;
  std::unique_ptr<Frame> frame_;
  std::unordered_map<Output, Value, OutputHash> values_;
};

}  // namespace

std::unique_ptr<Frame> lay_out(const ir::Graph& graph, const Constants& constants,
                               const FusedRegions& regions, Program& program) {
  return Builder(graph, constants, regions, program).build();
}

}  // namespace mycel::runtime
