// SPDX-License-Identifier: Apache-2.0
// An interpreter for tests: its objects are numbers, its functions are C++ functions of tensors,
// and its guards are questions.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "capture/capture_session.h"
#include "capture/recorder_harness.h"
#include "capture/trace_cache.h"

namespace mycel::capture::testing {

struct FakeObject {
  int value = 0;
};
inline const FakeObject kTensorClass, kTupleClass, kDictClass, kListClass;

class FakeInterpreter : public Interpreter {
 public:
  std::shared_ptr<const void> hold(const void* object) override {
    return {object, [](auto) {}};
  }
  bool is_equal(const void* now, const void* before) override {
    ++comparisons;
    return value_of(now) == value_of(before);
  }
  std::string describe(const void* object) override { return std::to_string(value_of(object)); }
  ir::Position position() override { return somewhere(); }
  void* pause() override {
    ++pauses;
    return nullptr;
  }
  void resume(void*) override {}
  void attend() override { ++attended; }

  std::atomic<int> comparisons = 0, pauses = 0, attended = 0;

 private:
  static int value_of(const void* object) { return static_cast<const FakeObject*>(object)->value; }
};

class FakeGuard final : public Guard {
 public:
  FakeGuard(std::size_t subject, std::function<bool()> question)
      : subject_(subject), question_(std::move(question)) {}
  bool holds() const override { return question_(); }
  std::size_t subject() const override { return subject_; }
  bool is_about_same(const Guard& other) const override {
    return static_cast<const FakeGuard&>(other).subject_ == subject_;
  }

 private:
  std::size_t subject_;
  std::function<bool()> question_;
};

inline std::shared_ptr<const Guard> guard(std::size_t subject, std::function<bool()> question) {
  return std::make_shared<FakeGuard>(subject, std::move(question));
}

// Arguments of a call: tensors, and numbers after them.
inline Call call_with(const std::vector<Tensor>& tensors,
                      const std::vector<const FakeObject*>& numbers = {}) {
  Call call;
  call.add_container(Argument::Kind::Tuple, &kTupleClass, &kTupleClass,
                     tensors.size() + numbers.size());
  for (const Tensor& tensor : tensors) call.add_tensor(&tensor.body(), &kTensorClass, tensor);
  for (const FakeObject* number : numbers) call.add_value(Argument::Kind::Equal, number);
  call.add_container(Argument::Kind::Dict, &call, &kDictClass, 0);
  return call;
}

inline std::vector<Tensor> results_of(const Step& step, std::span<const Tensor> values) {
  std::vector<Tensor> results;
  for (const Place& place : step.returned) results.push_back(place.in(values));
  return results;
}

// A function that is called as captured functions are: run by its cache where that knows how, else
// under a recorder.
class FakeFunction {
 public:
  using Body = std::function<std::vector<Tensor>(CaptureSession&, const std::vector<Tensor>&)>;
  FakeFunction(Interpreter& interpreter, Body body)
      : cache("f", interpreter), body_(std::move(body)) {}

  std::vector<Tensor> operator()(const std::vector<Tensor>& tensors,
                                 const std::vector<const FakeObject*>& numbers = {}) {
    const Call call = call_with(tensors, numbers);
    Outcome outcome = cache.run(call);
    if (outcome.kind == Outcome::Kind::Done)
      return results_of(*outcome.run.last, outcome.run.values);
    return capture(call, outcome.kind == Outcome::Kind::Paused ? &outcome : nullptr);
  }

  std::vector<Tensor> capture(const Call& call, Outcome* paused) {
    ++captures;
    const auto session = cache.begin(call, paused);
    std::vector<Tensor> stand_ins;
    for (std::size_t i = 0; i < call.input_count(); ++i)
      stand_ins.push_back(session->recorder().argument(i));
    std::vector<Tensor> returned = body_(*session, stand_ins);
    const bool is_kept = session->finish([&] {
      return CaptureSession::Returned{returned, nullptr, {}};
    });
    if (!is_kept) return returned;
    const Recorder& recorder = session->recorder();
    return results_of(recorder.last_step(), recorder.run().values);
  }

  TraceCache cache;
  std::atomic<int> captures = 0;

 private:
  Body body_;
};

}  // namespace mycel::capture::testing
