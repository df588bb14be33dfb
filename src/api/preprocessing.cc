// SPDX-License-Identifier: Apache-2.0
#include "api/preprocessing.h"

#include <atomic>
#include <filesystem>

#include <dlfcn.h>

#include "api/boundary.h"

namespace mycel::api {
namespace {

constexpr const char* kLibrary = "_c_dataengine.so";

std::atomic<PreprocessingMaker>& offered() {
  static std::atomic<PreprocessingMaker> maker = nullptr;
  return maker;
}

// It stands in the package's root, this library in lib/ below.
std::string library_of_transforms() {
  Dl_info self{};
  if (dladdr(reinterpret_cast<void*>(&make_preprocessing), &self) == 0) return kLibrary;
  const auto folder = std::filesystem::absolute(self.dli_fname).parent_path().parent_path();
  return (folder / kLibrary).string();
}

}  // namespace

void offer_preprocessing(PreprocessingMaker maker) { offered() = maker; }

std::shared_ptr<const Preprocessing> make_preprocessing(std::span<const StoredMap> maps) {
  if (offered() == nullptr) {
    const std::string path = library_of_transforms();
    const bool is_open = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr;
    const char* const reason = is_open ? nullptr : dlerror();
    require(offered() != nullptr, mindspore::kMEFailed,
            "the preprocessing that the model holds needs the library of transforms '", path,
            "', which cannot be opened: ", reason == nullptr ? "it is another one" : reason);
  }
  return offered().load()(maps);
}

}  // namespace mycel::api
