// SPDX-License-Identifier: Apache-2.0
#include "eager/dispatch.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "device/current.h"
#include "eager/aliases.h"
#include "eager/gradient_call.h"
#include "eager/interceptor.h"
#include "eager/random_state.h"
#include "eager/tape.h"
#include "operator/contexts.h"
#include "operator/launch.h"
#include "operator/memory_overlap.h"
#include "operator/registry.h"
#include "operator/written_input.h"
#include "tensor/number.h"

namespace mycel::eager {
namespace {

using device::Device;
using op::AttributeValue;
using op::DType;
using op::InferContext;
using op::KernelContext;
using op::OpDef;
using op::TensorSpec;
using op::Value;
using platform::ErrorKind;

thread_local std::optional<DType> compute_type;

thread_local Interceptor* current_interceptor = nullptr;

// Tensors are made on the host; where another device is current, they go there when they are first
// used, and stay.
void leave_host(Device device, std::span<const Tensor> inputs) {
  if (device.backend == device::kHostBackend) return;
  for (const Tensor& input : inputs) {
    const bool moves = input.defined() && !input.body().is_number &&
                       input.device().backend == device::kHostBackend;
    if (moves) input.storage().move_to(device);
  }
}

Device common_device(const OpDef& definition, std::span<const Tensor> inputs) {
  Device current;
  if (device::leaves_host()) [[unlikely]] {
    current = device::current_device();
    leave_host(current, inputs);
  }
  Device device;
  bool known = false;
  for (const Tensor& input : inputs) {
    if (!input.defined() || input.body().is_number) continue;
    if (!known) {
      device = input.device();
      known = true;
    } else if (!(input.device() == device)) {
      platform::fail(ErrorKind::Runtime, "For '", definition.shown_name(),
                     "', all inputs must be on one device, but got ",
                     device::backend_name(device.backend), " and ",
                     device::backend_name(input.device().backend), ". Move one of them first.");
    }
  }
  return known ? device : current;
}

const op::InputDef& input_definition(const OpDef& definition, std::size_t i) {
  return definition.inputs[std::min(i, definition.inputs.size() - 1)];
}

void check_inputs(const OpDef& definition, std::span<const Tensor> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const op::InputDef& expected = input_definition(definition, i);
    if (!inputs[i].defined()) {
      platform::require(expected.optional, ErrorKind::Type, "For '", definition.shown_name(),
                        "', the input '", expected.name, "' must be a Tensor, but got None.");
      continue;
    }
    platform::require(expected.dtypes.contains(inputs[i].dtype()) || inputs[i].body().is_number,
                      ErrorKind::Type, "For '", definition.shown_name(), "', the type of '",
                      expected.name, "' must be one of ", expected.dtypes, ", but got Tensor[",
                      inputs[i].dtype(), "].");
  }
}

void finish(const OpDef& definition, std::span<const Tensor> inputs,
            std::span<AttributeValue> attributes, std::span<Tensor> outputs) {
  if (is_recording()) {
    record(definition, inputs, attributes, outputs);
  } else if (gradient_level() > 0 && definition.view != nullptr) {
    note_origin(inputs[0]);  // a window without a history, on memory that has one
  }
}

void run_elementwise(const OpDef& definition, std::span<Tensor> inputs,
                     std::span<AttributeValue> attributes, Tensor& output) {
  const Device device = common_device(definition, inputs);
  const DType computed = op::elementwise_compute_type(definition, std::span<const Tensor>(inputs));
  const DType dtype = op::elementwise_result_type(definition, computed);
  const tensor::Shape* shape = &inputs[0].shape();
  tensor::Shape joined;
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    const tensor::Shape& other = inputs[i].shape();
    if (other.empty() || other == *shape) continue;
    joined = tensor::broadcast_shapes(*shape, other, definition.shown_name());
    shape = &joined;
  }
  if (current_interceptor != nullptr) [[unlikely]] {
    const TensorSpec spec{dtype, *shape, false};
    std::vector<Tensor> outputs;
    if (current_interceptor->take(definition, inputs, attributes, {&spec, 1}, outputs)) {
      output = std::move(outputs[0]);
      finish(definition, inputs, attributes, std::span<Tensor>(&output, 1));
      return;
    }
  }
  output = Tensor::empty(*shape, dtype, device);
  KernelContext kernel(definition, attributes, inputs, std::span<Tensor>(&output, 1));
  op::launch(kernel, device);
  finish(definition, inputs, attributes, std::span<Tensor>(&output, 1));
}

Tensor cast_to(const Tensor& tensor, DType dtype) {
  static const OpDef& cast = op::find("cast");
  Tensor input[] = {tensor};
  AttributeValue attribute[] = {dtype};
  return dispatch_one(cast, input, attribute);
}

bool is_double(const Tensor& input) {
  return input.defined() && !input.body().is_number &&
         (input.dtype() == DType::Float64 || input.dtype() == DType::Complex128);
}

void to_compute_type(const OpDef& definition, std::span<Tensor> inputs) {
  static const OpDef& cast = op::find("cast");
  if (definition.has_effects || &definition == &cast) return;
  for (Tensor& input : inputs) {
    const bool changes = input.defined() && !input.body().is_number &&
                         tensor::is_floating(input.dtype()) && input.dtype() != *compute_type;
    if (changes) input = cast_to(input, *compute_type);
  }
}

// Only elementwise operators know Python numbers; elsewhere they are tensors, and inference is told
// which ones they were.
void settle_numbers(const OpDef& definition, std::span<Tensor> inputs, Device device,
                    std::vector<TensorSpec>& specs) {
  specs.resize(inputs.size());
  const bool wide = std::any_of(inputs.begin(), inputs.end(), is_double);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Tensor& input = inputs[i];
    if (!input.defined()) continue;
    const bool is_number = input.body().is_number;
    if (is_number) {
      // The number itself stays on the host: others may hold it.
      Tensor plain = device == Device{} ? detach(input) : tensor::copy_to_device(input, device);
      plain.body().is_number = false;  // first: the cast below must not come back here
      const DType settled =
          op::settled_number_type(input_definition(definition, i), plain.dtype(), wide);
      if (settled != plain.dtype()) plain = cast_to(plain, settled);
      input = plain;
    }
    specs[i] = {input.dtype(), input.shape(), is_number};
  }
}

bool try_view(const OpDef& definition, const Tensor& input, std::span<AttributeValue> attributes,
              std::span<const TensorSpec> specs, std::vector<Tensor>& outputs) {
  op::ViewContext view(definition, attributes, input, specs);
  if (!definition.view(view)) return false;
  outputs.clear();
  for (const op::ViewSpec& spec : view.views()) {
    platform::require(spec.shape == specs[outputs.size()].shape, ErrorKind::Internal, "operator '",
                      definition.name, "' gives a view of shape ", spec.shape,
                      " where inference says ", specs[outputs.size()].shape);
    outputs.push_back(Tensor::view(input, spec.shape, spec.strides, spec.offset));
  }
  return true;
}

// False: this call is the kernel's (a cast that changes the type).
bool run_view(const OpDef& definition, std::span<Tensor> inputs,
              std::span<AttributeValue> attributes, std::span<const TensorSpec> specs,
              std::vector<Tensor>& outputs) {
  if (try_view(definition, inputs[0], attributes, specs, outputs)) return true;
  if (!definition.kernels[device::kHostBackend].empty()) return false;
  const bool viewed =
      try_view(definition, tensor::contiguous(inputs[0]), attributes, specs, outputs);
  platform::require(viewed, ErrorKind::Internal, "operator '", definition.name,
                    "' gives no view of a dense tensor");
  return true;
}

void allocate_outputs(const OpDef& definition, std::span<const Tensor> inputs,
                      std::span<const TensorSpec> specs, Device device,
                      std::vector<Tensor>& outputs) {
  outputs.assign(definition.dynamic_outputs ? definition.outputs.size() : specs.size(), Tensor());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const int alias = op::written_input(definition, i);
    if (alias >= 0) {
      outputs[i] = inputs[static_cast<std::size_t>(alias)];
      prepare_write(outputs[i]);
    } else if (!definition.dynamic_outputs) {
      outputs[i] = Tensor::empty(specs[i].shape, specs[i].dtype, device);
    }
  }
}

void run_general(const OpDef& definition, std::span<Tensor> inputs,
                 std::span<AttributeValue> attributes, std::vector<Tensor>& outputs) {
  const Device device = common_device(definition, inputs);
  std::vector<TensorSpec> specs;
  settle_numbers(definition, inputs, device, specs);
  check_inputs(definition, inputs);
  InferContext infer(definition, attributes, specs, inputs);
  definition.infer(infer);
  for (const InferContext::InputCast& cast : infer.casts())
    inputs[cast.input] = cast_to(inputs[cast.input], cast.dtype);
  if (current_interceptor != nullptr &&
      current_interceptor->take(definition, inputs, attributes, infer.outputs(), outputs))
      [[unlikely]] {
    finish(definition, inputs, attributes, outputs);
    return;
  }
  if (definition.view == nullptr ||
      !run_view(definition, inputs, attributes, infer.outputs(), outputs)) {
    allocate_outputs(definition, inputs, infer.outputs(), device, outputs);
    std::optional<std::vector<Tensor>> apart;
    if (definition.has_effects)
      apart = op::apart_from_written(definition, std::span<const Tensor>(inputs), outputs.size());
    KernelContext kernel(definition, attributes,
                         apart ? std::span<const Tensor>(*apart) : std::span<const Tensor>(inputs),
                         outputs);
    if (definition.is_random) assign_random_key(kernel);
    op::launch(kernel, device);
    for (std::size_t i = 0; i < outputs.size() && definition.has_effects; ++i) {
      if (op::written_input(definition, i) >= 0) outputs[i].storage().bump_version();
    }
  }
  finish(definition, inputs, attributes, outputs);
}

void run_composite(const OpDef& definition, std::span<Tensor> inputs,
                   std::span<AttributeValue> attributes, std::vector<Tensor>& outputs) {
  std::vector<Value> values;
  for (const Tensor& input : inputs)
    values.push_back(input.defined() ? Value(&emitter(), input) : Value());
  check_inputs(definition, inputs);
  const device::DeviceScope scope(common_device(definition, inputs));
  op::CompositeContext context(definition, attributes, emitter(), values);
  definition.composite(context);
  outputs.clear();
  for (const Value& value : context.outputs()) outputs.push_back(value.tensor());
}

class EagerEmitter : public op::Emitter {
 public:
  op::ValueList emit(const OpDef& definition, std::span<const Value> inputs,
                     op::AttributeList attributes) override {
    std::vector<Tensor> tensors;
    tensors.reserve(inputs.size());
    for (const Value& input : inputs) tensors.push_back(input.tensor());
    std::vector<Tensor> outputs;
    dispatch(definition, tensors, attributes, outputs);
    op::ValueList values;
    values.reserve(outputs.size());
    for (Tensor& output : outputs) values.emplace_back(this, std::move(output));
    return values;
  }
  TensorSpec spec_of(const Value& value) const override {
    return {value.tensor().dtype(), value.tensor().shape(), value.tensor().body().is_number};
  }
  Value number(double value) override { return {this, number_tensor(value)}; }
  Value integer(std::int64_t value) override { return {this, number_tensor(value)}; }
};

}  // namespace

Interceptor* interceptor() { return current_interceptor; }
void set_interceptor(Interceptor* interceptor) { current_interceptor = interceptor; }

op::Emitter& emitter() {
  static EagerEmitter instance;
  return instance;
}

Tensor number_tensor(double value) { return tensor::number_tensor(value); }
Tensor number_tensor(std::int64_t value) { return tensor::number_tensor(value); }
Tensor number_tensor(bool value) { return tensor::number_tensor(value); }
Tensor number_tensor(std::complex<double> value) { return tensor::number_tensor(value); }

ComputeTypeSwitch::ComputeTypeSwitch(std::optional<DType> dtype) : before_(compute_type) {
  compute_type = dtype;
}
ComputeTypeSwitch::~ComputeTypeSwitch() { compute_type = before_; }

namespace {

bool is_name_of(const OpDef& definition, std::string_view name) {
  return name == definition.name || name == definition.function || name == definition.primitive;
}

// The pool does not know for whom it was asked, nor a part of a composite what was called.
[[noreturn]] void name_the_operator(const OpDef& definition, const platform::Error& error) {
  const std::string_view text = error.message();
  const std::string& name = definition.shown_name();
  if (!text.starts_with("For '")) {
    if (error.kind() != ErrorKind::Memory) throw;
    platform::fail(ErrorKind::Memory, "For '", name, "', ", text);
  }
  const std::string_view named = text.substr(5, text.find('\'', 5) - 5);
  if (definition.composite == nullptr || is_name_of(definition, named)) throw;
  platform::fail(error.kind(), "For '", name, text.substr(5 + named.size()));
}

void dispatch_named(const OpDef& definition, std::span<Tensor> inputs,
                    std::span<AttributeValue> attributes, std::vector<Tensor>& outputs) {
  if (definition.composite != nullptr) {
    run_composite(definition, inputs, attributes, outputs);
  } else if (definition.is_elementwise() && definition.infer == op::infer_elementwise) {
    outputs.resize(1);
    check_inputs(definition, inputs);
    run_elementwise(definition, inputs, attributes, outputs[0]);
  } else {
    run_general(definition, inputs, attributes, outputs);
  }
}

// Tells the log of this thread, if there is one, about a call.
class LoggedCall {
 public:
  LoggedCall(const OpDef& definition, std::span<const Tensor> inputs,
             std::span<const AttributeValue> attributes) {
    if (current_interceptor == nullptr || current_interceptor->log == nullptr) [[likely]]
      return;
    current_interceptor->log->begin_call(definition, inputs, attributes);
    log_ = current_interceptor->log;
  }
  ~LoggedCall() {
    if (log_ != nullptr) [[unlikely]]
      log_->fail_call();
  }
  LoggedCall(const LoggedCall&) = delete;
  LoggedCall& operator=(const LoggedCall&) = delete;

  void end(std::span<const Tensor> outputs) {
    if (log_ == nullptr) [[likely]]
      return;
    std::exchange(log_, nullptr)->end_call(outputs);
  }

 private:
  CallLog* log_ = nullptr;
};

}  // namespace

void dispatch(const OpDef& definition, std::span<Tensor> inputs,
              std::span<AttributeValue> attributes, std::vector<Tensor>& outputs) try {
  LoggedCall logged(definition, inputs, attributes);
  if (compute_type) [[unlikely]]
    to_compute_type(definition, inputs);
  dispatch_named(definition, inputs, attributes, outputs);
  logged.end(outputs);
} catch (const platform::Error& error) {
  name_the_operator(definition, error);
}

Tensor dispatch_one(const OpDef& definition, std::span<Tensor> inputs,
                    std::span<AttributeValue> attributes) try {
  LoggedCall logged(definition, inputs, attributes);
  if (compute_type) [[unlikely]]
    to_compute_type(definition, inputs);
  if (definition.is_elementwise() && definition.infer == op::infer_elementwise) [[likely]] {
    Tensor output;
    check_inputs(definition, inputs);
    run_elementwise(definition, inputs, attributes, output);
    logged.end({&output, 1});
    return output;
  }
  std::vector<Tensor> outputs;
  dispatch_named(definition, inputs, attributes, outputs);
  logged.end(outputs);
  return std::move(outputs.front());
} catch (const platform::Error& error) {
  name_the_operator(definition, error);
}

Tensor dispatch_one(const OpDef& definition, std::span<Tensor> inputs) {
  std::vector<AttributeValue> attributes;
  for (const op::AttributeDef& attribute : definition.attributes)
    attributes.push_back(attribute.initial);
  return dispatch_one(definition, inputs, attributes);
}

Tensor cast_to(const Tensor& tensor, tensor::DType dtype) {
  return emitter().call("cast", {op::Value(&emitter(), tensor)}, {{"dtype", dtype}}).tensor();
}

bool is_long_work(std::span<const Tensor> inputs) {
  constexpr std::int64_t kLong = 16384;
  if (interceptor() != nullptr) return false;
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const Tensor& input) { return input.defined() && input.size() > kLong; });
}

}  // namespace mycel::eager
