// SPDX-License-Identifier: Apache-2.0
// Gradients of random programs with loops and decisions in each other, recorded as such, against a
// tape of all turns and of the ways taken: bit by bit, and for any number of turns.
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
  enum class Kind : std::uint8_t { Call, Loop, Branch };
  Kind kind = Kind::Call;
  std::string name = {};  // of an operator
  // Values so far; of a loop: the initial ones; of a decision: what is below zero or not.
  std::vector<std::size_t> operands = {};
  std::size_t turns = 0;  // of a loop: which number of turns
  struct Block {
    std::vector<Step> steps;
    std::vector<std::size_t> results;  // values that go on
  };
  std::vector<Block> blocks = {};  // one turn; two sides

  std::size_t results() const { return kind == Kind::Call ? 1 : blocks[0].results.size(); }
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::vector<Step> program() {
    std::size_t values = kMatrices;
    std::vector<Step> steps = block(values, 0);
    steps.push_back(below(3) == 0 ? branch(values, 0) : loop(values, 0));
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
      const std::size_t kind = depth < 3 ? below(10) : 9;
      steps.push_back(kind == 0   ? loop(values, depth)
                      : kind <= 2 ? branch(values, depth)
                                  : call(values));
      values += steps.back().results();
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
    step.kind = Step::Kind::Loop;
    step.turns = below(kCounts);
    const std::size_t count = 1 + below(3);
    for (std::size_t i = 0; i < count; ++i) step.operands.push_back(any(values));
    std::size_t inner = values + count;
    Step::Block& body = step.blocks.emplace_back();
    body.steps = block(inner, depth + 1);
    // What goes on must not grow without end. A value that becomes another one as it is would have
    // its gradient summed up in another order, if something else reads what it starts with.
    for (std::size_t i = 0; i < count; ++i) {
      if (below(4) == 0) {
        body.results.push_back(values + i);
        continue;
      }
      body.steps.push_back({Step::Kind::Call, "sin", {any(inner)}});
      body.results.push_back(inner++);
    }
    return step;
  }

  // A side may hand on what was there before, as it is, or one value as several.
  Step branch(std::size_t values, int depth) {
    Step step;
    step.kind = Step::Kind::Branch;
    step.operands = {any(values)};
    const std::size_t count = 1 + below(3);
    for (int side = 0; side < 2; ++side) {
      Step::Block& block = step.blocks.emplace_back();
      std::size_t inner = values;
      if (below(4) != 0) block.steps = this->block(inner, depth + 1);
      for (std::size_t i = 0; i < count; ++i) block.results.push_back(any(inner));
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
      for (Tensor& made : results_of(step, values)) values.push_back(std::move(made));
    }
    return values;
  }

 private:
  std::vector<Tensor> results_of(const Step& step, const std::vector<Tensor>& values) {
    switch (step.kind) {
      case Step::Kind::Call: return called(step, values);
      case Step::Kind::Loop: return looped(step, values);
      case Step::Kind::Branch: return branched(step, values);
    }
    return {};
  }

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

  std::vector<Tensor> block(const Step::Block& block, std::vector<Tensor> values,
                            std::span<const Tensor> state = {}) {
    values.insert(values.end(), state.begin(), state.end());
    const std::vector<Tensor> made = run(block.steps, std::move(values));
    std::vector<Tensor> results;
    for (const std::size_t place : block.results) results.push_back(made[place]);
    return results;
  }

  std::vector<Tensor> branched(const Step& step, const std::vector<Tensor>& values) {
    const Tensor zero = eager::number_tensor(0.0);
    const Tensor condition = call("less", {call("reduce_sum", {values[step.operands[0]]}), zero});
    if (recorder_ == nullptr) {
      const bool taken = condition.as_double() != 0;
      std::vector<Tensor> results = block(step.blocks[taken ? 0 : 1], values);
      for (Tensor& one : results) one = call("copy", {one});
      return results;
    }
    recorder_->begin_branch(condition);
    recorder_->begin_other_branch(block(step.blocks[0], values));
    return recorder_->end_branch(block(step.blocks[1], values));
  }

  std::vector<Tensor> looped(const Step& step, const std::vector<Tensor>& values) {
    std::vector<Tensor> state;
    for (const std::size_t place : step.operands) state.push_back(values[place]);
    if (recorder_ == nullptr) {
      for (std::int64_t i = counts_[step.turns].as_int(); i > 0; --i)
        state = block(step.blocks[0], values, state);
      for (Tensor& one : state) one = call("copy", {one});
      return state;
    }
    const Tensor zero = Tensor::empty({}, DType::Int64);
    *zero.data<std::int64_t>() = 0;
    state.push_back(zero);
    state = recorder_->begin_loop(state);
    state = recorder_->begin_turn(call("less", {state.back(), counts_[step.turns]}));
    const Tensor one = eager::number_tensor(std::int64_t{1});
    std::vector<Tensor> next =
        block(step.blocks[0], values, std::span(state).first(state.size() - 1));
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
  for (std::size_t i = made.size() - program.back().results(); i + 1 < made.size(); ++i)
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
    if (step.kind == Step::Kind::Call) {
      text += platform::join(indent, values++, " = ", step.name, operands, "\n");
      continue;
    }
    const std::size_t first = values;
    const bool is_loop = step.kind == Step::Kind::Loop;
    text += platform::join(indent, first, "... = ", is_loop ? "loop " : "if ",
                           is_loop ? platform::join(step.turns, " from") : "", operands, "\n");
    for (const Step::Block& block : step.blocks) {
      values = first + (is_loop ? step.results() : 0);
      text += text_of(block.steps, values, indent + "  ") + indent + "  gives";
      for (const std::size_t place : block.results) text += platform::join(" ", place);
      text += "\n";
    }
    values = first + step.results();
  }
  return text;
}

TEST(RandomGradientsTest, EqualThoseOfAllTurnsBitByBit) {
  int recorded = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
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
  EXPECT_GT(recorded, 500);
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
