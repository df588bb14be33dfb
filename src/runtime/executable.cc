// SPDX-License-Identifier: Apache-2.0
#include "runtime/executable.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <map>

#include "device/current.h"
#include "eager/aliases.h"
#include "eager/random_state.h"
#include "operator/contexts.h"
#include "operator/registry.h"
#include "operator/written_input.h"
#include "platform/error/error.h"
#include "runtime/attend.h"
#include "runtime/frame.h"
#include "runtime/recorded_run.h"

namespace mycel::runtime {

using ir::Node;
using ir::NodeKind;
using ir::Output;
using op::OpDef;
using platform::ErrorKind;

namespace {

// A line of a message that says where in the user's program a node comes from; empty: unknown.
std::string place_of(const Node& node) {
  const ir::Position& position = node.position();
  if (position.file.empty()) return {};
  const std::string cell = node.cell().empty() ? "" : platform::join(" in ", node.cell());
  return platform::join("\n  at ", position.file, ":", position.line, cell);
}

struct NodeClock {
  std::atomic<bool> on = false;
  std::mutex mutex;
  std::map<const Node*, NodeTime> times;
};
NodeClock& node_clock() {
  static NodeClock instance;
  return instance;
}

// The one element of a condition, of whatever type it is.
bool is_true(const Tensor& condition) {
  if (condition.dtype() == tensor::DType::Bool &&
      condition.device().backend == device::kHostBackend)
    return *bytes_of(condition) != 0;
  return condition.as_double() != 0;
}

Tensor copy_of(const Tensor& tensor) {
  Tensor copy = Tensor::empty(tensor.shape(), tensor.dtype(), tensor.device());
  tensor::copy_elements(tensor, copy);
  return copy;
}

// Constants are on the host, where passes look at them; a device reads memory of its own.
Constants constants_for(const ir::Graph& graph) {
  Constants brought;
  const device::Device device = graph.device();
  if (device.backend == device::kHostBackend) return brought;
  device::Stream& stream = device::copy_stream(device);
  const device::StreamScope scope(device, stream);
  ir::walk(graph.body(), [&](Node& node) {
    if (node.kind() == NodeKind::Constant && !node.type().is_number &&
        !(node.tensor().device() == device))
      brought[&node] = tensor::copy_to_device(node.tensor(), device);
  });
  stream.synchronize();  // runs may happen on any stream
  return brought;
}

std::size_t elements_touched(std::span<const Tensor> operands) {
  std::size_t count = 0;
  for (const Tensor& tensor : operands) {
    if (tensor.defined()) count += static_cast<std::size_t>(tensor.size());
  }
  return count;
}

}  // namespace

Executable::Executable(std::unique_ptr<ir::Graph> graph)
    : graph_(std::move(graph)), program_(std::make_unique<Program>()), device_(graph_->device()) {
  constants_ = constants_for(*graph_);
  regions_ = compile_regions(*graph_);
  std::unique_ptr<Frame> frame = lay_out(*graph_, constants_, regions_, *program_);
  work_ = elements_touched(frame->operands);
  // How often a loop turns is not known: long enough for others to have the interpreter.
  if (graph_->has_inner_regions()) work_ = std::numeric_limits<std::size_t>::max();
  arena_ = std::make_unique<ArenaPlan>(plan_arena(*program_, *frame));
  // Now, not when threads come together.
  for (const Root& root : frame->roots) {
    if (root.kind == RootKind::Parameter) root.tensor.storage().move_to(device_);
  }
  free_frames_.push_back(std::move(frame));
  note_effects();
  is_recordable_ = can_be_recorded();
}

Frame::Frame() = default;
Frame::~Frame() = default;

std::size_t Executable::arena_bytes() const { return arena_->bytes; }

void Executable::note_effects() {
  for (const Instruction& instruction : program_->instructions) {
    const OpDef* definition = instruction.node->definition();
    has_effects_ = has_effects_ || instruction.kind == Instruction::Kind::Host ||
                   (definition != nullptr && definition->is_random);
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
  wait_for_device(device_);  // what is queued, on whatever stream, uses formulas and constants
  NodeClock& clock = node_clock();
  const std::lock_guard lock(clock.mutex);
  for (const Instruction& instruction : program_->instructions) clock.times.erase(instruction.node);
}

std::unique_ptr<Frame> Executable::build_frame() const {
  Program same;
  return lay_out(*graph_, constants_, regions_, same);
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
    if (frame_->recorded == nullptr) {
      frame_->arena.reset();
      for (Ref<Storage>& storage : frame_->fresh) storage.reset();
      for (Ref<op::TurnLog>& log : frame_->logs) log.reset();
    }
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

// The bytes of a value from outside, on the device of the program.
char* Executable::brought(Frame& frame, const Tensor& tensor) const {
  if (!(tensor.device() == device_) && !tensor.body().is_number) [[unlikely]]
    tensor.storage().move_to(device_);
  if (frame.stream != nullptr) tensor.storage().note_use(*frame.stream);
  return bytes_of(tensor);
}

void Executable::bind(Frame& frame, std::span<const Tensor> arguments) const {
  if (device_.backend != device::kHostBackend) frame.stream = &device::current_stream(device_);
  alignas(64) static char nothing[64];  // for programs that only have results
  char* base = nothing;
  if (arena_->bytes > 0) {
    frame.arena = Storage::allocate(device_, arena_->bytes);
    base = static_cast<char*>(frame.arena->data_unwatched());
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < frame.roots.size(); ++i) {
    Root& root = frame.roots[i];
    switch (root.kind) {
      case RootKind::Arena: root.loan->rebind(base + arena_->offsets[next++]); break;
      case RootKind::Argument: root.loan->rebind(brought(frame, arguments[root.index])); break;
      case RootKind::Parameter: root.loan->rebind(brought(frame, root.tensor)); break;
      case RootKind::Fresh:
        frame.fresh[i] = Storage::allocate(device_, root.bytes);
        root.loan->rebind(frame.fresh[i]->data_unwatched());
        break;
      case RootKind::Alias:
        root.loan->rebind(frame.roots[root.index].loan->data_unwatched());
        break;
      case RootKind::Constant:
      case RootKind::Dynamic: break;
    }
  }
  bind_places(frame);
}

void Executable::bind_places(Frame& frame) const {
  using Kind = op::SingleCalls::PlaceKind;
  const op::SingleCalls& singles = program_->singles;
  frame.places.resize(singles.places().size());
  frame.rooms.resize(singles.rooms() * op::SingleCalls::kBytes);
  for (std::size_t i = 0; i < frame.places.size(); ++i) {
    const op::SingleCalls::PlaceSource& source = singles.places()[i];
    switch (source.kind) {
      case Kind::Operand: frame.places[i] = bytes_of(frame.operands[source.index]); break;
      case Kind::Constant:
        frame.places[i] = const_cast<char*>(singles.constant_at(source.index));
        break;
      case Kind::Room:
        frame.places[i] = frame.rooms.data() + source.index * op::SingleCalls::kBytes;
        break;
    }
  }
}

void Executable::run_kernel(Frame& frame, const Instruction& instruction) const {
  const Node& node = *instruction.node;
  const OpDef& definition = *node.definition();
  const std::span<Tensor> all(frame.operands);
  const auto place = static_cast<std::size_t>(&instruction - program_->instructions.data());
  op::KernelContext kernel(
      definition, frame.attributes[place],
      all.subspan(instruction.inputs, instruction.outputs - instruction.inputs),
      all.subspan(instruction.outputs, instruction.end - instruction.outputs));
  kernel.stream = frame.stream;
  if (definition.is_random && frame.keys != nullptr)
    kernel.random_key = frame.keys + 2 * instruction.random_key;
  else if (definition.is_random)
    eager::assign_random_key(kernel);
  const op::Kernel run =
      instruction.kernel != nullptr ? instruction.kernel : op::find_kernel(kernel, device_);
  run(kernel);
}

void Executable::keep_row(Frame& frame, const Instruction& instruction) const {
  const std::vector<op::TurnLog::Column>& columns = program_->logs[instruction.log];
  Ref<op::TurnLog>& log = frame.logs[instruction.log];
  if (!log || !columns.empty()) {  // there is only one without values
    log = Ref<op::TurnLog>(new op::TurnLog(columns, 1));
    log->begin_turn();
  }
  for (std::size_t i = 0; i < columns.size(); ++i)
    log->keep(i, frame.operands[instruction.inputs + i]);
  log->note_place(frame.operands[instruction.outputs]);
}

void Executable::run_fused(Frame& frame, const Instruction& instruction) const {
  const std::span<const Tensor> all(frame.operands);
  device::Stream& stream =
      frame.stream != nullptr ? *frame.stream : device::current_stream(device_);
  instruction.fused->compiled->run(
      all.subspan(instruction.inputs, instruction.outputs - instruction.inputs),
      all.subspan(instruction.outputs, instruction.end - instruction.outputs), stream);
}

namespace {

// Whether what is fused has to be computed node by node this time.
bool takes_nodes(const Instruction& instruction) {
  return instruction.kind == Instruction::Kind::Fused && instruction.fused->needs_nodes &&
         instruction.fused->compiled->state() != op::RegionState::Ready;
}

// Loops hand on single numbers by the million.
void copy_dense(const Tensor& from, const Tensor& to) {
  const bool is_number = from.rank() == 0 && from.dtype() == to.dtype() &&
                         from.device().backend == device::kHostBackend &&
                         to.device().backend == device::kHostBackend;
  if (is_number)
    std::memcpy(bytes_of(to), bytes_of(from), tensor::size_of(from.dtype()));
  else
    tensor::copy_elements(from, to);
}

}  // namespace

void Executable::execute(Frame& frame, const Instruction& instruction,
                         const Observer& observer) const {
  switch (instruction.kind) {
    case Instruction::Kind::Kernel: run_kernel(frame, instruction); break;
    case Instruction::Kind::Single:
      program_->singles.run(instruction.single, frame.places.data());
      break;
    case Instruction::Kind::DenseCopy:
      copy_dense(frame.operands[instruction.inputs], frame.operands[instruction.outputs]);
      break;
    case Instruction::Kind::Branch: {
      const bool taken = is_true(frame.operands[instruction.inputs]);
      run_part(frame, program_->regions[instruction.regions].parts[taken ? 0 : 1], observer);
      break;
    }
    case Instruction::Kind::Loop: run_loop(frame, instruction, observer); break;
    case Instruction::Kind::Keep:
      frame.logs[instruction.log]->keep(instruction.column, frame.operands[instruction.inputs]);
      break;
    case Instruction::Kind::KeepRow: keep_row(frame, instruction); break;
    case Instruction::Kind::Fused: run_fused(frame, instruction); break;
    case Instruction::Kind::Host: {
      const std::span<const Tensor> all(frame.operands);
      std::vector<Tensor> outputs = instruction.node->host_function()(
          all.subspan(instruction.inputs, instruction.outputs - instruction.inputs));
      tensor::settle_on(device_, outputs);
      for (std::size_t i = 0; i < outputs.size(); ++i)
        frame.operands[instruction.outputs + i] = std::move(outputs[i]);
      break;
    }
  }
}

void Executable::execute_watched(Frame& frame, const Instruction& instruction, bool measured,
                                 const Observer& observer) const {
  const auto start = std::chrono::steady_clock::now();
  execute(frame, instruction, observer);
  const auto spent = std::chrono::steady_clock::now() - start;
  if (observer) {
    const std::span<const Tensor> all(frame.operands);
    observer({*instruction.node,
              all.subspan(instruction.outputs, instruction.end - instruction.outputs)});
  }
  if (!measured) return;
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
    if (root.is_log) {
      results.push_back(
          op::TurnLog::owner_of(Ref<op::TurnLog>(&op::TurnLog::at(result.tensor)), device_));
      continue;
    }
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

namespace {

// The node that gives an output: of what is fused the one inside.
const Node& maker_of(const Node& node, std::size_t output) {
  return node.kind() == NodeKind::Fused ? *node.region(0).results()[output].node : node;
}

}  // namespace

// Memory is asked for as a whole, before anything is computed; the largest value in it is most
// likely the one its author did not expect.
void Executable::tell_what_needs_room(const Frame& frame, const platform::Error& error) const {
  const Node* maker = nullptr;
  const Tensor* largest = nullptr;
  for (const Instruction& instruction : program_->instructions) {
    for (std::size_t i = instruction.outputs; i < instruction.end; ++i) {
      const Tensor& output = frame.operands[i];
      if (!output.defined() || (largest != nullptr && output.bytes() <= largest->bytes())) continue;
      largest = &output;
      maker = &maker_of(*instruction.node, i - instruction.outputs);
    }
  }
  std::string text = platform::join("For '", graph_->name(), "', ", error.message());
  if (maker != nullptr && maker->definition() != nullptr) {
    text += platform::join(" The largest value computed in it is that of '",
                           maker->definition()->shown_name(), "', of shape ", largest->shape(),
                           " and type ", largest->dtype(), ": ", largest->bytes(), " bytes.");
    text += place_of(*maker);
  }
  platform::fail(ErrorKind::Memory, text);
}

void Executable::run_part(Frame& frame, const Part& part, const Observer& observer) const {
  const bool measured = node_clock().on.load(std::memory_order_relaxed);
  const bool watched = measured || observer;
  const Instruction* const instructions = program_->instructions.data();
  std::size_t i = part.first;
  try {
    while (i < part.last) {
      const Instruction& instruction = instructions[i];
      if (instruction.kind == Instruction::Kind::Single && !watched) {
        program_->singles.run(instruction.single, frame.places.data());
        ++i;
        continue;
      }
      if (takes_nodes(instruction)) {
        ++i;  // they follow
        continue;
      }
      if (watched) [[unlikely]]
        execute_watched(frame, instruction, measured, observer);
      else
        execute(frame, instruction, observer);
      i = instruction.has_regions() ? program_->regions[instruction.regions].parts[1].last : i + 1;
    }
  } catch (const platform::Error& error) {
    const std::string place = place_of(*instructions[i].node);
    if (place.empty()) throw;
    platform::fail(error.kind(), error.message(), place);
  }
}

void Executable::run_loop(Frame& frame, const Instruction& loop, const Observer& observer) const {
  const InnerRegions& inner = program_->regions[loop.regions];
  for (std::size_t i = 0; i < loop.outputs - loop.inputs; ++i)
    tensor::copy_elements(frame.operands[loop.inputs + i], frame.operands[loop.outputs + i]);
  op::TurnLog* log = nullptr;
  if (inner.log >= 0) {
    const auto place = static_cast<std::size_t>(inner.log);
    log = new op::TurnLog(program_->logs[place]);
    frame.logs[place] = Ref<op::TurnLog>(log);
    log->note_place(frame.operands[loop.end - 1]);
  }
  std::uint64_t turn = 1;
  try {
    for (;; ++turn) {
      run_part(frame, inner.parts[0], observer);
      if (!is_true(frame.operands[inner.condition])) return;
      if (log != nullptr) log->begin_turn();
      run_part(frame, inner.parts[1], observer);
      for (const auto& [made, state] : inner.exchanges) {
        Storage& a = *frame.roots[made].loan;
        Storage& b = *frame.roots[state].loan;
        void* const place = a.data_unwatched();
        a.rebind(b.data_unwatched());
        b.rebind(place);
      }
      for (const op::SingleCalls::Place place : inner.exchanged)
        frame.places[place] = bytes_of(frame.operands[program_->singles.places()[place].index]);
      attend_between_turns();
    }
  } catch (const platform::Error& error) {
    platform::fail(error.kind(), error.message(), "\n  in turn ", turn, " of a loop");
  }
}

std::vector<Tensor> Executable::run(std::span<const Tensor> arguments, const Observer& observer) {
  const FrameLease lease(*this);
  Frame& frame = *lease;
  if (is_recordable_ && !observer && !node_clock().on.load(std::memory_order_relaxed))
      [[unlikely]] {
    if (run_recorded(frame, arguments)) return recorded_results(frame);
  }
  frame.recorded.reset();  // its memory is about to be exchanged
  try {
    bind(frame, arguments);
  } catch (const platform::Error& error) {
    if (error.kind() != ErrorKind::Memory) throw;
    tell_what_needs_room(frame, error);
  }
  run_part(frame, {0, program_->instructions.size()}, observer);
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
