// SPDX-License-Identifier: Apache-2.0
// Tensors that share memory, and in-place writes, while gradients are recorded. A write through one
// of them changes what all of them hold, so the storage notes how its content came to be, and every
// other tensor on it finds its own history from there when it is next used.
#pragma once

#include "eager/tape.h"

namespace mycel::eager {

// Before memory is written in place: keeps apart what gradient rules still need of it.
// RuntimeError when places of `target` are the same element.
void prepare_write(const Tensor& target);
// The same for memory that is written without an operator.
void keep_saved_content(tensor::Storage& storage);

// `target` was written in place and now holds what `result` holds: tensors that share its memory
// take over the history.
void record_overwrite(const Tensor& target, const Tensor& result);

// A tensor that lets go of its history stays a window on memory that has one.
void note_origin(const Tensor& tensor);

// A tensor that no gradient goes to is about to be written, on memory that one goes to: what it
// keeps of the old content belongs to that.
void take_part(const Tensor& target);

// A gradient computation is over: nothing of it is noted any more.
void forget_writes(Scope& scope);

// Brings the history of a tensor up to date with writes through others.
void follow_writes(const Tensor& tensor);

}  // namespace mycel::eager
