// SPDX-License-Identifier: Apache-2.0
// The row index beside a MindRecord file, an SQLite database.
#pragma once

#include <optional>
#include <string>

#include "data/record/layout.h"
#include "platform/file/file.h"

namespace mycel::data {

// The table of a file from its index. Nothing when there is none or it does not fit the file: it
// may be left from an older one, or damaged; `reason` says it.
std::optional<RowTable> read_index(const platform::Path& index, const RecordLayout& layout,
                                   std::string& reason);

// Writes the index of a file called `name` into an empty or new database file. RuntimeError when
// that is not possible, or a row's scalars cannot be read.
void write_index(const platform::Path& index, const std::string& name, const RecordLayout& layout,
                 const RowTable& table);

}  // namespace mycel::data
