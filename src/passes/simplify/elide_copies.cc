// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "passes/memory_effects.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace mycel::passes {
namespace {

using ir::Node;
using ir::NodeKind;
using ir::Output;

// A loop that keeps state writes a part of it in every turn and reads all of it: the copies that
// stand for the old content would be most of its work.
class Copies {
 public:
  explicit Copies(const ir::Region& region) : region_(region) {
    std::size_t place = 0;
    for (const Node* node : region.nodes()) places_[node] = place++;
  }

  // Whether what is copied is memory that nobody reads behind the copy.
  bool is_idle(const Node& copy) const {
    const op::Traits* traits = traits_of(copy);
    if (traits == nullptr || !traits->copies) return false;
    const Output source = copy.operands()[0];
    return &source.node->parent() == &region_ && source.type().dtype == copy.type().dtype &&
           !source.type().is_number && owns_memory(source) && is_read_before(source, copy);
  }

 private:
  // Whether all others who read this value, or a view of it, are done when the copy is made.
  bool is_read_before(const Output& value, const Node& copy) const {
    if (value.node->is_result(value.index)) return false;
    const auto& users = value.node->users(value.index);
    return std::all_of(users.begin(), users.end(), [&](Node* user) {
      return user == &copy || (is_before(*user, copy) && keeps_nothing(*user, value, copy));
    });
  }

  bool keeps_nothing(Node& user, const Output& value, const Node& copy) const {
    if (user.kind() == NodeKind::HostCall) return false;
    if (user.kind() != NodeKind::Operator) return true;
    for (std::size_t i = 0; i < user.operands().size(); ++i)
      if (user.operands()[i] == value && may_write(user, i)) return false;
    if (user.definition()->view == nullptr) return true;
    for (std::uint32_t i = 0; i < user.output_count(); ++i)
      if (!is_read_before(user.output(i), copy)) return false;
    return true;
  }

  // As part of a node of this region, if it is in a region of its own.
  bool is_before(const Node& user, const Node& copy) const {
    const Node* node = &user;
    while (&node->parent() != &region_) {
      node = node->parent().owner();
      if (node == nullptr) return false;
    }
    return places_.at(node) < places_.at(&copy);
  }

  const ir::Region& region_;
  std::unordered_map<const Node*, std::size_t> places_;
};

}  // namespace

bool elide_copies(ir::Graph& graph) {
  return in_every_region(graph, [&](const ir::Region& region) {
    const Copies copies(region);
    bool changed = false;
    const std::vector<Node*> nodes(region.nodes().begin(), region.nodes().end());
    for (Node* node : nodes) {
      if (!copies.is_idle(*node)) continue;
      graph.replace(node->output(), node->operands()[0]);
      graph.erase(*node);
      changed = true;
    }
    return changed;
  });
}

}  // namespace mycel::passes
