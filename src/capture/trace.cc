// SPDX-License-Identifier: Apache-2.0
#include "capture/trace.h"

#include <algorithm>
#include <functional>

#include "device/current.h"
#include "tensor/overlap.h"

namespace mycel::capture {

Tensor seen_through(const Window& window, const Tensor& dense) {
  return Tensor::view(dense, window.shape, window.strides, dense.body().offset + window.offset);
}

Tensor Place::in(std::span<const Tensor> values) const {
  const Tensor& whole = value >= 0 ? values[static_cast<std::size_t>(value)] : reference;
  return part ? seen_through(*part, whole) : whole;
}

Tensor argument_memory(const Tensor& argument) {
  if (device::leaves_host()) [[unlikely]] {
    const device::Device device = device::current_device();
    if (device.backend != device::kHostBackend) tensor::settle_on(device, {&argument, 1});
  }
  if (argument.is_contiguous()) return argument;
  const tensor::ElementRange reach = tensor::reach_of(argument);
  return Tensor::view(argument, {reach.end - reach.begin}, {1}, reach.begin);
}

std::optional<Window> argument_window(const Tensor& argument) {
  if (argument.is_contiguous()) return std::nullopt;
  return Window{argument.shape(), argument.strides(),
                argument.body().offset - tensor::reach_of(argument).begin};
}

std::string seen_by(const Reading& reading, std::span<const Tensor> values) {
  const Tensor tensor = reading.place.in(values);
  std::string seen;
  if (reading.only_shape) {
    for (const std::int64_t length : tensor.shape())
      seen.append(reinterpret_cast<const char*>(&length), sizeof(length));
    return seen;
  }
  // Memory of its own has no watcher, so that looking is not another look.
  const tensor::TensorBody& body = tensor.body();
  const tensor::ElementRange reach = tensor::reach_of(tensor);
  const std::size_t size = tensor::size_of(body.dtype);
  const auto* first = static_cast<const char*>(body.storage->data_unwatched()) +
                      static_cast<std::size_t>(reach.begin) * size;
  const device::Device device = body.storage->device();
  if (tensor.is_contiguous() && device.backend == device::kHostBackend)
    return {first, tensor.bytes()};
  auto storage = tensor::Storage::borrow(
      device, const_cast<char*>(first), static_cast<std::size_t>(reach.end - reach.begin) * size,
      [](void*) {}, nullptr);
  const Tensor row = Tensor::from_storage(storage, {reach.end - reach.begin}, body.dtype);
  const Tensor dense = Tensor::empty(tensor.shape(), body.dtype);
  tensor::copy_elements(Tensor::view(row, body.shape, body.strides, body.offset - reach.begin),
                        dense);
  return {static_cast<const char*>(dense.raw()), dense.bytes()};
}

// ---- ways --------------------------------------------------------------------------------------

namespace {

Step* find_in(const Step& step, const std::string& seen) {
  for (const auto& [key, following] : step.next) {
    if (key == seen) return following.get();
  }
  return nullptr;
}

void visit_from(const Step& step, const std::function<void(const Step&)>& look) {
  std::vector<const Step*> left = {&step};
  while (!left.empty()) {
    const Step* const now = left.back();
    left.pop_back();
    look(*now);
    for (auto next = now->next.rbegin(); next != now->next.rend(); ++next)
      left.push_back(next->second.get());
  }
}

}  // namespace

Step* Ways::find(const Step& step, const std::string& seen, std::uint64_t until) const {
  const std::shared_lock lock(mutex_);
  Step* const found = find_in(step, seen);
  return found != nullptr && found->since <= until ? found : nullptr;
}

bool Ways::add(Step& step, const std::string& seen, std::unique_ptr<Step>& further) {
  const std::unique_lock lock(mutex_);
  if (find_in(step, seen) != nullptr) return false;
  step.next.emplace_back(seen, std::move(further));
  return true;
}

std::size_t Ways::forks(const Step& step) const {
  const std::shared_lock lock(mutex_);
  return step.next.size();
}

void Ways::visit(const std::function<void(const Step&)>& look) const {
  const std::shared_lock lock(mutex_);
  visit_from(root, look);
}

std::size_t Ways::step_count() const {
  std::size_t count = 0;
  visit([&](const Step&) { ++count; });
  return count;
}

void Run::compute(const Step& step, const runtime::Observer& observer) {
  ++steps;
  if (!step.executable) return;
  std::vector<Tensor> given;
  given.reserve(step.arguments.size());
  for (const int place : step.arguments) given.push_back(values[static_cast<std::size_t>(place)]);
  has_effects = has_effects || step.executable->has_effects();
  step.executable->prepare_writes(given);
  std::vector<Tensor> results = step.executable->run(given, observer);
  step.executable->count_writes(given);
  for (const Tensor& result : results) values.push_back(tensor::contiguous(result));
}

void Run::replay(const runtime::Observer& observer) {
  for (Step* step = &ways->root;;) {
    last = step;
    compute(*step, observer);
    if (step->end != Step::End::Read) return;
    seen.push_back(seen_by(step->reading, values));
    Step* following = ways->find(*step, seen.back(), until);
    if (following == nullptr) return;
    step = following;
  }
}

// ---- memory ------------------------------------------------------------------------------------

bool WrittenMemory::is_apart(std::span<const Tensor> arguments) const {
  if (written_arguments.empty() && written_references.empty()) return true;
  for (const std::size_t written : written_arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (i != written && tensor::may_overlap(arguments[i], arguments[written])) return false;
    }
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    // Memory that is nobody else's cannot be that of a tensor from outside.
    if (!arguments[i].storage().may_be_known_otherwise()) continue;
    const bool is_written =
        std::find(written_arguments.begin(), written_arguments.end(), i) != written_arguments.end();
    for (const Tensor& other : is_written ? references : written_references) {
      if (tensor::may_overlap(arguments[i], other)) return false;
    }
  }
  return true;
}

namespace {

template <class T>
void add_missing(std::vector<T>& list, const std::vector<T>& further) {
  for (const T& each : further) {
    if (std::find(list.begin(), list.end(), each) == list.end()) list.push_back(each);
  }
}

}  // namespace

void WrittenMemory::add(const WrittenMemory& other) {
  add_missing(written_arguments, other.written_arguments);
  add_missing(written_references, other.written_references);
  add_missing(references, other.references);
}

}  // namespace mycel::capture
