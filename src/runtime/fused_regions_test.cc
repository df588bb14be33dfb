// SPDX-License-Identifier: Apache-2.0
// Regions that a device computes in one go, against the same programs on the host.
#include "runtime/fused_regions.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "device/current.h"
#include "passes/passes.h"
#include "platform/error/error.h"
#include "runtime/executable.h"
#include "tensor/test_tensors.h"

namespace mycel::runtime {
namespace {

using device::Device;
using tensor::DType;
using tensor::testing::floats;

Device simulated() {
  device::load_plugin("libmindspore_backend_simulated.so");
  return {device::reserve_backend("Simulated"), 0};
}

// How willingly the device computes regions, for the time of a test.
class Willing {
 public:
  explicit Willing(const char* mode) { setenv("MYCEL_SIMULATED_REGIONS", mode, 1); }
  ~Willing() { unsetenv("MYCEL_SIMULATED_REGIONS"); }
  Willing(const Willing&) = delete;
  Willing& operator=(const Willing&) = delete;
};

std::unique_ptr<Executable> on_host(const char* text) {
  return std::make_unique<Executable>(ir::parse(text));
}

std::unique_ptr<Executable> on_device(const char* text, bool fuse = true) {
  auto graph = ir::parse(text);
  graph->set_device(simulated());
  if (fuse) {
    EXPECT_TRUE(passes::fuse_regions(*graph));
  }
  EXPECT_NO_THROW(ir::verify(*graph));
  return std::make_unique<Executable>(std::move(graph));
}

std::vector<std::string> bytes_of_all(const std::vector<Tensor>& tensors) {
  std::vector<std::string> bytes;
  for (const Tensor& tensor : tensors) {
    const Tensor dense = tensor::contiguous(tensor::copy_to_device(tensor, {}));
    bytes.emplace_back(static_cast<const char*>(dense.raw()), dense.bytes());
  }
  return bytes;
}

Tensor counting(const tensor::Shape& shape, float first) {
  Tensor tensor = Tensor::empty(shape, DType::Float32);
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    tensor.data<float>()[i] = (first + static_cast<float>(i * 7 % 11)) / 8;
  return tensor;
}

constexpr const char* kNormalised = R"(graph @g(%1: Float32(4, 6) x, %2: Float32(6,) scale) {
  %3 = reduce_mean(%1; axis=(1,), keep_dims=True) : Float32(4, 1)
  %4 = sub(%1, %3) : Float32(4, 6)
  %5 = square(%4) : Float32(4, 6)
  %6 = reduce_mean(%5; axis=(1,)) : Float32(4,)
  %7 = constant [0.001] : Float64() number
  %8 = add(%6, %7) : Float32(4,)
  %9 = rsqrt(%8) : Float32(4,)
  %10 = reshape(%9; shape=(4, 1)) : Float32(4, 1)
  %11 = mul(%4, %10) : Float32(4, 6)
  %12 = mul(%11, %2) : Float32(4, 6)
  %13 = matmul(%2, %2) : Float32()
  %14 = mul(%12, %13) : Float32(4, 6)
  return %14, %9, %4
})";

void expect_the_same(Executable& host, Executable& device, int runs) {
  for (int i = 0; i < runs; ++i) {
    const auto first = static_cast<float>(i);
    const std::vector<Tensor> here = {counting({4, 6}, first), counting({6}, 1)};
    const std::vector<Tensor> there = {counting({4, 6}, first), counting({6}, 1)};
    ASSERT_EQ(bytes_of_all(device.run(there)), bytes_of_all(host.run(here))) << "run " << i;
  }
}

std::size_t fused_nodes(const Executable& program) {
  std::size_t count = 0;
  for (const ir::Node* node : program.graph().body().nodes())
    count += node->kind() == ir::NodeKind::Fused ? 1 : 0;
  return count;
}

TEST(FusedRegionsTest, SeveralResultsComeFromOneRegionRecordedOrNot) {
  const auto host = on_host(kNormalised);
  const auto device = on_device(kNormalised);
  EXPECT_GE(fused_nodes(*device), 1U);
  expect_the_same(*host, *device, 6);
  EXPECT_GT(device->replays(), 0U);
}

TEST(FusedRegionsTest, ADeclinedRegionRunsNodeByNode) {
  const Willing mode("declined");
  const auto host = on_host(kNormalised);
  const auto device = on_device(kNormalised);
  EXPECT_GE(fused_nodes(*device), 1U);
  expect_the_same(*host, *device, 6);
  EXPECT_GT(device->replays(), 0U);
}

TEST(FusedRegionsTest, ALateRegionTakesOverWhenItIsReady) {
  const Willing mode("late");
  const auto host = on_host(kNormalised);
  const auto device = on_device(kNormalised);
  std::vector<std::string> seen;  // what runs, by run
  for (int i = 0; i < 12; ++i) {
    std::string nodes;
    const std::vector<Tensor> here = {counting({4, 6}, 2), counting({6}, 1)};
    const std::vector<Tensor> there = {counting({4, 6}, 2), counting({6}, 1)};
    const Observer watch = [&](const Observation& observed) {
      nodes += observed.node.kind() == ir::NodeKind::Fused ? 'R' : 'n';
    };
    ASSERT_EQ(bytes_of_all(device->run(there, watch)), bytes_of_all(host->run(here))) << i;
    seen.push_back(nodes);
  }
  EXPECT_EQ(seen.front().find('R'), std::string::npos) << seen.front();
  EXPECT_NE(seen.back().find('R'), std::string::npos) << seen.back();
  EXPECT_LT(seen.back().size(), seen.front().size());
  expect_the_same(*host, *device, 5);
  EXPECT_GT(device->replays(), 0U);
}

TEST(FusedRegionsTest, NothingIsRecordedBeforeRegionsAreSettled) {
  const Willing mode("late");
  const auto host = on_host(kNormalised);
  const auto device = on_device(kNormalised);
  expect_the_same(*host, *device, 3);
  EXPECT_EQ(device->replays(), 0U);
  expect_the_same(*host, *device, 10);
  EXPECT_GT(device->replays(), 0U);
}

TEST(FusedRegionsTest, ARegionThatFailsLeavesItsNodes) {
  const Willing mode("failing");
  const auto host = on_host(kNormalised);
  const auto device = on_device(kNormalised);
  expect_the_same(*host, *device, 14);
  EXPECT_GT(device->replays(), 0U);
}

TEST(FusedRegionsTest, HalfTypesRoundLikeSingleOperators) {
  constexpr const char* kText = R"(graph @g(%1: Float32(4, 6) x, %2: Float32(6,) y) {
    %3 = cast(%1; dtype=mindspore.float16) : Float16(4, 6)
    %4 = cast(%2; dtype=mindspore.float16) : Float16(6,)
    %5 = constant [0.1] : Float64() number
    %6 = mul(%3, %4) : Float16(4, 6)
    %7 = add(%6, %5) : Float16(4, 6)
    %8 = exp(%7) : Float16(4, 6)
    %9 = reduce_sum(%8; axis=(1,), keep_dims=True) : Float16(4, 1)
    %10 = div(%8, %9) : Float16(4, 6)
    %11 = cast(%10; dtype=mindspore.bfloat16) : BFloat16(4, 6)
    %12 = mul(%11, %11) : BFloat16(4, 6)
    %13 = reduce_max(%12; axis=(1,)) : BFloat16(4,)
    %14 = cast(%10; dtype=mindspore.int32) : Int32(4, 6)
    %15 = reduce_mean(%14; axis=(1,)) : Int32(4,)
    return %10, %12, %13, %15
  })";
  const auto host = on_host(kText);
  const auto device = on_device(kText);
  EXPECT_EQ(fused_nodes(*device), 1U);
  expect_the_same(*host, *device, 4);
}

TEST(FusedRegionsTest, ElementwiseRegionsAreComputedWhereTheirArgumentsLie) {
  constexpr const char* kText = R"(graph @g(%1: Float32(64, 64) x) {
    %2 = matmul(%1, %1) : Float32(64, 64)
    %3 = exp(%2) : Float32(64, 64)
    %4 = neg(%3) : Float32(64, 64)
    %5 = matmul(%4, %4) : Float32(64, 64)
    return %5
  })";
  const auto device = on_device(kText);
  EXPECT_EQ(fused_nodes(*device), 1U);
  EXPECT_EQ(device->arena_bytes(), 64U * 64 * 4);
  const std::vector<Tensor> x = {counting({64, 64}, -80)};
  EXPECT_EQ(bytes_of_all(device->run(x)), bytes_of_all(on_host(kText)->run(x)));
}

TEST(FusedRegionsTest, WhatAReductionReadsIsNotOverwritten) {
  constexpr const char* kText = R"(graph @g(%1: Float32(8, 8) x) {
    %2 = matmul(%1, %1) : Float32(8, 8)
    %3 = matmul(%1, %2) : Float32(8, 8)
    %4 = reduce_max(%2; axis=(1,), keep_dims=True) : Float32(8, 1)
    %5 = sub(%2, %4) : Float32(8, 8)
    %6 = matmul(%5, %3) : Float32(8, 8)
    return %6
  })";
  const auto device = on_device(kText);
  const std::vector<Tensor> x = {counting({8, 8}, -40)};
  EXPECT_EQ(bytes_of_all(device->run(x)), bytes_of_all(on_host(kText)->run(x)));
}

constexpr const char* kLoop = R"(graph @g(%1: Float32(3, 4) x, %2: Int64() n) {
  %3 = constant [0] : Int64()
  %4 = while(%1, %3) : Float32(3, 4), Int64() {(%5: Float32(3, 4), %6: Int64())
    %7 = less(%6, %2) : Bool()
    return %7
  } {(%8: Float32(3, 4), %9: Int64())
    %10 = sin(%8) : Float32(3, 4)
    %11 = reduce_sum(%10; axis=(1,), keep_dims=True) : Float32(3, 1)
    %12 = sub(%8, %11) : Float32(3, 4)
    %13 = constant [1] : Int64()
    %14 = add(%9, %13) : Int64()
    return %12, %14
  }
  %15 = exp(%4#0) : Float32(3, 4)
  %16 = reduce_max(%15; axis=(0, 1)) : Float32()
  return %16, %4#0
})";

TEST(FusedRegionsTest, RegionsInLoopsTurnWithThem) {
  for (const char* how : {"on", "late", "declined", "failing"}) {
    const Willing mode(how);
    const auto host = on_host(kLoop);
    const auto device = on_device(kLoop);
    for (const std::int64_t turns : {0, 1, 2, 5, 6, 7, 8}) {
      const auto arguments = [&] {
        Tensor count = Tensor::empty({}, DType::Int64);
        *count.data<std::int64_t>() = turns;
        return std::vector<Tensor>{counting({3, 4}, 1), count};
      };
      EXPECT_EQ(bytes_of_all(device->run(arguments())), bytes_of_all(host->run(arguments())))
          << how << ", " << turns;
    }
  }
}

TEST(FusedRegionsTest, NumbersAreReadWhenWorkIsQueued) {
  constexpr const char* kText = R"(graph @g(%1: Float32(64,) x, %2: Float64() number y) {
    %3 = mul(%1, %2) : Float32(64,)
    %4 = exp(%3) : Float32(64,)
    return %4
  })";
  const auto host = on_host(kText);
  for (const bool fuse : {true, false}) {
    const auto device = on_device(kText, fuse);
    std::vector<std::vector<Tensor>> waiting;
    std::vector<std::vector<std::string>> wanted;
    for (int i = 0; i < 4; ++i) {
      Tensor number = Tensor::empty({}, DType::Float64);
      *number.data<double>() = i / 7.0;
      number.body().is_number = true;
      waiting.push_back(device->run(std::vector<Tensor>{counting({64}, 1), number}));
      wanted.push_back(bytes_of_all(host->run(std::vector<Tensor>{counting({64}, 1), number})));
    }
    for (std::size_t i = 0; i < waiting.size(); ++i)
      EXPECT_EQ(bytes_of_all(waiting[i]), wanted[i]) << i << (fuse ? " fused" : "");
  }
}

// What a device says that takes a region and then cannot start it.
class Stumbling final : public op::RegionCompiler, public op::CompiledRegion {
 public:
  op::RegionLimits limits() const override {
    return {.arguments = 4, .results = 4, .steps = 4, .dtypes = tensor::kReal, .reductions = {}};
  }
  platform::Result<std::shared_ptr<const op::CompiledRegion>> compile(op::RegionProgram,
                                                                      Device) override {
    return std::shared_ptr<const op::CompiledRegion>(this, [](auto*) {});
  }
  op::RegionState state() const override { return op::RegionState::Ready; }
  void run(std::span<const Tensor>, std::span<const Tensor>, device::Stream&) const override {
    platform::fail(platform::ErrorKind::Runtime, "the device has lost its way");
  }
};

TEST(FusedRegionsTest, ErrorsNameTheUsersLine) {
  const Device device = simulated();
  op::RegionCompiler* const usual = op::region_compiler(device);
  Stumbling stumbling;
  op::set_region_compiler("Simulated", &stumbling);
  const auto program = on_device(R"(graph @g(%1: Float32(2,) x) {
    %2 = exp(%1) : Float32(2,)  @ "Default/a" "net.py":3
    %3 = neg(%2) : Float32(2,)  @ "Default/b" "net.py":4
    return %3
  })");
  op::set_region_compiler("Simulated", usual);
  const std::vector<Tensor> x = {floats({1, 2})};
  try {
    program->run(x);
    FAIL() << "it ran";
  } catch (const platform::Error& error) {
    EXPECT_EQ(error.message(), "the device has lost its way\n  at net.py:4 in Default");
  }
}

TEST(FusedRegionsTest, TheHostRunsWhatIsFusedNodeByNode) {
  // Results that are the same value, or an argument, are still values of their own.
  constexpr const char* kText = R"(graph @g(%1: Float32(2,) x) {
    %2 = fused "a"(%1) : Float32(2,), Float32(2,), Float32(2,) {(%3: Float32(2,))
      %4 = square(%3) : Float32(2,)
      %5 = neg(%4) : Float32(2,)
      return %5, %3, %5
    }
    %6 = assign_add(%2#0, %1) : Float32(2,)
    return %6, %2#1, %2#2
  })";
  for (const bool is_host : {true, false}) {
    const auto program = is_host ? on_host(kText) : on_device(kText, false);
    const std::vector<Tensor> x = {floats({2, 3})};
    std::vector<std::vector<float>> results;
    for (const Tensor& result : program->run(x))
      results.push_back(tensor::testing::values_of(tensor::copy_to_device(result, {})));
    EXPECT_EQ(results, (std::vector<std::vector<float>>{{-2, -6}, {2, 3}, {-4, -9}}));
  }
}

}  // namespace
}  // namespace mycel::runtime
