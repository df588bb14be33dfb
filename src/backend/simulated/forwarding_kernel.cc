// SPDX-License-Identifier: Apache-2.0
// Every operator of the CPU, on the simulated device: when its turn in the stream comes, the CPU's
// kernel runs on the place where the device's bytes really are.
#include <memory>
#include <vector>

#include "backend/simulated/simulated_backend.h"
#include "device/current.h"
#include "operator/channel_block.h"
#include "operator/contexts.h"
#include "operator/registry.h"
#include "tensor/tensor.h"

namespace mycel::backend {
namespace {

using device::Device;
using tensor::Tensor;

SimulatedBackend* running_backend = nullptr;  // set once, when the plug-in starts

}  // namespace

Tensor seen_from_host(const Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  if (tensor.device().backend == device::kHostBackend) {
    // A number, which may be another one when the stream comes to it.
    Tensor copy = Tensor::empty(tensor.shape(), tensor.dtype());
    tensor::copy_elements(tensor, copy);
    copy.body().is_number = tensor.body().is_number;
    return copy;
  }
  const tensor::Storage& storage = tensor.storage();
  const std::size_t size = storage.bytes();
  void* bytes = size == 0 ? nullptr : running_backend->host_view(storage.data(), size);
  auto host = tensor::Storage::borrow(
      Device{}, bytes, storage.bytes(), [](void*) {}, nullptr);
  const Tensor base = Tensor::from_storage(std::move(host), {0}, tensor.dtype());
  Tensor view = Tensor::view(base, tensor.shape(), tensor.strides(), tensor.body().offset);
  view.body().is_number = tensor.body().is_number;
  return view;
}

namespace {

struct Call {
  const op::OpDef* definition;
  std::vector<op::AttributeValue> attributes;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::uint64_t random_seed;
  std::uint64_t random_offset;
  const std::uint64_t* random_key;  // where the device's bytes really are; null: those above

  // May be called again: a recording repeats it.
  void run() {
    std::vector<op::AttributeValue> own = attributes;
    std::vector<Tensor> results = outputs;
    op::KernelContext kernel(*definition, own, inputs, results);
    kernel.random_seed = random_key == nullptr ? random_seed : random_key[0];
    kernel.random_offset = random_key == nullptr ? random_offset : random_key[1];
    op::run_kernel(kernel, Device{});
    if (definition->dynamic_outputs) outputs = std::move(results);
  }
};

// The kernel decides the result's shape, so there is nothing to put off.
void run_now(Call& call, op::KernelContext& kernel, Device device, device::Stream& stream) {
  stream.synchronize();
  call.run();
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    if (!kernel.output(i).defined())
      kernel.output(i) = tensor::copy_to_device(call.outputs[i], device);
  }
}

void forward(op::KernelContext& kernel) {
  const Device device = kernel.device();
  device::Stream& stream =
      kernel.stream != nullptr ? *kernel.stream : device::current_stream(device);
  auto call = std::make_shared<Call>();
  call->definition = &kernel.definition();
  call->attributes.assign(kernel.attributes().begin(), kernel.attributes().end());
  for (const Tensor& input : kernel.inputs()) call->inputs.push_back(seen_from_host(input));
  for (const Tensor& output : kernel.outputs()) call->outputs.push_back(seen_from_host(output));
  call->random_seed = kernel.random_seed;
  call->random_offset = kernel.random_offset;
  call->random_key = kernel.random_key == nullptr
                         ? nullptr
                         : static_cast<const std::uint64_t*>(running_backend->host_view(
                               kernel.random_key, 2 * sizeof(std::uint64_t)));
  if (kernel.definition().dynamic_outputs) return run_now(*call, kernel, device, stream);
  as_late(stream).queue()->enqueue([call] { call->run(); });
}

}  // namespace

void register_forwarding_kernels(SimulatedBackend& backend, std::size_t missing) {
  running_backend = &backend;
  std::size_t next = 0;
  for (const op::OpDef* definition : op::all()) {
    if (definition->kernels[device::kHostBackend].empty()) continue;
    if (missing > 0 && next++ % missing == 0) continue;
    op::add_kernel(definition->name, kSimulatedName, {"forward to the CPU", 0, forward, nullptr});
  }
  if (missing != 1) op::set_scalar_executor(kSimulatedName, forward);
  if (missing != 1) register_region_compiler();
  op::set_channel_block(device::reserve_backend(kSimulatedName),
                        op::channel_block(device::kHostBackend));
  op::all();  // puts the kernels into the table, which running code reads without asking
}

}  // namespace mycel::backend
