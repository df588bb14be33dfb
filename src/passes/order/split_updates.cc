// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "operator/spec_bytes.h"
#include "operator/written_input.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace mycel::passes {
namespace {

using ir::Node;
using ir::NodeKind;
using ir::Output;
using op::IntList;

// Parameters that are worth an operator of their own, together. One long walk over memory is up to
// three times as fast as many short ones between products; all that is saved is memory of
// gradients.
constexpr std::size_t kPieceBytes = std::size_t{1} << 26;

// An operator on lists of parameters, states and gradients: see ops/optimizer/updates.h.
bool updates_lists(const Node& node) {
  if (node.kind() != NodeKind::Operator || !node.definition()->has_effects) return false;
  const op::OpDef& definition = *node.definition();
  return !definition.inputs.empty() && definition.inputs.back().variadic &&
         definition.outputs.size() == 1 && definition.outputs[0].variadic &&
         op::written_input(definition, 0) >= 0 && definition.find_attribute("rate_of") >= 0;
}

// One call, and which of its parameters belong together.
class Splitting {
 public:
  Splitting(ir::Graph& graph, Node& update,
            const std::unordered_map<const Node*, std::size_t>& places)
      : graph_(graph),
        update_(update),
        own_(update.definition()->inputs.size() - 1),
        count_(attribute(update, "rate_of").ints().size()),
        written_(count_ == 0 ? 0 : update.output_count() / count_) {
    for (std::size_t i = 0; i < count_; ++i) {
      const auto found = places.find(gradient(i).node);
      ready_.push_back(found == places.end() ? 0 : found->second);
    }
  }

  bool run() {
    // Gradients that come from outside are all there from the beginning.
    if (count_ < 2 || std::ranges::all_of(ready_, [](std::size_t place) { return place == 0; }))
      return false;
    const std::vector<std::vector<std::size_t>> pieces = make_pieces();
    if (pieces.size() < 2) return false;
    for (const std::vector<std::size_t>& piece : pieces) add(piece);
    graph_.erase(update_);
    return true;
  }

 private:
  std::size_t operand_at(std::size_t list, std::size_t i) const { return own_ + list * count_ + i; }
  Output gradient(std::size_t i) const { return update_.operands()[operand_at(written_, i)]; }

  // Parameters whose gradients are ready one after the other.
  std::vector<std::vector<std::size_t>> make_pieces() const {
    std::vector<std::size_t> order(count_);
    for (std::size_t i = 0; i < count_; ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return ready_[i]; });
    std::vector<std::vector<std::size_t>> pieces;
    std::size_t bytes = kPieceBytes;
    for (const std::size_t i : order) {
      if (bytes >= kPieceBytes) {
        pieces.emplace_back();
        bytes = 0;
      }
      pieces.back().push_back(i);
      bytes += bytes_of(update_.type(i));
    }
    return pieces;
  }

  void choose(op::AttributeList& attributes, std::string_view name,
              const std::vector<std::size_t>& piece) const {
    const auto place = static_cast<std::size_t>(update_.definition()->find_attribute(name));
    const IntList all = attributes[place].ints();
    if (all.empty()) return;
    IntList chosen;
    for (const std::size_t i : piece) chosen.push_back(all[i]);
    attributes[place] = chosen;
  }

  void add(const std::vector<std::size_t>& piece) {
    const std::vector<Output>& all = update_.operands();
    std::vector<Output> operands(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(own_));
    std::vector<op::TensorSpec> types;
    for (std::size_t list = 0; list <= written_; ++list) {
      for (const std::size_t i : piece) {
        operands.push_back(all[operand_at(list, i)]);
        if (list < written_) types.push_back(update_.type(list * count_ + i));
      }
    }
    operands.insert(operands.end(),
                    all.begin() + static_cast<std::ptrdiff_t>(operand_at(written_ + 1, 0)),
                    all.end());
    op::AttributeList attributes = update_.attributes();
    choose(attributes, "rate_of", piece);
    choose(attributes, "decay_of", piece);
    Node& part = graph_.add_operator(update_.parent(), *update_.definition(), std::move(operands),
                                     std::move(attributes), std::move(types), &update_);
    part.set_origin(update_.origin());
    for (std::size_t list = 0; list < written_; ++list) {
      for (std::size_t k = 0; k < piece.size(); ++k)
        graph_.replace(update_.output(static_cast<std::uint32_t>(list * count_ + piece[k])),
                       part.output(static_cast<std::uint32_t>(list * piece.size() + k)));
    }
  }

  ir::Graph& graph_;
  Node& update_;
  std::size_t own_, count_, written_;
  std::vector<std::size_t> ready_;
};

}  // namespace

namespace {

bool split_in(ir::Graph& graph, const ir::Region& region) {
  std::unordered_map<const Node*, std::size_t> places;
  std::vector<Node*> updates;
  std::size_t place = 0;
  for (Node* node : region.nodes()) {
    ++place;
    const bool computed = node->kind() != NodeKind::Parameter && node->kind() != NodeKind::Constant;
    if (computed) places[node] = place;
    if (updates_lists(*node)) updates.push_back(node);
  }
  bool changed = false;
  for (Node* update : updates) changed |= Splitting(graph, *update, places).run();
  return changed;
}

}  // namespace

bool split_updates(ir::Graph& graph) {
  return in_every_region(graph, [&](const ir::Region& region) { return split_in(graph, region); });
}

}  // namespace mycel::passes
