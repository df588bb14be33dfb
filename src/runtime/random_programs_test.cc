// SPDX-License-Identifier: Apache-2.0
// Random programs with branches and loops, compiled and planned, against the same programs walked
// node by node with memory of its own for every value.
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "eager/dispatch.h"
#include "operator/registry.h"
#include "passes/pipeline.h"
#include "runtime/executable.h"

namespace mycel::runtime {
namespace {

using ir::Node;
using ir::Output;
using ir::Region;
using tensor::DType;

const op::TensorSpec kMatrix{DType::Float32, {3, 3}, false};
const op::TensorSpec kCounter{DType::Int64, {}, false};
const op::TensorSpec kTruth{DType::Bool, {}, false};
const op::TensorSpec kNumber{DType::Float32, {}, false};

op::AttributeList defaults(const op::OpDef& definition) {
  op::AttributeList list;
  for (const op::AttributeDef& known : definition.attributes) list.push_back(known.initial);
  return list;
}

Tensor whole(std::int64_t value) {
  Tensor tensor = Tensor::empty({}, DType::Int64);
  *tensor.data<std::int64_t>() = value;
  return tensor;
}

Tensor matrix(std::mt19937& random) {
  std::uniform_real_distribution<float> draw(-1, 1);
  Tensor tensor = Tensor::empty({3, 3}, DType::Float32);
  for (int i = 0; i < 9; ++i) tensor.data<float>()[i] = draw(random);
  return tensor;
}

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::unique_ptr<ir::Graph> graph() {
    graph_ = std::make_unique<ir::Graph>("random");
    std::vector<Output> visible;
    for (int i = 0; i < 3; ++i)
      visible.push_back(graph_->add_argument(graph_->body(), kMatrix, "x").output());
    fill(graph_->body(), visible, 0);
    graph_->body().set_results(some(visible, 3));
    return std::move(graph_);
  }

  std::mt19937& random() { return random_; }

 private:
  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }

  Output call(Region& region, const char* name, std::vector<Output> operands,
              const op::TensorSpec& type, op::AttributeList attributes = {}) {
    const op::OpDef& definition = op::find(name);
    if (attributes.empty()) attributes = defaults(definition);
    return graph_
        ->add_operator(region, definition, std::move(operands), std::move(attributes), {type})
        .output();
  }

  // The newest values are the likeliest: that makes long dependences and short lives.
  Output any(const std::vector<Output>& visible) {
    const int reach = below(3) == 0 ? static_cast<int>(visible.size())
                                    : std::min<int>(4, static_cast<int>(visible.size()));
    return visible[visible.size() - 1 - static_cast<std::size_t>(below(reach))];
  }

  std::vector<Output> some(const std::vector<Output>& visible, int count) {
    std::vector<Output> list;
    for (int i = 0; i < count; ++i) list.push_back(any(visible));
    return list;
  }

  void fill(Region& region, std::vector<Output>& visible, int depth) {
    const int steps = 2 + below(5);
    for (int i = 0; i < steps; ++i) {
      const int kind = below(depth < 3 ? 10 : 8);
      if (kind == 8) add_branch(region, visible, depth);
      if (kind == 9) add_loop(region, visible, depth);
      if (kind < 8) visible.push_back(operation(region, visible, kind));
    }
  }

  Output operation(Region& region, const std::vector<Output>& visible, int kind) {
    switch (kind) {
      case 0: return call(region, "sin", {any(visible)}, kMatrix);
      case 1: return call(region, "neg", {any(visible)}, kMatrix);
      case 2: return call(region, "transpose", {any(visible)}, kMatrix, {tensor::IntList{1, 0}});
      case 3: return call(region, "matmul", {any(visible), any(visible)}, kMatrix);
      case 4: return call(region, "tanh", {any(visible)}, kMatrix);
      case 5: {
        // A copy that is written into, after what it copies was read or not.
        const Output copy = call(region, "copy", {any(visible)}, kMatrix);
        return call(region, "assign_add", {copy, any(visible)}, kMatrix);
      }
      case 6: {
        const Output value = any(visible);
        return call(region, "sub", {value, largest(region, value, {1})}, kMatrix);
      }
      default: return call(region, "sub", {any(visible), any(visible)}, kMatrix);
    }
  }

  // Unlike a sum it does not depend on the order of the elements in memory. Of one axis: kept.
  Output largest(Region& region, Output value, const tensor::IntList& axes) {
    const op::OpDef& definition = op::find("reduce_max");
    op::AttributeList attributes = defaults(definition);
    const auto place = [&](const char* name) {
      return static_cast<std::size_t>(definition.find_attribute(name));
    };
    attributes[place("axis")] = axes;
    attributes[place("keep_dims")] = axes.size() == 1;
    const op::TensorSpec column{DType::Float32, {3, 1}, false};
    return call(region, "reduce_max", {value}, axes.size() == 1 ? column : kNumber, attributes);
  }

  Output condition(Region& region, const std::vector<Output>& visible) {
    const Output most = largest(region, any(visible), {0, 1});
    Tensor zero = Tensor::empty({}, DType::Float32);
    *zero.data<float>() = 0;
    return call(region, "greater", {most, graph_->add_constant(region, zero).output()}, kTruth);
  }

  void add_branch(Region& region, std::vector<Output>& visible, int depth) {
    const int results = 1 + below(3);
    Node& node = graph_->add_if(region, condition(region, visible));
    graph_->set_types(node,
                      std::vector<op::TensorSpec>(static_cast<std::size_t>(results), kMatrix));
    for (std::size_t branch = 0; branch < 2; ++branch) {
      std::vector<Output> inner = visible;
      fill(node.region(branch), inner, depth + 1);
      node.region(branch).set_results(some(inner, results));
    }
    for (std::uint32_t i = 0; i < node.output_count(); ++i) visible.push_back(node.output(i));
  }

  void add_loop(Region& region, std::vector<Output>& visible, int depth) {
    const int values = 1 + below(4);
    std::vector<Output> initial = some(visible, values);
    initial.push_back(graph_->add_constant(region, whole(0)).output());
    Node& node = graph_->add_while(region, initial);
    std::vector<op::TensorSpec> types(static_cast<std::size_t>(values), kMatrix);
    types.push_back(kCounter);
    graph_->set_types(node, types);
    std::vector<std::vector<Output>> inner(2, visible);
    for (std::size_t part = 0; part < 2; ++part) {
      for (const op::TensorSpec& type : types)
        inner[part].push_back(graph_->add_argument(node.region(part), type, "").output());
    }
    const Output limit = graph_->add_constant(node.region(0), whole(below(5))).output();
    const Output counter = inner[0].back();
    node.region(0).set_results({call(node.region(0), "less", {counter, limit}, kTruth)});
    const Output turn = inner[1].back();
    inner[1].pop_back();
    fill(node.region(1), inner[1], depth + 1);
    std::vector<Output> next = some(inner[1], values);
    const Output one = graph_->add_constant(node.region(1), whole(1)).output();
    next.push_back(call(node.region(1), "add", {turn, one}, kCounter));
    node.region(1).set_results(next);
    for (std::uint32_t i = 0; i + 1 < node.output_count(); ++i) visible.push_back(node.output(i));
  }

  std::mt19937 random_;
  std::unique_ptr<ir::Graph> graph_;
};

class Walker {
 public:
  std::vector<Tensor> run(const ir::Graph& graph, const std::vector<Tensor>& arguments) {
    return region(graph.body(), arguments);
  }

 private:
  std::vector<Tensor> region(const Region& region, const std::vector<Tensor>& arguments) {
    for (std::size_t i = 0; i < region.arguments().size(); ++i)
      values_[region.arguments()[i]] = {arguments[i]};
    for (Node* node : region.nodes()) values_[node] = results(*node);
    std::vector<Tensor> results;
    for (const Output& result : region.results()) results.push_back(value(result));
    return results;
  }

  Tensor value(const Output& output) { return values_.at(output.node)[output.index]; }

  std::vector<Tensor> results(const Node& node) {
    std::vector<Tensor> inputs;
    for (const Output& operand : node.operands()) inputs.push_back(value(operand));
    if (node.kind() == ir::NodeKind::Constant) return {node.tensor()};
    if (node.kind() == ir::NodeKind::If)
      return region(node.region(inputs[0].as_int() != 0 ? 0 : 1), {});
    if (node.kind() == ir::NodeKind::While) {
      while (region(node.region(0), inputs)[0].as_int() != 0)
        inputs = region(node.region(1), inputs);
      return inputs;
    }
    op::AttributeList attributes = node.attributes();
    std::vector<Tensor> outputs;
    eager::dispatch(*node.definition(), inputs, attributes, outputs);
    return outputs;
  }

  std::map<const Node*, std::vector<Tensor>> values_;
};

// As whole numbers: what is not a number equals itself then.
std::vector<std::uint32_t> bits_of(const Tensor& tensor) {
  std::vector<std::uint32_t> bits(static_cast<std::size_t>(tensor.size()));
  std::memcpy(bits.data(), tensor::contiguous(tensor).raw(), tensor.bytes());
  return bits;
}

void expect_equal(const std::vector<Tensor>& expected, const std::vector<Tensor>& results,
                  const std::string& what) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(bits_of(results[i]), bits_of(expected[i])) << what << ", result " << i;
}

TEST(RandomProgramsTest, ComputeWhatTheirNodesSay) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    Generator generator(seed);
    auto graph = generator.graph();
    ir::verify(*graph);
    const std::string text = ir::to_text(*graph);
    std::vector<std::vector<Tensor>> arguments(2), expected;
    for (std::vector<Tensor>& list : arguments) {
      for (int i = 0; i < 3; ++i) list.push_back(matrix(generator.random()));
      expected.push_back(Walker().run(*graph, list));
    }
    auto same = ir::parse(text);
    Executable plain(std::move(graph));
    passes::PipelineOptions options;
    options.verify = true;
    passes::optimize(*same, options);
    const std::string shorter = ir::to_text(*same);
    Executable optimized(std::move(same));
    for (std::size_t round = 0; round < 4; ++round) {
      expect_equal(expected[round % 2], plain.run(arguments[round % 2]),
                   platform::join("seed ", seed, "\n", text));
      expect_equal(expected[round % 2], optimized.run(arguments[round % 2]),
                   platform::join("seed ", seed, ", optimized\n", text, shorter));
    }
    if (HasFatalFailure()) return;
  }
}

// With regions that the device computes in one go, at once or only after a while.
TEST(RandomProgramsTest, ComputeTheSameOnADevice) {
  device::load_plugin("libmindspore_backend_simulated.so");
  const device::Device device{device::reserve_backend("Simulated"), 0};
  std::size_t fused = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Generator generator(seed);
    auto graph = generator.graph();
    const std::string text = ir::to_text(*graph);
    std::vector<Tensor> arguments;
    for (int i = 0; i < 3; ++i) arguments.push_back(matrix(generator.random()));
    const std::vector<Tensor> expected = Walker().run(*graph, arguments);
    graph->set_device(device);
    passes::PipelineOptions options;
    options.verify = true;
    passes::optimize(*graph, options);
    ir::walk(graph->body(),
             [&](const Node& node) { fused += node.kind() == ir::NodeKind::Fused ? 1 : 0; });
    const std::string shorter = ir::to_text(*graph);
    setenv("MYCEL_SIMULATED_REGIONS", seed % 2 == 0 ? "on" : "late", 1);
    Executable program(std::move(graph));
    for (int round = 0; round < 4; ++round) {
      std::vector<Tensor> given;
      for (const Tensor& argument : arguments)
        given.push_back(tensor::copy_to_device(argument, device));
      std::vector<Tensor> results;
      for (const Tensor& result : program.run(given))
        results.push_back(tensor::copy_to_device(result, {}));
      expect_equal(expected, results,
                   platform::join("seed ", seed, " on a device\n", text, shorter));
    }
    if (HasFatalFailure()) break;
  }
  unsetenv("MYCEL_SIMULATED_REGIONS");
  EXPECT_GT(fused, 200U);
}

}  // namespace
}  // namespace mycel::runtime
