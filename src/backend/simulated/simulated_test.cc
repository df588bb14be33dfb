// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <numeric>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "device/backend.h"
#include "device/current.h"
#include "device/pool.h"
#include "operator/contexts.h"
#include "operator/launch.h"
#include "operator/registry.h"
#include "platform/error/error.h"
#include "tensor/tensor.h"

namespace mycel::backend {
namespace {

using device::Device;
using tensor::DType;
using tensor::Shape;
using tensor::Tensor;

// Everything here goes through the interfaces in device/ and operator/, as for any plug-in.
class SimulatedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    device::load_plugin("libmindspore_backend_simulated.so");
    device_ = {device::reserve_backend("Simulated"), 0};
  }
  device::Backend& backend() const { return device::backend_at(device_.backend); }
  device::Stream& stream() const { return backend().default_stream(0); }
  Tensor on_device(const Tensor& host) const { return tensor::copy_to_device(host, device_); }
  Device device_;
};

Tensor counting(const Shape& shape) {
  Tensor tensor = Tensor::empty(shape, DType::Float32);
  std::iota(tensor.data<float>(), tensor.data<float>() + tensor.size(), 0.0F);
  return tensor;
}

std::vector<float> values_of(const Tensor& tensor) {
  const Tensor host = tensor::contiguous(tensor::copy_to_device(tensor, Device{}));
  return {host.data<float>(), host.data<float>() + host.size()};
}

// Asks the system whether the address may be read, without dying of it.
bool is_readable(const void* address) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const bool readable = write(ends[1], address, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return readable;
}

void run(const op::OpDef& definition, std::vector<Tensor> inputs, std::vector<Tensor> outputs,
         std::vector<op::AttributeValue> attributes, Device device) {
  op::KernelContext kernel(definition, attributes, inputs, outputs);
  op::run_kernel(kernel, device);
}

TEST_F(SimulatedTest, HostMayNotTouchItsMemory) {
  const Tensor tensor = Tensor::empty({16}, DType::Float32, device_);
  EXPECT_FALSE(is_readable(tensor.raw()));
  EXPECT_TRUE(is_readable(counting({16}).raw()));
  EXPECT_FALSE(backend().capabilities(0).host_accessible);
}

TEST_F(SimulatedTest, WhoAddsWorkDoesNotHearOfTheMistakesOfOthers) {
  const Tensor matrix = on_device(counting({3, 3}));  // not symmetric, and its corner is 0
  run(op::find("cholesky"), {matrix}, {Tensor::empty({3, 3}, DType::Float32, device_)}, {false},
      device_);
  const auto event = backend().create_event(0);
  for (int i = 0; i < 3000; ++i) event->record(stream());  // more than the queue holds
  EXPECT_THROW(stream().synchronize(), platform::Error);
  EXPECT_NO_THROW(stream().synchronize());
}

TEST_F(SimulatedTest, AddressOfTheHostIsAnError) {
  char bytes[8] = {};
  EXPECT_THROW(backend().copy(0, bytes, bytes, 8, device::CopyDirection::DeviceToHost, stream()),
               platform::Error);
  EXPECT_THROW(backend().copy(0, bytes, bytes, 8, device::CopyDirection::HostToDevice, stream()),
               platform::Error);
}

TEST_F(SimulatedTest, CopyBeyondTheBlockIsAnError) {
  void* const block = backend().allocate(0, 256);
  std::vector<char> host(1 << 20);
  EXPECT_THROW(backend().copy(0, block, host.data(), host.size(),
                              device::CopyDirection::HostToDevice, stream()),
               platform::Error);
  backend().release(0, block, 256);
}

TEST_F(SimulatedTest, MoreThanItHasIsAMemoryErrorAndWorkGoesOn) {
  try {
    Tensor::empty({std::int64_t{1} << 43}, DType::Int8, device_);
    FAIL();
  } catch (const platform::Error& error) {
    EXPECT_EQ(error.kind(), platform::ErrorKind::Memory);
    EXPECT_NE(error.message().find("Simulated (device 0)"), std::string::npos) << error.message();
  }
  EXPECT_EQ(values_of(on_device(counting({3}))), (std::vector<float>{0, 1, 2}));
}

TEST_F(SimulatedTest, LoadingTwiceChangesNothing) {
  device::Backend* const before = device::find_backend("Simulated");
  device::load_plugin("libmindspore_backend_simulated.so");
  EXPECT_EQ(device::find_backend("Simulated"), before);
}

TEST_F(SimulatedTest, WorkShowsOnlyAfterSynchronising) {
  const Tensor tensor = on_device(counting({2}));
  float seen[2] = {-1, -1};
  backend().copy(0, seen, tensor.raw(), sizeof seen, device::CopyDirection::DeviceToHost, stream());
  EXPECT_EQ(seen[1], -1);
  stream().synchronize();
  EXPECT_EQ(seen[1], 1);
}

TEST_F(SimulatedTest, EventOrdersTwoStreams) {
  const Tensor a = on_device(counting({1}));
  const auto first = backend().create_stream(0);
  const auto second = backend().create_stream(0);
  const auto event = backend().create_event(0);
  const float source = 5;
  float target = 0;
  backend().copy(0, a.raw(), &source, sizeof source, device::CopyDirection::HostToDevice, *first);
  event->record(*first);
  event->wait(*second);
  backend().copy(0, &target, a.raw(), sizeof target, device::CopyDirection::DeviceToHost, *second);
  second->synchronize();
  EXPECT_EQ(target, 5);
  event->synchronize();
}

TEST_F(SimulatedTest, TimeBetweenEventsIsKnownWhenTheyHavePassed) {
  const auto begin = backend().create_event(0);
  const auto end = backend().create_event(0);
  begin->record(stream());
  const Tensor tensor = on_device(counting({2}));
  end->record(stream());
  EXPECT_FALSE(end->is_done());
  EXPECT_THROW(end->milliseconds_since(*begin), platform::Error);
  end->synchronize();
  EXPECT_TRUE(begin->is_done());
  EXPECT_GE(end->milliseconds_since(*begin), 0);
}

TEST_F(SimulatedTest, PinnedMemoryIsReadLateAndOtherMemoryAtOnce) {
  const Tensor tensor = on_device(counting({2}));
  auto* const pinned = static_cast<float*>(backend().allocate_pinned(2 * sizeof(float)));
  float ordinary = 5;
  pinned[0] = 6;
  auto* const place = static_cast<char*>(tensor.raw());
  const auto to_device = device::CopyDirection::HostToDevice;
  backend().copy(0, place, &ordinary, sizeof(float), to_device, stream());
  backend().copy(0, place + sizeof(float), pinned, sizeof(float), to_device, stream());
  ordinary = -1;
  pinned[0] = -1;  // a mistake: the stream has not passed
  EXPECT_EQ(values_of(tensor), (std::vector<float>{5, -1}));
  backend().release_pinned(pinned, 2 * sizeof(float));
}

TEST_F(SimulatedTest, FillsAndStridedCopiesAreWorkOfAStream) {
  const Tensor tensor = on_device(counting({2, 3}));
  const float two = 2;
  backend().fill(0, tensor.raw(), 6, {reinterpret_cast<const char*>(&two), sizeof two}, stream());
  const Tensor column = Tensor::view(tensor, {2}, {3}, 1);
  tensor::copy_elements(on_device(counting({2})), column);
  EXPECT_FALSE(stream().is_done());
  EXPECT_EQ(values_of(tensor), (std::vector<float>{2, 0, 2, 2, 1, 2}));
}

TEST_F(SimulatedTest, RecordedWorkIsRepeatedOnWhatIsThereThen) {
  const Tensor a = on_device(counting({2}));
  const Tensor b = on_device(counting({2}));
  ASSERT_TRUE(backend().begin_recording(0, stream()));
  run(op::find("add"), {a, a}, {b}, {}, device_);
  EXPECT_THROW(stream().synchronize(), platform::Error);
  const auto recording = backend().end_recording(0, stream());
  EXPECT_EQ(values_of(b), (std::vector<float>{0, 1}));  // nothing has been computed
  recording->replay(stream());
  EXPECT_EQ(values_of(b), (std::vector<float>{0, 2}));
  tensor::copy_elements(counting({2}), b);
  tensor::copy_elements(b, a);
  run(op::find("add"), {a, a}, {a}, {}, device_);
  recording->replay(stream());
  EXPECT_EQ(values_of(b), (std::vector<float>{0, 4}));
}

TEST_F(SimulatedTest, MemoryInformationCountsWhatIsTaken) {
  device::empty_cache(device_);
  const device::MemoryInformation before = backend().memory_information(0);
  const Tensor tensor = Tensor::empty({64 << 20}, DType::Int8, device_);
  EXPECT_EQ(backend().memory_information(0).free, before.free - (64U << 20));
  EXPECT_EQ(backend().memory_information(0).total, before.total);
}

TEST_F(SimulatedTest, ABlockIsNotUsedAgainWhileAnotherStreamWorksOnIt) {
  const std::shared_ptr<device::Stream> other = device::make_stream(device_);
  Tensor x = on_device(counting({64}));
  stream().synchronize();
  const Tensor y = Tensor::empty({64}, DType::Float32, device_);
  {
    const device::StreamScope scope(device_, *other);
    op::KernelContext kernel(op::find("neg"), {}, {&x, 1}, {const_cast<Tensor*>(&y), 1});
    op::launch(kernel, device_);
  }
  x = Tensor();  // given back while `other` has still to read it
  const Tensor next = on_device(counting({64}));
  stream().synchronize();
  other->synchronize();
  EXPECT_EQ(values_of(y)[63], -63);
}

TEST_F(SimulatedTest, TensorsThatMoveTakeTheirViewsAlong) {
  const Tensor whole = counting({2, 3});
  const Tensor row = Tensor::view(whole, {3}, {1}, 3);
  row.storage().move_to(device_);
  EXPECT_TRUE(whole.device() == device_);
  EXPECT_EQ(values_of(row), (std::vector<float>{3, 4, 5}));
  whole.storage().move_to({});
  EXPECT_EQ(row.data<float>()[2], 5);
}

TEST_F(SimulatedTest, FullQueueRunsItsOldestWork) {
  const Tensor tensor = on_device(counting({1}));
  std::vector<float> seen(5000, -1);
  for (float& one : seen) {
    backend().copy(0, &one, tensor.raw(), sizeof one, device::CopyDirection::DeviceToHost,
                   stream());
  }
  EXPECT_EQ(seen.front(), 0);
  EXPECT_EQ(seen.back(), -1);
  backend().synchronize(0);
  EXPECT_EQ(seen.back(), 0);
}

TEST_F(SimulatedTest, StridedTensorsTravelBothWays) {
  const Tensor device_tensor = on_device(counting({3, 4}));
  const Tensor transposed = Tensor::view(device_tensor, {4, 3}, {1, 4}, 0);
  EXPECT_EQ(values_of(transposed), (std::vector<float>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_EQ(values_of(tensor::contiguous(transposed)), values_of(transposed));
  // Writing a column leaves its neighbours.
  tensor::copy_elements(on_device(counting({3})), Tensor::view(device_tensor, {3}, {4}, 1));
  EXPECT_EQ(values_of(device_tensor), (std::vector<float>{0, 0, 2, 3, 4, 1, 6, 7, 8, 2, 10, 11}));
}

TEST_F(SimulatedTest, TensorsMoveBetweenItsDevices) {
  const Tensor first = on_device(counting({4}));
  const Tensor second = tensor::copy_to_device(first, Device{device_.backend, 1});
  EXPECT_EQ(second.device().index, 1);
  EXPECT_EQ(values_of(second), values_of(first));
}

TEST_F(SimulatedTest, MemoryIsCountedPerDevice) {
  const Device other{device_.backend, 1};
  const std::size_t here = device::memory_statistics(device_).in_use;
  const std::size_t there = device::memory_statistics(other).in_use;
  const Tensor tensor = Tensor::empty({1024}, DType::Float32, other);
  EXPECT_EQ(device::memory_statistics(device_).in_use, here);
  EXPECT_EQ(device::memory_statistics(other).in_use, there + 4096);
}

TEST_F(SimulatedTest, ReleasedMemoryIsUsedAgain) {
  for (int i = 0; i < 100; ++i) {
    const Tensor tensor = Tensor::empty({256 << 20}, DType::Int8, device_);
    device::empty_cache(device_);
  }
  SUCCEED();
}

TEST_F(SimulatedTest, ElementwiseOperatorsRunLate) {
  const op::OpDef& add = op::find("add");
  const Tensor a = on_device(counting({2, 3}));
  const Tensor transposed = Tensor::view(a, {3, 2}, {1, 3}, 0);
  const Tensor out = on_device(counting({3, 2}));
  backend().synchronize(0);  // uploads are late, too
  run(add, {transposed, transposed}, {out}, {}, device_);
  float early = -1;
  // Reads behind the stream's back, as a missing wait would.
  const auto other = backend().create_stream(0);
  backend().copy(0, &early, static_cast<char*>(out.raw()) + 4, 4,
                 device::CopyDirection::DeviceToHost, *other);
  other->synchronize();
  EXPECT_EQ(early, 1);
  backend().synchronize(0);
  EXPECT_EQ(values_of(out), (std::vector<float>{0, 6, 2, 8, 4, 10}));
}

TEST_F(SimulatedTest, OperatorsWithKernelsAreForwarded) {
  const op::OpDef* sum = op::find_or_null("reduce_sum");
  ASSERT_NE(sum, nullptr);
  std::vector<op::AttributeValue> attributes;
  for (const op::AttributeDef& attribute : sum->attributes) attributes.push_back(attribute.initial);
  attributes[static_cast<std::size_t>(sum->find_attribute("axis"))] = tensor::IntList{0, 1};
  const Tensor out = Tensor::empty({}, DType::Float32, device_);
  run(*sum, {on_device(counting({3, 4}))}, {out}, attributes, device_);
  EXPECT_EQ(out.as_double(), 66);
}

}  // namespace
}  // namespace mycel::backend
