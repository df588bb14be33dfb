// SPDX-License-Identifier: Apache-2.0
// Safetensors files: a reader and a writer.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/objects.h"
#include "bindings/parts.h"
#include "bindings/tensor_caster.h"
#include "formats/safetensors/safetensors_file.h"
#include "formats/safetensors/safetensors_writer.h"

namespace mycel::bindings {

namespace nb = nanobind;
using formats::NamedTensor;
using formats::SafetensorsEntry;
using formats::SafetensorsFile;

namespace {

using Metadata = std::vector<std::pair<std::string, std::string>>;

std::vector<NamedTensor> named_tensors(const nb::list& pairs) {
  std::vector<NamedTensor> tensors;
  for (nb::handle pair : pairs) {
    const Tensor tensor = tensor::copy_to_device(filled(nb::object(pair[1]).ptr()), {});
    tensors.push_back({nb::cast<std::string>(pair[0]), tensor::contiguous(tensor)});
  }
  return tensors;
}

nb::list entries_of(const SafetensorsFile& file) {
  return list_of(file.entries(), [](const SafetensorsEntry& entry) { return entry.name; });
}

}  // namespace

void bind_safetensors(nb::module_& module) {
  nb::class_<SafetensorsFile>(module, "SafetensorsFile")
      .def("__init__",
           [](SafetensorsFile* self, const std::string& path) { new (self) SafetensorsFile(path); })
      .def("names", entries_of)
      .def("metadata", &SafetensorsFile::metadata)
      .def(
          "tensor",
          [](const SafetensorsFile& self, std::size_t number) {
            return self.tensor_of(self.entry(number));
          },
          nb::call_guard<nb::gil_scoped_release>())
      .def("checksum", &SafetensorsFile::checksum, nb::arg("like_others") = false,
           nb::call_guard<nb::gil_scoped_release>());
  module.def("write_safetensors",
             [](const std::string& path, const nb::list& pairs, const Metadata& metadata) {
               std::vector<NamedTensor> tensors = named_tensors(pairs);
               const nb::gil_scoped_release release;
               formats::write_safetensors(path, std::move(tensors), metadata);
             });
  module.def("safetensors_checksum", [](const nb::list& pairs) {
    std::vector<NamedTensor> tensors = named_tensors(pairs);
    const nb::gil_scoped_release release;
    return formats::safetensors_checksum(std::move(tensors));
  });
}

}  // namespace mycel::bindings
