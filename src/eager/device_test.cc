// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cmath>
#include <cstring>
#include <latch>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "device/backend.h"
#include "device/current.h"
#include "eager/dispatch.h"
#include "eager/random_state.h"
#include "operator/registry.h"
#include "platform/error/error.h"
#include "platform/random/philox.h"
#include "tensor/tensor.h"

namespace mycel::eager {
namespace {

using device::Device;
using op::AttributeValue;
using op::OpDef;
using op::SampleInput;
using tensor::DType;

Device simulated() {
  device::load_plugin("libmindspore_backend_simulated.so");
  return {device::reserve_backend("Simulated"), 0};
}

double draw(const SampleInput& input, std::int64_t i) {
  const platform::RandomBlock block = platform::random_block(11, static_cast<std::uint64_t>(i));
  const double u = platform::uniform_double(block.pair(0));
  const double v = platform::uniform_double(block.pair(1));
  switch (input.kind) {
    case SampleInput::Kind::Normal: return platform::normal_pair(u, v).first;
    case SampleInput::Kind::Uniform: return input.low + (input.high - input.low) * u;
    case SampleInput::Kind::Positive: return 0.1 + 1.9 * u;
    case SampleInput::Kind::Integers: return std::floor(input.low + (input.high - input.low) * u);
    case SampleInput::Kind::Mask: return u < 0.5 ? 0 : 1;
    case SampleInput::Kind::Values: return input.values[static_cast<std::size_t>(i)];
    case SampleInput::Kind::Constant:
    case SampleInput::Kind::Number: return input.low;
    case SampleInput::Kind::Absent: break;
  }
  return 0;
}

Tensor make_input(const SampleInput& input, DType dtype) {
  if (input.kind == SampleInput::Kind::Absent) return {};
  if (input.kind == SampleInput::Kind::Number) return number_tensor(input.low);
  const DType used =
      input.kind == SampleInput::Kind::Mask ? DType::Bool : input.dtype.value_or(dtype);
  Tensor tensor = Tensor::empty(input.shape, used);
  tensor::with_real_type(used, [&]<class T>() {
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      tensor.data<T>()[i] = static_cast<T>(static_cast<float>(draw(input, i)));
    }
  });
  return tensor;
}

std::vector<AttributeValue> attributes_of(const OpDef& definition, const op::Sample& sample) {
  std::vector<AttributeValue> attributes;
  for (const op::AttributeDef& attribute : definition.attributes)
    attributes.push_back(attribute.initial);
  for (const auto& [name, value] : sample.attributes) {
    attributes[static_cast<std::size_t>(definition.find_attribute(name))] = value;
  }
  return attributes;
}

std::vector<Tensor> run(const OpDef& definition, const op::Sample& sample, DType dtype,
                        Device device) {
  set_global_seed(7);  // composites may draw
  std::vector<Tensor> inputs;
  for (const SampleInput& input : sample.inputs) {
    Tensor tensor = make_input(input, dtype);
    const bool moves = tensor.defined() && !tensor.body().is_number;
    inputs.push_back(moves ? tensor::copy_to_device(tensor, device) : tensor);
  }
  std::vector<AttributeValue> attributes = attributes_of(definition, sample);
  std::vector<Tensor> outputs;
  dispatch(definition, inputs, attributes, outputs);
  for (Tensor& output : outputs)
    output = tensor::contiguous(tensor::copy_to_device(output, Device{}));
  return outputs;
}

DType sample_dtype(const OpDef& definition) {
  for (const DType dtype : {DType::Float32, DType::Int32, DType::Bool}) {
    if (definition.sample_dtypes.contains(dtype)) return dtype;
  }
  return DType::Float32;
}

void expect_equal(const std::vector<Tensor>& expected, const std::vector<Tensor>& got) {
  ASSERT_EQ(expected.size(), got.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(expected[i].shape(), got[i].shape());
    ASSERT_EQ(expected[i].dtype(), got[i].dtype());
    EXPECT_EQ(std::memcmp(expected[i].raw(), got[i].raw(), expected[i].bytes()), 0);
  }
}

TEST(DeviceTest, MixedDevicesAreAnErrorThatNamesBoth) {
  const Tensor host = Tensor::empty({2}, DType::Float32);
  Tensor inputs[] = {host, tensor::copy_to_device(host, simulated())};
  try {
    dispatch_one(op::find("add"), inputs, {});
    FAIL();
  } catch (const platform::Error& error) {
    EXPECT_EQ(error.kind(), platform::ErrorKind::Runtime);
    EXPECT_NE(error.message().find("CPU and Simulated"), std::string::npos) << error.message();
  }
}

TEST(DeviceTest, PythonNumbersMeetTensorsOfAnyDevice) {
  Tensor host = Tensor::empty({1}, DType::Float32);
  *host.data<float>() = 2;
  Tensor inputs[] = {tensor::copy_to_device(host, simulated()), number_tensor(0.5)};
  const Tensor result = dispatch_one(op::find("mul"), inputs, {});
  EXPECT_TRUE(result.device() == simulated());
  EXPECT_EQ(result.as_double(), 1.0);
}

TEST(DeviceTest, TensorsOfTheHostGoToTheCurrentDeviceAndStay) {
  const device::DeviceScope scope(simulated());
  Tensor host = Tensor::empty({1}, DType::Float32);
  *host.data<float>() = 2;
  const Tensor view = Tensor::view(host, {}, {}, 0);
  Tensor inputs[] = {view, number_tensor(0.5)};
  EXPECT_EQ(dispatch_one(op::find("mul"), inputs, {}).as_double(), 1.0);
  EXPECT_TRUE(host.device() == simulated());
  EXPECT_EQ(inputs[1].device().backend, device::kHostBackend);
}

// Threads that meet the same tensor of the host bring it to the device together. The device has no
// kernel for some operators: those run on the host, on copies.
TEST(DeviceThreadsTest, ThreadsBringATensorToTheDeviceTogether) {
  const Device device = simulated();
  constexpr int kThreads = 8;
  for (int round = 0; round < 20; ++round) {
    Tensor shared = Tensor::empty({64}, DType::Float32);
    std::fill_n(shared.data<float>(), 64, 2.0F);
    std::atomic<int> wrong = 0;
    std::latch start(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&, i] {
        const device::DeviceScope scope(device);
        start.arrive_and_wait();
        Tensor inputs[] = {shared, number_tensor(static_cast<double>(i))};
        const Tensor product = dispatch_one(op::find("mul"), inputs, {});
        Tensor squared[] = {product, shared};
        const Tensor sum = dispatch_one(op::find("add"), squared, {});
        const Tensor back = tensor::copy_to_device(sum, Device{});
        for (int k = 0; k < 64; ++k)
          if (back.data<float>()[k] != 2.0F * static_cast<float>(i) + 2.0F) ++wrong;
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_TRUE(shared.device() == device);
  }
}

TEST(DeviceTest, OperatorsWithoutTensorsRunOnTheCurrentDevice) {
  const OpDef& uniform = op::find("uniform_real");
  const auto draw = [&] {
    set_global_seed(5);
    std::vector<AttributeValue> attributes;
    for (const op::AttributeDef& attribute : uniform.attributes)
      attributes.push_back(attribute.initial);
    attributes[static_cast<std::size_t>(uniform.find_attribute("shape"))] = tensor::IntList{3};
    return dispatch_one(uniform, {}, attributes);
  };
  const Tensor expected = draw();
  const device::DeviceScope scope(simulated());
  const Tensor got = draw();
  EXPECT_TRUE(got.device() == simulated());
  expect_equal({expected}, {tensor::copy_to_device(got, Device{})});
  clear_global_seed();
}

// A kernel or an inference that reads memory of a device as if it were the host's ends the process.
TEST(DeviceTest, EverySampleGivesTheSameOnTheSimulatedDevice) {
  const Device device = simulated();
  for (const OpDef* definition : op::all()) {
    if (definition->internal || definition->is_random || definition->inputs.empty()) continue;
    for (const op::Sample& sample : definition->samples) {
      SCOPED_TRACE(definition->name + ": " + sample.name);
      std::vector<Tensor> expected;
      try {
        expected = run(*definition, sample, sample_dtype(*definition), Device{});
      } catch (const platform::Error&) {
        continue;  // told by the operator's own tests
      }
      try {
        expect_equal(expected, run(*definition, sample, sample_dtype(*definition), device));
      } catch (const platform::Error& error) {
        ADD_FAILURE() << error.message();
      }
    }
  }
}

}  // namespace
}  // namespace mycel::eager
