// SPDX-License-Identifier: Apache-2.0
// For libFuzzer: whatever clients and worker processes may send, straight to what reads it. The
// first byte chooses the language. Not part of the server; README.md says how to build and run it.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "serving/gateway/classic_json.h"
#include "serving/gateway/classic_path.h"
#include "serving/gateway/grpc_messages.h"
#include "serving/gateway/open_inference.h"
#include "serving/worker/frame.h"

namespace {

using namespace mycel::serving;  // NOLINT: this file is about nothing else

void check_sound(const Value& value) {
  if (!check(value)) std::abort();
  // Every byte is read: a sanitizer sees those that are not there.
  unsigned sum = 0;
  for (const std::byte byte : value.bytes) sum += static_cast<unsigned>(byte);
  static volatile unsigned sink;
  sink = sum;
}

void read_values(const std::vector<NamedValues>& all) {
  for (const NamedValues& values : all)
    for (const auto& [name, value] : values) check_sound(value);
}

const Method& method_of(const NamedTensors& tensors, Servable& servable) {
  Method method;
  Stage stage;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    method.inputs.push_back(tensors[i].first);
    stage.inputs.push_back({0, i});
    method.outputs.push_back(tensors[i].first);
    method.results.push_back({0, i});
  }
  method.stages.push_back(stage);
  servable.models.push_back({.files = {"m"}});
  servable.methods.push_back(std::move(method));
  return servable.methods.back();
}

// The way of tensors through the server: rows, a frame to a worker, a frame back, tensors, a reply.
void go_round(const OpenInferenceRequest& request) {
  Servable servable;
  const Method& method = method_of(request.inputs, servable);
  auto rows = to_instances(servable, method, request.inputs);
  if (!std::holds_alternative<std::vector<Instance>>(rows)) return;
  RunOrder order;
  order.instances = std::get<0>(std::move(rows));
  if (order.instances.empty() || order.instances.size() > 4096) return;
  const OutgoingFrame frame = write_run(FrameKind::Run, 1, order);
  FrameHead head;
  std::memcpy(&head, frame.beginning.data(), sizeof head);
  if (!check_head(head)) std::abort();
  const std::shared_ptr<std::byte[]> data = take_data(head.data_bytes);
  std::size_t at = 0;
  for (const std::span<const std::byte> part : frame.data) {
    std::memcpy(data.get() + at, part.data(), part.size());
    at += part.size();
  }
  const auto read =
      read_run(std::string_view(frame.beginning).substr(sizeof head), data, head.data_bytes);
  if (!read) std::abort();  // what a client may ask is never broken for the worker
  const auto tensors = to_tensors(servable, method, read.value().instances);
  if (const auto* whole = std::get_if<Instance>(&tensors)) {
    for (const Value& value : *whole) check_sound(value);
    OpenInferenceRequest wanted = request;
    wanted.outputs.clear();
    write_open_inference(wanted, "m", 1, method, *whole);
  }
}

void read_json(std::string_view body) {
  const auto instances = read_classic_body(body);
  if (const auto* all = std::get_if<0>(&instances)) {
    read_values(*all);
    for (const NamedValues& values : *all) {
      Servable servable;
      const Method& method = method_of(values, servable);
      Instance instance;
      for (const auto& [name, value] : values) instance.push_back(value);
      classic_reply(method, {instance});
    }
  }
}

void read_inference(std::string_view body) {
  if (body.size() < 2) return;
  std::uint16_t json_bytes = 0;
  std::memcpy(&json_bytes, body.data(), sizeof json_bytes);
  body.remove_prefix(sizeof json_bytes);
  const auto request =
      read_open_inference(body, json_bytes == 0xffff ? body.size() : std::size_t{json_bytes});
  if (const auto* own = std::get_if<0>(&request)) {
    read_values({own->inputs});
    go_round(*own);
  }
}

void read_frame(std::string_view bytes) {
  if (bytes.size() < 3) return;
  std::uint16_t size = 0;
  std::memcpy(&size, bytes.data() + 1, sizeof size);
  const bool is_run = (bytes[0] & 1) != 0;
  bytes.remove_prefix(3);
  const std::string_view description = bytes.substr(0, size);
  const std::string_view rest = bytes.substr(description.size());
  const std::shared_ptr<std::byte[]> data = take_data(rest.size());
  std::memcpy(data.get(), rest.data(), rest.size());
  if (is_run) {
    if (const auto order = read_run(description, data, rest.size()))
      for (const Instance& instance : order.value().instances)
        for (const Value& value : instance) check_sound(value);
    return;
  }
  if (const auto outcomes = read_result(description, data, rest.size()))
    for (const Outcome& outcome : outcomes.value())
      if (const auto* instance = std::get_if<Instance>(&outcome))
        for (const Value& value : *instance) check_sound(value);
}

void read_call(std::string_view bytes) {
  auto request = std::make_shared<ms::PredictRequest>();
  if (!request->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  const auto instances = read_instances(request);
  if (const auto* all = std::get_if<0>(&instances)) read_values(*all);
}

void read_inference_call(std::string_view bytes) {
  auto request = std::make_shared<inference::ModelInferRequest>();
  if (!request->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
  const auto tensors = read_tensors(request);
  if (const auto* own = std::get_if<NamedTensors>(&tensors)) {
    read_values({*own});
    OpenInferenceRequest wanted;
    wanted.inputs = *own;
    go_round(wanted);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  switch (bytes[0] % 6) {
    case 0: read_json(rest); break;
    case 1: read_inference(rest); break;
    case 2: read_frame(rest); break;
    case 3: read_call(rest); break;
    case 4: read_inference_call(rest); break;
    case 5: read_classic_path(rest); break;
  }
  return 0;
}
