// SPDX-License-Identifier: Apache-2.0
// Primitives that pass values on, choose among them, or compute with shapes.
#include <algorithm>
#include <unordered_map>

#include "formats/mindir/numbers.h"
#include "formats/mindir/primitive.h"
#include "formats/mindir/values.h"
#include "formats/program/interpreter.h"
#include "platform/error/error.h"

namespace mycel::formats::mindir {

namespace {

using op::Dictionary;
using op::Value;
using platform::ErrorKind;
using tensor::Shape;
using Given = std::span<const Datum>;

constexpr std::int64_t kLongestRange = std::int64_t{1} << 24;

void require_given(const Primitive& primitive, Given arguments, std::size_t least) {
  platform::require(arguments.size() >= least, ErrorKind::Type, "'", primitive.name(), "' takes ",
                    least, " arguments, but got ", arguments.size(), ".");
}

std::int64_t index_of(const Primitive& primitive, const Datum& datum) {
  std::int64_t index = 0;
  platform::require(op::to_integer(datum, index), ErrorKind::Type, "'", primitive.name(),
                    "' takes an int, but got ", datum.type_name(), ".");
  return index;
}

const std::vector<Datum>& items_of(const Primitive& primitive, const Datum& datum) {
  platform::require(datum.is_sequence(), ErrorKind::Type, "'", primitive.name(),
                    "' takes a tuple or list, but got ", datum.type_name(), ".");
  return datum.items();
}

// Counted from the end when negative.
std::size_t place_in(const Primitive& primitive, std::size_t count, std::int64_t index) {
  const auto length = static_cast<std::int64_t>(count);
  platform::require(-length <= index && index < length, ErrorKind::Index, "'", primitive.name(),
                    "' chooses among ", count, ", but got the index ", index, ".");
  return static_cast<std::size_t>(index < 0 ? index + length : index);
}

Datum like(const Datum& sequence, std::vector<Datum> items) {
  return sequence.is_list() ? Datum::list(std::move(items)) : Datum::tuple(std::move(items));
}

// ---- passing on ---------------------------------------------------------------------------------

Datum first(const Primitive& primitive, Given arguments, Host&) {
  require_given(primitive, arguments, 1);
  return arguments[0];
}

Datum load(const Primitive& primitive, Given arguments, Host& host) {
  require_given(primitive, arguments, 1);
  if (!primitive.copies() || !arguments[0].is_tensor()) return arguments[0];
  return Datum(host.emitter().call("copy", {arguments[0].tensor()}));
}

Datum update_state(const Primitive&, Given, Host&) { return monad(); }

Datum stop_gradient(const Primitive& primitive, Given arguments, Host& host) {
  require_given(primitive, arguments, 1);
  return arguments[0].is_tensor() ? host.stop_gradient(arguments[0].tensor()) : arguments[0];
}

// ---- sequences and dictionaries -----------------------------------------------------------------

Datum make_tuple(const Primitive&, Given arguments, Host&) {
  return Datum::tuple(std::vector<Datum>(arguments.begin(), arguments.end()));
}

Datum make_list(const Primitive&, Given arguments, Host&) {
  return Datum::list(std::vector<Datum>(arguments.begin(), arguments.end()));
}

Datum make_range(const Primitive& primitive, Given arguments, Host&) {
  require_given(primitive, arguments, 1);
  std::int64_t start = 0, step = 1;
  std::int64_t stop = index_of(primitive, arguments[0]);
  if (arguments.size() > 1) start = std::exchange(stop, index_of(primitive, arguments[1]));
  if (arguments.size() > 2) step = index_of(primitive, arguments[2]);
  platform::require(step != 0, ErrorKind::Value, "'", primitive.name(), "' cannot step by 0.");
  std::vector<Datum> items;
  for (std::int64_t i = start; step > 0 ? i < stop : i > stop;) {
    items.emplace_back(i);
    platform::require(items.size() <= kLongestRange, ErrorKind::Value, "'", primitive.name(),
                      "' makes more than ", kLongestRange, " numbers.");
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return Datum::tuple(std::move(items));
}

Datum item(const Primitive& primitive, Given arguments, Host& host) {
  require_given(primitive, arguments, 2);
  const std::int64_t index = index_of(primitive, arguments[1]);
  if (!arguments[0].is_tensor()) {
    const auto& items = items_of(primitive, arguments[0]);
    return items[place_in(primitive, items.size(), index)];
  }
  const Value& whole = arguments[0].tensor();
  const Shape shape = whole.shape();
  platform::require(!shape.empty(), ErrorKind::Index, "'", primitive.name(),
                    "' takes an item of a tensor without axes.");
  const auto place =
      static_cast<std::int64_t>(place_in(primitive, static_cast<std::size_t>(shape[0]), index));
  op::IntList begin(shape.size(), 0), length(shape.begin(), shape.end()), step(shape.size(), 1);
  op::IntList axes;
  begin[0] = place;
  length[0] = 1;
  for (std::size_t axis = 1; axis < shape.size(); ++axis)
    axes.push_back(static_cast<std::int64_t>(axis));
  return Datum(
      host.emitter().call("index_view", {whole},
                          {{"begin", begin}, {"length", length}, {"step", step}, {"axes", axes}}));
}

Datum set_item(const Primitive& primitive, Given arguments, Host&) {
  require_given(primitive, arguments, 3);
  std::vector<Datum> items = items_of(primitive, arguments[0]);
  items[place_in(primitive, items.size(), index_of(primitive, arguments[1]))] = arguments[2];
  return like(arguments[0], std::move(items));
}

Datum sequence_length(const Primitive& primitive, Given arguments, Host&) {
  require_given(primitive, arguments, 1);
  return Datum(static_cast<std::int64_t>(items_of(primitive, arguments[0]).size()));
}

Datum sequence_sum(const Primitive& primitive, Given arguments, Host&) {
  require_given(primitive, arguments, 2);
  std::vector<Datum> items = items_of(primitive, arguments[0]);
  const auto& more = items_of(primitive, arguments[1]);
  items.insert(items.end(), more.begin(), more.end());
  return like(arguments[0], std::move(items));
}

Datum is_in_sequence(const Primitive& primitive, Given arguments, Host&) {
  require_given(primitive, arguments, 2);
  const auto& items = items_of(primitive, arguments[1]);
  return Datum(
      std::ranges::any_of(items, [&](const Datum& one) { return is_equal(arguments[0], one); }));
}

Datum make_dictionary(const Primitive& primitive, Given arguments, Host&) {
  require_given(primitive, arguments, 2);
  const auto& keys = items_of(primitive, arguments[0]);
  const auto& values = items_of(primitive, arguments[1]);
  platform::require(keys.size() == values.size(), ErrorKind::Value, "'", primitive.name(), "' has ",
                    keys.size(), " keys, but ", values.size(), " values.");
  std::vector<std::pair<Datum, Datum>> entries;
  for (std::size_t i = 0; i < keys.size(); ++i) entries.emplace_back(keys[i], values[i]);
  return Datum(std::make_shared<Dictionary>(std::move(entries)));
}

const Dictionary& dictionary_of(const Primitive& primitive, Given arguments) {
  require_given(primitive, arguments, 1);
  const auto dictionary = arguments[0].opaque<Dictionary>();
  platform::require(dictionary != nullptr, ErrorKind::Type, "'", primitive.name(),
                    "' takes a dict, but got ", arguments[0].type_name(), ".");
  return *dictionary;  // lives as long as the arguments
}

Datum dictionary_item(const Primitive& primitive, Given arguments, Host&) {
  const Dictionary& dictionary = dictionary_of(primitive, arguments);
  require_given(primitive, arguments, 2);
  for (const auto& [key, value] : dictionary.entries)
    if (is_equal(key, arguments[1])) return value;
  platform::fail(ErrorKind::Key, "'", primitive.name(), "' finds no such key.");
}

template <bool kKeys>
Datum dictionary_part(const Primitive& primitive, Given arguments, Host&) {
  std::vector<Datum> items;
  for (const auto& [key, value] : dictionary_of(primitive, arguments).entries)
    items.push_back(kKeys ? key : value);
  return Datum::tuple(std::move(items));
}

// ---- functions ----------------------------------------------------------------------------------

Datum choose(const Primitive& primitive, Given arguments, Host& host) {
  require_given(primitive, arguments, 3);
  return host.truth_of(arguments[0]) ? arguments[1] : arguments[2];
}

Datum choose_layer(const Primitive& primitive, Given arguments, Host& host) {
  require_given(primitive, arguments, 2);
  const auto& branches = items_of(primitive, arguments[1]);
  if (!arguments[0].is_tensor() || host.loop_maker() == nullptr)
    return branches[place_in(primitive, branches.size(), index_of(primitive, arguments[0]))];
  // Written down as questions, of which each has two answers.
  const Value& index = arguments[0].tensor();
  op::Emitter& emitter = host.emitter();
  const auto count = static_cast<std::int64_t>(branches.size());
  for (std::int64_t i = 0; i + 1 < count; ++i) {
    const Value here = emitter.call("equal", {index, emitter.integer(i)});
    const Value from_end = emitter.call("equal", {index, emitter.integer(i - count)});
    if (host.truth_of(Datum(emitter.call("logical_or", {here, from_end}))))
      return branches[static_cast<std::size_t>(i)];
  }
  return branches.back();
}

class Partial final : public Function {
 public:
  Partial(std::shared_ptr<const Function> function, Given arguments)
      : function_(std::move(function)), bound_(arguments.begin(), arguments.end()) {}
  Datum call(Given arguments, Host& host) const override {
    std::vector<Datum> all = bound_;
    all.insert(all.end(), arguments.begin(), arguments.end());
    return function_->call(all, host);
  }

 private:
  std::shared_ptr<const Function> function_;
  std::vector<Datum> bound_;
};

Datum partial(const Primitive& primitive, Given arguments, Host&) {
  require_given(primitive, arguments, 1);
  if (const auto closure = arguments[0].opaque<Closure>())
    return closure->bind(arguments.subspan(1));
  auto function = arguments[0].opaque<Function>();
  platform::require(function != nullptr, ErrorKind::Type, "'", primitive.name(),
                    "' takes a function, but got ", arguments[0].type_name(), ".");
  return Datum(std::make_shared<Partial>(std::move(function), arguments.subspan(1)));
}

// ---- shapes -------------------------------------------------------------------------------------

Value tensor_argument(const Primitive& primitive, Given arguments, Host& host) {
  require_given(primitive, arguments, 1);
  Value value = op::operand_of(arguments[0], host.emitter());
  platform::require(value.defined(), ErrorKind::Type, "'", primitive.name(),
                    "' takes a Tensor, but got ", arguments[0].type_name(), ".");
  return value;
}

Datum shape(const Primitive& primitive, Given arguments, Host& host) {
  return Datum::tuple(tensor_argument(primitive, arguments, host).shape());
}

Datum shape_tensor(const Primitive& primitive, Given arguments, Host& host) {
  const Datum lengths = shape(primitive, arguments, host);
  return Datum(op::tensor_of(lengths, tensor::DType::Int64, host.emitter()));
}

Datum rank(const Primitive& primitive, Given arguments, Host& host) {
  return Datum(tensor_argument(primitive, arguments, host).rank());
}

Datum size(const Primitive& primitive, Given arguments, Host& host) {
  return Datum(tensor::element_count(tensor_argument(primitive, arguments, host).shape()));
}

Datum element_type(const Primitive& primitive, Given arguments, Host& host) {
  return Datum(tensor_argument(primitive, arguments, host).dtype());
}

op::IntList lengths_of(const Primitive& primitive, const Datum& datum) {
  if (datum.is_tensor()) {
    const Shape lengths = datum.tensor().shape();
    return {lengths.begin(), lengths.end()};
  }
  op::IntList values;
  platform::require(op::to_integers(datum, values), ErrorKind::Type, "'", primitive.name(),
                    "' takes a shape, but got ", datum.type_name(), ".");
  return values;
}

Datum tuple_of(const op::IntList& values) {
  std::vector<Datum> items;
  for (const std::int64_t value : values) items.emplace_back(value);
  return Datum::tuple(std::move(items));
}

// Axes of the broadcast shape along which each of two operands was repeated.
Datum broadcast_axes(const op::IntList& first_shape, const op::IntList& second_shape,
                     std::int64_t skipped) {
  const auto without_last = [&](const op::IntList& lengths) {
    const auto count = static_cast<std::int64_t>(lengths.size());
    return std::vector<std::int64_t>(lengths.begin(),
                                     lengths.begin() + std::max<std::int64_t>(count - skipped, 0));
  };
  std::vector<std::int64_t> one = without_last(first_shape), other = without_last(second_shape);
  const std::size_t axes = std::max(one.size(), other.size());
  one.insert(one.begin(), axes - one.size(), 1);
  other.insert(other.begin(), axes - other.size(), 1);
  op::IntList of_one, of_other;
  for (std::size_t i = 0; i < axes; ++i) {
    if (one[i] == 1 && other[i] != 1) of_one.push_back(static_cast<std::int64_t>(i));
    if (other[i] == 1 && one[i] != 1) of_other.push_back(static_cast<std::int64_t>(i));
  }
  return Datum::tuple(std::vector<Datum>{tuple_of(of_one), tuple_of(of_other)});
}

// Shape after a reduction that keeps axes, and how often that is repeated to fill the shape.
Datum reduced_shape(const Primitive& primitive, const op::IntList& lengths, const Datum& axes,
                    bool is_skipped) {
  op::IntList reduced;
  platform::require(op::to_integers(axes, reduced), ErrorKind::Type, "'", primitive.name(),
                    "' takes axes, but got ", axes.type_name(), ".");
  const auto count = static_cast<std::int64_t>(lengths.size());
  std::vector<bool> is_reduced(lengths.size(), reduced.empty() && !is_skipped);
  for (const std::int64_t axis : reduced)
    is_reduced[place_in(primitive, lengths.size(), count == 0 ? 0 : axis)] = true;
  op::IntList kept, repeats;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    kept.push_back(is_reduced[i] ? 1 : lengths[i]);
    repeats.push_back(is_reduced[i] ? lengths[i] : 1);
  }
  return Datum::tuple(std::vector<Datum>{tuple_of(kept), tuple_of(repeats)});
}

Datum shape_calculation(const Primitive& primitive, Given arguments, Host&) {
  require_given(primitive, arguments, 2);
  const auto functor = primitive.attribute("functor").opaque<Functor>();
  const std::string name = functor == nullptr ? "" : functor->name;
  if (name == "ShapeCalc_BroadcastGradientArgs") {
    std::int64_t skipped = 0;
    op::to_integer(functor->state, skipped);
    return broadcast_axes(lengths_of(primitive, arguments[0]), lengths_of(primitive, arguments[1]),
                          std::max<std::int64_t>(skipped, 0));
  }
  platform::require(name == "ShapeCalc_ReduceShape", ErrorKind::NotImplemented, "The calculation '",
                    name, "' on shapes, which a MindIR file uses, is not available.");
  return reduced_shape(primitive, lengths_of(primitive, arguments[0]), arguments[1],
                       op::truth_of(functor->state));
}

// ---- the table ----------------------------------------------------------------------------------

const std::unordered_map<std::string_view, StructuralWork>& table() {
  static const std::unordered_map<std::string_view, StructuralWork> works{
      {"Load", load},
      {"load", load},
      {"Depend", first},
      {"depend", first},
      {"UpdateState", update_state},
      {"Return", first},
      {"return", first},
      {"Identity", first},
      {"StopGradient", stop_gradient},
      {"MakeTuple", make_tuple},
      {"make_tuple", make_tuple},
      {"MakeList", make_list},
      {"make_list", make_list},
      {"MakeCOOTensor", make_tuple},
      {"MakeSparse", make_tuple},
      {"MakeCSRTensor", make_tuple},
      {"MakeRowTensor", make_tuple},
      {"make_dict", make_dictionary},
      {"MakeDict", make_dictionary},
      {"make_range", make_range},
      {"TupleGetItem", item},
      {"tuple_getitem", item},
      {"list_getitem", item},
      {"ListGetItem", item},
      {"RealTupleGetItem", item},
      {"tuple_setitem", set_item},
      {"TupleSetItem", set_item},
      {"list_setitem", set_item},
      {"dict_getitem", dictionary_item},
      {"dict_get_keys", dictionary_part<true>},
      {"dict_get_values", dictionary_part<false>},
      {"sequence_len", sequence_length},
      {"tuple_len", sequence_length},
      {"list_len", sequence_length},
      {"SequenceAdd", sequence_sum},
      {"sequence_add", sequence_sum},
      {"tuple_add", sequence_sum},
      {"InSequence", is_in_sequence},
      {"in_sequence", is_in_sequence},
      {"Switch", choose},
      {"switch", choose},
      {"switch_layer", choose_layer},
      {"SwitchLayer", choose_layer},
      {"Partial", partial},
      {"partial", partial},
      {"Shape", shape},
      {"DynamicShape", shape_tensor},
      {"TensorShape", shape_tensor},
      {"Rank", rank},
      {"Size", size},
      {"DType", element_type},
      {"ShapeCalc", shape_calculation},
  };
  return works;
}

}  // namespace

StructuralWork structural_work(std::string_view name) {
  const auto found = table().find(name);
  return found != table().end() ? found->second : number_work(name);
}

}  // namespace mycel::formats::mindir
