// SPDX-License-Identifier: Apache-2.0
#include "eager/gradient_call.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <unordered_set>
#include <utility>

#include "device/current.h"
#include "eager/aliases.h"
#include "eager/dispatch.h"
#include "eager/interceptor.h"
#include "eager/tape_state.h"
#include "operator/contexts.h"
#include "operator/registry.h"
#include "tensor/overlap.h"

namespace mycel::eager {

using op::GradientContext;
using op::GradientKind;
using op::OpDef;
using op::Value;
using platform::ErrorKind;

namespace {

// Where an operator on this tensor runs.
device::Device device_for(const Tensor& tensor) {
  const device::Device device = tensor.device();
  return device.backend == device::kHostBackend ? device::current_device() : device;
}

}  // namespace

GradientCall::GradientCall(Role role) : role_(role) {
  TapeState& state = tape_state;
  if (role == Role::Part) ++state.parts;
  is_outermost_ = state.level == 0;
  if (is_outermost_) state.scope = Ref<Scope>(new Scope());
  ++state.level;
  recording_before_ = state.recording;
  state.recording = true;
  around_ = std::exchange(state.innermost, this);
  scope_ = state.scope;
  first_sequence_ = state.next_sequence++;
}

int gradient_level() { return tape_state.level; }
int gradient_order() { return tape_state.level - tape_state.parts; }

GradientCall::~GradientCall() {
  end_forward();
  if (is_outermost_) forget_writes(*scope_);
}

Ref<Node> GradientCall::make_leaf(const op::TensorSpec& spec, Edge outer,
                                  std::uint64_t sequence) const {
  static const OpDef& identity = op::find("identity");
  Ref<Node> node(new Node());
  node->scope = scope_;
  node->sequence = sequence;
  node->definition = &identity;
  node->edges = {std::move(outer)};
  node->leaf_of = this;
  node->present.assign(1, true);
  node->inputs.resize(1);
  node->outputs.resize(1);
  node->input_specs = {spec};
  node->output_specs = {spec};
  node->attributes.resize(identity.attributes.size());
  return node;
}

Ref<Node> GradientCall::make_leaf(const Tensor& input) const {
  Edge outer;
  if (Node* node = node_of(input)) outer = {Ref<Node>(node), input.body().output_index};
  Ref<Node> leaf = make_leaf({input.dtype(), input.shape(), false}, std::move(outer),
                             tape_state.next_sequence++);
  note_layout(*leaf, 0, input);
  return leaf;
}

Tensor GradientCall::watch(const Tensor& input) {
  const Ref<Node> leaf = make_leaf(input);
  watched_.push_back({leaf, Tensor(), {}, 0});
  Tensor alias = detach(input);
  alias.body().history = Ref<tensor::History>(leaf.get());
  note_origin(alias);  // others may write on its memory
  return alias;
}

void GradientCall::watch_parameter(const Tensor& parameter) {
  const Ref<Node> leaf = make_leaf(parameter);
  tensor::TensorBody& body = parameter.body();
  watched_.push_back({leaf, parameter, body.history, body.output_index});
  body.history = Ref<tensor::History>(leaf.get());
  body.output_index = 0;
  body.seen_version = body.storage->version();
}

void GradientCall::watch_stand_in(const Tensor& stand_in, const Tensor& original) {
  const Ref<Node> leaf = make_leaf(original);
  watched_.push_back({leaf, Tensor(), {}, 0});
  tensor::TensorBody& body = stand_in.body();
  body.history = Ref<tensor::History>(leaf.get());
  body.output_index = 0;
  body.seen_version = body.storage->version();
}

void GradientCall::end_forward() {
  if (!in_forward_) return;
  in_forward_ = false;
  // In reverse, so that a parameter watched twice gets back what it had first.
  for (auto it = watched_.rbegin(); it != watched_.rend(); ++it) {
    if (!it->parameter.defined()) continue;
    tensor::TensorBody& body = it->parameter.body();
    body.history = it->history_before;
    body.output_index = it->index_before;
    body.seen_version = body.storage->version();
  }
  TapeState& state = tape_state;
  // After an error, calls inside may still be there: they end with it, or they would put back what
  // was when they began.
  while (state.innermost != nullptr && state.innermost != this) state.innermost->end_forward();
  state.innermost = around_;
  --state.level;
  if (role_ == Role::Part) --state.parts;
  state.recording = recording_before_;
  if (state.level == 0) state.scope = {};
}

namespace {

std::atomic<std::uint64_t> next_walk = 1;

// Nodes the outputs were computed from, oldest first; none older than `first`.
std::vector<Ref<Node>> collect(std::span<const Tensor> outputs, std::uint64_t first,
                               std::uint64_t walk, const Ref<Scope>& scope) {
  std::vector<Ref<Node>> found;
  const auto visit = [&](Node* node) {
    if (node == nullptr || node->scope.get() != scope.get() || node->sequence < first ||
        node->walk == walk)
      return;
    node->walk = walk;
    node->needed = false;
    node->gradients.assign(node->output_specs.size(), Tensor());
    found.emplace_back(node);
  };
  for (const Tensor& output : outputs) {
    if (output.defined()) visit(static_cast<Node*>(output.body().history.get()));
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Ref<Node> node = found[i];
    for (const Edge& edge : node->edges) visit(edge.node.get());
  }
  std::sort(found.begin(), found.end(),
            [](const Ref<Node>& a, const Ref<Node>& b) { return a->sequence < b->sequence; });
  return found;
}

void add_gradient(Node& node, std::uint32_t output, const Tensor& gradient) {
  Tensor& slot = node.gradients[output];
  if (!slot.defined()) {
    slot = gradient;
    return;
  }
  slot = (Value(&emitter(), slot) + Value(&emitter(), gradient)).tensor();
}

Tensor unpack(const Saved& saved, const Edge* edge) {
  Tensor tensor = saved.content();
  if (edge != nullptr && edge->node) {
    tensor.body().history = Ref<tensor::History>(edge->node.get());
    tensor.body().output_index = edge->output;
  }
  return tensor;
}

void fill_context(GradientContext& context, Node& node) {
  const std::size_t inputs = node.input_specs.size();
  context.inputs.resize(inputs);
  context.wanted.resize(inputs);
  context.present = node.present;
  context.input_gradients.resize(inputs);
  for (std::size_t i = 0; i < inputs; ++i) {
    const Edge& edge = node.edges[i];
    if (node.inputs[i].defined())
      context.inputs[i] = Value(&emitter(), unpack(node.inputs[i], &edge));
    context.wanted[i] = edge.node && edge.node->walk == node.walk && edge.node->needed;
  }
  context.outputs.resize(node.output_specs.size());
  for (std::size_t i = 0; i < node.output_specs.size(); ++i) {
    if (node.outputs[i].defined()) {
      const Edge self{Ref<Node>(&node), static_cast<std::uint32_t>(i)};
      context.outputs[i] = Value(&emitter(), unpack(node.outputs[i], &self));
    }
    const Tensor& gradient = node.gradients[i];
    context.output_gradients.push_back(gradient.defined() ? Value(&emitter(), gradient) : Value());
  }
  context.input_specs = node.input_specs;
  context.output_specs = node.output_specs;
  context.is_differentiated = is_recording();
}

void derive_elementwise(GradientContext& context, const OpDef& definition) {
  const Value dy = context.output_gradient(0);
  for (std::size_t i = 0; i < context.input_count(); ++i) {
    if (!context.wants(i)) continue;
    const OpDef* gradient = definition.derived_gradient(static_cast<int>(i));
    if (gradient == nullptr) continue;
    // Where the formula is the arriving gradient itself (a sum), nothing has to be computed.
    const op::ExprNode& formula = gradient->scalar.node();
    const bool passes_on = formula.op == op::ScalarOp::Input &&
                           formula.index == static_cast<int>(context.input_count()) &&
                           !tensor::is_complex(dy.dtype());
    if (passes_on && tensor::is_floating(dy.dtype())) {
      context.set_input_gradient(i, dy);
      continue;
    }
    op::ValueList inputs = context.inputs;
    inputs.push_back(dy);
    // Inputs the formula does not read only have to be there: they must not stretch the result.
    for (Value& value : inputs) {
      if (!value.defined()) value = emitter().number(0);
    }
    op::AttributeList attributes(context.attributes().begin(), context.attributes().end());
    context.set_input_gradient(i, emitter().emit(*gradient, inputs, std::move(attributes)).front());
  }
}

// Input gradients of one node, with the shape and dtype of the inputs.
std::vector<Tensor> differentiate(Node& node) {
  if (node.custom) {
    std::vector<Tensor> gradients = node.custom(node.gradients);
    gradients.resize(node.edges.size());
    return gradients;
  }
  const OpDef& definition = *node.definition;
  platform::require(definition.gradient_kind != GradientKind::None, ErrorKind::Runtime,
                    "Fail to find bprop function for ", definition.shown_name(),
                    ". Use stop_gradient on its result if no gradient is wanted through it.");
  const auto reached = std::find_if(node.gradients.begin(), node.gradients.end(),
                                    [](const Tensor& gradient) { return gradient.defined(); });
  const device::DeviceScope scope(device_for(*reached));
  GradientContext context(definition, node.attributes, emitter());
  fill_context(context, node);
  if (definition.gradient_kind == GradientKind::Derived) {
    derive_elementwise(context, definition);
  } else {
    definition.gradient(context);
  }
  std::vector<Tensor> gradients(node.edges.size());
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (!context.wants(i) || i >= context.input_gradients.size()) continue;
    const Value reduced = op::sum_to(context.input_gradients[i], node.input_specs[i]);
    if (reduced.defined()) gradients[i] = reduced.tensor();
  }
  return gradients;
}

void run_hooks(Node& node) {
  const auto hooks = node.hooks;  // a hook may remove itself
  for (const Node::OutputHook& hook : hooks) {
    Tensor& gradient = node.gradients[hook.output];
    if (!gradient.defined()) continue;
    const Tensor replaced = hook.call(gradient);
    if (replaced.defined()) gradient = replaced;
  }
}

// Whoever gets gradients may write into them: no two share memory, nor one with a seed, nor one
// with itself.
void make_own(std::span<Tensor> gradients, std::span<const Tensor> seeds) {
  std::unordered_set<const tensor::Storage*> taken;
  for (const Tensor& seed : seeds) {
    if (seed.defined()) taken.insert(&seed.storage());
  }
  for (Tensor& gradient : gradients) {
    if (!gradient.defined()) continue;
    const bool is_own = taken.insert(&gradient.storage()).second &&
                        !tensor::repeats_elements(gradient.shape(), gradient.strides());
    if (!is_own) gradient = emitter().call("copy", {Value(&emitter(), gradient)}).tensor();
  }
}

Tensor ones_like(const Tensor& tensor) {
  const device::DeviceScope scope(device_for(tensor));
  return emitter()
      .call("fill", {}, {{"shape", tensor.shape()}, {"value", 1.0}, {"dtype", tensor.dtype()}})
      .tensor();
}

// The scope of a finished forward, current again while it is walked.
class ScopeRevival {
 public:
  explicit ScopeRevival(const Ref<Scope>& scope) : before_(tape_state.scope) {
    tape_state.scope = scope;
  }
  ~ScopeRevival() { tape_state.scope = before_; }

 private:
  Ref<Scope> before_;
};

}  // namespace

namespace {

void visit_node(Node& node, const std::function<void(Saved&)>& visit) {
  if (node.region) node.region->visit_saved(visit);
  for (std::vector<Saved>* kept : {&node.inputs, &node.outputs}) {
    for (Saved& saved : *kept) {
      if (saved.defined()) visit(saved);
    }
  }
}

}  // namespace

bool GradientCall::has_computed(const Tensor& tensor) const {
  if (!tensor.defined() || !tensor.body().history) return false;
  const auto* node = static_cast<const Node*>(tensor.body().history.get());
  return node->scope == scope_ && node->sequence >= first_sequence_ && node->leaf_of != this;
}

std::vector<Edge> GradientCall::cut(std::span<const Tensor> outputs,
                                    const std::function<void(Saved&)>& visit, bool& has_custom) {
  std::vector<Edge> outside;
  std::vector<Ref<Node>> leaves;
  const auto leaf_for = [&](const Edge& edge) {
    for (std::size_t i = 0; i < outside.size(); ++i) {
      if (outside[i].node == edge.node && outside[i].output == edge.output) return leaves[i];
    }
    outside.push_back(edge);
    // As old as this call, so older than everything else in it.
    leaves.push_back(make_leaf(edge.node->output_specs[edge.output], edge, first_sequence_));
    return leaves.back();
  };
  has_custom = false;
  for (const Ref<Node>& node : collect(outputs, first_sequence_, next_walk++, scope_)) {
    if (node->leaf_of == this) continue;
    has_custom = has_custom || node->custom || !node->hooks.empty();
    for (Edge& edge : node->edges) {
      if (edge.node && edge.node->sequence < first_sequence_) edge = {leaf_for(edge), 0};
    }
    visit_node(*node, visit);
  }
  for (const Ref<Node>& leaf : leaves) watched_.push_back({leaf, Tensor(), {}, 0});
  return outside;
}

void GradientCall::visit_saved(std::span<const Tensor> outputs,
                               const std::function<void(Saved&)>& visit) const {
  for (const Ref<Node>& node : collect(outputs, first_sequence_, next_walk++, scope_)) {
    if (node->leaf_of != this) visit_node(*node, visit);
  }
}

std::vector<std::vector<bool>> GradientCall::sources(std::span<const Tensor> outputs) const {
  std::vector<std::vector<bool>> result;
  for (const Tensor& output : outputs) {
    const std::uint64_t walk = next_walk++;
    collect({&output, 1}, first_sequence_, walk, scope_);
    std::vector<bool>& found = result.emplace_back();
    for (const Watched& watched : watched_) found.push_back(watched.node->walk == walk);
  }
  return result;
}

void GradientCall::narrow(std::span<const Tensor> outputs, const std::vector<bool>& needed) {
  const std::vector<Ref<Node>> nodes = collect(outputs, first_sequence_, next_walk++, scope_);
  for (std::size_t i = 0; i < watched_.size(); ++i) watched_[i].node->needed = needed[i];
  for (const Ref<Node>& node : nodes) {
    if (node->leaf_of == this) continue;
    for (Edge& edge : node->edges) {
      if (edge.node && edge.node->needed) node->needed = true;
      if (edge.node && !edge.node->needed) edge = {};
    }
    if (!node->needed) node->release_saved();
    if (node->definition == nullptr || !node->needed) continue;
    const std::uint32_t keep = inputs_to_keep(*node);
    for (std::size_t i = 0; i < node->inputs.size(); ++i) {
      if ((keep >> std::min<std::size_t>(i, 31) & 1U) == 0) node->inputs[i] = {};
    }
  }
}

void GradientCall::forget_outside() {
  for (const Watched& watched : watched_) watched.node->edges.assign(1, Edge());
}

namespace {

Node& receiver_of(const Edge& edge) {
  return edge.node->receiver == nullptr ? *edge.node : *edge.node->receiver;
}

// The calls of a region add their parts themselves.
void pass_through_region(Node& node, std::uint64_t walk) {
  std::vector<RegionGradient::Target> targets(node.edges.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Edge& edge = node.edges[i];
    targets[i].same_as = i;
    if (!edge.node || edge.node->walk != walk || !edge.node->needed) continue;
    targets[i].is_wanted = true;
    targets[i].found = receiver_of(edge).gradients[edge.output];
    for (std::size_t k = 0; k < i; ++k) {
      const Edge& other = node.edges[k];
      const bool is_same = targets[k].is_wanted && &receiver_of(other) == &receiver_of(edge) &&
                           other.output == edge.output;
      if (!is_same) continue;
      targets[i].same_as = k;
      break;
    }
  }
  const std::vector<Tensor> gradients = node.region->backward(node.gradients, targets);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (gradients[i].defined())
      receiver_of(node.edges[i]).gradients[node.edges[i].output] = gradients[i];
  }
}

void pass_through(Node& node, std::uint64_t walk) {
  if (node.region) {
    pass_through_region(node, walk);
    return;
  }
  std::vector<Tensor> gradients = differentiate(node);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const Edge& edge = node.edges[i];
    if (gradients[i].defined() && edge.node && edge.node->walk == walk && edge.node->needed)
      add_gradient(receiver_of(edge), edge.output, gradients[i]);
  }
}

// Gives the nodes of a walk their first gradients.
void add_seeds(std::span<const Tensor> outputs, std::span<const Tensor> seeds, std::uint64_t walk) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].defined() || !outputs[i].body().history) continue;
    auto* node = static_cast<Node*>(outputs[i].body().history.get());
    if (node->walk != walk || !node->needed) continue;
    Node& receiver = node->receiver == nullptr ? *node : *node->receiver;
    add_gradient(receiver, outputs[i].body().output_index,
                 seeds[i].defined() ? seeds[i] : ones_like(outputs[i]));
  }
}

// What a walk computes belongs to the cell and the line of the call it goes back through. A
// backward of the user's own has lines of its own.
op::Origin origin_behind(const Node& node) {
  op::Origin origin = op::current_origin();
  if (node.origin.cell) origin.cell = node.origin.cell;
  if (!node.custom) origin.position = node.origin.position;
  return origin;
}

op::Origin backward_origin() {
  op::Origin origin = op::current_origin();
  origin.phase = op::Phase::Backward;
  return origin;
}

void walk_nodes(std::span<const Ref<Node>> nodes, std::uint64_t walk, const void* call, bool keep) {
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    Node& node = **it;
    if (!node.needed) continue;
    const bool reached = std::any_of(node.gradients.begin(), node.gradients.end(),
                                     [](const Tensor& g) { return g.defined(); });
    if (!reached) continue;
    platform::require(!node.released, ErrorKind::Runtime,
                      "the gradient was already computed and its memory released");
    std::optional<op::OriginScope> scope;
    if (interceptor() != nullptr) scope.emplace(origin_behind(node));
    run_hooks(node);
    if (node.leaf_of == call) continue;
    pass_through(node, walk);
    node.gradients.clear();
    if (!keep) node.release_saved();
  }
}

}  // namespace

// The nodes, oldest first, and which of them lead to what gradients are wanted for.
std::vector<Ref<Node>> GradientCall::begin_walk(std::span<const Tensor> outputs, std::uint64_t walk,
                                                std::span<const Start> starts) {
  for (const Tensor& output : outputs) {
    if (output.defined()) follow_writes(output);
  }
  std::vector<Ref<Node>> nodes = collect(outputs, first_sequence_, walk, scope_);
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    Node& leaf = *watched_[i].node;
    leaf.needed = leaf.walk == walk && (starts.empty() || starts[i].is_wanted);
    if (starts.empty()) continue;
    leaf.gradients.assign(1, starts[i].gradient);
    leaf.receiver = starts[i].joined < 0
                        ? nullptr
                        : watched_[static_cast<std::size_t>(starts[i].joined)].node.get();
  }
  for (const Ref<Node>& node : nodes) {
    for (const Edge& edge : node->edges) {
      if (edge.node && edge.node->walk == walk && edge.node->needed) node->needed = true;
    }
  }
  return nodes;
}

std::vector<Tensor> GradientCall::backward(std::span<const Tensor> outputs,
                                           std::span<const Tensor> seeds, bool keep) {
  platform::require(seeds.size() == outputs.size(), ErrorKind::Runtime,
                    "The given sens gradient's size should be same as out of network: ",
                    outputs.size(), " tensors come out, but ", seeds.size(), " seeds were given");
  const bool nested = tape_state.level > 0 && tape_state.scope == scope_;
  const ScopeRevival revival(scope_);
  const RecordingSwitch recording(nested);
  const op::OriginScope origin(backward_origin());
  const std::uint64_t walk = next_walk++;
  const std::vector<Ref<Node>> nodes = begin_walk(outputs, walk, {});
  add_seeds(outputs, seeds, walk);
  walk_nodes(nodes, walk, this, nested || keep);
  std::vector<Tensor> result;
  for (const Watched& watched : watched_) {
    const bool reached = watched.node->walk == walk && !watched.node->gradients.empty();
    result.push_back(reached ? watched.node->gradients[0] : Tensor());
    watched.node->gradients.clear();
  }
  make_own(result, seeds);
  return result;
}

std::vector<Tensor> GradientCall::walk(std::span<const Tensor> outputs,
                                       std::span<const Tensor> seeds,
                                       std::span<const Start> starts) {
  const ScopeRevival revival(scope_);
  const RecordingSwitch recording(false);
  const op::OriginScope origin(backward_origin());
  const std::uint64_t walk = next_walk++;
  const std::vector<Ref<Node>> nodes = begin_walk(outputs, walk, starts);
  add_seeds(outputs, seeds, walk);
  walk_nodes(nodes, walk, this, true);
  std::vector<Tensor> result;
  for (const Watched& watched : watched_) {
    result.push_back(watched.node->gradients[0]);
    watched.node->gradients.clear();
    watched.node->receiver = nullptr;
  }
  return result;
}

}  // namespace mycel::eager
