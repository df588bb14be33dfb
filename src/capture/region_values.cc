// SPDX-License-Identifier: Apache-2.0
#include "capture/region_values.h"

#include "capture/declined.h"
#include "capture/recorder.h"
#include "eager/dispatch.h"
#include "eager/tape.h"
#include "operator/contexts.h"
#include "platform/error/error.h"

namespace mycel::capture {

using op::Value;
using platform::Ref;
using tensor::Storage;

Value value_of(const Tensor& tensor) { return {&eager::emitter(), tensor}; }

Tensor called(std::string_view name, std::initializer_list<Value> inputs,
              std::initializer_list<op::NamedAttribute> attributes) {
  return eager::emitter().call(name, inputs, attributes).tensor();
}

Tensor stretched(const Tensor& scalar, const op::TensorSpec& spec) {
  const Tensor typed = called("cast", {value_of(scalar)}, {{"dtype", spec.dtype}});
  if (spec.shape.empty()) return typed;
  return called("broadcast_to", {value_of(typed)}, {{"shape", spec.shape}});
}

Tensor kept_value(const Tensor& log, const Tensor& row, int column, const op::TensorSpec& spec,
                  const Tensor& initial) {
  return called("kept_value",
                {value_of(log), value_of(row), initial.defined() ? value_of(initial) : Value()},
                {{"column", column}, {"shape", spec.shape}, {"dtype", spec.dtype}});
}

Tensor row_at(const Tensor& rows, const Tensor& place, const Tensor& initial) {
  return called("row_at",
                {value_of(rows), value_of(place), initial.defined() ? value_of(initial) : Value()});
}

Tensor with_row(const Tensor& rows, const Tensor& row, const Tensor& place, bool copies) {
  const Tensor target = copies ? called("copy", {value_of(rows)}) : rows;
  called("row_assign", {value_of(target), value_of(row), value_of(place)});
  return target;
}

void lend(Recorder* recorder, const Tensor& stand_in, const Tensor& content) {
  if (recorder != nullptr) {
    recorder->stand_for(stand_in, content);
    return;
  }
  const Tensor dense = tensor::contiguous(content);
  stand_in.storage().set_watcher(nullptr);
  stand_in.storage().fulfil(dense.body().storage, static_cast<std::size_t>(dense.body().offset) *
                                                      tensor::size_of(dense.dtype()));
}

void take_back(const Tensor& stand_in) {
  static const Ref<Storage> none = Storage::allocate({}, 1);
  stand_in.storage().fulfil(none);
}

std::vector<Tensor> walk_region(std::string_view what,
                                const std::function<std::vector<Tensor>(Recorder&)>& recorded,
                                const std::function<std::vector<Tensor>()>& at_once) {
  platform::require(!eager::is_recording(), platform::ErrorKind::Runtime,
                    "the gradient of a compiled ", what,
                    " is itself differentiated, which was not known when the ", what,
                    " was recorded. Compute both gradients in one function, or set MS_JIT=0.");
  Recorder* const recorder = current_recorder();
  if (recorder == nullptr || !recorder->is_active()) return at_once();
  const std::size_t depth = recorder->region_depth();
  try {
    return recorded(*recorder);
  } catch (const Declined& declined) {
    recorder->drop_regions(depth);
    if (depth > 0) throw;
    recorder->abandon(platform::join("the gradient of a ", what, " ", declined.what()));
    return at_once();
  } catch (...) {
    recorder->drop_regions(depth);
    throw;
  }
}

}  // namespace mycel::capture
