// SPDX-License-Identifier: Apache-2.0
// What laying out, planning and running a program have in common: its instructions, and the memory
// of one run.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "operator/attribute.h"
#include "operator/registry.h"
#include "operator/single_call.h"
#include "operator/turn_log.h"
#include "runtime/fused_regions.h"

namespace mycel::runtime {

using platform::Ref;
using tensor::Storage;
using tensor::Tensor;

inline char* bytes_of(const Tensor& tensor) {
  const tensor::TensorBody& body = tensor.body();
  char* const first = static_cast<char*>(body.storage->data_unwatched());
  if (body.offset == 0) return first;
  return first + static_cast<std::size_t>(body.offset) * tensor::size_of(body.dtype);
}

// Where the bytes behind a value come from.
enum class RootKind : std::uint8_t {
  Argument,
  Constant,
  Parameter,
  Arena,
  Fresh,  // becomes a result
  Alias,  // the memory of another root: a region's result, made where it is wanted
  Dynamic,
};

struct Root {
  RootKind kind = RootKind::Arena;
  std::size_t index = 0;  // argument number, place in its list, or the root an alias lies in
  Ref<Storage> loan;      // pointed at the real bytes for each run; null for constants
  Tensor tensor;          // of parameters
  std::size_t bytes = 0;
  int first = -1, last = -1;  // instructions that touch it
  bool is_exchanged = false;  // swaps its bytes with another root while a loop turns
  bool has_aliases = false;
  bool is_log = false;  // says where an op::TurnLog lies
};

struct Instruction {
  enum class Kind : std::uint8_t {
    Kernel,
    Single,
    DenseCopy,
    Host,
    Branch,
    Loop,
    Keep,
    KeepRow,
    Fused,  // may be followed by its nodes one by one, for as long as it is not ready
  };
  Kind kind = Kind::Kernel;
  const ir::Node* node = nullptr;
  std::size_t inputs = 0, outputs = 0, end = 0;  // places in the frame's operands
  std::size_t regions = 0;        // of branches, loops and what is fused: place in the program
  std::size_t log = 0;            // of what keeps values: which of the frame's logs
  std::size_t column = 0;         // of Keep: in that
  op::Kernel kernel = nullptr;    // of kind Kernel: found once, where the operands' types are known
  std::size_t random_key = 0;     // of random ones: which of the frame's keys
  op::SingleCalls::Calls single;  // of kind Single: elementwise, on single elements
  const FusedRegion* fused = nullptr;  // of kind Fused

  bool has_regions() const {
    return kind == Kind::Branch || kind == Kind::Loop ||
           (kind == Kind::Fused && fused->needs_nodes);
  }
};

// The instructions [first, last) of a region.
struct Part {
  std::size_t first = 0, last = 0;
};

// What a branch or a loop consists of; the parts follow its instruction.
struct InnerRegions {
  std::array<Part, 2> parts;  // if true, if not; condition, body; nothing, nodes one by one
  std::size_t condition = 0;  // of a loop: its place in the frame's operands
  // Pairs of roots that swap their bytes after a turn: what was computed is the state then.
  std::vector<std::pair<std::size_t, std::size_t>> exchanges;
  std::vector<op::SingleCalls::Place> exchanged;  // places that lie in these roots
  int log = -1;  // of a loop whose last output is one: which of the frame's
};

struct Program {
  std::vector<Instruction> instructions;
  std::vector<InnerRegions> regions;
  std::vector<std::vector<op::TurnLog::Column>> logs;  // what loops, and sides of branches, keep
  std::size_t random_calls = 0;
  op::SingleCalls singles;
};

struct RecordedRun;

struct Frame {
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
  std::vector<char*> places;        // of the program's single calls, while running
  std::vector<char> rooms;          // for what they leave in between
  std::vector<Ref<Storage>> fresh;  // per root, while running
  Ref<Storage> arena;
  std::vector<Ref<op::TurnLog>> logs;     // while running
  device::Stream* stream = nullptr;       // of the device, while running; null on the host
  const std::uint64_t* keys = nullptr;    // of random calls, on the device, where they are recorded
  std::unique_ptr<RecordedRun> recorded;  // null: the frame has not been recorded
  std::uint32_t runs = 0;

  Frame();
  ~Frame();
};

// What stands on the device for constants of the graph that lie elsewhere.
using Constants = std::unordered_map<const ir::Node*, Tensor>;

// Lays out one frame; the same graph gives the same program and the same roots every time.
std::unique_ptr<Frame> lay_out(const ir::Graph& graph, const Constants& constants,
                               const FusedRegions& regions, Program& program);

// Where each root of kind Arena lies, in their order.
struct ArenaPlan {
  std::vector<std::size_t> offsets;
  std::size_t bytes = 0;
};
ArenaPlan plan_arena(const Program& program, const Frame& frame);

}  // namespace mycel::runtime
