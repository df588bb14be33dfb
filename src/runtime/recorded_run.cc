// SPDX-License-Identifier: Apache-2.0
#include "runtime/recorded_run.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "device/current.h"
#include "eager/random_state.h"
#include "operator/contexts.h"
#include "operator/host_way.h"
#include "platform/error/error.h"
#include "platform/log/log.h"
#include "platform/options/options.h"
#include "runtime/executable.h"
#include "runtime/frame.h"

namespace mycel::runtime {

namespace {

// The first run finds algorithms and makes room; what is seldom called is not worth recording.
constexpr std::uint32_t kRunsBefore = 2;

bool are_wanted() {
  static const bool wanted = platform::flag_setting("MYCEL_RECORDINGS");
  return wanted;
}

// Whether all of it happens on the device, whatever the values are.
bool is_fixed(const Instruction& instruction) {
  if (instruction.kind == Instruction::Kind::DenseCopy ||
      instruction.kind == Instruction::Kind::Fused)
    return true;
  return instruction.kind == Instruction::Kind::Kernel && instruction.kernel != nullptr &&
         instruction.kernel != op::run_through_host &&
         !instruction.node->definition()->dynamic_outputs;
}

}  // namespace

void wait_for_device(device::Device device) noexcept {
  if (device.backend == device::kHostBackend) return;
  try {
    device::backend_at(device.backend).synchronize(device.index);
  } catch (const platform::Error& error) {
    platform::log_error("work on ", device::backend_name(device.backend),
                        " has failed: ", error.message());
  }
}

bool Executable::can_be_recorded() const {
  if (device_.backend == device::kHostBackend || !are_wanted()) return false;
  if (!device::backend_at(device_.backend).capabilities(device_.index).records) return false;
  // A number is read when work is queued, and what is written into an argument is looked for there.
  for (const ir::Node* argument : graph_->body().arguments()) {
    if (argument->type().is_number) return false;
  }
  return written_arguments_.empty() && !program_->instructions.empty() && is_all_fixed();
}

// Of nodes that stand for a region until it is compiled only those count whose region never will
// be.
bool Executable::is_all_fixed() const {
  const std::vector<Instruction>& all = program_->instructions;
  for (std::size_t i = 0; i < all.size();) {
    if (!is_fixed(all[i])) return false;
    const bool skips =
        all[i].has_regions() && all[i].fused->compiled->state() != op::RegionState::Failed;
    i = skips ? program_->regions[all[i].regions].parts[1].last : i + 1;
  }
  return true;
}

bool Executable::waits_for_regions() const {
  return std::ranges::any_of(regions_, [](const auto& entry) {
    return entry.second.needs_nodes && entry.second.compiled->state() == op::RegionState::Compiling;
  });
}

bool Executable::run_recorded(Frame& frame, std::span<const Tensor> arguments) {
  if (frame.recorded == nullptr && waits_for_regions()) return false;
  if (frame.recorded != nullptr && has_moved(frame)) {
    frame.recorded.reset();
    frame.runs = 0;
  }
  if (frame.recorded == nullptr) {
    if (++frame.runs <= kRunsBefore) return false;
    is_recordable_ = is_all_fixed();  // a region may have failed since
    if (!is_recordable_ || !record(frame, arguments)) return false;
  }
  frame.stream = &device::current_stream(device_);
  hand_over_arguments(frame, arguments);
  hand_over_keys(frame);
  frame.recorded->recording->replay(*frame.stream);
  ++replays_;
  return true;
}

// Memory that belongs to somebody else may have been exchanged for other memory.
bool Executable::has_moved(const Frame& frame) const {
  if (frame.recorded->stream != &device::current_stream(device_)) return true;
  for (std::size_t i = 0; i < frame.roots.size(); ++i) {
    const Root& root = frame.roots[i];
    if (root.kind == RootKind::Parameter &&
        (!(root.tensor.device() == device_) ||
         bytes_of(root.tensor) != frame.recorded->parameters[i]))
      return true;
  }
  return false;
}

bool Executable::record(Frame& frame, std::span<const Tensor> arguments) {
  auto recorded = std::make_unique<RecordedRun>(device_);
  for (const Tensor& argument : arguments)
    recorded->arguments.push_back(argument.body().is_number
                                      ? argument
                                      : Tensor::empty(argument.shape(), argument.dtype(), device_));
  const auto words = static_cast<std::int64_t>(2 * program_->random_calls);
  recorded->keys = Tensor::empty({words}, tensor::DType::UInt64, device_);
  bind(frame, recorded->arguments);
  for (const Root& root : frame.roots)
    recorded->parameters.push_back(root.kind == RootKind::Parameter ? bytes_of(root.tensor)
                                                                    : nullptr);
  recorded->stream = frame.stream;
  frame.keys = static_cast<const std::uint64_t*>(recorded->keys.raw());
  const std::string problem = record_on_own_stream(frame, *recorded);
  frame.keys = nullptr;
  if (!problem.empty() || recorded->recording == nullptr) {
    platform::log_info("'", graph_->name(), "' is not recorded: ", problem);
    is_recordable_ = false;
    return false;
  }
  frame.recorded = std::move(recorded);
  return true;
}

// On a stream that nobody else uses, or the work of other threads would be recorded as well. Says
// what is in the way; empty: nothing.
std::string Executable::record_on_own_stream(Frame& frame, RecordedRun& recorded) const {
  static std::mutex mutex;
  const std::lock_guard guard(mutex);
  const std::shared_ptr<device::Stream> stream = device::make_stream(device_);
  const device::StreamScope scope(device_, *stream);
  device::Backend& backend = device::backend_at(device_.backend);
  if (!backend.begin_recording(device_.index, *stream)) return "the device does not record";
  device::Stream* const before = std::exchange(frame.stream, stream.get());
  recorded.scratch.open();
  std::string problem;
  try {
    run_part(frame, {0, program_->instructions.size()}, {});
  } catch (const platform::Error& error) {
    problem = error.message();  // a kernel that has to wait; it may do so in an ordinary run
  }
  recorded.scratch.close();
  frame.stream = before;
  recorded.recording = backend.end_recording(device_.index, *stream);
  return problem;
}

void Executable::hand_over_arguments(Frame& frame, std::span<const Tensor> arguments) const {
  tensor::settle_on(device_, arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].body().is_number)
      tensor::copy_elements(arguments[i], frame.recorded->arguments[i]);
  }
}

// Each run draws new numbers, the same ones that an ordinary run would draw.
void Executable::hand_over_keys(Frame& frame) const {
  if (program_->random_calls == 0) return;
  const auto words = static_cast<std::int64_t>(2 * program_->random_calls);
  const Tensor keys = Tensor::empty({words}, tensor::DType::UInt64);
  for (std::size_t i = 0; i < program_->instructions.size(); ++i) {
    const op::OpDef* definition = program_->instructions[i].node->definition();
    if (definition == nullptr || !definition->is_random) continue;
    op::KernelContext kernel(*definition, frame.attributes[i], {}, {});
    eager::assign_random_key(kernel);
    std::uint64_t* const place =
        keys.data<std::uint64_t>() + 2 * program_->instructions[i].random_key;
    place[0] = kernel.random_seed;
    place[1] = kernel.random_offset;
  }
  tensor::copy_elements(keys, frame.recorded->keys);
}

// The memory is used again by the next run: results are copies.
std::vector<Tensor> Executable::recorded_results(Frame& frame) const {
  std::vector<Tensor> results;
  results.reserve(frame.results.size());
  for (const Frame::Result& result : frame.results) {
    Tensor copy =
        Tensor::empty(result.tensor.shape(), result.tensor.dtype(), result.tensor.device());
    tensor::copy_elements(result.tensor, copy);
    results.push_back(std::move(copy));
  }
  return results;
}

}  // namespace mycel::runtime
