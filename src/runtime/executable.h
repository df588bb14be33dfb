// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"
#include "runtime/fused_regions.h"

namespace mycel::runtime {

using tensor::Tensor;

struct ArenaPlan;
struct Frame;
struct Instruction;
struct Part;
struct Program;
struct RecordedRun;

// What somebody who watches a run is told after each node.
struct Observation {
  const ir::Node& node;
  std::span<const Tensor> outputs;
};
using Observer = std::function<void(const Observation&)>;

// Time spent in nodes since `measure_nodes(true)`, over all executables that are alive.
struct NodeTime {
  const ir::Node* node = nullptr;
  std::uint64_t calls = 0;
  std::uint64_t nanoseconds = 0;
};
void measure_nodes(bool on);  // starts from zero
std::vector<NodeTime> node_times();

// A graph made ready to run: order, views and memory are settled once. Runs may happen on several
// threads at a time; each has a frame of its own.
class Executable {
 public:
  explicit Executable(std::unique_ptr<ir::Graph> graph);
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  // Arguments must have the types of the graph's arguments. Parameters are read and written where
  // they are.
  std::vector<Tensor> run(std::span<const Tensor> arguments, const Observer& observer = {});
  // Results are memory of their own, that of no argument, parameter or other result.
  // Around a run, for whoever has saved what it writes in place; a capture does this as it records.
  void prepare_writes(std::span<const Tensor> arguments) const;
  void count_writes(std::span<const Tensor> arguments) const;

  // Whether a run leaves more behind than its results: it writes, draws numbers or calls Python.
  bool has_effects() const { return has_effects_; }

  const ir::Graph& graph() const { return *graph_; }
  // How often a run was a recording that the device repeated as a whole.
  std::uint64_t replays() const { return replays_.load(std::memory_order_relaxed); }
  std::size_t arena_bytes() const;
  std::size_t work() const { return work_; }  // elements touched: is it worth dropping a lock?

 private:
  class FrameLease;
  void bind(Frame& frame, std::span<const Tensor> arguments) const;
  void bind_places(Frame& frame) const;
  [[noreturn]] void tell_what_needs_room(const Frame& frame, const platform::Error& error) const;
  void run_part(Frame& frame, const Part& part, const Observer& observer) const;
  void run_loop(Frame& frame, const Instruction& loop, const Observer& observer) const;
  void execute(Frame& frame, const Instruction& instruction, const Observer& observer) const;
  void execute_watched(Frame& frame, const Instruction& instruction, bool measured,
                       const Observer& observer) const;
  void run_kernel(Frame& frame, const Instruction& instruction) const;
  void keep_row(Frame& frame, const Instruction& instruction) const;
  void run_fused(Frame& frame, const Instruction& instruction) const;
  std::vector<Tensor> results(Frame& frame) const;
  std::unique_ptr<Frame> build_frame() const;
  void note_effects();
  char* brought(Frame& frame, const Tensor& tensor) const;

  // Of devices that can repeat work as a whole (recorded_run.cc).
  bool can_be_recorded() const;
  bool is_all_fixed() const;
  bool waits_for_regions() const;
  bool run_recorded(Frame& frame, std::span<const Tensor> arguments);
  bool record(Frame& frame, std::span<const Tensor> arguments);
  std::string record_on_own_stream(Frame& frame, RecordedRun& recorded) const;
  void hand_over_arguments(Frame& frame, std::span<const Tensor> arguments) const;
  void hand_over_keys(Frame& frame) const;
  bool has_moved(const Frame& frame) const;
  std::vector<Tensor> recorded_results(Frame& frame) const;

  std::unique_ptr<ir::Graph> graph_;
  std::unique_ptr<Program> program_;
  device::Device device_;
  std::unordered_map<const ir::Node*, Tensor> constants_;  // on the device, where that is another
  FusedRegions regions_;
  std::unique_ptr<ArenaPlan> arena_;
  std::size_t work_ = 0;
  std::vector<Tensor> written_;  // parameters that effects change
  std::vector<std::size_t> written_arguments_;
  bool has_effects_ = false;
  std::atomic<bool> is_recordable_ = false;
  std::atomic<std::uint64_t> replays_ = 0;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Frame>> free_frames_;
};

}  // namespace mycel::runtime
