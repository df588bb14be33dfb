// SPDX-License-Identifier: Apache-2.0
// Regions on the simulated device: interpreted when their turn in the stream comes. It holds
// callers to the contract of `CompiledRegion::run`, and can be told to decline and to be late.
#include <atomic>
#include <string>

#include "backend/simulated/region_interpreter.h"
#include "backend/simulated/simulated_backend.h"
#include "platform/options/options.h"
#include "tensor/overlap.h"

namespace mycel::backend {
namespace {

using op::RegionState;
using platform::ErrorKind;
using tensor::Tensor;

// How often a late one is asked whether it is ready before it says so.
constexpr int kQuestions = 8;

class SimulatedRegion final : public op::CompiledRegion {
 public:
  SimulatedRegion(op::RegionProgram program, int questions, RegionState at_last)
      : interpreter_(std::make_shared<RegionInterpreter>(std::move(program))),
        questions_(questions),
        at_last_(at_last) {}

  RegionState state() const override {
    if (questions_.load() > 0) questions_.fetch_sub(1);
    return questions_.load() > 0 ? RegionState::Compiling : at_last_;
  }

  void run(std::span<const Tensor> arguments, std::span<const Tensor> results,
           device::Stream& stream) const override {
    platform::require(questions_.load() <= 0 && at_last_ == RegionState::Ready, ErrorKind::Internal,
                      "a region was run before it was ready");
    check(arguments, results);
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;
    for (const Tensor& argument : arguments) inputs.push_back(seen_from_host(argument));
    for (const Tensor& result : results) outputs.push_back(seen_from_host(result));
    as_late(stream).queue()->enqueue(
        [interpreter = interpreter_, inputs = std::move(inputs), outputs = std::move(outputs)] {
          interpreter->run(inputs, outputs);
        });
  }

 private:
  void check(std::span<const Tensor> arguments, std::span<const Tensor> results) const {
    const op::RegionProgram& program = interpreter_->program();
    platform::require(
        arguments.size() == program.arguments.size() && results.size() == program.results.size(),
        ErrorKind::Internal, "a region was given other tensors than it was made for");
    for (std::size_t r = 0; r < results.size(); ++r) {
      platform::require(results[r].is_contiguous(), ErrorKind::Internal,
                        "a result of a region is not dense");
      for (std::size_t a = 0; a < arguments.size(); ++a) {
        if (arguments[a].body().is_number || !tensor::may_overlap(arguments[a], results[r]))
          continue;
        platform::require(op::may_overwrite(program, a, r) && lie_alike(arguments[a], results[r]),
                          ErrorKind::Internal, "a region would overwrite what it still reads");
      }
    }
  }

  static bool lie_alike(const Tensor& a, const Tensor& b) {
    return a.storage().data() == b.storage().data() && a.body().offset == 0 &&
           b.body().offset == 0 && a.is_contiguous() && a.bytes() == b.bytes();
  }

  std::shared_ptr<const RegionInterpreter> interpreter_;
  mutable std::atomic<int> questions_;
  RegionState at_last_;
};

class SimulatedRegionCompiler final : public op::RegionCompiler {
 public:
  op::RegionLimits limits() const override {
    if (mode() == "off") return {};
    return {.arguments = 12,
            .results = 8,
            .steps = 48,
            .dtypes = tensor::kReal | tensor::kBool,
            .reductions = op::kAllReductions};
  }

  platform::Result<std::shared_ptr<const op::CompiledRegion>> compile(op::RegionProgram program,
                                                                      device::Device) override {
    const std::string wanted = mode();
    std::string reason = op::excess(program, limits());
    if (wanted == "declined") reason = "it was told to decline";
    if (!reason.empty()) return platform::Error(ErrorKind::NotImplemented, reason);
    const bool waits = wanted == "late" || wanted == "failing";
    return std::shared_ptr<const op::CompiledRegion>(std::make_shared<SimulatedRegion>(
        std::move(program), waits ? kQuestions : 0,
        wanted == "failing" ? RegionState::Failed : RegionState::Ready));
  }

 private:
  static std::string mode() { return platform::setting("MYCEL_SIMULATED_REGIONS"); }
};

}  // namespace

void register_region_compiler() {
  static SimulatedRegionCompiler compiler;
  op::set_region_compiler(kSimulatedName, &compiler);
}

}  // namespace mycel::backend
