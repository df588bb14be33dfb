// SPDX-License-Identifier: Apache-2.0
#include "eager/aliases.h"

#include <algorithm>
#include <mutex>

#include "eager/interceptor.h"
#include "eager/tape_state.h"
#include "operator/registry.h"
#include "platform/error/error.h"
#include "tensor/overlap.h"

namespace mycel::eager {

using op::OpDef;
using op::TensorSpec;
using platform::ErrorKind;
using tensor::Storage;

namespace {

// A storage's whole content as one value of the tape: dense, in the order in which it lies.
struct Content {
  Edge edge;  // null: no gradient goes there
  TensorSpec spec;
};

class WrittenStorage : public tensor::StorageNotes {
 public:
  Ref<Scope> scope;  // the one that `content` belongs to
  Content content;
  struct Version {
    std::uint32_t number;
    Ref<Storage> storage;
  };
  std::vector<Version> versions;  // contents that somebody has saved
};

// Storages of Parameters are shared by threads.
std::mutex& notes_mutex() {
  static std::mutex mutex;
  return mutex;
}

WrittenStorage& notes_of(Storage& storage) {
  if (!storage.notes()) storage.set_notes(Ref<tensor::StorageNotes>(new WrittenStorage()));
  return static_cast<WrittenStorage&>(*storage.notes());
}

// Null: nothing of this scope was noted.
Content* written_content(const Storage& storage) {
  auto* notes = static_cast<WrittenStorage*>(storage.notes().get());
  const bool is_current = notes != nullptr && notes->scope && notes->scope == tape_state.scope;
  return is_current ? &notes->content : nullptr;
}

Ref<Storage> copy_of(const Storage& storage) {
  const auto bytes = static_cast<std::int64_t>(storage.bytes());
  auto& source = const_cast<Storage&>(storage);
  const Tensor from = Tensor::from_storage(Ref<Storage>(&source), {bytes}, tensor::DType::UInt8);
  const Tensor to = Tensor::empty({bytes}, tensor::DType::UInt8, storage.device());
  tensor::copy_elements(from, to);
  return to.body().storage;
}

bool is_whole(const Tensor& tensor) {
  return tensor.is_contiguous() && tensor.body().offset == 0 &&
         tensor.bytes() == tensor.storage().bytes();
}

TensorSpec row_of(const Tensor& tensor) {
  const auto count =
      static_cast<std::int64_t>(tensor.storage().bytes() / tensor::size_of(tensor.dtype()));
  return {tensor.dtype(), {count}, false};
}

Ref<Node> node_for(const OpDef& definition, std::vector<Content> inputs, const TensorSpec& output,
                   const Layout& layout) {
  Ref<Node> node(new Node());
  node->scope = tape_state.scope;
  node->sequence = tape_state.next_sequence++;
  node->definition = &definition;
  node->present.assign(inputs.size(), true);
  node->inputs.resize(inputs.size());
  node->outputs.resize(1);
  node->output_specs = {output};
  for (Content& input : inputs) {
    node->edges.push_back(std::move(input.edge));
    node->input_specs.push_back(std::move(input.spec));
  }
  node->attributes.resize(definition.attributes.size());
  const auto set = [&](std::string_view name, op::AttributeValue value) {
    const int place = definition.find_attribute(name);
    if (place >= 0) node->attributes[static_cast<std::size_t>(place)] = std::move(value);
  };
  set("shape", output.shape);
  set("strides", layout.strides);
  set("offset", layout.offset);
  return node;
}

// The part of `content` that a tensor with this layout shows.
Edge window_of(const Content& content, const TensorSpec& spec, const Layout& layout) {
  static const OpDef& view = op::find("strided_view");
  if (!content.edge.node) return {};
  return {node_for(view, {content}, spec, layout), 0};
}

// A storage's content, from how one of its tensors came to be.
Content content_behind(const Tensor& tensor) {
  static const OpDef& spread = op::find("strided_spread");
  Edge edge{Ref<Node>(node_of(tensor)), tensor.body().output_index};
  if (!edge.node) return {{}, row_of(tensor)};
  while (edge.node->is_window && !edge.node->released) edge = Edge(edge.node->edges[0]);
  const TensorSpec& made = edge.node->output_specs[edge.output];
  const auto& layouts = edge.node->layouts;
  const auto part = std::find_if(layouts.begin(), layouts.end(),
                                 [&](const auto& one) { return one.first == edge.output; });
  if (part == layouts.end()) return {edge, made};
  const TensorSpec row = row_of(tensor);
  return {{node_for(spread, {{edge, made}}, row, part->second), 0}, row};
}

Content current_content(const Tensor& tensor) {
  const Content* written = written_content(tensor.storage());
  return written != nullptr ? *written : content_behind(tensor);
}

void set_content(const Tensor& tensor, Content content) {
  WrittenStorage& notes = notes_of(tensor.storage());
  if (tensor.body().is_parameter && !(notes.scope == tape_state.scope))
    tape_state.scope->written.push_back(tensor.body().storage);
  notes.scope = tape_state.scope;
  notes.content = std::move(content);
}

Layout layout_of(const Tensor& tensor) { return {tensor.strides(), tensor.body().offset}; }

}  // namespace

// ---- saved values ------------------------------------------------------------------------------

Saved::Saved(const Tensor& tensor) : tensor_(detach(tensor)), version_(tensor.storage().version()) {
  tensor_.storage().add_saver();
}

Saved::Saved(const Saved& other) : tensor_(other.tensor_), version_(other.version_) {
  if (tensor_.defined()) tensor_.storage().add_saver();
}

Saved& Saved::operator=(Saved other) noexcept {
  std::swap(tensor_, other.tensor_);
  std::swap(version_, other.version_);
  return *this;
}

Saved::~Saved() {
  if (!tensor_.defined() || !tensor_.storage().remove_saver()) return;
  auto* notes = static_cast<WrittenStorage*>(tensor_.storage().notes().get());
  if (notes == nullptr) return;
  const std::lock_guard lock(notes_mutex());
  notes->versions.clear();
}

Tensor Saved::content() const {
  Tensor tensor = detach(tensor_);
  if (tensor_.storage().version() == version_) return tensor;
  const auto* notes = static_cast<const WrittenStorage*>(tensor_.storage().notes().get());
  if (notes != nullptr) {
    const std::lock_guard lock(notes_mutex());
    for (const WrittenStorage::Version& version : notes->versions) {
      if (version.number != version_) continue;
      tensor.body().storage = version.storage;
      return tensor;
    }
  }
  platform::fail(ErrorKind::Runtime,
                 "a tensor needed for the gradient was modified in place (version ",
                 tensor_.storage().version(), ", expected ", version_,
                 "). Write into a copy() of the tensor instead, or write after its gradient was "
                 "computed.");
}

void keep_saved_content(Storage& storage) {
  if (!storage.is_saved()) [[likely]]
    return;
  Ref<Storage> kept =
      interceptor() == nullptr ? Ref<Storage>() : interceptor()->content_now(storage);
  if (!kept) kept = copy_of(storage);
  const std::lock_guard lock(notes_mutex());
  notes_of(storage).versions.push_back({storage.version(), std::move(kept)});
}

void prepare_write(const Tensor& target) {
  platform::require(!tensor::repeats_elements(target.shape(), target.strides()), ErrorKind::Runtime,
                    "several elements of the tensor of shape ", target.shape(),
                    " that is written lie at the same place in memory (it was stretched without a "
                    "copy). Write into a copy() of it.");
  keep_saved_content(target.storage());
  take_part(target);
}

// ---- histories ---------------------------------------------------------------------------------

void note_origin(const Tensor& tensor) {
  if (node_of(tensor) == nullptr || written_content(tensor.storage()) != nullptr) return;
  set_content(tensor, content_behind(tensor));
}

namespace {

// The tensor shows what the storage is noted to hold.
void show_content(const Tensor& tensor, const Content& content) {
  tensor::TensorBody& body = tensor.body();
  const TensorSpec spec{tensor.dtype(), tensor.shape(), false};
  const bool is_same = is_whole(tensor) && spec.shape == content.spec.shape;
  const Edge edge = is_same ? content.edge : window_of(content, spec, layout_of(tensor));
  body.history = Ref<tensor::History>(edge.node.get());
  body.output_index = edge.output;
  body.seen_version = body.storage->version();
}

}  // namespace

void take_part(const Tensor& target) {
  if (!tape_state.recording || node_of(target) != nullptr) return;
  const Content* content = written_content(target.storage());
  if (content != nullptr && content->edge.node) show_content(target, *content);
}

void forget_writes(Scope& scope) {
  for (const Ref<Storage>& storage : std::exchange(scope.written, {})) {
    WrittenStorage& notes = notes_of(*storage);
    if (notes.scope.get() != &scope) continue;
    notes.content = {};
    notes.scope = {};
  }
}

void record_overwrite(const Tensor& target, const Tensor& result) {
  static const OpDef& update = op::find("strided_update");
  tensor::TensorBody& body = target.body();
  Content content = current_content(target);
  const TensorSpec written{target.dtype(), target.shape(), false};
  const Edge edge{Ref<Node>(node_of(result)), result.body().output_index};
  if (is_whole(target)) {
    content = {edge, written};
  } else if (content.edge.node || edge.node) {
    const TensorSpec whole = content.spec;
    content = {{node_for(update, {content, {edge, written}}, whole, layout_of(target)), 0}, whole};
  }
  set_content(target, std::move(content));
  body.storage->note_recorded_write();
  body.seen_version = body.storage->version();
  body.history = Ref<tensor::History>(edge.node.get());
  body.output_index = edge.output;
}

void follow_writes(const Tensor& tensor) {
  tensor::TensorBody& body = tensor.body();
  if (body.storage->recorded_version() <= body.seen_version) return;
  const Content* content = written_content(*body.storage);
  if (content == nullptr) return;  // of a gradient that is over: what is left is plain memory
  show_content(tensor, *content);
}

}  // namespace mycel::eager
