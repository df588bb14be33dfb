// SPDX-License-Identifier: Apache-2.0
// Gradients of random programs with loops in loops, recorded as such, against a tape of all turns:
// bit by bit, and for any number of turns.
#include <cmath>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "capture/declined.h"
#include "capture/recorder.h"
#include "capture/recorder_harness.h"
#include "eager/gradient_call.h"
#include "passes/pipeline.h"

namespace mycel::capture {
namespace {

using namespace testing;
using eager::GradientCall;

constexpr std::size_t kMatrices = 3;  // arguments; after them come numbers of turns
constexpr std::size_t kCounts = 3;

struct Step {
  std::string name;                   // of an operator; empty: a loop
  std::vector<std::size_t> operands;  // values so far; of a loop: the initial ones
  std::size_t turns = 0;              // of a loop: which number of turns
  std::vector<Step> body;
  std::vector<std::size_t> next;  // values of the body that go on
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::vector<Step> program() {
    std::size_t values = kMatrices;
    std::vector<Step> steps = block(values, 0);
    steps.push_back(loop(values, 0));
    return steps;
  }
  std::mt19937& random() { return random_; }

 private:
  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }

  std::size_t any(std::size_t values) {
    const std::size_t reach = below(3) == 0 ? values : std::min<std::size_t>(4, values);
    return values - 1 - below(reach);
  }

  std::vector<Step> block(std::size_t& values, int depth) {
    std::vector<Step> steps;
    const std::size_t count = 2 + below(4);
    for (std::size_t i = 0; i < count; ++i) {
      if (depth < 2 && below(6) == 0) {
        steps.push_back(loop(values, depth));
        values += steps.back().operands.size();
      } else {
        steps.push_back(call(values));
        ++values;
      }
    }
    return steps;
  }

  Step call(std::size_t values) {
    static const char* const kUnary[] = {"sin", "cos", "neg", "copy", "transposed"};
    static const char* const kBinary[] = {"mul", "add", "matmul", "sub"};
    Step step;
    if (below(2) == 0) {
      step.name = kUnary[below(std::size(kUnary))];
      step.operands = {any(values)};
    } else {
      step.name = kBinary[below(std::size(kBinary))];
      step.operands = {any(values), any(values)};
    }
    return step;
  }

  Step loop(std::size_t values, int depth) {
    Step step;
    step.turns = below(kCounts);
    const std::size_t count = 1 + below(3);
    for (std::size_t i = 0; i < count; ++i) step.operands.push_back(any(values));
    std::size_t inner = values + count;
    step.body = block(inner, depth + 1);
    // What goes on must not grow without end. A value that becomes another one as it is would have
    // its gradient summed up in another order, if something else reads what it starts with.
    for (std::size_t i = 0; i < count; ++i) {
      if (below(4) == 0) {
        step.next.push_back(values + i);
        continue;
      }
      step.body.push_back({"sin", {any(inner)}, 0, {}, {}});
      step.next.push_back(inner++);
    }
    return step;
  }

  std::mt19937 random_;
};

class Interpreter {
 public:
  // Without `recorder`, turns are made one by one.
  Interpreter(std::vector<Tensor> counts, Recorder* recorder)
      : counts_(std::move(counts)), recorder_(recorder) {}

  std::vector<Tensor> run(const std::vector<Step>& steps, std::vector<Tensor> values) {
    for (const Step& step : steps) {
      for (Tensor& made : step.name.empty() ? looped(step, values) : called(step, values))
        values.push_back(std::move(made));
    }
    return values;
  }

 private:
  static std::vector<Tensor> called(const Step& step, const std::vector<Tensor>& values) {
    const Tensor& x = values[step.operands[0]];
    if (step.name == "transposed") {
      return {
          eager::emitter()
              .call("transpose", {Value(&eager::emitter(), x)}, {{"perm", tensor::IntList{1, 0}}})
              .tensor()};
    }
    if (step.operands.size() == 1) return {call(step.name.c_str(), {x})};
    return {call(step.name.c_str(), {x, values[step.operands[1]]})};
  }

  std::vector<Tensor> turn(const Step& step, std::vector<Tensor> values,
                           std::span<const Tensor> state) {
    values.insert(values.end(), state.begin(), state.end());
    const std::vector<Tensor> made = run(step.body, std::move(values));
    std::vector<Tensor> next;
    for (const std::size_t place : step.next) next.push_back(made[place]);
    return next;
  }

  std::vector<Tensor> looped(const Step& step, const std::vector<Tensor>& values) {
    std::vector<Tensor> state;
    for (const std::size_t place : step.operands) state.push_back(values[place]);
    if (recorder_ == nullptr) {
      for (std::int64_t i = counts_[step.turns].as_int(); i > 0; --i)
        state = turn(step, values, state);
      for (Tensor& one : state) one = call("copy", {one});
      return state;
    }
    const Tensor zero = Tensor::empty({}, DType::Int64);
    *zero.data<std::int64_t>() = 0;
    state.push_back(zero);
    state = recorder_->begin_loop(state);
    state = recorder_->begin_turn(call("less", {state.back(), counts_[step.turns]}));
    const Tensor one = eager::number_tensor(std::int64_t{1});
    std::vector<Tensor> next = turn(step, values, std::span(state).first(state.size() - 1));
    next.push_back(call("add", {state.back(), one}));
    state = recorder_->end_loop(next);
    state.pop_back();
    return state;
  }

  std::vector<Tensor> counts_;
  Recorder* recorder_;
};

// The last values of the program, and gradients of their sum. If told, it leaves the recorder after
// the forward pass.
std::vector<Tensor> differentiated(const std::vector<Step>& program,
                                   const std::vector<Tensor>& arguments, Recorder* recorder,
                                   bool leaves = false) {
  GradientCall gradient;
  std::vector<Tensor> matrices;
  for (std::size_t i = 0; i < kMatrices; ++i) matrices.push_back(gradient.watch(arguments[i]));
  const std::vector<Tensor> counts(arguments.begin() + kMatrices, arguments.end());
  const std::vector<Tensor> made = Interpreter(counts, recorder).run(program, matrices);
  Tensor total = call("reduce_sum", {made.back()});
  for (std::size_t i = made.size() - program.back().operands.size(); i + 1 < made.size(); ++i)
    total = call("add", {total, call("reduce_sum", {call("sin", {made[i]})})});
  gradient.end_forward();
  if (leaves) recorder->abandon("the test says so");
  const Tensor seed;
  std::vector<Tensor> found = gradient.backward({&total, 1}, {&seed, 1}, false);
  for (Tensor& one : found) {
    if (!one.defined()) one = call("zeros_like", {arguments[0]});
  }
  found.push_back(total);
  return found;
}

std::shared_ptr<runtime::Executable> optimized(std::unique_ptr<ir::Graph> graph) {
  passes::PipelineOptions options;
  options.verify = true;
  passes::optimize(*graph, options);
  return std::make_shared<runtime::Executable>(std::move(graph));
}

Tensor matrix(std::mt19937& random) {
  std::uniform_real_distribution<float> draw(-1, 1);
  Tensor tensor = Tensor::empty({3, 3}, DType::Float32);
  for (int i = 0; i < 9; ++i) tensor.data<float>()[i] = draw(random);
  return tensor;
}

std::vector<Tensor> arguments(std::mt19937& random, std::int64_t fewest) {
  std::vector<Tensor> list;
  for (std::size_t i = 0; i < kMatrices; ++i) list.push_back(matrix(random));
  for (std::size_t i = 0; i < kCounts; ++i) {
    const Tensor count = Tensor::empty({}, DType::Int64);
    *count.data<std::int64_t>() = std::uniform_int_distribution<std::int64_t>(fewest, 4)(random);
    list.push_back(count);
  }
  return list;
}

// Where the number of turns decides whether a value has a gradient, it is a zero here instead of
// none: zeros may have another sign.
std::vector<std::uint32_t> bits_of(const Tensor& tensor) {
  std::vector<float> values = values_of(tensor);
  std::vector<std::uint32_t> bits;
  for (float& value : values) {
    if (value == 0) value = 0;
    std::uint32_t one = 0;
    std::memcpy(&one, &value, sizeof(one));
    bits.push_back(std::isnan(value) ? 0x7fc00000 : one);
  }
  return bits;
}

// For messages.
std::string text_of(const std::vector<Step>& steps, std::size_t& values,
                    const std::string& indent) {
  std::string text;
  for (const Step& step : steps) {
    std::string operands;
    for (const std::size_t place : step.operands) operands += platform::join(" ", place);
    if (!step.name.empty()) {
      text += platform::join(indent, values++, " = ", step.name, operands, "\n");
      continue;
    }
    const std::size_t first = values;
    values += step.operands.size();
    text += platform::join(indent, first, "... = loop ", step.turns, " from", operands, "\n");
    text += text_of(step.body, values, indent + "  ") + indent + "  next";
    for (const std::size_t place : step.next) text += platform::join(" ", place);
    text += "\n";
    values = first + step.operands.size();
  }
  return text;
}

TEST(RandomGradientsTest, EqualThoseOfAllTurnsBitByBit) {
  int recorded = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    Generator generator(seed);
    const std::vector<Step> program = generator.program();
    std::vector<std::vector<Tensor>> rounds;
    for (const std::int64_t fewest : {1, 1, 0, 0, 1})
      rounds.push_back(arguments(generator.random(), fewest));
    Trace trace;
    const auto function = [&](const std::vector<Tensor>& x) {
      return differentiated(program, x, current_recorder());
    };
    try {
      Recorder recorder(trace.run(rounds[0]), rounds[0], optimized, somewhere, "f");
      std::vector<Tensor> stand_ins;
      for (std::size_t i = 0; i < rounds[0].size(); ++i) stand_ins.push_back(recorder.argument(i));
      const std::vector<Tensor> results = function(stand_ins);
      recorder.finish(results, nullptr);
      trace.ways = recorder.run().ways;
    } catch (const Declined&) {
      continue;
    }
    ++recorded;
    ASSERT_EQ(trace.ways->step_count(), 1U);
    for (std::size_t round = 0; round < rounds.size(); ++round) {
      const std::vector<Tensor> expected = differentiated(program, rounds[round], nullptr);
      const std::vector<Tensor> results = replay(trace, rounds[round]);
      std::size_t values = kMatrices;
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(bits_of(results[i]), bits_of(expected[i]))
            << "seed " << seed << ", round " << round << ", result " << i << ", turns "
            << rounds[round][3].as_int() << " " << rounds[round][4].as_int() << " "
            << rounds[round][5].as_int() << "\n"
            << text_of(program, values, "");
    }
  }
  EXPECT_GT(recorded, 250);
}

// Backward of a run that is no longer recorded walks the tape of one turn for each of them.
TEST(RandomGradientsTest, AreTheSameWhenTheRecorderIsLeft) {
  int recorded = 0;
  for (unsigned seed = 1000; seed < 1150; ++seed) {
    Generator generator(seed);
    const std::vector<Step> program = generator.program();
    for (const std::int64_t fewest : {1, 0}) {
      const std::vector<Tensor> given = arguments(generator.random(), fewest);
      std::vector<Tensor> results;
      try {
        Recorder recorder(Trace().run(given), given, compile, somewhere, "f");
        std::vector<Tensor> stand_ins;
        for (std::size_t i = 0; i < given.size(); ++i) stand_ins.push_back(recorder.argument(i));
        results = differentiated(program, stand_ins, &recorder, true);
      } catch (const Declined&) {
        continue;
      }
      ++recorded;
      const std::vector<Tensor> expected = differentiated(program, given, nullptr);
      std::size_t values = kMatrices;
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(bits_of(results[i]), bits_of(expected[i]))
            << "seed " << seed << ", result " << i << "\n"
            << text_of(program, values, "");
    }
  }
  EXPECT_GT(recorded, 150);
}

}  // namespace
}  // namespace mycel::capture
