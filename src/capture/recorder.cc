// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder.h"

#include <algorithm>
#include <atomic>

#include "device/current.h"
#include "eager/random_state.h"
#include "eager/tape.h"
#include "operator/registry.h"
#include "operator/spec_bytes.h"
#include "operator/written_input.h"
#include "platform/error/error.h"

namespace mycel::capture {
namespace {

using ir::Output;
using op::OpDef;
using op::TensorSpec;
using platform::ErrorKind;

// Watches values that will never exist: the run that was to compute them has failed.
class LostContent final : public tensor::StorageWatcher {
 public:
  void before_read(Storage& /*storage*/, const tensor::TensorBody* /*window*/) override {
    platform::fail(ErrorKind::Runtime,
                   "this tensor has no values: the compiled function that was to compute it has "
                   "failed. Call the function again.");
  }
  Tensor readable(const Tensor& tensor) override {
    before_read(tensor.storage(), nullptr);
    return tensor;
  }
};

LostContent& lost_content() {
  static LostContent watcher;
  return watcher;
}

// Sets a flag for a while.
class Busy {
 public:
  explicit Busy(bool& flag) : flag_(flag), before_(flag) { flag_ = true; }
  ~Busy() { flag_ = before_; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  bool& flag_;
  bool before_;
};

std::size_t skipped_bytes(const Tensor& tensor) {
  return static_cast<std::size_t>(tensor.body().offset) * tensor::size_of(tensor.dtype());
}

// On the host, where passes may look at it.
Tensor constant_of(const Tensor& tensor) {
  Tensor copy = Tensor::empty(tensor.shape(), tensor.dtype());
  tensor::copy_elements(tensor, copy);
  return copy;
}

std::size_t mix(std::size_t seed, std::size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
}

std::size_t hash_of(const ir::Node& node) {
  std::size_t hash = reinterpret_cast<std::size_t>(node.definition());
  for (const Output& operand : node.operands())
    hash = mix(hash, operand ? operand.node->id() * 31 + operand.index : 0);
  for (const op::AttributeValue& attribute : node.attributes())
    hash = mix(hash, std::hash<std::string>()(op::to_string(attribute)));
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    hash = mix(hash, static_cast<std::size_t>(node.type(i).dtype));
    for (const std::int64_t length : node.type(i).shape)
      hash = mix(hash, static_cast<std::size_t>(length));
  }
  return hash;
}

}  // namespace

Recorder::Recorder(Run run, std::span<const Tensor> arguments, Compiler compile,
                   std::function<ir::Position()> position, std::string name)
    : run_(std::move(run)),
      begins_ways_(run_.ways == nullptr),
      compile_(std::move(compile)),
      position_(std::move(position)),
      name_(std::move(name)),
      given_(arguments.begin(), arguments.end()),
      device_(device::current_device()),
      reached_(arguments.size()),
      mark_before_(Storage::birth_mark),
      interceptor_before_(eager::interceptor()) {
  if (begins_ways_) run_.ways = std::make_shared<Ways>();
  step_ = &run_.ways->root;
  begin_mark();
  begin_graph();
  for (std::size_t i = 0; i < given_.size(); ++i) {
    const Tensor& memory = run_.values[i];
    Ref<Storage> storage = Storage::promise(memory.device(), memory.bytes(), *this);
    storage->fulfil(memory.body().storage, skipped_bytes(memory));
    Entry entry;
    entry.storage = storage;
    entry.kind = Kind::Argument;
    entry.place = static_cast<int>(i);
    entry.spec = {memory.dtype(), memory.shape(), false};
    enter(std::move(entry));
    const Tensor whole = Tensor::from_storage(storage, memory.shape(), memory.dtype());
    const std::optional<Window> window = argument_window(given_[i]);
    stand_ins_.push_back(window ? seen_through(*window, whole) : whole);
  }
  eager::set_interceptor(this);
}

Recorder::~Recorder() { release(); }

void Recorder::begin_mark() {
  static std::atomic<std::uint32_t> next = 1;
  marks_.push_back(next++);
  Storage::birth_mark = marks_.back();
}

void Recorder::release() {
  if (!active_) return;
  active_ = false;
  while (!regions_.empty()) regions_.pop_back();  // the innermost first: tapes end in order
  eager::set_interceptor(interceptor_before_);
  Storage::birth_mark = mark_before_;
  for (auto& [key, entry] : entries_) {
    Storage& storage = entry.storage ? *entry.storage : entry.tensor.storage();
    if (storage.watcher() != this) continue;
    // Only after an error: what could not be computed has no content, and says so when it is read.
    const bool is_lost = storage.is_promise() && storage.owner_count() > 1;
    storage.set_watcher(is_lost ? &lost_content() : nullptr);
  }
  entries_.clear();
}

void Recorder::begin_graph() {
  graph_ = std::make_unique<ir::Graph>(name_);
  graph_->set_device(device_);
  fingerprint_ = 0;
  graph_arguments_.clear();
  constant_nodes_.clear();
  copied_.clear();
  for (auto& [key, entry] : entries_) {
    entry.output = {};
    entry.parts.clear();
  }
}

Recorder::Entry* Recorder::find(const Storage& storage) {
  const auto found = entries_.find(&storage);
  return found == entries_.end() ? nullptr : &found->second;
}
const Recorder::Entry* Recorder::find(const Storage& storage) const {
  const auto found = entries_.find(&storage);
  return found == entries_.end() ? nullptr : &found->second;
}

Recorder::Entry& Recorder::enter(Entry entry) {
  entry.order = next_order_++;
  const Storage* key = entry.storage ? entry.storage.get() : entry.tensor.body().storage.get();
  return entries_[key] = std::move(entry);
}

// Made while this run was recorded, in whatever region.
bool Recorder::is_of_this_run(const Storage& storage) const {
  return std::find(marks_.begin(), marks_.end(), storage.birth()) != marks_.end();
}

bool Recorder::is_made_here(const Tensor& tensor) const {
  return tensor.storage().is_constant() || is_of_this_run(tensor.storage());
}

bool Recorder::knows(const Tensor& tensor) const {
  const Entry* entry = find(tensor.storage());
  return entry != nullptr && entry->kind != Kind::Reference;
}

bool Recorder::is_result(const Tensor& tensor) const {
  const Entry* entry = find(tensor.storage());
  return entry != nullptr && (entry->kind != Kind::Reference ||
                              (!(entry->tensor == tensor) && !tensor.body().is_parameter));
}

Tensor Recorder::whole(const Tensor& tensor) const {
  const Entry& entry = *find(tensor.storage());
  if (entry.kind == Kind::Reference) return entry.tensor;
  return Tensor::from_storage(entry.storage, entry.spec.shape, entry.spec.dtype);
}

bool Recorder::concerns(const OpDef& definition, std::span<const Tensor> inputs,
                        std::size_t outputs) const {
  if (definition.is_random) return true;
  for (const Tensor& input : inputs) {
    if (!input.defined()) continue;
    // What was there before the run may be something else in the next one.
    if (find(input.storage()) != nullptr || input.body().is_parameter || !is_made_here(input))
      return true;
  }
  if (!definition.has_effects) return false;
  // A write to what nobody else has seen yet can happen at once.
  for (std::size_t i = 0; i < outputs; ++i) {
    const int written = op::written_input(definition, i);
    if (written < 0) continue;
    const Tensor& target = inputs[static_cast<std::size_t>(written)];
    if (constant_nodes_.contains(target.body().storage.get())) return true;
  }
  return false;
}

std::string Recorder::unfit(const OpDef& definition, std::span<const Tensor> inputs) const {
  for (const Tensor& input : inputs) {
    if (!input.defined() || input.body().is_number) continue;
    if (!(input.device() == device_)) return "a tensor is on another device";
    const Entry* entry = find(input.storage());
    if (entry != nullptr && entry->spec.dtype != input.dtype())
      return platform::join("'", definition.shown_name(), "' reads memory as another type");
    const bool is_others = entry == nullptr && input.storage().watcher() != nullptr;
    if (is_others && input.storage().watcher() != this)
      return platform::join("'", definition.shown_name(), "' is given a tensor of another run");
  }
  if (definition.is_random && eager::is_logging_random())
    return "random numbers are drawn in a block that is computed again for its gradient";
  return {};
}

Output Recorder::constant(const Tensor& tensor) {
  const auto found = constant_nodes_.find(tensor.body_ref().get());
  if (found != constant_nodes_.end()) return found->second;
  // A tensor made while capturing may be written later, in this call only: the graph has its own.
  const bool is_number = tensor.body().is_number;
  if (!is_number) copied_.push_back(tensor);
  ir::Node& node = graph_->add_constant(graph_->body(), is_number ? tensor : constant_of(tensor),
                                        outermost_owner());
  fingerprint_ = mix(fingerprint_, node.id());
  constant_nodes_[tensor.body_ref().get()] = node.output();
  constant_nodes_[tensor.body().storage.get()] = node.output();
  return node.output();
}

op::Origin Recorder::origin_here() const {
  op::Origin origin = op::current_origin();
  if (origin.position) return origin;
  ir::Position position = position_();
  // Most lines make several nodes.
  const bool is_same = last_origin_.position && *last_origin_.position == position;
  origin.position =
      is_same ? last_origin_.position : std::make_shared<const ir::Position>(std::move(position));
  return origin;
}

ir::Node& Recorder::add(const OpDef& definition, std::vector<Output> operands,
                        op::AttributeList attributes, std::vector<TensorSpec> types) {
  ir::Node& node = graph_->add_operator(region(), definition, std::move(operands),
                                        std::move(attributes), std::move(types));
  node.set_origin(is_taking_ ? last_origin_ : origin_here());
  fingerprint_ = mix(fingerprint_, hash_of(node));
  return node;
}

Output Recorder::copied(const Output& output) {
  static const OpDef& copy = op::find("copy");
  return add(copy, {output}, op::AttributeList(copy.attributes.size()), {output.type()}).output();
}

Tensor Recorder::promise(const TensorSpec& spec, Output output) {
  Entry entry;
  entry.storage = Storage::promise(device_, op::bytes_of(spec), *this);
  entry.output = output;
  entry.spec = {spec.dtype, spec.shape, false};
  Tensor tensor = Tensor::from_storage(entry.storage, spec.shape, spec.dtype);
  enter(std::move(entry));
  return tensor;
}

bool Recorder::take(const OpDef& definition, std::span<Tensor> inputs,
                    std::span<op::AttributeValue> attributes, std::span<const TensorSpec> specs,
                    std::vector<Tensor>& outputs) {
  if (busy_) return false;
  require_sound();
  if (settle_lent() || !concerns(definition, inputs, specs.size())) return false;
  if (std::string why = unfit(definition, inputs); !why.empty()) {
    abandon(std::move(why));
    return false;
  }
  last_origin_ = origin_here();
  if (definition.traits.communicates) last_origin_.phase = op::Phase::Communication;
  const Busy taking(is_taking_);
  if (definition.view != nullptr && take_view(definition, inputs[0], attributes, specs, outputs))
    return true;
  for (std::size_t i = 0; i < specs.size() && definition.has_effects; ++i) {
    const int target = op::written_input(definition, i);
    if (target < 0) continue;
    prepare_write(inputs[static_cast<std::size_t>(target)]);
    if (!active_) return false;
  }
  std::vector<Output> operands;
  for (const Tensor& input : inputs) {
    operands.push_back(operand(input));
    if (!active_) return false;
  }
  for (std::size_t i = 0; i < specs.size() && definition.has_effects; ++i) {
    const int target = op::written_input(definition, i);
    if (target >= 0)
      operands[static_cast<std::size_t>(target)] =
          writable(inputs[static_cast<std::size_t>(target)]);
  }
  // What can only be seen after copying is a value, not a window on memory that is written later.
  const bool is_copy =
      definition.view != nullptr && definition.kernels[device::kHostBackend].empty();
  if (is_copy && find(inputs[0].storage())->is_memory()) operands[0] = copied(operands[0]);
  std::vector<TensorSpec> types(specs.begin(), specs.end());
  if (definition.dynamic_outputs) types.assign(definition.outputs.size(), TensorSpec{});
  ir::Node& node = add(definition, std::move(operands), {attributes.begin(), attributes.end()},
                       std::move(types));
  if (definition.dynamic_outputs) {
    run_dynamic(node, outputs);
    return true;
  }
  outputs.clear();
  for (std::uint32_t i = 0; i < node.output_count(); ++i) {
    const int target = op::written_input(definition, i);
    if (target < 0) {
      outputs.push_back(promise(node.type(i), node.output(i)));
    } else {
      outputs.push_back(inputs[static_cast<std::size_t>(target)]);
      if (definition.has_effects) written(outputs.back(), node.output(i));
    }
  }
  return true;
}

void Recorder::run_dynamic(ir::Node& node, std::vector<Tensor>& outputs) {
  require_may_run("values decide the shape of a result");
  decline_in_region("makes a result whose shape depends on values");
  std::vector<Output> further;
  for (std::uint32_t i = 0; i < node.output_count(); ++i) further.push_back(node.output(i));
  close(further);
  const std::size_t first = reached_ - further.size();
  outputs.clear();
  for (std::size_t i = 0; i < further.size(); ++i) {
    const Tensor& value = run_.values[first + i];
    Ref<Storage> storage = Storage::promise(value.device(), value.bytes(), *this);
    storage->fulfil(value.body().storage, skipped_bytes(value));
    outputs.push_back(Tensor::from_storage(storage, value.shape(), value.dtype()));
    Entry entry;
    entry.storage = std::move(storage);
    entry.kind = Kind::Value;
    entry.spec = {value.dtype(), value.shape(), false};
    entry.place = static_cast<int>(first + i);
    enter(std::move(entry));
  }
  for (std::size_t i = 0; i < further.size(); ++i) {
    Reading reading;
    reading.place.value = static_cast<int>(first + i);
    reading.only_shape = true;
    look(reading);
    if (!active_) return;
  }
}

void Recorder::host_call(std::string name, ir::HostFunction function,
                         std::span<const Tensor> inputs) {
  std::vector<Output> operands;
  for (const Tensor& input : inputs) operands.push_back(operand(input));
  graph_->add_host_call(region(), std::move(name), std::move(function), std::move(operands), {})
      .set_origin(origin_here());
}

// ---- running what was recorded -----------------------------------------------------------------

std::vector<Recorder::Entry*> Recorder::live_entries() {
  std::vector<Entry*> live;
  for (auto& [key, entry] : entries_) {
    if (entry.kind != Kind::Promise && entry.kind != Kind::Stale) continue;
    if (entry.storage->owner_count() > 1) live.push_back(&entry);
  }
  std::sort(live.begin(), live.end(),
            [](const Entry* a, const Entry* b) { return a->order < b->order; });
  return live;
}

void Recorder::keep(Entry& entry, int place) {
  const Tensor& value = run_.values[static_cast<std::size_t>(place)];
  if (entry.own_memory && !computes_) {
    // `value` is nothing to copy: what is there stays.
  } else if (entry.own_memory) {
    // Under another name, so that writing is no look.
    const Ref<Storage> place = Storage::borrow(
        entry.storage->device(), entry.storage->data_unwatched(), entry.storage->bytes(),
        [](void*) {}, nullptr);
    tensor::copy_elements(value, Tensor::from_storage(place, value.shape(), value.dtype()));
  } else {
    entry.storage->fulfil(value.body().storage, skipped_bytes(value));
  }
  entry.kind = Kind::Value;
  entry.place = place;
  entry.storage->set_watcher(this);
}

void Recorder::run_step(std::vector<Output> results) {
  Step& step = *step_;
  step.first_result = run_.values.size();
  step.result_count = results.size();
  step.arguments = graph_arguments_;
  step.fingerprint = fingerprint_;
  graph_->body().set_results(std::move(results));
  if (graph_->body().nodes().empty() && step.result_count == 0) return;
  std::vector<Tensor> given;
  for (const int place : graph_arguments_)
    given.push_back(run_.values[static_cast<std::size_t>(place)]);
  const Busy busy(busy_);
  step.executable = compile_(std::move(graph_));
  if (!computes_) {
    for (const Output& result : step.executable->graph().body().results())
      run_.values.push_back(Tensor::empty(result.type().shape, result.type().dtype));
    return;
  }
  run_.has_effects = run_.has_effects || step.executable->has_effects();
  for (Tensor& value : step.executable->run(given))
    run_.values.push_back(tensor::contiguous(value));
}

// A step that an earlier run has recorded. A replay has computed it for this run, unless the step
// was added since.
void Recorder::follow_step(std::span<const Entry* const> live, std::size_t results) {
  const auto is_as_before = [&] {
    if (step_->result_count != results || step_->fingerprint != fingerprint_) return false;
    for (std::size_t i = 0; i < live.size(); ++i) {
      const Tensor& value = run_.values[step_->first_result + i];
      if (value.dtype() != live[i]->spec.dtype || !(value.shape() == live[i]->spec.shape))
        return false;
    }
    return true;
  };
  if (steps_done_ >= run_.steps) {
    const Busy busy(busy_);
    run_.compute(*step_);
  }
  require_as_before(is_as_before());
}

void Recorder::require_as_before(bool is_so) const {
  platform::require(is_so, ErrorKind::Runtime, "'", name_,
                    "' took another way than before although it saw the same values. Mark it "
                    "with @jit only if it depends on its arguments alone, or run it in PyNative "
                    "mode.");
}

void Recorder::close(std::span<const Output> further) {
  const std::vector<Entry*> live = live_entries();
  std::vector<Output> results;
  results.reserve(live.size() + further.size());
  for (Entry* entry : live) results.push_back(content(*entry));
  results.insert(results.end(), further.begin(), further.end());
  const std::size_t count = results.size();
  try {
    if (is_own_step()) {
      run_step(std::move(results));
      ++run_.steps;
    } else {
      follow_step(std::vector<const Entry*>(live.begin(), live.end()), count);
    }
  } catch (...) {
    failure_ = std::current_exception();
    throw;
  }
  ++steps_done_;
  const std::size_t first = step_->first_result;
  for (std::size_t i = 0; i < live.size(); ++i) keep(*live[i], static_cast<int>(first + i));
  reached_ = first + count;
  // What only the table holds nobody can ask for any more; kept, it would make every look dearer.
  std::erase_if(entries_, [](const auto& item) {
    const Entry& entry = item.second;
    return entry.kind == Kind::Promise ||
           (entry.kind != Kind::Argument && entry.storage && entry.storage->owner_count() == 1);
  });
  begin_graph();
}

// ---- the end -----------------------------------------------------------------------------------

void Recorder::finish(std::span<const Tensor> results, std::shared_ptr<const Epilogue> epilogue,
                      std::uint64_t since) {
  may_run_ = true;
  require_sound();
  platform::require(regions_.empty(), ErrorKind::Internal, "a function ends inside a region");
  if (settle_lent()) return;
  try {
    close();
  } catch (...) {
    discard();  // at once: a traceback may keep this recorder for long
    throw;
  }
  std::vector<Place> returned;
  for (const Tensor& result : results) {
    Place& place = returned.emplace_back(place_of(result));
    const auto same = std::find(stand_ins_.begin(), stand_ins_.end(), result);
    if (same != stand_ins_.end()) place.argument = static_cast<int>(same - stand_ins_.begin());
  }
  if (is_own_step()) {
    step_->end = Step::End::Return;
    step_->returned = std::move(returned);
    step_->epilogue = std::move(epilogue);
    // Somebody else may have been quicker; then this run has its own copy of the way.
    if (fork_ != nullptr) {
      branch_->since = since;
      run_.ways->add(*fork_, fork_seen_, branch_);
    }
  } else {
    require_as_before(step_->end == Step::End::Return && step_->returned == returned);
  }
  release();
}

void Recorder::note_refusal(std::string reason) {
  const ir::Position position = position_();
  refusal_ = position.file.empty()
                 ? std::move(reason)
                 : platform::join(reason, " (", position.file, ":", position.line, ")");
}

void Recorder::abandon(std::string reason) {
  if (!active_) return;
  decline_in_region(reason);
  note_refusal(std::move(reason));
  require_may_run(refusal_);
  require_sound();
  close();
  release();
}

void Recorder::require_sound() const {
  if (failure_) std::rethrow_exception(failure_);
}

std::string Recorder::text() const { return graph_ ? ir::to_text(*graph_) : std::string(); }

void Recorder::fail() {
  if (!active_) return;
  try {
    drop_regions(0);
    if (!failure_) close();
  } catch (...) {
    discard();
    throw;
  }
  discard();
}

void Recorder::discard() {
  if (!active_) return;
  release();
}

}  // namespace mycel::capture
