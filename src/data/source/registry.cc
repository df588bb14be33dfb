// SPDX-License-Identifier: Apache-2.0
#include "data/source/registry.h"

#include <map>

namespace mycel::data {

namespace {

template <class Factory>
std::map<std::string, Factory>& factories() {
  static std::map<std::string, Factory> all;
  return all;
}

template <class Factory>
Factory find(const std::string& name) {
  const auto found = factories<Factory>().find(name);
  if (found == factories<Factory>().end())
    platform::fail(platform::ErrorKind::Internal, "there is no source '", name, "'");
  return found->second;
}

}  // namespace

SourceRegistration::SourceRegistration(const char* name, IndexedSourceFactory make) {
  factories<IndexedSourceFactory>()[name] = make;
}

SourceRegistration::SourceRegistration(const char* name, FileSourceFactory make) {
  factories<FileSourceFactory>()[name] = make;
}

IndexedSourcePtr open_indexed_source(const std::string& name, const Parameters& parameters) {
  return find<IndexedSourceFactory>(name)(parameters);
}

FileSourcePtr open_file_source(const std::string& name, const Parameters& parameters) {
  return find<FileSourceFactory>(name)(parameters);
}

}  // namespace mycel::data
