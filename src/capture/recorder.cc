// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "eager/random_state.h"
#include "eager/tape.h"
#include "operator/registry.h"
#include "operator/written_input.h"
#include "platform/error/error.h"

namespace mycel::capture {
namespace {

using ir::Output;
using op::OpDef;
using op::TensorSpec;
using platform::ErrorKind;

// What Python may look at and still be repeated without it.
constexpr std::size_t kMostBytesSeen = 256;
constexpr std::size_t kMostForks = 8;
constexpr std::size_t kMostValues = 1U << 20;

std::atomic<std::uint32_t> next_mark = 1;

// Watches values that will never exist: the run that was to compute them has failed.
class LostContent final : public tensor::StorageWatcher {
 public:
  void before_read(Storage& /*storage*/) override {
    platform::fail(ErrorKind::Runtime,
                   "this tensor has no values: the compiled function that was to compute it has "
                   "failed. Call the function again.");
  }
};

LostContent& lost_content() {
  static LostContent watcher;
  return watcher;
}

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

TensorSpec spec_of(const Tensor& tensor) {
  return {tensor.dtype(), tensor.shape(), tensor.body().is_number};
}

// Another window on the same memory.
bool is_other_view(const Tensor& one, const Tensor& other) {
  return &one.storage() == &other.storage() &&
         (one.body().offset != other.body().offset || one.dtype() != other.dtype() ||
          !(one.shape() == other.shape()) || !(one.strides() == other.strides()));
}

Tensor copy_of(const Tensor& tensor) {
  Tensor copy = Tensor::empty(tensor.shape(), tensor.dtype());
  tensor::copy_elements(tensor, copy);
  return copy;
}

}  // namespace

Recorder::Recorder(Trace& trace, Trace::Run run, std::size_t argument_count, Compiler compile,
                   std::function<ir::Position()> position, std::string name)
    : trace_(trace),
      run_(std::move(run)),
      step_(&trace.root),
      compile_(std::move(compile)),
      position_(std::move(position)),
      name_(std::move(name)),
      reached_(argument_count),
      mark_before_(Storage::birth_mark),
      interceptor_before_(eager::interceptor()) {
  Storage::birth_mark = next_mark++;
  begin_graph();
  for (std::size_t i = 0; i < argument_count; ++i) {
    const Tensor& given = run_.values[i];
    Ref<Storage> storage = Storage::promise(given.device(), given.bytes(), *this);
    storage->fulfil(given.body().storage, skipped_bytes(given));
    Entry entry;
    entry.storage = storage;
    entry.kind = Kind::Value;
    entry.place = static_cast<int>(i);
    enter(std::move(entry));
    stand_ins_.push_back(Tensor::from_storage(storage, given.shape(), given.dtype()));
  }
  eager::set_interceptor(this);
}

Recorder::~Recorder() { release(); }

void Recorder::release() {
  if (!active_) return;
  active_ = false;
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
  graph_arguments_.clear();
  constant_nodes_.clear();
  copied_.clear();
  for (auto& [key, entry] : entries_) entry.output = {};
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

void Recorder::watch(const Tensor& parameter, std::string name) {
  Storage& storage = parameter.storage();
  if (!active_ || find(storage) != nullptr || storage.watcher() != nullptr) return;
  storage.set_watcher(this);
  Entry entry;
  entry.tensor = parameter;
  entry.name = std::move(name);
  entry.kind = Kind::Parameter;
  enter(std::move(entry));
}

bool Recorder::is_dense_whole(const Tensor& tensor) const {
  return tensor.is_contiguous() && tensor.body().offset == 0 &&
         tensor.bytes() == tensor.storage().bytes();
}

bool Recorder::is_ours(const Tensor& tensor) const { return find(tensor.storage()) != nullptr; }

bool Recorder::knows(const Tensor& tensor) const {
  const Entry* entry = find(tensor.storage());
  return entry != nullptr && entry->kind != Kind::Parameter;
}

int Recorder::place_of(const Tensor& tensor) const {
  const Entry* entry = find(tensor.storage());
  return entry != nullptr && entry->kind == Kind::Value ? entry->place : -1;
}

bool Recorder::concerns(const OpDef& definition, std::span<const Tensor> inputs,
                        std::size_t outputs) const {
  if (definition.is_random) return true;
  for (const Tensor& input : inputs) {
    if (input.defined() && (input.body().is_parameter || is_ours(input))) return true;
  }
  if (!definition.has_effects) return false;
  // A write to what nobody else has seen yet can happen at once.
  for (std::size_t i = 0; i < outputs; ++i) {
    const int written = op::written_input(definition, i);
    if (written < 0) continue;
    const Tensor& target = inputs[static_cast<std::size_t>(written)];
    const bool seen = constant_nodes_.contains(target.body().storage.get());
    if (seen || target.storage().birth() != Storage::birth_mark) return true;
  }
  return false;
}

std::string Recorder::unfit(const OpDef& definition, std::span<const Tensor> inputs,
                            std::size_t outputs) const {
  for (const Tensor& input : inputs) {
    if (!input.defined()) continue;
    if (!(input.device() == device::Device{})) return "a tensor is not on the CPU";
    const Entry* entry = find(input.storage());
    const bool by_reference = (entry != nullptr && entry->kind == Kind::Parameter) ||
                              (entry == nullptr && input.body().is_parameter);
    const bool other_view =
        entry != nullptr && entry->kind == Kind::Parameter && is_other_view(input, entry->tensor);
    if (other_view ||
        (by_reference ? !input.is_contiguous() : entry != nullptr && !is_dense_whole(input)))
      return platform::join("'", definition.shown_name(), "' is given part of a tensor's memory");
  }
  for (std::size_t i = 0; i < outputs && definition.has_effects; ++i) {
    const int written = op::written_input(definition, i);
    if (written < 0) continue;
    const Tensor& target = inputs[static_cast<std::size_t>(written)];
    if (is_ours(target) || target.body().is_parameter) continue;
    // Others see the same memory, and what was made here has no promise to stand for it.
    const bool made_here = target.storage().birth() == Storage::birth_mark;
    const bool is_part = !is_dense_whole(target) && (made_here || !target.is_contiguous());
    const bool reads_other = std::any_of(inputs.begin(), inputs.end(), [&](const Tensor& input) {
      return input.defined() && is_other_view(input, target);
    });
    if (is_part || reads_other)
      return platform::join("'", definition.shown_name(),
                            "' writes into part of a tensor's memory");
  }
  if (definition.is_random && eager::is_logging_random())
    return "random numbers are drawn in a block that is computed again for its gradient";
  if (!definition.has_effects || !eager::is_recording()) return {};
  for (std::size_t i = 0; i < outputs; ++i) {
    const int written = op::written_input(definition, i);
    if (written < 0) continue;
    const Tensor& target = inputs[static_cast<std::size_t>(written)];
    if (target.body().is_parameter && target.storage().owner_count() > 1)
      return "a Parameter is written while its earlier value is kept for a gradient";
  }
  return {};
}

Output Recorder::constant(const Tensor& tensor) {
  const auto found = constant_nodes_.find(tensor.body_ref().get());
  if (found != constant_nodes_.end()) return found->second;
  // A tensor made while capturing may be written later, in this call only: the graph has its own.
  const bool is_made_here =
      !tensor.body().is_number && tensor.storage().birth() == Storage::birth_mark;
  if (is_made_here) copied_.push_back(tensor);
  const Output output =
      graph_->add_constant(graph_->body(), is_made_here ? copy_of(tensor) : tensor).output();
  constant_nodes_[tensor.body_ref().get()] = output;
  constant_nodes_[tensor.body().storage.get()] = output;
  if (!tensor.body().is_number && !is_made_here) constants_.push_back(tensor);
  return output;
}

Output Recorder::operand(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  if (tensor.body().is_parameter) watch(tensor);
  Entry* entry = find(tensor.storage());
  if (entry == nullptr) return constant(tensor);
  if (entry->output) return entry->output;
  if (entry->kind == Kind::Parameter) {
    entry->output = graph_->add_parameter(graph_->body(), entry->tensor, entry->name).output();
    parameters_.push_back(entry->tensor);
  } else {
    const auto place = static_cast<std::size_t>(entry->place);
    entry->output =
        graph_
            ->add_argument(graph_->body(), spec_of(run_.values[place]), platform::join("v", place))
            .output();
    graph_arguments_.push_back(entry->place);
  }
  return entry->output;
}

Output Recorder::copied(const Output& output) {
  static const OpDef& copy = op::find("copy");
  return graph_
      ->add_operator(graph_->body(), copy, {output}, op::AttributeList(copy.attributes.size()),
                     {output.type()})
      .output();
}

// What has been seen through views stays what it was when the memory behind them is written.
void Recorder::part_views(const Storage& storage) {
  for (Entry* entry : live_entries()) {
    if (entry->viewed != &storage) continue;
    if (entry->kind == Kind::Promise) entry->output = copied(entry->output);
    entry->viewed = nullptr;
  }
}

// What an operator writes into must be memory of its own: a parameter, or a copy.
void Recorder::prepare_write(const Tensor& target) {
  Entry* entry = find(target.storage());
  if (entry == nullptr && target.storage().birth() != Storage::birth_mark) {
    watch(target);
    return;
  }
  if (target.body().is_parameter && eager::is_recording()) part_views(target.storage());
  if (entry != nullptr && entry->kind == Kind::Parameter) return;
  const Output before = operand(target);
  if (entry == nullptr) {
    Entry fresh;
    fresh.storage = target.body().storage;
    fresh.kind = Kind::Stale;
    fresh.own_memory = true;
    fresh.storage->set_watcher(this);
    entry = &enter(std::move(fresh));
  }
  if (entry->kind == Kind::Value) entry->kind = Kind::Stale;
  entry->output = copied(before);
}

Tensor Recorder::promise(const TensorSpec& spec, Output output) {
  const std::size_t bytes =
      static_cast<std::size_t>(tensor::element_count(spec.shape)) * tensor::size_of(spec.dtype);
  Entry entry;
  entry.storage = Storage::promise({}, bytes, *this);
  entry.output = output;
  Tensor tensor = Tensor::from_storage(entry.storage, spec.shape, spec.dtype);
  enter(std::move(entry));
  return tensor;
}

void Recorder::make_outputs(ir::Node& node, std::span<Tensor> inputs,
                            std::vector<Tensor>& outputs) {
  const OpDef& definition = *node.definition();
  const Entry* base = definition.view == nullptr ? nullptr : find(inputs[0].storage());
  const Storage* viewed = base == nullptr                 ? nullptr
                          : base->kind == Kind::Parameter ? &inputs[0].storage()
                                                          : base->viewed;
  outputs.clear();
  for (std::uint32_t i = 0; i < node.output_count(); ++i) {
    const int alias = op::written_input(definition, i);
    if (alias < 0) {
      outputs.push_back(promise(node.type(i), node.output(i)));
      find(outputs.back().storage())->viewed = viewed;
      continue;
    }
    const Tensor& target = inputs[static_cast<std::size_t>(alias)];
    find(target.storage())->output = node.output(i);
    if (definition.has_effects) target.storage().bump_version();
    outputs.push_back(target);
  }
}

bool Recorder::take(const OpDef& definition, std::span<Tensor> inputs,
                    std::span<op::AttributeValue> attributes, std::span<const TensorSpec> specs,
                    std::vector<Tensor>& outputs) {
  if (busy_ || !concerns(definition, inputs, specs.size())) return false;
  if (std::string why = unfit(definition, inputs, specs.size()); !why.empty()) {
    abandon(std::move(why));
    return false;
  }
  for (std::size_t i = 0; i < specs.size() && definition.has_effects; ++i) {
    const int written = op::written_input(definition, i);
    if (written >= 0) prepare_write(inputs[static_cast<std::size_t>(written)]);
  }
  std::vector<Output> operands;
  for (const Tensor& input : inputs) operands.push_back(operand(input));
  std::vector<TensorSpec> types(specs.begin(), specs.end());
  if (definition.dynamic_outputs) types.assign(definition.outputs.size(), TensorSpec{});
  ir::Node& node = graph_->add_operator(graph_->body(), definition, std::move(operands),
                                        {attributes.begin(), attributes.end()}, std::move(types));
  node.set_position(position_());
  if (definition.dynamic_outputs) {
    run_dynamic(node, outputs);
  } else {
    make_outputs(node, inputs, outputs);
  }
  return true;
}

void Recorder::run_dynamic(ir::Node& node, std::vector<Tensor>& outputs) {
  require_may_run("values decide the shape of a result");
  std::vector<Output> further;
  for (std::uint32_t i = 0; i < node.output_count(); ++i) further.push_back(node.output(i));
  close(further);
  const std::size_t first = reached_ - further.size();
  outputs.clear();
  for (std::size_t i = 0; i < further.size(); ++i) {
    const Tensor& value = run_.values[first + i];
    Ref<Storage> storage = Storage::promise({}, value.bytes(), *this);
    storage->fulfil(value.body().storage, skipped_bytes(value));
    outputs.push_back(Tensor::from_storage(storage, value.shape(), value.dtype()));
    Entry entry;
    entry.storage = std::move(storage);
    entry.kind = Kind::Value;
    entry.place = static_cast<int>(first + i);
    enter(std::move(entry));
  }
  for (std::size_t i = 0; i < further.size(); ++i) {
    Reading reading;
    reading.value = static_cast<int>(first + i);
    reading.only_shape = true;
    look(reading);
    if (!active_) return;
  }
}

void Recorder::host_call(std::string name, ir::HostFunction function,
                         std::span<const Tensor> inputs) {
  std::vector<Output> operands;
  for (const Tensor& input : inputs) operands.push_back(operand(input));
  graph_
      ->add_host_call(graph_->body(), std::move(name), std::move(function), std::move(operands), {})
      .set_position(position_());
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
  if (entry.own_memory) {
    std::memcpy(
        entry.storage->data_unwatched(),
        static_cast<const char*>(value.body().storage->data_unwatched()) + skipped_bytes(value),
        value.bytes());
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
  graph_->body().set_results(std::move(results));
  if (graph_->body().nodes().empty() && step.result_count == 0) return;
  std::vector<Tensor> given;
  for (const int place : graph_arguments_)
    given.push_back(run_.values[static_cast<std::size_t>(place)]);
  const Busy busy(busy_);
  step.executable = compile_(std::move(graph_));
  for (Tensor& value : step.executable->run(given))
    run_.values.push_back(tensor::contiguous(value));
}

void Recorder::close(std::span<const Output> further) {
  const std::vector<Entry*> live = live_entries();
  std::vector<Output> results;
  results.reserve(live.size() + further.size());
  for (const Entry* entry : live) results.push_back(entry->output);
  results.insert(results.end(), further.begin(), further.end());
  const std::size_t count = results.size();
  if (step_->end == Step::End::Open) {
    run_step(std::move(results));
  } else {
    platform::require(step_->result_count == count, ErrorKind::Runtime, "'", name_,
                      "' took another way than before although it saw the same values. Mark it "
                      "with @jit only if it depends on its arguments alone, or run it in PyNative "
                      "mode.");
  }
  const std::size_t first = step_->first_result;
  for (std::size_t i = 0; i < live.size(); ++i) keep(*live[i], static_cast<int>(first + i));
  reached_ = first + count;
  // What only the table holds nobody can ask for any more; kept, it would make every look dearer.
  std::erase_if(entries_, [](const auto& item) {
    const Entry& entry = item.second;
    return entry.kind == Kind::Promise || (entry.storage && entry.storage->owner_count() == 1);
  });
  begin_graph();
}

// Whether something new is the end of the capture: for good, or for this run alone.
bool Recorder::leaves_for(const Reading& reading) {
  if (parent_ == nullptr) first_new_ = position_();
  const bool is_crowded = step_->next.size() >= kMostForks || run_.values.size() > kMostValues;
  has_left_ = parent_ == nullptr &&
              (!may_grow_ || (is_crowded && (reading.only_shape || keeps_when_crowded_)));
  if (is_crowded && !has_left_) note_refusal("Python reads a value that differs from call to call");
  return has_left_ || is_crowded;
}

void Recorder::look(const Reading& reading) {
  const Tensor& seen =
      reading.value >= 0 ? run_.values[static_cast<std::size_t>(reading.value)] : reading.parameter;
  if (!reading.only_shape && seen.bytes() > kMostBytesSeen) {
    note_refusal(platform::join("Python reads the values of a tensor of shape ", seen.shape()));
    release();  // nothing is pending: a look comes after everything was computed
    return;
  }
  step_->end = Step::End::Read;
  step_->reading = reading;
  std::string key = seen_by(reading, run_.values);
  if (Step* known = step_->find(key)) {
    step_ = known;
    return;
  }
  if (leaves_for(reading)) {
    release();
    return;
  }
  parent_ = step_;
  step_ = &step_->grow(std::move(key));
  step_->first_result = run_.values.size();
}

void Recorder::before_read(Storage& storage) {
  if (busy_ || !active_ || eager::interceptor() != this) return;
  const Entry* entry = find(storage);
  if (entry == nullptr && (log == nullptr || log->is_inside_call())) return;
  require_may_run("Python reads the values of a tensor");
  if (entry == nullptr) return;
  if (on_look) on_look();
  Reading reading;
  if (entry->kind == Kind::Parameter) reading.parameter = entry->tensor;
  close();
  if (!reading.parameter.defined()) {
    entry = find(storage);
    if (entry == nullptr) return;
    reading.value = entry->place;
  }
  look(reading);
  // What was seen is part of the way: it need not be asked for again.
  if (reading.value >= 0) storage.set_watcher(nullptr);
}

void Recorder::finish(std::span<const Tensor> results, std::shared_ptr<void> epilogue) {
  may_run_ = true;
  try {
    close();
  } catch (...) {
    discard();  // at once: a traceback may keep this recorder for long
    throw;
  }
  step_->end = Step::End::Return;
  step_->returned.clear();
  for (const Tensor& result : results) step_->returned.push_back(place_of(result));
  step_->epilogue = std::move(epilogue);
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
  note_refusal(std::move(reason));
  require_may_run(refusal_);
  close();
  release();
}

std::string Recorder::text() const { return graph_ ? ir::to_text(*graph_) : std::string(); }

void Recorder::fail() {
  if (!active_) return;
  try {
    if (graph_) close();  // null: it is the computation that failed
  } catch (...) {
    discard();
    throw;
  }
  discard();
}

void Recorder::discard() {
  if (!active_) return;
  // What this run has added leads nowhere; ways that were complete before stay.
  if (parent_ != nullptr) parent_->next.pop_back();
  release();
}

}  // namespace mycel::capture
