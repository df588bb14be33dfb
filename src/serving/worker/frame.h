// SPDX-License-Identifier: Apache-2.0
// What the server and its worker processes tell each other over a local socket: a head of fixed
// size, then a description, then the bytes of tensors. Nothing in a frame can run anything.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "platform/error/error.h"
#include "serving/batching/value.h"
#include "serving/repository/servable.h"

namespace mycel::serving {

enum class FrameKind : std::uint32_t {
  Load,    // server: what to load, as JSON; the data is the key of encrypted models
  Ready,   // worker: it is there; the description says in JSON what its models take and give
  Failed,  // worker: it could not load; the description is the reason
  Run,     // server: instances for a model or a function
  Result,  // their results; also of what a function called. Behind those of a function may come its
           // inputs, empty but for those that it has written into
  Call,    // worker: a function calls a model; as Run
  Stop,    // server: end after what you have
};

struct FrameHead {
  std::uint32_t magic = kMagic;
  FrameKind kind = FrameKind::Stop;
  std::uint64_t id = 0;  // of a run: its result bears the same
  std::uint64_t description_bytes = 0;
  std::uint64_t data_bytes = 0;
  std::uint64_t busy_nanoseconds = 0;  // of a result: how long the worker was at it; 0: not known

  static constexpr std::uint32_t kMagic = 0x5653'594d;
  static constexpr std::uint64_t kMostDescriptionBytes = std::uint64_t{64} << 20;
  static constexpr std::uint64_t kMostDataBytes = std::uint64_t{8} << 30;
};
static_assert(sizeof(FrameHead) == 40);

// An error for what no frame of ours begins with.
platform::Result<FrameHead> check_head(const FrameHead& head);

// Where the tensors of a frame's data begin: vector loads, and tensors that refer to it.
constexpr std::size_t kDataAlignment = 64;
// Room for the data of a frame, aligned so.
std::shared_ptr<std::byte[]> take_data(std::size_t size);

// A frame as it is sent: spans in order. `owners` keep them alive until then.
struct OutgoingFrame {
  std::string beginning;  // head and description
  std::vector<std::span<const std::byte>> data;
  std::vector<std::shared_ptr<const void>> owners;
  std::size_t size() const;
};

using Instance = std::vector<Value>;

// What is to be run on some instances, each with one value per input.
struct RunOrder {
  StageKind kind = StageKind::Model;
  std::uint32_t target = 0;
  std::uint32_t subgraph = 0;
  std::uint32_t batch_size =
      0;            // instances that are given to a model or function at a time; 0: one
  std::string tag;  // how errors name the stage
  std::vector<Instance> instances;
};

// The numbers are those of MindSpore Serving's protocol.
enum class FailureCode : std::uint8_t {
  None,
  Failed,
  InvalidInputs,
  SystemError,
  WorkerUnavailable,
  ServableUnavailable,
  DeadlineExceeded,  // the rest are ours: clients of that protocol are told Failed
  QueueFull,
  NotFound,
  Cancelled,
};

struct Failure {
  FailureCode code = FailureCode::Failed;
  std::string text;
};

using Outcome = std::variant<Instance, Failure>;

OutgoingFrame write_text(FrameKind kind, std::uint64_t id, std::string_view text);
// Data lies input by input, and in each in the order of instances, so that tensors of a batch are
// one piece.
OutgoingFrame write_run(FrameKind kind, std::uint64_t id, const RunOrder& order);
OutgoingFrame write_result(std::uint64_t id, std::span<const Outcome> outcomes,
                           std::chrono::nanoseconds busy = {});

// Values refer to `data`. Errors for descriptions that contradict themselves or the data.
platform::Result<RunOrder> read_run(std::string_view description,
                                    const std::shared_ptr<std::byte[]>& data,
                                    std::size_t data_bytes);
platform::Result<std::vector<Outcome>> read_result(std::string_view description,
                                                   const std::shared_ptr<std::byte[]>& data,
                                                   std::size_t data_bytes);

}  // namespace mycel::serving
