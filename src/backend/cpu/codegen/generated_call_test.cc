// SPDX-License-Identifier: Apache-2.0
// Generated code against the interpreter, bit by bit.
#include "backend/cpu/codegen/generated_call.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "backend/cpu/codegen/background_compiler.h"
#include "backend/cpu/codegen/generated_code.h"
#include "backend/cpu/scalar_executor.h"
#include "operator/registry.h"

namespace mycel::cpu::codegen {
namespace {

using op::Expr;
using op::ScalarOp;
using tensor::DType;
using tensor::Shape;
using tensor::Tensor;

constexpr std::int64_t kSizes[] = {1, 7, 15, 16, 17, 1000, 4097};
constexpr double kSpecial[] = {0.0,
                               -0.0,
                               1.0,
                               -1.0,
                               2.0,
                               -0.5,
                               1e-3,
                               30.0,
                               -30.0,
                               1e30,
                               -1e30,
                               1e-40,
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()};

bool has_compiler() {
  static const bool has = [] {
    BackgroundCompiler::instance().set_cache_folder("off");
    try {
      const Expr x = Expr::input(0);
      return GeneratedCode(op::flatten(x * x + 1), false).kernel_now(0) != nullptr;
    } catch (const platform::Error& error) {
      return false;
    }
  }();
  return has;
}

template <class T>
void fill(const Tensor& tensor, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 2);
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const bool special = random() % 4 == 0;
    tensor.data<T>()[i] =
        static_cast<T>(special ? kSpecial[random() % std::size(kSpecial)] : normal(random));
  }
}

Tensor make(const Shape& shape, DType type, unsigned seed) {
  Tensor result = Tensor::empty(shape, type);
  if (type == DType::Bool) {
    std::mt19937 random(seed);
    for (std::int64_t i = 0; i < result.size(); ++i) result.data<bool>()[i] = random() % 2 == 0;
  } else if (type == DType::Float64) {
    fill<double>(result, seed);
  } else {
    fill<float>(result, seed);
  }
  return result;
}

template <class T>
std::int64_t first_difference(const Tensor& a, const Tensor& b) {
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const T x = a.data<T>()[i];
    const T y = b.data<T>()[i];
    if (x != x && y != y) continue;
    if (std::memcmp(&x, &y, sizeof x) != 0) return i;
  }
  return -1;
}

void expect_same(const Tensor& interpreted, const Tensor& generated, const std::string& what) {
#ifdef MYCEL_SANITIZED
  // Built for a sanitizer the interpreter's loops call other functions than the vector ones, and
  // the bits differ; there the tests look for wrong memory accesses only.
  return;
#endif
  const DType type = interpreted.dtype();
  std::int64_t place = -1;
  if (type == DType::Float32) place = first_difference<float>(interpreted, generated);
  if (type == DType::Float64) place = first_difference<double>(interpreted, generated);
  if (type == DType::Bool) place = first_difference<bool>(interpreted, generated);
  if (place < 0) return;
  std::string values;
  if (type == DType::Float32) {
    values =
        platform::join(interpreted.data<float>()[place], " and ", generated.data<float>()[place]);
  }
  ADD_FAILURE() << what << " differs at " << place << " of " << interpreted.size() << ": "
                << values;
}

// One program bound twice: with and without generated code.
struct Pair {
  Pair(const op::ScalarProgram& program, DType type)
      : bound(*bind(program, type, "formula under test")), plain(bound) {
    bound.code = std::make_shared<GeneratedCode>(program, type == DType::Float64);
    plain.code = nullptr;
  }
  // False: the interpreter alone can do it.
  bool compare(const std::vector<Tensor>& inputs, const Shape& shape, const std::string& what) {
    const std::vector<op::AttributeValue> attributes(16, op::AttributeValue(0.75));
    const Tensor interpreted = Tensor::empty(shape, plain.result_dtype);
    const Tensor generated = Tensor::empty(shape, plain.result_dtype);
    std::memset(generated.raw(), 0x5a, generated.size() * tensor::size_of(generated.dtype()));
    run_program(plain, inputs, attributes, interpreted);
    compile_at_once(true);
    const bool done = run_generated(bound, inputs, attributes, generated);
    compile_at_once(false);
    if (done) expect_same(interpreted, generated, what);
    return done;
  }
  BoundProgram bound;
  BoundProgram plain;
};

// Every size; operands dense, then each of them single.
int compare_sizes(const op::ScalarProgram& program, DType type, const std::string& what) {
  Pair pair(program, type);
  int done = 0;
  for (const std::int64_t size : kSizes) {
    for (int single = -1; single < program.input_count; ++single) {
      std::vector<Tensor> inputs(static_cast<std::size_t>(program.input_count),
                                 make({size}, type, 99));
      for (const BoundInput& input : pair.bound.inputs) {
        const Shape shape = input.input == single ? Shape{1} : Shape{size};
        inputs[static_cast<std::size_t>(input.input)] =
            make(shape, input.is_mask ? DType::Bool : type,
                 static_cast<unsigned>(size * 10 + input.input));
      }
      done += pair.compare(inputs, {size}, platform::join(what, " ", type, " single ", single));
    }
  }
  return done;
}

bool binds(const op::ScalarProgram& program, DType type) {
  try {
    bind(program, type, "formula under test");
    return true;
  } catch (const platform::Error&) {
    return false;
  }
}

TEST(GeneratedCallTest, EveryOperatorGivesTheSameBits) {
  if (!has_compiler()) GTEST_SKIP() << "there is no code generator";
  int compared = 0;
  for (const op::OpDef* definition : op::all()) {
    if (!definition->is_elementwise() || definition->attributes.size() > 16) continue;
    for (const DType type : {DType::Float32, DType::Float64}) {
      if (!binds(definition->program(), type)) continue;
      compared += compare_sizes(definition->program(), type, definition->name) > 0;
      for (int i = 0; i < static_cast<int>(definition->inputs.size()); ++i) {
        if (definition->gradient_kind != op::GradientKind::Derived) continue;
        const op::OpDef* gradient = definition->derived_gradient(i);
        if (gradient == nullptr || !binds(gradient->program(), type)) continue;
        compared += compare_sizes(gradient->program(), type, gradient->name) > 0;
      }
    }
  }
  EXPECT_GT(compared, 150);
}

// A formula of random operations over random inputs.
class RandomFormula {
 public:
  explicit RandomFormula(unsigned seed) : random_(seed) {}

  Expr number(int depth) {
    using enum ScalarOp;
    static constexpr ScalarOp kUnary[] = {Neg,   Abs,  Sign,  Sqrt,  Rsqrt, Reciprocal, Square,
                                          Exp,   Log,  Tanh,  Erf,   Sin,   Sigmoid,    Floor,
                                          Expm1, Atan, Log1p, Round, Ceil,  Trunc};
    // Of operations that are never compiled there would be nothing to compare.
    static constexpr ScalarOp kBinary[] = {Add,     Sub,      Mul,      Div,      Maximum,
                                           Minimum, TruncDiv, FloorDiv, CopySign, Pow};
    if (depth == 0) {
      return random_() % 3 == 0 ? Expr(static_cast<double>(random_() % 9) - 3.5)
                                : Expr::input(static_cast<int>(random_() % 3));
    }
    switch (random_() % 5) {
      case 0:
      case 1: return Expr::make(kUnary[random_() % std::size(kUnary)], {number(depth - 1)});
      case 2: return select(mask(depth - 1), number(depth - 1), number(depth - 1));
      default:
        return Expr::make(kBinary[random_() % std::size(kBinary)],
                          {number(depth - 1), number(depth - 1)});
    }
  }

 private:
  Expr mask(int depth) {
    using enum ScalarOp;
    static constexpr ScalarOp kCompare[] = {Equal,     NotEqual, Less,
                                            LessEqual, Greater,  GreaterEqual};
    static constexpr ScalarOp kTest[] = {IsNan, IsInf, IsFinite, SignBit};
    if (depth == 0) return Expr::input(3, true);
    switch (random_() % 4) {
      case 0: return Expr::make(kTest[random_() % std::size(kTest)], {number(depth - 1)});
      case 1: return Expr::make(random_() % 2 == 0 ? And : Xor, {mask(depth - 1), mask(depth - 1)});
      default:
        return Expr::make(kCompare[random_() % std::size(kCompare)],
                          {number(depth - 1), number(depth - 1)});
    }
  }
  std::mt19937 random_;
};

TEST(GeneratedCallTest, RandomFormulasGiveTheSameBits) {
  if (!has_compiler()) GTEST_SKIP() << "there is no code generator";
  int compared = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Expr formula = RandomFormula(seed).number(3);
    op::ScalarProgram program = op::flatten(formula);
    program.input_count = 4;
    compared += compare_sizes(program, seed % 2 == 0 ? DType::Float32 : DType::Float64,
                              op::to_string(formula)) > 0;
  }
  EXPECT_GT(compared, 45);
}

// The narrower vectors, whatever the machine has. Its functions may round the last bit differently.
template <class T>
void compare_narrow(const op::ScalarProgram& program, DType type, const std::string& what) {
  const KernelText text = kernel_text(program, {false, type == DType::Float64}, 0);
  if (text.text.empty()) return;
  const Pair pair(program, type);
  if (pair.plain.result_dtype != type) return;
  const std::vector<Tensor> inputs{make({1003}, type, 1), make({1003}, type, 2),
                                   make({1003}, type, 3), make({1003}, DType::Bool, 4)};
  const Tensor expected = Tensor::empty({1003}, type);
  const Tensor output = Tensor::empty({1003}, type);
  run_program(pair.plain, inputs, {}, expected);
  const void* places[4];
  for (std::size_t i = 0; i < 4; ++i) places[i] = inputs[i].raw();
  BackgroundCompiler::instance().compile(text)(places, nullptr, output.raw(), 0, 1003);
  for (std::int64_t i = 0; i < 1003; ++i) {
    const T x = expected.data<T>()[i];
    const T y = output.data<T>()[i];
    if (x == y || (x != x && y != y)) continue;
    ASSERT_NEAR(x, y, 1e-5 * (1e-30 + std::abs(static_cast<double>(x)))) << what << " at " << i;
  }
}

TEST(GeneratedCallTest, NarrowVectorsGiveTheSameResults) {
  if (!has_compiler()) GTEST_SKIP() << "there is no code generator";
  const Expr x = Expr::input(0);
  const Expr y = Expr::input(1);
  const Expr formulas[] = {
      select(Expr::input(3, true), apply(ScalarOp::Exp, x) + 1, y * 0.5),
      apply(ScalarOp::Maximum, apply(ScalarOp::Tanh, x), y) - apply(ScalarOp::Sigmoid, y),
      apply(ScalarOp::Erf, x) * apply(ScalarOp::Rsqrt, y),
      select((x > y) && Expr::input(3, true), apply(ScalarOp::Log, x), apply(ScalarOp::Sign, y)),
      apply(ScalarOp::Pow, y, Expr(3)) / apply(ScalarOp::FloorDiv, x, y)};
  for (const Expr& formula : formulas) {
    compare_narrow<float>(op::flatten(formula), DType::Float32, op::to_string(formula));
    compare_narrow<double>(op::flatten(formula), DType::Float64, op::to_string(formula));
  }
}

TEST(GeneratedCallTest, OperandsStretchedAlongRowsAndColumns) {
  if (!has_compiler()) GTEST_SKIP() << "there is no code generator";
  const Expr x = Expr::input(0);
  const Expr formula = apply(ScalarOp::Tanh, (x - Expr::input(1)) * Expr::input(2) + 0.5);
  for (const DType type : {DType::Float32, DType::Float64}) {
    Pair pair(op::flatten(formula), type);
    for (const std::int64_t inner : {12, 49, 64, 1000}) {
      const Tensor dense = make({3, 5, inner}, type, 1);
      const Tensor turned = Tensor::view(dense, {3, 5, inner}, {inner, 3 * inner, 1}, 0);
      for (const Tensor& first : {dense, turned}) {
        for (const Shape& second : {Shape{5, 1}, Shape{inner}, Shape{3, 1, inner}, Shape{1, 1}}) {
          EXPECT_TRUE(pair.compare({first, make(second, type, 2), make({3, 1, 1}, type, 3)},
                                   {3, 5, inner}, platform::join("rows of ", inner)));
        }
      }
    }
  }
}

TEST(GeneratedCallTest, PythonNumbersAreConvertedOnce) {
  if (!has_compiler()) GTEST_SKIP() << "there is no code generator";
  const Tensor real = Tensor::empty({}, DType::Float64);
  *real.data<double>() = 0.1;
  const Tensor whole = Tensor::empty({}, DType::Int64);
  *whole.data<std::int64_t>() = 3;
  const Expr formula = Expr::input(0) * Expr::input(1) + Expr::input(2);
  Pair pair(op::flatten(formula), DType::Float32);
  EXPECT_TRUE(pair.compare({make({33}, DType::Float32, 1), real, whole}, {33}, "numbers"));
  EXPECT_TRUE(pair.compare({make({5, 33}, DType::Float32, 1), real, make({33}, DType::Float32, 2)},
                           {5, 33}, "numbers in rows"));
  EXPECT_FALSE(pair.compare({make({33}, DType::Float32, 1), make({33}, DType::Float64, 1), whole},
                            {33}, "another type"));
}

TEST(GeneratedCallTest, ResultMayTakeThePlaceOfAnOperand) {
  if (!has_compiler()) GTEST_SKIP() << "there is no code generator";
  const Expr formula = Expr::input(0) * Expr::input(1) + Expr::input(1);
  const Pair pair(op::flatten(formula), DType::Float32);
  const Tensor first = make({5001}, DType::Float32, 1);
  const Tensor second = make({5001}, DType::Float32, 2);
  const Tensor expected = Tensor::empty({5001}, DType::Float32);
  const Tensor inputs[] = {first, second};
  run_program(pair.plain, inputs, {}, expected);
  compile_at_once(true);
  EXPECT_TRUE(run_generated(pair.bound, inputs, {}, second));
  compile_at_once(false);
  expect_same(expected, second, "in place");
}

TEST(GeneratedCallTest, CodeArrivesWhileTheInterpreterWorks) {
  if (!has_compiler()) GTEST_SKIP() << "there is no code generator";
  BackgroundCompiler& compiler = BackgroundCompiler::instance();
  const std::int64_t before = compiler.status().compiled;
  const Expr formula = Expr::input(0) * 1.625 + Expr::input(1) * -0.3125;
  const Pair pair(op::flatten(formula), DType::Float32);
  const Tensor inputs[] = {make({5000}, DType::Float32, 1), make({5000}, DType::Float32, 2)};
  const Tensor output = Tensor::empty({5000}, DType::Float32);
  for (int call = 0; call <= GeneratedCode::kCallsBefore; ++call) {
    EXPECT_FALSE(run_generated(pair.bound, inputs, {}, output)) << call;
  }
  compiler.wait();
  EXPECT_EQ(compiler.status().compiled, before + 1);
  EXPECT_TRUE(run_generated(pair.bound, inputs, {}, output));
  const Tensor few[] = {make({100}, DType::Float32, 1), make({100}, DType::Float32, 2)};
  EXPECT_TRUE(run_generated(pair.bound, few, {}, Tensor::empty({100}, DType::Float32)));
  const Tensor two[] = {make({2}, DType::Float32, 1), make({2}, DType::Float32, 2)};
  EXPECT_FALSE(run_generated(pair.bound, two, {}, Tensor::empty({2}, DType::Float32)));
}

TEST(GeneratedCallTest, SmallCallsDoNotAskForCode) {
  if (!has_compiler()) GTEST_SKIP() << "there is no code generator";
  const Pair pair(op::flatten(Expr::input(0) * 1.875 + Expr::input(0) * -0.4375), DType::Float32);
  const Tensor inputs[] = {make({100}, DType::Float32, 1)};
  const Tensor output = Tensor::empty({100}, DType::Float32);
  for (int call = 0; call < 10; ++call) {
    EXPECT_FALSE(run_generated(pair.bound, inputs, {}, output));
  }
  BackgroundCompiler::instance().wait();
  EXPECT_FALSE(run_generated(pair.bound, inputs, {}, output));
}

TEST(GeneratedCallTest, ResultsWrittenPastTheCachesAreTheSame) {
  if (!has_compiler()) GTEST_SKIP() << "there is no code generator";
  const Expr formula = apply(ScalarOp::Tanh, Expr::input(0)) * 0.5 + Expr::input(0);
  for (const DType type : {DType::Float32, DType::Float64}) {
    Pair pair(op::flatten(formula), type);
    const Tensor inputs[] = {make({1003}, type, 1)};
    const Tensor expected = Tensor::empty({1003}, type);
    const Tensor output = Tensor::empty({1003}, type);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(output.raw()) % 64, 0U);
    run_program(pair.plain, inputs, {}, expected);
    const void* places[] = {inputs[0].raw()};
    pair.bound.code->kernel_now(kStreams)(places, nullptr, output.raw(), 0, 1003);
    expect_same(expected, output, "past the caches");
  }
}

TEST(GeneratedCallTest, WithoutThePlugInTheInterpreterServes) {
  BackgroundCompiler& compiler = BackgroundCompiler::instance();
  compiler.wait();
  compiler.use_library("libno_such_code_generator.so");
  const Expr formula = Expr::input(0) * 2.5 + Expr::input(0) * Expr::input(0);
  const auto bound = bind(op::flatten(formula), DType::Float32, "formula under test");
  const Tensor inputs[] = {make({5000}, DType::Float32, 1)};
  const Tensor output = Tensor::empty({5000}, DType::Float32);
  for (int call = 0; call < 6; ++call) run_program(*bound, inputs, {}, output);
  compiler.wait();
  EXPECT_FALSE(compiler.enabled());
  EXPECT_NE(compiler.status().state.find("cannot be opened"), std::string::npos);
  run_program(*bound, inputs, {}, output);
  compiler.use_library(kGeneratorLibrary);
}

}  // namespace
}  // namespace mycel::cpu::codegen
