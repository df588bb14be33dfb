// SPDX-License-Identifier: Apache-2.0
// All sources by name. One file under source/ registers the layouts it reads.
#pragma once

#include <memory>
#include <string>

#include "data/parameters.h"
#include "data/source/source.h"

namespace mycel::data {

using IndexedSourcePtr = std::shared_ptr<const IndexedSource>;
using FileSourcePtr = std::shared_ptr<const FileSource>;
using IndexedSourceFactory = IndexedSourcePtr (*)(const Parameters& parameters);
using FileSourceFactory = FileSourcePtr (*)(const Parameters& parameters);

struct SourceRegistration {
  SourceRegistration(const char* name, IndexedSourceFactory make);
  SourceRegistration(const char* name, FileSourceFactory make);
};

#define MYCEL_SOURCE(name, make) \
  static const ::mycel::data::SourceRegistration registered_##name(#name, make)

// Reading a folder can take long; nothing of Python is touched.
IndexedSourcePtr open_indexed_source(const std::string& name, const Parameters& parameters);
FileSourcePtr open_file_source(const std::string& name, const Parameters& parameters);

}  // namespace mycel::data
