// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/open_sizes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <vector>

#include "platform/error/error.h"

namespace mycel::formats::mindir {

namespace {

using Messages = std::span<WrittenMessage>;
using Pair = std::pair<WrittenMessage*, WrittenMessage*>;

constexpr std::string_view kReference = "REF::";
constexpr std::int64_t kToTheEnd = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kOpen = -1;

// The files for two sizes say different things.
class Differs : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::string_view primitive_of(const WrittenMessage& node) {
  std::string_view called = node.text("op_type");
  if (called.starts_with(kReference)) called.remove_prefix(kReference.size());
  return called;
}

std::string_view kind_of(const WrittenMessage& node) {
  const std::string_view called = primitive_of(node);
  return called.substr(0, called.find(':'));
}

// ---- what both say ------------------------------------------------------------------------------

[[noreturn]] void differ() { throw Differs("the number of its operators depends on the size"); }

WrittenMessage merged(const WrittenMessage& one, const WrittenMessage& other);

WrittenMessage::Values merged_values(const WrittenMessage::Field& one,
                                     const WrittenMessage::Field& other) {
  WrittenMessage::Values values = one.values;
  if (auto* sizes = std::get_if<std::vector<std::int64_t>>(&values);
      sizes != nullptr && one.spec->name == "dims") {
    const auto& others = std::get<std::vector<std::int64_t>>(other.values);
    if (others.size() != sizes->size()) differ();
    for (std::size_t i = 0; i < others.size(); ++i)
      if ((*sizes)[i] != others[i]) (*sizes)[i] = kOpen;
    return values;
  }
  auto* messages = std::get_if<std::vector<WrittenMessage>>(&values);
  if (messages == nullptr) differ();
  const auto& others = std::get<std::vector<WrittenMessage>>(other.values);
  if (others.size() != messages->size()) differ();
  for (std::size_t i = 0; i < others.size(); ++i)
    (*messages)[i] = merged((*messages)[i], others[i]);
  return values;
}

WrittenMessage merged(const WrittenMessage& one, const WrittenMessage& other) {
  if (one == other) return one;
  try {
    WrittenMessage result = one;
    if (one.fields().size() != other.fields().size()) differ();
    for (std::size_t i = 0; i < one.fields().size(); ++i) {
      const auto& first = one.fields()[i];
      const auto& second = other.fields()[i];
      if (first.spec != second.spec) differ();
      if (first == second) continue;
      result.fields()[i].values = merged_values(first, second);
    }
    return result;
  } catch (const Differs&) {
    if (!one.has("op_type")) throw;
    const std::string_view kind = kind_of(one);
    throw Differs(kind == "Constant"
                      ? "a value it uses depends on the size"
                      : platform::join("an argument of '", kind, "' depends on the size"));
  }
}

// ---- sizes in arguments -------------------------------------------------------------------------

std::vector<WrittenMessage*> nodes_of(WrittenMessage& model) {
  std::vector<WrittenMessage*> nodes;
  for (WrittenMessage& node : model.messages("graph")[0].messages("node")) nodes.push_back(&node);
  for (WrittenMessage& function : model.messages("functions"))
    for (WrittenMessage& node : function.messages("node")) nodes.push_back(&node);
  return nodes;
}

using Shapes = std::map<std::string, std::vector<std::int64_t>, std::less<>>;

// Shapes of inputs and of what is computed, by name.
Shapes shapes_of(const WrittenMessage& model) {
  Shapes shapes;
  const auto take = [&](const WrittenMessage& graph) {
    for (const WrittenMessage& input : graph.messages("input"))
      shapes[std::string(input.text("name"))] = input.messages("tensor")[0].integers("dims");
    for (const WrittenMessage& node : graph.messages("node")) {
      const auto attributes = node.messages("attribute");
      if (node.text("op_type") == "Constant" || attributes.empty()) continue;
      const auto tensors = attributes[0].messages("tensors");
      if (!tensors.empty()) shapes[std::string(node.text("name"))] = tensors[0].integers("dims");
    }
  };
  take(model.messages("graph")[0]);
  for (const WrittenMessage& function : model.messages("functions")) take(function);
  return shapes;
}

const std::vector<std::int64_t>& shape_in(const Shapes& shapes, const std::string& name) {
  static const std::vector<std::int64_t> none;
  const auto found = shapes.find(name);
  return found == shapes.end() ? none : found->second;
}

// Numbers of two tuples, side by side.
std::vector<Pair> entries_of(const Pair& tuples) {
  const Messages one = tuples.first->messages("values");
  const Messages other = tuples.second->messages("values");
  std::vector<Pair> entries;
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
    entries.emplace_back(&one[i], &other[i]);
  return entries;
}

bool differs(const Pair& entry) { return !(*entry.first == *entry.second); }
std::int64_t number_of(const WrittenMessage& entry) { return entry.integers("ints")[0]; }

void set_both(const Pair& entry, std::int64_t number) {
  entry.first->set_integer("ints", number);
  entry.second->set_integer("ints", number);
}

// One size of a shape may be left to be computed.
void open_one(const Pair& tuples) {
  std::vector<Pair> entries = entries_of(tuples);
  std::erase_if(entries, [](const Pair& entry) { return !differs(entry); });
  if (entries.size() == 1) set_both(entries[0], kOpen);
}

// Ends that stand at the same distance from the end of the axis.
void open_ends(const Pair& tuples, const std::vector<std::int64_t>& shape,
               const std::vector<std::int64_t>& other_shape) {
  const std::vector<Pair> entries = entries_of(tuples);
  const std::size_t count = std::min({entries.size(), shape.size(), other_shape.size()});
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t distance = number_of(*entries[i].first) - shape[i];
    if (differs(entries[i]) && distance == number_of(*entries[i].second) - other_shape[i])
      set_both(entries[i], distance < 0 ? distance : kToTheEnd);
  }
}

// Axes that are not stretched may have the size of the input.
void open_stretching(WrittenMessage& one, WrittenMessage& other, const Shapes& shapes) {
  std::map<std::string, Pair, std::less<>> stretched;
  const Messages primitives = one.messages("primitives");
  const Messages others = other.messages("primitives");
  for (std::size_t i = 0; i < std::min(primitives.size(), others.size()); ++i) {
    const bool is_such = primitives[i].text("op_type") == "BroadcastTo" &&
                         others[i].text("op_type") == "BroadcastTo";
    if (is_such && !(primitives[i] == others[i]))
      stretched[std::string(primitives[i].text("name"))] = {&primitives[i].messages("attribute")[0],
                                                            &others[i].messages("attribute")[0]};
  }
  for (const WrittenMessage* node : nodes_of(one)) {
    const auto found = stretched.find(primitive_of(*node));
    if (found == stretched.end()) continue;
    const std::vector<std::int64_t>& before = shape_in(shapes, node->texts("input")[0]);
    const std::vector<Pair> entries = entries_of(found->second);
    bool is_kept = before.size() == entries.size();
    for (std::size_t i = 0; is_kept && i < entries.size(); ++i)
      is_kept = !differs(entries[i]) || before[i] == number_of(*entries[i].first);
    if (!is_kept) stretched.erase(found);
  }
  for (const auto& [name, tuples] : stretched)
    for (const Pair& entry : entries_of(tuples))
      if (differs(entry)) set_both(entry, kOpen);
}

// Replaces sizes in arguments by what means the same for every size, in both messages.
void open_sizes(WrittenMessage& one, WrittenMessage& other) {
  const std::vector<WrittenMessage*> nodes = nodes_of(one);
  const std::vector<WrittenMessage*> others = nodes_of(other);
  std::map<std::string, Pair, std::less<>> constants;
  for (std::size_t i = 0; i < std::min(nodes.size(), others.size()); ++i) {
    const bool are_constants =
        nodes[i]->text("op_type") == "Constant" && others[i]->text("op_type") == "Constant";
    if (are_constants && !(*nodes[i] == *others[i]))
      constants[std::string(nodes[i]->text("name"))] = {&nodes[i]->messages("attribute")[0],
                                                        &others[i]->messages("attribute")[0]};
  }
  const Shapes shapes = shapes_of(one);
  const Shapes other_shapes = shapes_of(other);
  for (const WrittenMessage* node : nodes) {
    const std::string_view kind = kind_of(*node);
    const std::vector<std::string> inputs = node->texts("input");
    for (std::size_t position = 0; position < inputs.size(); ++position) {
      const auto used = constants.find(inputs[position]);
      if (used == constants.end()) continue;
      if (kind == "Reshape") {
        open_one(used->second);
      } else if (kind == "StridedSlice" && position == 2) {
        open_ends(used->second, shape_in(shapes, inputs[0]), shape_in(other_shapes, inputs[0]));
      }
    }
  }
  open_stretching(one, other, shapes);
}

WrittenMessage of_two(WrittenMessage one, WrittenMessage other) {
  open_sizes(one, other);
  return merged(one, other);
}

}  // namespace

WrittenMessage with_open_sizes(const std::string& network,
                               std::span<const WrittenMessage* const> models) {
  try {
    WrittenMessage whole = of_two(*models[0], *models[1]);
    for (const WrittenMessage* model : models.subspan(2))
      whole = merged(whole, of_two(*models[0], *model));
    return whole;
  } catch (const Differs& difference) {
    platform::fail(platform::ErrorKind::Runtime, "'", network,
                   "' cannot be exported for inputs of unknown size: ", difference.what(),
                   ". Give inputs with all sizes.");
  }
}

}  // namespace mycel::formats::mindir
