// SPDX-License-Identifier: Apache-2.0
// Memory while a function is recorded: which tensors share it, and what it holds after writes.
#include <algorithm>

#include "capture/declined.h"
#include "capture/recorder.h"
#include "eager/aliases.h"
#include "operator/contexts.h"
#include "operator/registry.h"
#include "platform/error/error.h"
#include "tensor/overlap.h"

namespace mycel::capture {

using ir::Output;
using op::OpDef;
using op::TensorSpec;

namespace {

bool is_whole_storage(const Tensor& tensor) {
  return tensor.is_contiguous() && tensor.body().offset == 0 &&
         tensor.bytes() == tensor.storage().bytes();
}

op::AttributeList attributes_of(const OpDef& definition,
                                std::initializer_list<op::NamedAttribute> values) {
  op::AttributeList attributes(definition.attributes.size());
  for (const op::NamedAttribute& value : values)
    attributes[static_cast<std::size_t>(definition.find_attribute(value.name))] = value.value;
  return attributes;
}

}  // namespace

std::size_t Recorder::WindowHash::operator()(const Window& window) const {
  std::size_t hash = std::hash<std::int64_t>()(window.offset);
  for (const tensor::IntList* list : {&window.shape, &window.strides}) {
    for (const std::int64_t value : *list) hash = hash * 31 + static_cast<std::size_t>(value);
  }
  return hash;
}

// A tensor from outside stands for its whole storage, so that everything else on it is a part.
Recorder::Entry Recorder::entry_for_reference(const Tensor& reference, std::string name) const {
  Entry entry;
  entry.kind = Kind::Reference;
  entry.name = std::move(name);
  entry.tensor = reference;
  if (!is_whole_storage(reference)) {
    const auto count =
        static_cast<std::int64_t>(reference.storage().bytes() / tensor::size_of(reference.dtype()));
    entry.tensor = Tensor::from_storage(reference.body().storage, {count}, reference.dtype());
  }
  entry.spec = {reference.dtype(), entry.tensor.shape(), false};
  return entry;
}

void Recorder::watch(const Tensor& reference, std::string name) {
  Storage& storage = reference.storage();
  if (!active_ || find(storage) != nullptr || storage.watcher() != nullptr) return;
  storage.set_watcher(this);
  storage.note_reference();
  memory_.references.push_back(enter(entry_for_reference(reference, std::move(name))).tensor);
}

std::optional<Window> Recorder::part_of(const Entry& entry, const Tensor& tensor) {
  const std::int64_t offset = tensor.body().offset - entry.first;
  if (offset == 0 && tensor.shape() == entry.spec.shape && tensor.is_contiguous())
    return std::nullopt;
  return Window{tensor.shape(), tensor.strides(), offset};
}

Output Recorder::content(Entry& entry) {
  if (entry.output) return entry.output;
  if (entry.kind == Kind::Reference) {
    entry.output =
        graph_->add_parameter(graph_->body(), entry.tensor, entry.name, outermost_owner()).output();
    parameters_.push_back(entry.tensor);
  } else {
    entry.output =
        graph_->add_argument(graph_->body(), entry.spec, platform::join("v", entry.place)).output();
    graph_arguments_.push_back(entry.place);
  }
  entry.memory = entry.output;
  return entry.output;
}

Output Recorder::part(Entry& entry, const Window& window) {
  static const OpDef& view = op::find("strided_view");
  auto& [output, writes] = entry.parts[window];
  if (output && writes == entry.writes) return output;
  output = add(view, {content(entry)},
               attributes_of(view, {{"shape", window.shape},
                                    {"strides", window.strides},
                                    {"offset", window.offset}}),
               {{entry.spec.dtype, window.shape, false}})
               .output();
  writes = entry.writes;
  return output;
}

Output Recorder::operand(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  Entry* entry = find(tensor.storage());
  if (entry == nullptr && (tensor.body().is_parameter || !is_made_here(tensor))) {
    watch(tensor);
    entry = find(tensor.storage());
    const std::string why = entry == nullptr ? std::string() : conflict(entry->tensor, entry);
    if (!why.empty()) {
      abandon(why);
      return {};
    }
  }
  if (entry == nullptr) return constant(tensor);
  require_not_gone(*entry);
  const std::optional<Window> window = part_of(*entry, tensor);
  return window ? part(*entry, *window) : content(*entry);
}

bool Recorder::take_view(const OpDef& definition, const Tensor& input,
                         std::span<op::AttributeValue> attributes,
                         std::span<const TensorSpec> specs, std::vector<Tensor>& outputs) {
  op::ViewContext view(definition, attributes, input, specs);
  if (!definition.view(view)) return false;  // eager execution makes a copy
  const Output from = operand(input);
  if (!active_) return false;
  Entry* entry = find(input.storage());
  if (entry == nullptr) return false;
  outputs.clear();
  for (const op::ViewSpec& spec : view.views())
    outputs.push_back(Tensor::view(input, spec.shape, spec.strides, spec.offset));
  const auto is_part = [&](const Tensor& tensor) { return part_of(*entry, tensor).has_value(); };
  if (std::none_of(outputs.begin(), outputs.end(), is_part)) return true;
  ir::Node& node = add(definition, {from}, {attributes.begin(), attributes.end()},
                       std::vector<TensorSpec>(specs.begin(), specs.end()));
  for (std::uint32_t i = 0; i < outputs.size(); ++i) {
    if (const std::optional<Window> window = part_of(*entry, outputs[i]))
      entry->parts[*window] = {node.output(i), entry->writes};
  }
  return true;
}

// ---- writes ------------------------------------------------------------------------------------

Ref<Storage> Recorder::content_now(Storage& storage) {
  Entry* entry = active_ && !busy_ ? find(storage) : nullptr;
  if (entry == nullptr) return {};
  Output output = content(*entry);
  if (entry->is_memory()) output = copied(output);
  const Tensor kept = promise(entry->spec, output);
  entry = find(storage);  // entries may have moved
  if (!entry->is_memory()) find(kept.storage())->parts = entry->parts;
  find(kept.storage())->writes = entry->writes;
  return kept.body().storage;
}

std::string Recorder::conflict(const Tensor& memory, const Entry* entry) const {
  if (memory_.written_arguments.empty() && memory_.written_references.empty()) return {};
  const auto is_written = [&](const Entry& other) {
    if (other.kind == Kind::Argument)
      return std::count(memory_.written_arguments.begin(), memory_.written_arguments.end(),
                        static_cast<std::size_t>(other.place)) > 0;
    return std::any_of(memory_.written_references.begin(), memory_.written_references.end(),
                       [&](const Tensor& written) { return written == other.tensor; });
  };
  const bool writes_here = is_written(*entry);
  for (const auto& [key, other] : entries_) {
    if (&other == entry || !other.is_memory()) continue;
    if (!writes_here && !is_written(other)) continue;
    const Tensor& place = other.kind == Kind::Argument
                              ? run_.values[static_cast<std::size_t>(other.place)]
                              : other.tensor;
    if (tensor::may_overlap(memory, place))
      return "it writes memory that it also reaches by another name";
  }
  return {};
}

void Recorder::note_written(const Entry& entry) {
  if (entry.kind == Kind::Argument) {
    const auto place = static_cast<std::size_t>(entry.place);
    auto& written = memory_.written_arguments;
    if (std::find(written.begin(), written.end(), place) == written.end()) written.push_back(place);
  } else if (entry.kind == Kind::Reference) {
    auto& written = memory_.written_references;
    if (std::find(written.begin(), written.end(), entry.tensor) == written.end())
      written.push_back(entry.tensor);
  }
}

void Recorder::prepare_write(const Tensor& target) {
  require_not_shared(target.storage());
  Entry* entry = find(target.storage());
  if (entry == nullptr && !target.body().is_parameter && is_made_here(target))
    require_made_in_turn(target.storage());
  if (entry == nullptr && !take_over(target)) watch(target);
  entry = find(target.storage());
  platform::require(entry != nullptr, platform::ErrorKind::Internal,
                    "a tensor of another run is written");
  if (entry->is_memory()) {
    note_written(*entry);
    const Tensor memory = entry->kind == Kind::Argument
                              ? run_.values[static_cast<std::size_t>(entry->place)]
                              : entry->tensor;
    if (std::string why = conflict(memory, entry); !why.empty()) {
      abandon(std::move(why));
      return;
    }
  }
  if (!entry->is_memory()) require_writable_here(*entry);
  if (is_lent(target.storage())) {
    abandon("it writes into a tensor whose memory NumPy has");
    return;
  }
  eager::prepare_write(target);
}

bool Recorder::take_over(const Tensor& tensor) {
  if (find(tensor.storage()) != nullptr) return true;
  if (!is_of_this_run(tensor.storage())) return false;
  const auto count =
      static_cast<std::int64_t>(tensor.storage().bytes() / tensor::size_of(tensor.dtype()));
  const Tensor all = is_whole_storage(tensor)
                         ? tensor
                         : Tensor::from_storage(tensor.body().storage, {count}, tensor.dtype());
  Entry entry;
  entry.storage = tensor.body().storage;
  entry.kind = Kind::Stale;
  entry.own_memory = true;
  entry.spec = {all.dtype(), all.shape(), false};
  entry.output = constant(all);
  entry.storage->set_watcher(this);
  enter(std::move(entry));
  return true;
}

// What an operator writes into must be memory of its own: that of an argument or of a tensor from
// outside, or a copy.
Output Recorder::writable(const Tensor& target) {
  Entry& entry = *find(target.storage());
  const std::optional<Window> window = part_of(entry, target);
  if (window) return copied(part(entry, *window));
  return entry.is_memory() ? content(entry) : copied(content(entry));
}

void Recorder::written(const Tensor& target, Output value) {
  static const OpDef& update = op::find("strided_update");
  static const OpDef& assign = op::find("strided_assign");
  Entry& entry = *find(target.storage());
  const std::optional<Window> window = part_of(entry, target);
  if (window) {
    const OpDef& write = entry.is_memory() ? assign : update;
    entry.output =
        add(write, {content(entry), value},
            attributes_of(write, {{"strides", window->strides}, {"offset", window->offset}}),
            {entry.spec})
            .output();
  } else {
    entry.output = value;
  }
  ++entry.writes;  // parts are read anew, with the strides they have
  if (entry.kind == Kind::Value) entry.kind = Kind::Stale;
  entry.is_seen = false;
  target.storage().bump_version();
}

}  // namespace mycel::capture
