// SPDX-License-Identifier: Apache-2.0
// Checkpoint files: a writer and a reader; encryption and replacement of whole files.
#include <optional>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/buffer_view.h"
#include "bindings/objects.h"
#include "bindings/parts.h"
#include "bindings/tensor_caster.h"
#include "formats/checkpoint/checkpoint_file.h"
#include "formats/checkpoint/checkpoint_writer.h"
#include "platform/checksum/crc32.h"
#include "platform/cipher/envelope.h"
#include "platform/file/replacing_file.h"

namespace mycel::bindings {

namespace nb = nanobind;
using formats::CheckpointEntry;
using formats::CheckpointFile;
using formats::CheckpointWriter;
using formats::StoredArray;
using formats::WrittenArray;
using platform::ReplacingFile;

namespace {

platform::CipherKey cipher_key(const nb::bytes& key, const std::string& mode) {
  return {std::string(bytes_in(key)), mode};
}

void add_tensor(CheckpointWriter& writer, const std::string& name, nb::handle object) {
  const Tensor tensor = tensor::contiguous(tensor::copy_to_device(filled(object.ptr()), {}));
  const std::vector<std::int64_t> dims(tensor.shape().begin(), tensor.shape().end());
  // Asked for while the lock is held: a captured program may have to run for it.
  const char* const content = tensor.size() > 0 ? tensor.data<char>() : nullptr;
  const nb::gil_scoped_release release;
  writer.add(name, tensor::name_of(tensor.dtype()), dims, {content, tensor.bytes()});
}

// (type, axes, content) of keys, values and states; contents are objects whose bytes can be read.
void add_map(CheckpointWriter& writer, const std::string& name, const nb::list& arrays) {
  std::vector<std::string> types;
  std::vector<std::vector<std::int64_t>> dims;
  std::vector<BufferView> contents;
  for (const nb::handle array : arrays) {
    types.push_back(nb::cast<std::string>(array[0]));
    dims.push_back(nb::cast<std::vector<std::int64_t>>(array[1]));
    contents.emplace_back(array[2]);
  }
  std::vector<WrittenArray> written;
  for (std::size_t i = 0; i < types.size(); ++i)
    written.push_back({types[i], dims[i], contents[i].bytes()});
  const nb::gil_scoped_release release;
  writer.add_map(name, written);
}

nb::bytes content_of(const CheckpointFile& file, const StoredArray& array) {
  std::string content(array.bytes(), '\0');
  file.copy(array, content.data());
  return bytes_object(content);
}

nb::bytes encrypted(const nb::bytes& plain, const nb::bytes& key, const std::string& mode) {
  return bytes_object(platform::encrypt_pieces(bytes_in(plain), cipher_key(key, mode)));
}

// None: wrong key, wrong mode or damaged.
nb::object decrypted(const nb::bytes& pieces, const nb::bytes& key, const std::string& mode) {
  const auto plain = platform::decrypt_pieces(bytes_in(pieces), cipher_key(key, mode));
  return plain ? nb::object(bytes_object(*plain)) : nb::none();
}

nb::str text_of(std::string_view text, const CheckpointFile& file) {
  PyObject* const decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
  if (decoded == nullptr) {
    PyErr_Clear();
    file.refuse("a name is not UTF-8 text");
  }
  return nb::steal<nb::str>(decoded);
}

// (name, type, whether it is a map parameter) of each entry.
nb::list entries_of(const CheckpointFile& file) {
  return list_of(file.entries(), [&](const CheckpointEntry& entry) {
    return nb::make_tuple(text_of(entry.name, file), text_of(entry.arrays.front().type, file),
                          entry.is_map);
  });
}

nb::list arrays_of(const CheckpointFile& file, std::size_t number) {
  return list_of(file.entry(number).arrays, [&](const StoredArray& array) {
    return nb::make_tuple(text_of(array.type, file), array.dims, content_of(file, array));
  });
}

}  // namespace

void bind_checkpoint(nb::module_& module) {
  nb::class_<CheckpointWriter>(module, "CheckpointWriter")
      .def("__init__",
           [](CheckpointWriter* self, const std::string& path, const nb::bytes& key,
              const std::string& mode, bool has_checksum) {
             new (self) CheckpointWriter(
                 path, {.cipher = cipher_key(key, mode), .has_checksum = has_checksum});
           })
      .def("add_tensor", add_tensor)
      .def("add_map", add_map)
      .def("add_bytes",
           [](CheckpointWriter& self, const std::string& name, const std::string& type,
              const std::vector<std::int64_t>& dims,
              const nb::bytes& content) { self.add(name, type, dims, bytes_in(content)); })
      .def("commit", &CheckpointWriter::commit, nb::call_guard<nb::gil_scoped_release>());
  nb::class_<CheckpointFile>(module, "CheckpointFile")
      .def("__init__",
           [](CheckpointFile* self, const std::string& path, const nb::bytes& key,
              const std::string& mode) {
             const platform::CipherKey cipher = cipher_key(key, mode);
             const nb::gil_scoped_release release;
             new (self) CheckpointFile(path, cipher);
           })
      .def("has_checksum", &CheckpointFile::has_checksum)
      .def("is_intact", &CheckpointFile::is_intact, nb::call_guard<nb::gil_scoped_release>())
      .def("entries", entries_of)
      .def("tensor",
           [](const CheckpointFile& self, std::size_t number) {
             const nb::gil_scoped_release release;
             return self.tensor_of(self.entry(number));
           })
      .def("arrays", arrays_of);
  nb::class_<ReplacingFile>(module, "ReplacingFile")
      .def(nb::init<const std::string&, unsigned>())
      .def_prop_ro("temporary", &ReplacingFile::temporary)
      .def("commit", &ReplacingFile::commit, nb::call_guard<nb::gil_scoped_release>())
      .def("abandon", &ReplacingFile::abandon);
  module.def("encrypt_envelope", encrypted);
  module.def("decrypt_envelope", decrypted);
  module.def("starts_with_envelope",
             [](const nb::bytes& bytes) { return platform::starts_with_piece(bytes_in(bytes)); });
  module.def("masked_crc32c",
             [](const nb::bytes& bytes) { return platform::masked_crc32c(bytes_in(bytes)); });
}

}  // namespace mycel::bindings
