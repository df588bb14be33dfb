// SPDX-License-Identifier: Apache-2.0
#include "ir/size_table.h"

#include <algorithm>

namespace mycel::ir {

namespace {

using Row = std::vector<std::int64_t>;  // one number for every sample

// Arguments, then nodes, those of regions with their arguments where they stand.
void add_nodes(const Region& region, std::vector<Node*>& nodes) {
  nodes.insert(nodes.end(), region.arguments().begin(), region.arguments().end());
  for (Node* node : region.nodes()) {
    nodes.push_back(node);
    for (const auto& inner : node->regions()) add_nodes(*inner, nodes);
  }
}

std::vector<Node*> every_node(const Graph& graph) {
  std::vector<Node*> nodes;
  add_nodes(graph.body(), nodes);
  return nodes;
}

// The same but for sizes.
bool is_like(const Node& a, const Node& b) {
  if (a.kind() != b.kind() || a.definition() != b.definition() ||
      a.output_count() != b.output_count() || a.operands().size() != b.operands().size())
    return false;
  for (std::size_t i = 0; i < a.output_count(); ++i) {
    if (a.type(i).dtype != b.type(i).dtype || a.type(i).shape.size() != b.type(i).shape.size())
      return false;
  }
  return true;
}

SizeRef number(std::int64_t value) { return number_size(SizeNumber::of(value)); }

SizeRef times(std::int64_t factor, SizeRef size) {
  return factor == 1 ? size : combined_size(SizeOperation::Multiply, number(factor), size);
}

SizeRef plus(SizeRef size, std::int64_t rest) {
  if (rest == 0) return size;
  return rest > 0 ? combined_size(SizeOperation::Add, size, number(rest))
                  : combined_size(SizeOperation::Subtract, size, number(-rest));
}

std::int64_t divided(std::int64_t a, std::int64_t b) {
  return apply(SizeOperation::FloorDivide, SizeNumber::of(a), SizeNumber::of(b))->whole;
}

// Formulas of symbols, the simplest first.
class Explanation {
 public:
  // A length of an argument that is not the same in all samples.
  void add_symbol(SizeRef size, Row row) {
    if (find(row) == nullptr) symbols_.push_back({std::move(size), std::move(row)});
  }
  bool has_symbols() const { return !symbols_.empty(); }

  // Null: none is known.
  SizeRef explain(const Row& row) const {
    if (std::ranges::all_of(row, [&](std::int64_t each) { return each == row[0]; }))
      return number(row[0]);
    if (const Symbol* symbol = find(row)) return symbol->size;
    for (const auto& way :
         {&Explanation::as_product, &Explanation::as_sum, &Explanation::as_part}) {
      if (SizeRef found = (this->*way)(row)) return found;
    }
    return nullptr;
  }

 private:
  struct Symbol {
    SizeRef size;
    Row row;
  };

  const Symbol* find(const Row& row) const {
    const auto found = std::ranges::find(symbols_, row, &Symbol::row);
    return found == symbols_.end() ? nullptr : &*found;
  }

  // A factor times some of the symbols, and a rest; none is better.
  SizeRef as_product(const Row& row) const {
    constexpr std::size_t kMost = 6;  // symbols: all choices among them are tried
    const std::size_t choices = std::size_t{1} << std::min(symbols_.size(), kMost);
    SizeRef with_rest;
    for (std::size_t chosen = 1; chosen < choices; ++chosen) {
      const Symbol product = product_of(chosen);
      const auto factor_and_rest = line_through(product.row, row);
      if (!factor_and_rest) continue;
      const auto [factor, rest] = *factor_and_rest;
      SizeRef found = plus(times(factor, product.size), rest);
      if (rest == 0) return found;
      if (!with_rest) with_rest = std::move(found);
    }
    return with_rest;
  }

  Symbol product_of(std::size_t chosen) const {
    Symbol product;
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      if ((chosen >> i & 1U) == 0) continue;
      if (!product.size) {
        product = symbols_[i];
        continue;
      }
      product.size = combined_size(SizeOperation::Multiply, product.size, symbols_[i].size);
      for (std::size_t k = 0; k < product.row.size(); ++k) product.row[k] *= symbols_[i].row[k];
    }
    return product;
  }

  // y = factor * x + rest
  static std::optional<std::pair<std::int64_t, std::int64_t>> line_through(const Row& x,
                                                                           const Row& y) {
    std::size_t other = 1;
    while (other < x.size() && x[other] == x[0]) ++other;
    if (other == x.size() || (y[other] - y[0]) % (x[other] - x[0]) != 0) return std::nullopt;
    const std::int64_t factor = (y[other] - y[0]) / (x[other] - x[0]);
    const std::int64_t rest = y[0] - factor * x[0];
    for (std::size_t i = 0; i < x.size(); ++i)
      if (factor * x[i] + rest != y[i]) return std::nullopt;
    if (factor == 0) return std::nullopt;
    return std::pair(factor, rest);
  }

  // Multiples of two symbols, and a rest: what was put together from parts.
  SizeRef as_sum(const Row& row) const {
    for (std::size_t a = 0; a < symbols_.size(); ++a) {
      for (std::size_t b = a + 1; b < symbols_.size(); ++b) {
        for (std::int64_t factor = 1; factor <= kMostParts; ++factor) {
          Row left = row;
          for (std::size_t i = 0; i < left.size(); ++i) left[i] -= factor * symbols_[a].row[i];
          const auto line = line_through(symbols_[b].row, left);
          if (!line) continue;
          return plus(combined_size(SizeOperation::Add, times(factor, symbols_[a].size),
                                    times(line->first, symbols_[b].size)),
                      line->second);
        }
      }
    }
    return nullptr;
  }

  // What windows that move by several steps leave of a symbol: (n + shift) // steps + rest.
  SizeRef as_part(const Row& row) const {
    for (const Symbol& symbol : symbols_) {
      for (std::int64_t steps = 2; steps <= kMostSteps; ++steps) {
        for (std::int64_t shift = 0; shift < steps; ++shift) {
          const auto part = [&](std::size_t i) { return divided(symbol.row[i] + shift, steps); };
          const std::int64_t rest = row[0] - part(0);
          bool fits = true;
          for (std::size_t i = 1; fits && i < row.size(); ++i) fits = part(i) + rest == row[i];
          if (fits)
            return plus(
                combined_size(SizeOperation::FloorDivide, plus(symbol.size, shift), number(steps)),
                rest);
        }
      }
    }
    return nullptr;
  }

  static constexpr std::int64_t kMostParts = 4;
  static constexpr std::int64_t kMostSteps = 32;
  std::vector<Symbol> symbols_;
};

using Samples = std::vector<std::vector<Node*>>;

bool is_one_program(const Samples& samples) {
  return std::ranges::all_of(samples, [&](const std::vector<Node*>& nodes) {
    return std::ranges::equal(nodes, samples[0],
                              [](const Node* a, const Node* b) { return is_like(*a, *b); });
  });
}

Row row_of(const Samples& samples, std::size_t node, std::size_t output, std::size_t axis) {
  Row row;
  for (const std::vector<Node*>& nodes : samples)
    row.push_back(nodes[node]->type(output).shape[axis]);
  return row;
}

}  // namespace

std::optional<SizeTable> SizeTable::explain(std::span<const Graph* const> samples) {
  if (samples.size() < kLeastSamples) return std::nullopt;
  Samples nodes;
  for (const Graph* sample : samples) nodes.push_back(every_node(*sample));
  if (!is_one_program(nodes)) return std::nullopt;
  Explanation explanation;
  for (std::size_t i = 0; i < samples[0]->body().arguments().size(); ++i) {
    for (std::size_t axis = 0; axis < nodes[0][i]->type().shape.size(); ++axis) {
      Row row = row_of(nodes, i, 0, axis);
      if (std::ranges::adjacent_find(row, std::not_equal_to<>()) != row.end())
        explanation.add_symbol(length_of(i, axis), std::move(row));
    }
  }
  if (!explanation.has_symbols()) return std::nullopt;
  SizeTable table;
  for (std::size_t i = 0; i < nodes[0].size(); ++i) {
    const Node& node = *nodes[0][i];
    Entry entry{node.definition(), {}};
    for (std::size_t output = 0; output < node.output_count(); ++output) {
      std::vector<SizeRef>& sizes = entry.sizes.emplace_back();
      for (std::size_t axis = 0; axis < node.type(output).shape.size(); ++axis)
        sizes.push_back(explanation.explain(row_of(nodes, i, output, axis)));
    }
    table.entries_.push_back(std::move(entry));
  }
  return table;
}

void SizeTable::fill(Graph& graph) const {
  const std::vector<Node*> nodes = every_node(graph);
  const bool is_same =
      std::ranges::equal(nodes, entries_, [](const Node* node, const Entry& entry) {
        return node->definition() == entry.definition && node->output_count() == entry.sizes.size();
      });
  if (!is_same) return;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::size_t output = 0; output < entries_[i].sizes.size(); ++output) {
      ValueFacts facts = nodes[i]->facts(output);
      facts.sizes = entries_[i].sizes[output];
      const tensor::Shape& shape = nodes[i]->type(output).shape;
      if (facts.sizes.size() != shape.size()) return;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        SizeRef& size = facts.sizes[axis];
        if (size && evaluate(*size, graph) != shape[axis]) size = nullptr;
      }
      // Of what is there before the program runs, numbers say it all.
      const bool is_given =
          nodes[i]->kind() == NodeKind::Parameter || nodes[i]->kind() == NodeKind::Constant;
      const bool is_news = std::ranges::any_of(facts.sizes, [&](const SizeRef& size) {
        return !is_given || !size || has_lengths(*size);
      });
      if (is_news) nodes[i]->set_facts(output, std::move(facts));
    }
  }
}

}  // namespace mycel::ir
