// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "device/backend.h"
#include "operator/channel_block.h"
#include "operator/registry.h"
#include "passes/layout/blockable.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace mycel::passes {
namespace {

using ir::Node;
using ir::Output;

// A conversion is a call of its own, which costs as much as moving this many elements.
constexpr std::int64_t kCallCost = 4096;

// Which nodes work on blocked activations. Starts with all that could, lets those go that cost more
// conversions than they save, then drops every connected group in which conversions cost more than
// its convolutions would spend on reordering by themselves.
class LayoutChoice {
 public:
  LayoutChoice(const ir::Region& region, std::int64_t block) {
    for (Node* node : region.nodes()) {
      std::optional<Blockable> found = as_blockable(*node, block);
      if (!found) continue;
      place_[node] = candidates_.size();
      candidates_.push_back(std::move(*found));
    }
    inside_.assign(candidates_.size(), true);
  }

  bool run() {
    constexpr int kRounds = 4;
    for (int round = 0; round < kRounds && improve(); ++round) {
    }
    drop_losing_groups();
    return std::find(inside_.begin(), inside_.end(), true) != inside_.end();
  }

  // The candidate a chosen node is; null: the node stays plain.
  const Blockable* find(const Node& node) const {
    const auto found = place_.find(&node);
    return found == place_.end() || !inside_[found->second] ? nullptr : &candidates_[found->second];
  }

 private:
  bool reads_blocked(const Node& user, const Output& value) const {
    const Blockable* candidate = find(user);
    if (candidate == nullptr) return false;
    return std::any_of(candidate->operands.begin(), candidate->operands.end(),
                       [&](std::size_t i) { return user.operands()[i] == value; });
  }

  bool is_made_blocked(const Output& value) const {
    const Blockable* maker = find(*value.node);
    return maker != nullptr && std::find(maker->outputs.begin(), maker->outputs.end(),
                                         value.index) != maker->outputs.end();
  }

  // What converting the value costs as things stand: something when it is made in one form and
  // read in the other.
  std::int64_t conversion_cost(const Output& value) const {
    const bool blocked = is_made_blocked(value);
    const auto& users = value.node->users(value.index);
    const bool crosses = (blocked && value.node->is_result(value.index)) ||
                         std::any_of(users.begin(), users.end(), [&](const Node* user) {
                           return reads_blocked(*user, value) != blocked;
                         });
    return crosses ? tensor::element_count(value.type().shape) + kCallCost : 0;
  }

  static std::vector<Output> values_of(const Blockable& candidate) {
    std::vector<Output> values;
    const auto add = [&](const Output& value) {
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    };
    for (const std::size_t i : candidate.operands) add(candidate.node->operands()[i]);
    for (const std::uint32_t i : candidate.outputs) add(candidate.node->output(i));
    return values;
  }

  std::int64_t cost_around(std::size_t i) const {
    std::int64_t cost = inside_[i] ? 0 : candidates_[i].reordered;
    for (const Output& value : values_of(candidates_[i])) cost += conversion_cost(value);
    return cost;
  }

  bool improve() {
    bool changed = false;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const std::int64_t before = cost_around(i);
      inside_[i] = !inside_[i];
      if (cost_around(i) < before) {
        changed = true;
      } else {
        inside_[i] = !inside_[i];
      }
    }
    return changed;
  }

  std::size_t group_of(std::vector<std::size_t>& groups, std::size_t i) const {
    while (groups[i] != i) i = groups[i] = groups[groups[i]];
    return i;
  }

  void drop_losing_groups() {
    std::vector<std::size_t> groups(candidates_.size());
    std::iota(groups.begin(), groups.end(), std::size_t{0});
    std::unordered_map<Output, std::size_t, OutputHash> first_of;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (!inside_[i]) continue;
      for (const Output& value : values_of(candidates_[i])) {
        const auto [at, fresh] = first_of.emplace(value, i);
        if (!fresh) groups[group_of(groups, i)] = group_of(groups, at->second);
      }
    }
    std::vector<std::int64_t> gain(candidates_.size(), 0);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (inside_[i]) gain[group_of(groups, i)] += candidates_[i].reordered;
    }
    for (const auto& [value, i] : first_of) gain[group_of(groups, i)] -= conversion_cost(value);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (inside_[i] && gain[group_of(groups, i)] <= 0) losing_.insert(i);
    }
    for (const std::size_t i : losing_) inside_[i] = false;
  }

  std::vector<Blockable> candidates_;
  std::unordered_map<const Node*, std::size_t> place_;
  std::vector<bool> inside_;
  std::unordered_set<std::size_t> losing_;
};

// What is known of a plain value, of the same in blocks.
ir::ValueFacts in_blocks(ir::ValueFacts plain, std::int64_t block) {
  if (!plain.sizes.empty()) {
    const auto number = [](std::int64_t value) {
      return ir::number_size(ir::SizeNumber::of(value));
    };
    ir::SizeRef& channels = plain.sizes[1];
    if (channels && channels->operation == ir::SizeOperation::Number) {
      channels = number(channels->number.whole / block);
    } else if (channels) {
      channels = combined_size(ir::SizeOperation::FloorDivide, channels, number(block));
    }
    plain.sizes.push_back(number(block));
  }
  plain.layout = ir::Layout::Blocked;
  return plain;
}

// Writes the chosen nodes anew. A value that is needed in both forms is converted once, where it is
// first needed.
class Rewriting {
 public:
  Rewriting(ir::Graph& graph, ir::Region& region, const LayoutChoice& choice, std::int64_t block)
      : graph_(graph), region_(region), choice_(choice), block_(block) {}

  void run() {
    const std::vector<Node*> nodes(region_.nodes().begin(), region_.nodes().end());
    for (Node* node : nodes) {
      if (const Blockable* candidate = choice_.find(*node)) {
        rewrite(*candidate);
      } else {
        read_plain(*node, *node);
      }
    }
    return_plain(region_, nullptr);
    for (auto it = replaced_.rbegin(); it != replaced_.rend(); ++it) graph_.erase(**it);
  }

 private:
  // Regions inside get the values around them in the plain form, converted before their owner.
  void read_plain(Node& node, Node& before) {
    for (std::size_t i = 0; i < node.operands().size(); ++i) {
      const Output operand = node.operands()[i];
      if (operand && blocked_.contains(operand)) node.set_operand(i, plain(operand, &before));
    }
    for (const auto& inner : node.regions()) {
      for (Node* reader : inner->nodes()) read_plain(*reader, before);
      return_plain(*inner, &before);
    }
  }

  void return_plain(ir::Region& region, Node* before) {
    std::vector<Output> results = region.results();
    for (Output& result : results) {
      if (result && blocked_.contains(result)) result = plain(result, before);
    }
    region.set_results(std::move(results));
  }

  void rewrite(const Blockable& candidate) {
    Node& node = *candidate.node;
    std::vector<Output> operands = node.operands();
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const bool wanted = std::find(candidate.operands.begin(), candidate.operands.end(), i) !=
                          candidate.operands.end();
      if (wanted) {
        operands[i] = blocked(operands[i], node);
      } else if (operands[i] && blocked_.contains(operands[i])) {
        operands[i] = plain(operands[i], &node);
      }
    }
    const std::vector<Output> outputs = add_blocked(graph_, candidate, std::move(operands), block_);
    for (std::uint32_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].type().rank() == 5) {
        outputs[i].node->set_facts(outputs[i].index, in_blocks(node.facts(i), block_));
        blocked_[node.output(i)] = outputs[i];
      } else {
        graph_.replace(node.output(i), outputs[i]);
      }
    }
    replaced_.push_back(&node);
  }

  Output blocked(Output value, Node& before) {
    const auto found = blocked_.find(value);
    if (found != blocked_.end()) return found->second;
    const auto [at, fresh] = converted_.try_emplace(value);
    if (fresh) {
      const op::OpDef& definition = op::find(op::Purpose::IntoBlocks);
      Node& conversion = add_before(graph_, before, definition, {value},
                                    attributes_for(definition, {{"block", block_}}));
      conversion.set_facts(0, in_blocks(value.node->facts(value.index), block_));
      at->second = conversion.output();
    }
    return at->second;
  }

  // Before a node, or (null) at the end.
  Output plain(Output value, Node* before) {
    const auto [at, fresh] = plain_.try_emplace(value);
    if (fresh) {
      Node& conversion = graph_.add_operator(region_, op::find(op::Purpose::OutOfBlocks),
                                             {blocked_.at(value)}, {}, {value.type()}, before);
      conversion.set_origin(value.node->origin());
      conversion.set_facts(0, value.node->facts(value.index));
      at->second = conversion.output();
    }
    return at->second;
  }

  ir::Graph& graph_;
  ir::Region& region_;
  const LayoutChoice& choice_;
  std::int64_t block_;
  std::unordered_map<Output, Output, OutputHash> blocked_;    // of rewritten nodes
  std::unordered_map<Output, Output, OutputHash> converted_;  // plain values, in blocks
  std::unordered_map<Output, Output, OutputHash> plain_;      // blocked values, converted back
  std::vector<Node*> replaced_;
};

}  // namespace

bool propagate_layout(ir::Graph& graph, std::int64_t block) {
  if (block == 0) return false;
  return in_every_region(graph, [&](ir::Region& region) {
    LayoutChoice choice(region, block);
    if (!choice.run()) return false;
    Rewriting(graph, region, choice, block).run();
    return true;
  });
}

bool propagate_layout(ir::Graph& graph) {
  return propagate_layout(graph, op::channel_block(graph.device().backend));
}

}  // namespace mycel::passes
