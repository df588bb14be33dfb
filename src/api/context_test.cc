// SPDX-License-Identifier: Apache-2.0
#include "include/api/context.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "api/boundary.h"
#include "api/device_choice.h"

namespace mindspore {
namespace {

template <class... Devices>
Context context_with(const Devices&... devices) {
  Context context;
  (context.MutableDeviceInfo().push_back(devices), ...);
  return context;
}

enum StatusCode code_of(Context context) {
  try {
    mycel::api::choose_target(context);
    return kSuccess;
  } catch (const mycel::api::Refusal& refusal) {
    return refusal.code();
  }
}

TEST(ContextTest, NoDeviceIsRefused) {
  EXPECT_EQ(code_of(Context()), kMCInvalidInput);
  EXPECT_EQ(code_of(context_with(std::shared_ptr<DeviceInfoContext>())), kMCInvalidInput);
}

TEST(ContextTest, DevicesThatAreNotThereAreRefused) {
  EXPECT_EQ(code_of(context_with(std::make_shared<GPUDeviceInfo>())), kMCDeviceError);
  EXPECT_EQ(code_of(context_with(std::make_shared<AscendDeviceInfo>())), kMCDeviceError);
  EXPECT_EQ(code_of(context_with(std::make_shared<KirinNPUDeviceInfo>())), kMEFailed);
}

TEST(ContextTest, TheFirstDeviceThatIsThereIsTaken) {
  Context context =
      context_with(std::make_shared<GPUDeviceInfo>(), std::make_shared<CPUDeviceInfo>());
  context.SetThreadNum(3);
  const mycel::api::Target target = mycel::api::choose_target(context);
  EXPECT_EQ(target.device, "CPU");
  EXPECT_EQ(target.threads, 3);
  EXPECT_EQ(code_of(context_with(std::make_shared<AutoDeviceInfo>())), kSuccess);
}

TEST(ContextTest, AscendProgramsRunWhereTheUserSays) {
  const Context context = context_with(std::make_shared<Ascend310DeviceInfo>());
  setenv("MINDSPORE_CPP_DEVICE", "cpu", 1);
  EXPECT_EQ(code_of(context), kSuccess);
  setenv("MINDSPORE_CPP_DEVICE", "elsewhere", 1);
  EXPECT_EQ(code_of(context), kMCDeviceError);
  unsetenv("MINDSPORE_CPP_DEVICE");
}

TEST(ContextTest, NegativeThreadsAreRefused) {
  Context context = context_with(std::make_shared<CPUDeviceInfo>());
  context.SetThreadNum(-1);
  EXPECT_EQ(code_of(context), kMCInvalidArgs);
}

TEST(ContextTest, CopiesShareTheirSettings) {
  Context first;
  Context second = first;
  first.SetThreadNum(4);
  first.SetThreadAffinity(std::vector<int>{1, 2});
  first.SetEnableParallel(true);
  first.SetGroupInfoFile("group.pb");
  EXPECT_EQ(second.GetThreadNum(), 4);
  EXPECT_EQ(second.GetThreadAffinityCoreList(), (std::vector<int32_t>{1, 2}));
  EXPECT_TRUE(second.GetEnableParallel());
  EXPECT_EQ(second.GetGroupInfoFile(), "group.pb");
}

TEST(ContextTest, UnsetOptionsReadAsNothing) {
  AscendDeviceInfo ascend;
  EXPECT_EQ(ascend.GetDeviceID(), 0U);
  EXPECT_EQ(ascend.GetInputFormat(), "");
  EXPECT_EQ(ascend.GetDynamicBatchSize(), "");
  EXPECT_EQ(ascend.GetOutputType(), DataType::kTypeUnknown);
  EXPECT_TRUE(ascend.GetInputShapeMap().empty());
  EXPECT_FALSE(CPUDeviceInfo().GetEnableFP16());
  EXPECT_EQ(GPUDeviceInfo().GetPrecisionMode(), "");
  EXPECT_EQ(GPUDeviceInfo().GetGLContext(), nullptr);
}

TEST(ContextTest, OptionsAreReadBack) {
  AscendDeviceInfo ascend;
  ascend.SetDeviceID(5);
  ascend.SetInsertOpConfigPath("aipp.cfg");
  ascend.SetInputFormat("NCHW");
  ascend.SetInputShape("x:1,2;y:3");
  ascend.SetInputShapeMap({{0, {1, 2}}});
  ascend.SetDynamicBatchSize({1, 2, 3, 4, 5});
  ascend.SetDynamicImageSize("64,64");
  ascend.SetOutputType(DataType::kNumberTypeFloat16);
  ascend.SetPrecisionMode("force_fp16");
  ascend.SetOpSelectImplMode("high_precision");
  ascend.SetFusionSwitchConfigPath("fusion.cfg");
  ascend.SetBufferOptimizeMode("l2_optimize");
  ascend.SetProvider("somebody");
  EXPECT_EQ(ascend.GetDeviceID(), 5U);
  EXPECT_EQ(ascend.GetInsertOpConfigPath(), "aipp.cfg");
  EXPECT_EQ(ascend.GetInputFormat(), "NCHW");
  EXPECT_EQ(ascend.GetInputShape(), "x:1,2;y:3");
  EXPECT_EQ(ascend.GetInputShapeMap().at(0), (std::vector<int>{1, 2}));
  EXPECT_EQ(ascend.GetDynamicBatchSize(), "1,2,3,4,5");
  EXPECT_EQ(ascend.GetDynamicImageSize(), "64,64");
  EXPECT_EQ(ascend.GetOutputType(), DataType::kNumberTypeFloat16);
  EXPECT_EQ(ascend.GetPrecisionMode(), "force_fp16");
  EXPECT_EQ(ascend.GetOpSelectImplMode(), "high_precision");
  EXPECT_EQ(ascend.GetFusionSwitchConfigPath(), "fusion.cfg");
  EXPECT_EQ(ascend.GetBufferOptimizeMode(), "l2_optimize");
  EXPECT_EQ(ascend.GetProvider(), "somebody");
}

TEST(ContextTest, CastGivesTheKindThatItIs) {
  const std::shared_ptr<DeviceInfoContext> cpu = std::make_shared<CPUDeviceInfo>();
  EXPECT_NE(cpu->Cast<CPUDeviceInfo>(), nullptr);
  EXPECT_EQ(cpu->Cast<GPUDeviceInfo>(), nullptr);
  EXPECT_EQ(cpu->Cast<AscendDeviceInfo>(), nullptr);
  const std::shared_ptr<DeviceInfoContext> ascend = std::make_shared<Ascend910DeviceInfo>();
  EXPECT_NE(ascend->Cast<Ascend310DeviceInfo>(), nullptr);
}

}  // namespace
}  // namespace mindspore
