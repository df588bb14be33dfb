// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/open_sizes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "formats/message/tensor_bytes.h"
#include "platform/error/error.h"

namespace mycel::formats::onnx {

namespace {

using Parts = WrittenModel::Parts;
using Row = std::vector<std::int64_t>;  // a number, as it is in every model
using Graphs = std::vector<WrittenGraph*>;

bool is_one(const Row& row) {
  return std::all_of(row.begin(), row.end(), [&](std::int64_t size) { return size == row[0]; });
}

tensor::Tensor tensor_of(const op::IntList& values) {
  tensor::Tensor made =
      tensor::Tensor::empty({static_cast<std::int64_t>(values.size())}, tensor::DType::Int64);
  std::copy(values.begin(), values.end(), made.data<std::int64_t>());
  return made;
}

// Sizes of which a number is the product, times a factor and plus a rest.
struct Explanation {
  std::vector<std::size_t> axes;
  std::int64_t factor = 1, rest = 0;
};

class Merger {
 public:
  Merger(std::vector<Parts> models, const std::vector<OpenAxis>& axes)
      : models_(std::move(models)), model_(models_[0]) {
    for (const OpenAxis& axis : axes) {
      const bool is_known = std::any_of(axes_.begin(), axes_.end(), [&](const OpenAxis& known) {
        return known.sizes == axis.sizes;
      });
      if (is_known) continue;  // one size stands for all that are the same in every model
      axes_.push_back(axis);
      names_[axis.sizes] = platform::join(model_.graph.inputs[axis.input].name, "_", axis.axis);
    }
  }

  Parts merged() {
    Graphs graphs;
    for (Parts& model : models_) {
      graphs.push_back(&model.graph);
      if (model.tensors.size() != model_.tensors.size()) refuse("the number of its constants");
    }
    merge_nodes(graphs);
    open_types(graphs);
    std::map<std::string, std::string> replaced;
    const std::size_t count = model_.tensors.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = model_.tensors[i].name;
      const bool is_same = std::all_of(models_.begin(), models_.end(), [&](const Parts& model) {
        return are_same(model.tensors[i].tensor, model_.tensors[i].tensor);
      });
      if (!is_same) replaced[name] = computed_numbers(name, i);
    }
    for_nodes(model_.graph, [&](WrittenNode& node) {
      for (std::string& input : node.inputs)
        if (const auto found = replaced.find(input); found != replaced.end()) input = found->second;
    });
    std::erase_if(model_.tensors,
                  [&](const writing::Weight& tensor) { return replaced.contains(tensor.name); });
    auto& nodes = model_.graph.nodes;
    nodes.insert(nodes.begin(), std::make_move_iterator(made_.begin()),
                 std::make_move_iterator(made_.end()));
    return std::move(model_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    platform::fail(platform::ErrorKind::Runtime, "'", model_.graph.name,
                   "' cannot be exported for inputs of unknown size: ", what,
                   " depends on the size. Give inputs with all sizes.");
  }

  // ---- nodes ----

  // Nodes must be the same; sizes in types of graphs inside them are opened.
  void merge_nodes(const Graphs& graphs) {
    auto& nodes = graphs[0]->nodes;
    for (const WrittenGraph* graph : graphs)
      if (graph->nodes.size() != nodes.size()) refuse("the number of its operators");
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (const WrittenGraph* graph : graphs)
        if (!are_same_nodes(nodes[i], graph->nodes[i]))
          refuse(platform::join("what '", nodes[i].kind, "' does"));
      for (std::size_t inner = 0; inner < nodes[i].graphs.size(); ++inner) {
        Graphs inside;
        for (WrittenGraph* graph : graphs) inside.push_back(&graph->nodes[i].graphs[inner].graph);
        merge_nodes(inside);
        open_types(inside);
      }
    }
  }

  static bool are_same_nodes(const WrittenNode& a, const WrittenNode& b) {
    return a.kind == b.kind && a.name == b.name && a.inputs == b.inputs && a.outputs == b.outputs &&
           a.attributes == b.attributes && a.graphs.size() == b.graphs.size();
  }

  // Sizes of inputs and outputs of a graph, which is given from every model, get names.
  void open_types(const Graphs& graphs) {
    for (auto values : {&WrittenGraph::inputs, &WrittenGraph::outputs}) {
      for (std::size_t i = 0; i < (graphs[0]->*values).size(); ++i) {
        WrittenValue& value = (graphs[0]->*values)[i];
        for (std::size_t axis = 0; axis < value.sizes.size(); ++axis) {
          Row sizes;
          for (const WrittenGraph* graph : graphs)
            sizes.push_back((graph->*values)[i].sizes[axis].size);
          if (is_one(sizes)) continue;
          const auto known = names_.find(sizes);
          value.sizes[axis].name =
              known != names_.end() ? known->second : platform::join(value.name, "_", axis);
        }
      }
    }
  }

  // ---- numbers that follow from sizes ----

  // What reads a tensor, and whether it is the new shape of a Reshape only.
  std::pair<std::string, bool> use_of(const std::string& name) {
    std::string what;
    bool is_shape = true;
    for_nodes(model_.graph, [&](const WrittenNode& node) {
      if (std::find(node.inputs.begin(), node.inputs.end(), name) == node.inputs.end()) return;
      if (what.empty()) what = platform::join("a value that '", node.kind, "' uses");
      is_shape &= node.kind == "Reshape" && node.inputs[1] == name;
    });
    return {what, is_shape};
  }

  // The name of what computes a list of whole numbers.
  std::string computed_numbers(const std::string& name, std::size_t place) {
    const auto [what, is_shape] = use_of(name);
    const tensor::Tensor first = model_.tensors[place].tensor;
    std::vector<Row> rows(static_cast<std::size_t>(first.size()));
    for (const Parts& model : models_) {
      const tensor::Tensor tensor = dense(model.tensors[place].tensor);
      if (tensor.shape() != first.shape() || tensor.dtype() != tensor::DType::Int64 ||
          tensor.rank() > 1)
        refuse(what);
      for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i].push_back(tensor.data<std::int64_t>()[i]);
    }
    const auto differing =
        std::count_if(rows.begin(), rows.end(), [](const Row& row) { return !is_one(row); });
    const bool are_sizes =
        std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row[0] >= 0; });
    if (is_shape && differing == 1 && are_sizes) {
      op::IntList opened;
      for (const Row& row : rows) opened.push_back(is_one(row) ? row[0] : -1);
      return constant(opened);
    }
    Names parts;
    for (const Row& row : rows) parts.push_back(number(row, what));
    const std::string whole = parts.size() > 1 ? add("Concat", parts, {{"axis", 0}}) : parts[0];
    return first.rank() == 1 ? whole : add("Squeeze", {whole});
  }

  // The name of a list of one number.
  std::string number(const Row& row, const std::string& what) {
    if (is_one(row)) return constant({row[0]});
    if (const auto known = computed_.find(row); known != computed_.end()) return known->second;
    const std::optional<Explanation> found = explained(row);
    if (!found) refuse(what);
    std::string made = size_of(axes_[found->axes[0]]);
    for (std::size_t i = 1; i < found->axes.size(); ++i)
      made = add("Mul", {made, size_of(axes_[found->axes[i]])});
    if (found->factor != 1) made = add("Mul", {made, constant({found->factor})});
    if (found->rest != 0) made = add("Add", {made, constant({found->rest})});
    return computed_[row] = made;
  }

  // No rest is better, then fewer sizes.
  std::optional<Explanation> explained(const Row& row) const {
    std::optional<Explanation> best;
    const auto rank = [](const Explanation& one) {
      return std::pair(one.rest != 0, one.axes.size());
    };
    for (std::size_t chosen = 1; chosen < std::size_t{1} << axes_.size(); ++chosen) {
      Explanation one;
      Row products(row.size(), 1);
      for (std::size_t i = 0; i < axes_.size(); ++i) {
        if ((chosen >> i & 1) == 0) continue;
        one.axes.push_back(i);
        for (std::size_t model = 0; model < row.size(); ++model)
          products[model] *= axes_[i].sizes[model];
      }
      const std::int64_t step = products[1] - products[0];
      one.factor = (row[1] - row[0]) / step;
      one.rest = row[0] - one.factor * products[0];
      const bool is_right =
          (row[1] - row[0]) % step == 0 && row[2] == one.factor * products[2] + one.rest;
      if (is_right && (!best || rank(one) < rank(*best))) best = one;
    }
    return best;
  }

  // The size of an axis of an input, as a list of one number.
  std::string size_of(const OpenAxis& axis) {
    std::string& name = computed_[axis.sizes];
    if (name.empty()) {
      const std::string shape = add("Shape", {model_.graph.inputs[axis.input].name});
      const std::string index = constant({static_cast<std::int64_t>(axis.axis)});
      name = add("Gather", {shape, index}, {{"axis", 0}});
    }
    return name;
  }

  std::string add(const std::string& kind, const Names& inputs,
                  const op::onnx::NamedList& attributes = {}) {
    WrittenNode& node = made_.emplace_back();
    node.kind = kind;
    node.inputs = inputs;
    node.outputs = {model_.names.free(kind)};
    node.name = model_.names.free(kind + "_node");
    for (const auto& [name, value] : attributes)
      node.attributes.push_back(attribute_message(name, value.datum));
    return node.outputs[0];
  }

  std::string constant(const op::IntList& values) {
    model_.tensors.push_back({model_.names.free("constant"), tensor_of(values)});
    return model_.tensors.back().name;
  }

  std::vector<Parts> models_;
  Parts& model_;  // the first of them
  std::vector<OpenAxis> axes_;
  std::map<Row, std::string> names_, computed_;  // of sizes in types; of what computes numbers
  std::vector<WrittenNode> made_;                // nodes that compute sizes
};

}  // namespace

WrittenModel::Parts with_open_sizes(std::vector<WrittenModel::Parts> models,
                                    const std::vector<OpenAxis>& axes) {
  return Merger(std::move(models), axes).merged();
}

}  // namespace mycel::formats::onnx
