// SPDX-License-Identifier: Apache-2.0
#include "capture/trace.h"

#include <functional>

namespace mycel::capture {

Step* Step::find(const std::string& seen) const {
  for (const auto& [key, step] : next) {
    if (key == seen) return step.get();
  }
  return nullptr;
}

Step& Step::grow(std::string seen) {
  return *next.emplace_back(std::move(seen), std::make_unique<Step>()).second;
}

std::string seen_by(const Reading& reading, std::span<const Tensor> values) {
  const Tensor& tensor =
      reading.value >= 0 ? values[static_cast<std::size_t>(reading.value)] : reading.parameter;
  std::string seen;
  if (reading.only_shape) {
    for (const std::int64_t length : tensor.shape())
      seen.append(reinterpret_cast<const char*>(&length), sizeof(length));
    return seen;
  }
  const tensor::TensorBody& body = tensor.body();
  const auto* bytes = static_cast<const char*>(body.storage->data_unwatched()) +
                      static_cast<std::size_t>(body.offset) * tensor::size_of(body.dtype);
  return {bytes, tensor.bytes()};
}

void Trace::replay(std::vector<Tensor> arguments, Run& run, const runtime::Observer& observer) {
  run.values = std::move(arguments);
  std::vector<Tensor> given;
  for (Step* step = &root;;) {
    run.last = step;
    if (step->executable) {
      given.clear();
      for (const int place : step->arguments)
        given.push_back(run.values[static_cast<std::size_t>(place)]);
      std::vector<Tensor> results = step->executable->run(given, observer);
      step->executable->count_writes();
      for (const Tensor& result : results) run.values.push_back(tensor::contiguous(result));
    }
    if (step->end != Step::End::Read) return;
    Step* following = step->find(seen_by(step->reading, run.values));
    if (following == nullptr) return;
    step = following;
  }
}

namespace {

void visit(const Step& step, const std::function<void(const Step&)>& look) {
  look(step);
  for (const auto& [key, next] : step.next) visit(*next, look);
}

}  // namespace

std::size_t Trace::step_count() const {
  std::size_t count = 0;
  visit(root, [&](const Step&) { ++count; });
  return count;
}

std::size_t Trace::work() const { return root.executable ? root.executable->work() : 0; }

}  // namespace mycel::capture
