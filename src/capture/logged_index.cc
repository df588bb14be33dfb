// SPDX-License-Identifier: Apache-2.0
#include "capture/logged_index.h"

#include "capture/logged_tape.h"
#include "capture/script_writer.h"
#include "eager/aliases.h"
#include "eager/dispatch.h"
#include "operator/registry.h"

namespace mycel::capture {

namespace {

// The attributes of the call that comes next.
op::AttributeList attributes_for(const Tensor& tensor, const LoggedIndex& index) {
  if (ScriptWriter* writer = script_writer()) [[unlikely]]
    writer->note_index(index.noted);
  return eager::window_attributes(tensor.shape(), {index.parts.data(), index.parts.size()});
}

}  // namespace

Tensor read_window(const Tensor& tensor, const LoggedIndex& index) {
  static const op::OpDef& view = op::find("index_view");
  op::AttributeList attributes = attributes_for(tensor, index);
  Tensor inputs[] = {tensor};
  return eager::dispatch_one(view, inputs, attributes);
}

void write_window(const Tensor& target, const LoggedIndex& index, const Tensor& value) {
  static const op::OpDef& update = op::find("index_view_update");
  static const op::OpDef& assign = op::find("index_view_assign");
  op::AttributeList attributes = attributes_for(target, index);
  Tensor inputs[] = {target, value};
  eager::take_part(target);
  if (!eager::is_tracked(target) && !eager::is_tracked(value)) {
    eager::dispatch_one(assign, inputs, attributes);
    return;
  }
  // While a gradient is recorded the write is also an operator with a result, whose history the
  // target takes over.
  const Tensor result = eager::dispatch_one(update, inputs, attributes);
  {
    const LoggedSwitch off(false);
    Tensor plain[] = {target, value};
    op::AttributeList again = attributes_for(target, index);
    eager::dispatch_one(assign, plain, again);
  }
  overwrite_history(target, result);
}

}  // namespace mycel::capture
