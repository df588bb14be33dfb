// SPDX-License-Identifier: Apache-2.0
// Random straight programs of formulas, conversions, reductions and views in many types, fused and
// computed by the simulated device, against the same nodes on the host, bit by bit.
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "operator/contexts.h"
#include "operator/registry.h"
#include "passes/pipeline.h"
#include "runtime/executable.h"

namespace mycel::runtime {
namespace {

using ir::Node;
using ir::Output;
using tensor::DType;
using tensor::IntList;
using tensor::Shape;

constexpr DType kTypes[] = {DType::Float32, DType::Float16, DType::BFloat16, DType::Float64,
                            DType::Int32,   DType::Int64,   DType::UInt8,    DType::Bool};
const std::vector<Shape> kShapes = {{4, 5}, {4, 5}, {5}, {4, 1}, {}, {2, 4, 5}};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed), graph_(std::make_unique<ir::Graph>("random")) {
    for (int i = 0; i < 4; ++i) {
      const DType dtype = below(2) == 0 ? DType::Float32 : kTypes[below(8)];
      const Shape& shape = kShapes[below(kShapes.size())];
      values_.push_back(graph_->add_argument(graph_->body(), {dtype, shape, false}, "x").output());
    }
  }

  std::unique_ptr<ir::Graph> graph() {
    const std::size_t steps = 4 + below(16);
    for (std::size_t i = 0; i < steps; ++i) {
      try {
        add();
      } catch (const platform::Error&) {  // shapes or types that do not go together
      }
    }
    std::vector<Output> results;
    for (std::size_t i = 0; i < 4; ++i) results.push_back(any());
    results.push_back(values_.back());
    graph_->body().set_results(std::move(results));
    return std::move(graph_);
  }

  Tensor tensor_like(const op::TensorSpec& type) {
    Tensor tensor = Tensor::empty(type.shape, type.dtype);
    std::uniform_real_distribution<double> draw(-2, 2);
    tensor::with_real_type(type.dtype, [&]<class T>() {
      for (std::int64_t i = 0; i < tensor.size(); ++i)
        tensor.data<T>()[i] = static_cast<T>(
            type.dtype == DType::UInt8 ? std::abs(draw(random_)) * 9 : draw(random_) * 2);
    });
    return tensor;
  }

 private:
  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }
  Output any() {
    const std::size_t reach =
        below(3) == 0 ? values_.size() : std::min<std::size_t>(5, values_.size());
    return values_[values_.size() - 1 - below(reach)];
  }

  void call(const char* name, std::vector<Output> operands,
            const std::vector<op::NamedAttribute>& given = {}) {
    const op::OpDef& definition = op::find(name);
    op::AttributeList attributes;
    for (const op::AttributeDef& known : definition.attributes) attributes.push_back(known.initial);
    for (const op::NamedAttribute& one : given)
      attributes[static_cast<std::size_t>(definition.find_attribute(one.name))] = one.value;
    std::vector<op::TensorSpec> types;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      types.push_back(operands[i].type());
      if (!definition.inputs[i].dtypes.contains(types.back().dtype)) return;
    }
    op::InferContext context(definition, attributes, types, {});
    definition.infer(context);
    if (!context.casts().empty()) return;
    values_.push_back(graph_
                          ->add_operator(graph_->body(), definition, std::move(operands),
                                         std::move(attributes), context.outputs())
                          .output());
  }

  Output number() {
    Tensor tensor = Tensor::empty({}, below(2) == 0 ? DType::Float64 : DType::Int64);
    if (tensor.dtype() == DType::Float64)
      *tensor.data<double>() = 0.1 * static_cast<double>(below(20)) + 0.05;
    else
      *tensor.data<std::int64_t>() = static_cast<std::int64_t>(below(4)) + 1;
    tensor.body().is_number = true;
    return graph_->add_constant(graph_->body(), tensor).output();
  }

  void reduce() {
    static constexpr const char* kReductions[] = {"reduce_sum", "reduce_mean", "reduce_max",
                                                  "reduce_min", "reduce_prod", "reduce_any",
                                                  "reduce_all"};
    const Output value = any();
    const auto rank = static_cast<std::int64_t>(value.type().shape.size());
    if (rank == 0) return;
    IntList axes;
    for (std::int64_t axis = 0; axis < rank; ++axis) {
      if (below(2) == 0) axes.push_back(axis);
    }
    if (axes.empty()) axes.push_back(rank - 1);
    call(kReductions[below(7)], {value}, {{"axis", axes}, {"keep_dims", below(3) > 0}});
  }

  void see() {
    const Output value = any();
    Shape shape = value.type().shape;
    switch (below(4)) {
      case 0: call("transpose", {value}, {{"perm", IntList{1, 0}}}); break;
      case 1:
        shape.insert(below(shape.size() + 1), 1);
        call("reshape", {value}, {{"shape", IntList(shape.begin(), shape.end())}});
        break;
      case 2: call("broadcast_to", {value}, {{"shape", IntList{4, 5}}}); break;
      default: call("reshape", {value}, {{"shape", IntList{-1, 5}}}); break;
    }
  }

  void add() {
    static constexpr const char* kOne[] = {"exp",  "neg",  "tanh", "square",
                                           "relu", "sqrt", "abs",  "floor"};
    static constexpr const char* kTwo[] = {"add", "sub", "mul", "div", "maximum", "minimum"};
    static constexpr const char* kCompare[] = {"greater", "equal", "less_equal"};
    switch (below(12)) {
      case 0:
      case 1: call(kOne[below(8)], {any()}); break;
      case 2:
      case 3:
      case 4: call(kTwo[below(6)], {any(), any()}); break;
      case 5: call(kTwo[below(4)], {any(), number()}); break;
      case 6:
      case 7: reduce(); break;
      case 8: call("cast", {any()}, {{"dtype", kTypes[below(8)]}}); break;
      case 9: see(); break;
      case 10: call(kCompare[below(3)], {any(), any()}); break;
      default: call("matmul", {any(), any()}); break;
    }
  }

  std::mt19937 random_;
  std::unique_ptr<ir::Graph> graph_;
  std::vector<Output> values_;
};

// What is not a number has no sign that would count.
std::string bytes_of_tensor(const Tensor& tensor) {
  Tensor dense = Tensor::empty(tensor.shape(), tensor.dtype());
  tensor::copy_elements(tensor::copy_to_device(tensor, {}), dense);
  tensor::with_real_type(dense.dtype(), [&]<class T>() {
    for (std::int64_t i = 0; i < dense.size(); ++i) {
      T& element = dense.data<T>()[i];
      if (std::isnan(static_cast<double>(element)))
        element = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
    }
  });
  return {static_cast<const char*>(dense.raw()), dense.bytes()};
}

TEST(RandomRegionsTest, GiveTheBitsOfTheirNodes) {
  device::load_plugin("libmindspore_backend_simulated.so");
  const device::Device device{device::reserve_backend("Simulated"), 0};
  std::size_t regions = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    Generator generator(seed);
    auto graph = generator.graph();
    const std::string text = ir::to_text(*graph);
    std::vector<Tensor> arguments;
    for (const Node* argument : graph->body().arguments())
      arguments.push_back(generator.tensor_like(argument->type()));
    auto same = Generator(seed).graph();  // text leaves out digits of numbers
    same->set_device(device);
    Executable host(std::move(graph));
    std::vector<std::string> expected;
    for (const Tensor& result : host.run(arguments)) expected.push_back(bytes_of_tensor(result));
    passes::PipelineOptions options;
    options.verify = true;
    passes::optimize(*same, options);
    for (const Node* node : same->body().nodes())
      regions += node->kind() == ir::NodeKind::Fused ? 1 : 0;
    const std::string fused = ir::to_text(*same);
    Executable program(std::move(same));
    for (int round = 0; round < 4; ++round) {
      const std::vector<Tensor> results = program.run(arguments);
      for (std::size_t i = 0; i < results.size(); ++i)
        ASSERT_EQ(bytes_of_tensor(results[i]), expected[i])
            << "seed " << seed << ", round " << round << ", result " << i << "\n"
            << text << fused;
    }
  }
  EXPECT_GT(regions, 800U);
}

}  // namespace
}  // namespace mycel::runtime
