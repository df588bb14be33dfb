// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "operator/region_compiler.h"
#include "passes/passes.h"

namespace mycel::passes {
namespace {

// Of a device that is not there.
class LimitedCompiler final : public op::RegionCompiler {
 public:
  op::RegionLimits limits() const override { return allowed; }
  platform::Result<std::shared_ptr<const op::CompiledRegion>> compile(op::RegionProgram,
                                                                      device::Device) override {
    return platform::Error(platform::ErrorKind::NotImplemented, "nothing is compiled");
  }
  op::RegionLimits allowed;
};

class FuseRegionsTest : public ::testing::Test {
 protected:
  FuseRegionsTest() {
    limits() = {.arguments = 8,
                .results = 4,
                .steps = 16,
                .dtypes = tensor::kReal | tensor::kBool,
                .reductions = op::kAllReductions};
  }

  static op::RegionLimits& limits() { return compiler().allowed; }

  static std::string after(const char* before, bool expect_change = true) {
    const auto graph = ir::parse(before);
    graph->set_device({device::reserve_backend(kDevice), 0});
    EXPECT_EQ(fuse_regions(*graph), expect_change) << ir::to_text(*graph);
    EXPECT_NO_THROW(ir::verify(*graph));
    graph->set_device({});
    const std::string text = ir::to_text(*ir::parse(ir::to_text(*graph)));
    EXPECT_FALSE(fuse_again(text)) << text;
    return text;
  }

  static std::string plain(const char* text) { return ir::to_text(*ir::parse(text)); }

 private:
  static constexpr std::string_view kDevice = "device of fuse_regions_test";
  static LimitedCompiler& compiler() {
    static LimitedCompiler instance;
    op::set_region_compiler(kDevice, &instance);
    return instance;
  }
  static bool fuse_again(const std::string& text) {
    const auto graph = ir::parse(text);
    graph->set_device({device::reserve_backend(kDevice), 0});
    return fuse_regions(*graph);
  }
};

TEST_F(FuseRegionsTest, ADeviceWithoutCompilerIsLeftAlone) {
  const auto graph = ir::parse(R"(graph @g(%1: Float32(2,) x) {
    %2 = exp(%1) : Float32(2,)
    %3 = reduce_sum(%2; axis=(0,)) : Float32()
    return %3
  })");
  EXPECT_FALSE(fuse_regions(*graph));
}

TEST_F(FuseRegionsTest, ASoftmaxIsOneRegion) {
  EXPECT_EQ(after(R"(graph @g(%1: Float32(2, 3) x) {
    %2 = reduce_max(%1; axis=(1,), keep_dims=True) : Float32(2, 1)
    %3 = sub(%1, %2) : Float32(2, 3)
    %4 = exp(%3) : Float32(2, 3)
    %5 = reduce_sum(%4; axis=(1,)) : Float32(2,)
    %6 = reshape(%5; shape=(2, 1)) : Float32(2, 1)
    %7 = broadcast_to(%6; shape=(2, 3)) : Float32(2, 3)
    %8 = div(%4, %7) : Float32(2, 3)
    return %8
  })"),
            plain(R"(graph @g(%1: Float32(2, 3) x) {
    %9 = fused "reduce_max sub exp reduce_sum div"(%1) : Float32(2, 3) {(%10: Float32(2, 3))
      %2 = reduce_max(%10; axis=(1,), keep_dims=True) : Float32(2, 1)
      %3 = sub(%10, %2) : Float32(2, 3)
      %4 = exp(%3) : Float32(2, 3)
      %5 = reduce_sum(%4; axis=(1,)) : Float32(2,)
      %6 = reshape(%5; shape=(2, 1)) : Float32(2, 1)
      %7 = broadcast_to(%6; shape=(2, 3)) : Float32(2, 3)
      %8 = div(%4, %7) : Float32(2, 3)
      return %8
    }
    return %9
  })"));
}

TEST_F(FuseRegionsTest, WhatOthersReadIsAResultAndViewsOfItFollow) {
  EXPECT_EQ(after(R"(graph @g(%1: Float32(2, 3) x) {
    %2 = constant [2.0] : Float64() number
    %3 = mul(%1, %2) : Float32(2, 3)
    %4 = transpose(%3; perm=(1, 0)) : Float32(3, 2)
    %5 = exp(%3) : Float32(2, 3)
    %6 = reduce_mean(%5; axis=(1,)) : Float32(2,)
    %7 = matmul(%4, %6) : Float32(3,)
    return %7, %5
  })"),
            plain(R"(graph @g(%1: Float32(2, 3) x) {
    %2 = constant [2.0] : Float64() number
    %8 = fused "mul exp reduce_mean"(%1) : Float32(2, 3), Float32(2, 3), Float32(2,) {(%9: Float32(2, 3))
      %10 = constant [2.0] : Float64() number
      %3 = mul(%9, %10) : Float32(2, 3)
      %5 = exp(%3) : Float32(2, 3)
      %6 = reduce_mean(%5; axis=(1,)) : Float32(2,)
      return %3, %5, %6
    }
    %4 = transpose(%8#0; perm=(1, 0)) : Float32(3, 2)
    %7 = matmul(%4, %8#2) : Float32(3,)
    return %7, %8#1
  })"));
}

TEST_F(FuseRegionsTest, WhatGoesThroughAnotherNodeStaysApart) {
  after(R"(graph @g(%1: Float32(2, 2) x) {
    %2 = exp(%1) : Float32(2, 2)
    %3 = matmul(%2, %2) : Float32(2, 2)
    %4 = add(%2, %3) : Float32(2, 2)
    return %4
  })",
        false);
}

TEST_F(FuseRegionsTest, ATurnedViewOfItsOwnValueIsNoStep) {
  after(R"(graph @g(%1: Float32(2, 2) x) {
    %2 = exp(%1) : Float32(2, 2)
    %3 = transpose(%2; perm=(1, 0)) : Float32(2, 2)
    %4 = add(%2, %3) : Float32(2, 2)
    return %4
  })",
        false);
}

TEST_F(FuseRegionsTest, ARegionStandsBeforeWhoeverReadsIt) {
  EXPECT_EQ(after(R"(graph @g(%1: Float32(2, 2) x) {
    %2 = exp(%1) : Float32(2, 2)
    %3 = matmul(%2, %2) : Float32(2, 2)
    %4 = neg(%2) : Float32(2, 2)
    return %4, %3
  })"),
            plain(R"(graph @g(%1: Float32(2, 2) x) {
    %5 = fused "exp neg"(%1) : Float32(2, 2), Float32(2, 2) {(%6: Float32(2, 2))
      %2 = exp(%6) : Float32(2, 2)
      %4 = neg(%2) : Float32(2, 2)
      return %2, %4
    }
    %3 = matmul(%5#0, %5#0) : Float32(2, 2)
    return %5#1, %3
  })"));
}

TEST_F(FuseRegionsTest, WhatALaterPhaseNeedsIsNotComputedBefore) {
  after(R"(graph @g(%1: Float32(2, 2) x) {
    %2 = exp(%1) : Float32(2, 2)
    %3 = matmul(%2, %2) : Float32(2, 2)
    %4 = neg(%2) : Float32(2, 2)  @ backward
    return %4, %3
  })",
        false);
}

TEST_F(FuseRegionsTest, NodesThatReadTheSameAreComputedTogether) {
  const std::string text = after(R"(graph @g(%1: Float32(4, 8) x, %2: Float32(4, 8) y) {
    %3 = reduce_sum(%1; axis=(0,)) : Float32(8,)
    %4 = mul(%1, %2) : Float32(4, 8)
    %5 = reduce_sum(%4; axis=(0,)) : Float32(8,)
    return %3, %5
  })");
  EXPECT_NE(text.find("fused \"reduce_sum mul reduce_sum\""), std::string::npos) << text;
}

TEST_F(FuseRegionsTest, NothingMovesPastAWriteOfWhatItReads) {
  after(R"(graph @g(%1: Float32(2,) x) {
    %2 = parameter "w" : Float32(2,)
    %3 = exp(%2) : Float32(2,)
    %4 = assign(%2, %1) : Float32(2,)
    %5 = mul(%3, %2) : Float32(2,)
    return %5
  })",
        false);
  // Behind the write only what does not read the parameter can be computed before it.
  const std::string text = after(R"(graph @g(%1: Float32(2,) x) {
    %2 = parameter "w" : Float32(2,)
    %3 = exp(%2) : Float32(2,)
    %4 = assign(%2, %1) : Float32(2,)
    %5 = neg(%3) : Float32(2,)
    return %5
  })");
  EXPECT_LT(text.find("fused"), text.find("assign"));
}

TEST_F(FuseRegionsTest, ValuesWrittenInPlaceAreReadBefore) {
  after(R"(graph @g(%1: Float32(2, 2) x) {
    %2 = matmul(%1, %1) : Float32(2, 2)
    %3 = neg(%2) : Float32(2, 2)
    %4 = assign_add(%2, %1) : Float32(2, 2)
    %5 = mul(%3, %4) : Float32(2, 2)
    return %5
  })",
        false);
  after(R"(graph @g(%1: Float32(2, 2) x) {
    %2 = matmul(%1, %1) : Float32(2, 2)
    %3 = neg(%2) : Float32(2, 2)
    %6 = reshape(%2; shape=(4,)) : Float32(4,)
    %7 = reshape(%1; shape=(4,)) : Float32(4,)
    %4 = assign_add(%6, %7) : Float32(4,)
    %8 = reshape(%4; shape=(2, 2)) : Float32(2, 2)
    %5 = mul(%3, %8) : Float32(2, 2)
    return %5
  })",
        false);
}

TEST_F(FuseRegionsTest, BranchesInBetweenReadTheirValues) {
  after(R"(graph @g(%1: Float32(2,) x, %2: Bool() c) {
    %3 = exp(%1) : Float32(2,)
    %4 = if(%2) : Float32(2,) {()
      return %3
    } {()
      return %1
    }
    %5 = mul(%3, %4) : Float32(2,)
    return %5
  })",
        false);
}

TEST_F(FuseRegionsTest, BodiesOfLoopsAreFusedInThemselves) {
  const std::string text = after(R"(graph @g(%1: Float32(2, 2) x, %2: Bool() c) {
    %3 = exp(%1) : Float32(2, 2)
    %4 = while(%1, %2) : Float32(2, 2), Bool() {(%5: Float32(2, 2), %6: Bool())
      return %6
    } {(%7: Float32(2, 2), %8: Bool())
      %9 = mul(%7, %3) : Float32(2, 2)
      %10 = reduce_sum(%9; axis=(0,), keep_dims=True) : Float32(1, 2)
      %11 = div(%9, %10) : Float32(2, 2)
      %12 = logical_not(%8) : Bool()
      return %11, %12
    }
    return %4#0
  })");
  EXPECT_NE(text.find("fused \"mul reduce_sum div\"(%7, %3)"), std::string::npos) << text;
}

TEST_F(FuseRegionsTest, LimitsOfTheDeviceHold) {
  constexpr const char* kText = R"(graph @g(%1: Float32(2,) x, %2: Float32(2,) y) {
    %3 = mul(%1, %2) : Float32(2,)
    %4 = exp(%3) : Float32(2,)
    %5 = neg(%3) : Float32(2,)
    return %4, %5
  })";
  EXPECT_NE(after(kText).find("fused \"mul exp neg\""), std::string::npos);
  limits().steps = 2;
  EXPECT_NE(after(kText).find("fused \"mul exp\""), std::string::npos);
  limits().steps = 0;
  after(kText, false);
  limits().steps = 8;
  limits().arguments = 1;
  EXPECT_NE(after(kText).find("fused \"exp neg\""), std::string::npos);
  limits().arguments = 2;
  limits().results = 1;
  after(kText, false);  // two of any two nodes are read by others
  limits().results = 2;
  limits().dtypes = {tensor::DType::Float16};
  after(kText, false);
}

TEST_F(FuseRegionsTest, KindsOfReductionsAreAskedFor) {
  limits().reductions = {op::ReduceKind::Sum};
  constexpr const char* kText = R"(graph @g(%1: Float32(2,) x) {
    %2 = exp(%1) : Float32(2,)
    %3 = reduce_max(%2; axis=(0,)) : Float32()
    %4 = reduce_sum(%2; axis=(0,)) : Float32()
    return %3, %4
  })";
  EXPECT_NE(after(kText).find("fused \"exp reduce_sum\""), std::string::npos);
}

TEST_F(FuseRegionsTest, ErrorsCanNameTheLastLine) {
  const std::string text = after(R"(graph @g(%1: Float32(2,) x) {
    %2 = exp(%1) : Float32(2,)  @ "Default/a" "net.py":3
    %3 = neg(%2) : Float32(2,)  @ "Default/b" "net.py":4
    return %3
  })");
  EXPECT_NE(text.find("}  @ \"Default\" \"net.py\":4"), std::string::npos) << text;
}

TEST_F(FuseRegionsTest, OtherPassesLeaveRegionsWhole) {
  const auto graph = ir::parse(R"(graph @g(%1: Float32(2,) x, %9: Float32(2,) y) {
    %2 = constant [2.0] : Float64() number
    %3 = mul(%9, %2) : Float32(2,)
    %4 = fused "a"(%1) : Float32(2,) {(%5: Float32(2,))
      %6 = constant [2.0] : Float64() number
      %7 = mul(%5, %6) : Float32(2,)
      %8 = exp(%7) : Float32(2,)
      return %8
    }
    %10 = fused "b"(%1) : Float32(2,) {(%11: Float32(2,))
      %12 = constant [2.0] : Float64() number
      %13 = mul(%11, %12) : Float32(2,)
      %14 = exp(%13) : Float32(2,)
      return %14
    }
    %15 = matmul(%4, %10) : Float32()
    return %15, %3
  })");
  for (auto* pass : {erase_dead_nodes, simplify_algebra, merge_equal_nodes, join_branches,
                     elide_copies, fuse_elementwise, split_updates, hoist_updates}) {
    pass(*graph);
    EXPECT_NO_THROW(ir::verify(*graph)) << ir::to_text(*graph);
  }
  const std::string text = ir::to_text(*graph);
  EXPECT_EQ(text.find("fused \"b\""), std::string::npos) << text;  // equal regions are one
}

}  // namespace
}  // namespace mycel::passes
