// SPDX-License-Identifier: Apache-2.0
// Reading and writing through basic indices: a script that is being written hears of it.
#pragma once

#include "capture/script.h"
#include "eager/index_window.h"
#include "platform/inline_vector.h"

namespace mycel::capture {

struct LoggedIndex {
  platform::InlineVector<eager::IndexPart, 4> parts;
  ScriptIndex noted;  // what a script has to know of them
};

Tensor read_window(const Tensor& tensor, const LoggedIndex& index);
void write_window(const Tensor& target, const LoggedIndex& index, const Tensor& value);

}  // namespace mycel::capture
