// SPDX-License-Identifier: Apache-2.0
// Messages of model files as dicts, in both directions.
#include "formats/mindir/messages.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/buffer_view.h"
#include "bindings/objects.h"
#include "bindings/parts.h"
#include "formats/message/message_tree.h"
#include "formats/onnx/messages.h"
#include "platform/error/error.h"

namespace mycel::bindings {

namespace nb = nanobind;
using formats::FieldKind;
using formats::FieldSpec;
using formats::MessageSpec;
using formats::MessageTree;

namespace {

const MessageSpec& spec_of(const std::string& name) {
  if (name == "mindir") return formats::mindir_model();
  if (name == "mindir graph") return formats::mindir_graph();
  platform::require(name == "onnx", platform::ErrorKind::Value, "no format is called ", name);
  return formats::onnx_model();
}

// Dicts by field name; bytes are views of the object that was decoded.
class ToPython {
 public:
  ToPython(nb::object whole, std::string_view bytes)
      : view_(owned(PyMemoryView_FromObject(whole.ptr()))), bytes_(bytes) {}

  nb::dict convert(const MessageTree& tree) const {
    nb::dict dict;
    for (const MessageTree::Field& field : tree.fields) {
      const nb::str name = text_object(field.spec->name);
      if (!field.spec->is_repeated) {
        dict[name] = value_of(field);
        continue;
      }
      if (!dict.contains(name)) dict[name] = nb::list();
      nb::cast<nb::list>(dict[name]).append(value_of(field));
    }
    return dict;
  }

 private:
  nb::object value_of(const MessageTree::Field& field) const {
    switch (field.spec->kind) {
      case FieldKind::Int: return nb::int_(std::get<std::int64_t>(field.value));
      case FieldKind::Bool: return nb::bool_(std::get<std::int64_t>(field.value) != 0);
      case FieldKind::Float:
      case FieldKind::Double: return nb::float_(std::get<double>(field.value));
      case FieldKind::Text: {
        const auto text = std::get<std::string_view>(field.value);
        return owned(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()),
                                          "surrogateescape"));
      }
      case FieldKind::Bytes: {
        const auto part = std::get<std::string_view>(field.value);
        const auto first = part.data() - bytes_.data();
        const auto end = first + static_cast<std::ptrdiff_t>(part.size());
        return view_[nb::slice(nb::int_(first), nb::int_(end), nb::none())];
      }
      case FieldKind::Message: return convert(*std::get<std::unique_ptr<MessageTree>>(field.value));
    }
    return nb::none();
  }

  nb::object view_;
  std::string_view bytes_;
};

class FromPython {
 public:
  static void encode(const MessageSpec& spec, const nb::dict& dict, std::string& out) {
    for (const auto& [key, value] : dict) {
      const std::string name = nb::cast<std::string>(key);
      platform::require(spec.find(std::string_view(name)) != nullptr, platform::ErrorKind::Key,
                        "A message ", spec.name, " has no field '", name, "'.");
    }
    for (const FieldSpec& field : spec.fields) {
      const nb::str name = text_object(field.name);
      if (!dict.contains(name)) continue;
      const nb::object value = dict[name];
      if (!field.is_repeated) {
        put(field, value, out);
        continue;
      }
      for (nb::handle item : value) put(field, nb::borrow(item), out);
    }
  }

 private:
  static void put(const FieldSpec& field, const nb::object& value, std::string& out) {
    platform::MessageWriter writer(out);
    switch (field.kind) {
      case FieldKind::Int:
      case FieldKind::Bool: writer.varint(field.number, integer_of(value)); return;
      case FieldKind::Float:
        writer.fixed32(field.number, static_cast<float>(real_of(value)));
        return;
      case FieldKind::Double: writer.fixed64(field.number, real_of(value)); return;
      case FieldKind::Text: writer.bytes(field.number, text_of(value)); return;
      case FieldKind::Bytes: writer.bytes(field.number, BufferView(value).bytes()); return;
      case FieldKind::Message: {
        std::string inner;
        encode(*field.message, nb::cast<nb::dict>(value), inner);
        writer.bytes(field.number, inner);
        return;
      }
    }
  }

  static std::uint64_t integer_of(const nb::object& value) {
    const std::uint64_t bits = PyLong_AsUnsignedLongLongMask(value.ptr());
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    return bits;
  }
  static double real_of(const nb::object& value) {
    const double real = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    return real;
  }
  static std::string text_of(const nb::object& value) {
    return std::string(bytes_in(nb::borrow<nb::bytes>(
        owned(PyUnicode_AsEncodedString(value.ptr(), "utf-8", "surrogateescape")))));
  }
};

}  // namespace

void bind_messages(nb::module_& module) {
  module.def("decode_message", [](const std::string& format, nb::object source,
                                  const std::string& what) {
    const BufferView buffer(source);
    const platform::MessageSource description{platform::ErrorKind::Value, what};
    const MessageTree tree = formats::decode_message(spec_of(format), buffer.bytes(), description);
    return ToPython(source, buffer.bytes()).convert(tree);
  });
  module.def("encode_message", [](const std::string& format, const nb::dict& message) {
    std::string out;
    FromPython::encode(spec_of(format), message, out);
    return bytes_object(out);
  });
}

}  // namespace mycel::bindings
