// SPDX-License-Identifier: Apache-2.0
// Files of PyTorch as Python values.
#include "formats/torch/torch_file.h"

#include <unordered_map>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/dtype_object.h"
#include "bindings/objects.h"
#include "bindings/parts.h"
#include "bindings/tensor_caster.h"

namespace mycel::bindings {

namespace nb = nanobind;
using formats::PickleValue;
using formats::TorchFile;
using Kind = PickleValue::Kind;

namespace {

constexpr int kDeepest = 200;

nb::object checked(PyObject* made) {
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

// Builds Python values; what a file holds once becomes one object.
class Conversion {
 public:
  explicit Conversion(const TorchFile& file) : file_(file) {}

  nb::object convert(const PickleValue& value, int depth = 0) {
    const auto known = done_.find(&value);
    if (known != done_.end()) return known->second;
    platform::require(depth < kDeepest, platform::ErrorKind::Value,
                      "The file is nested too deeply, or a container holds itself.");
    nb::object result = make(value, depth + 1);
    done_[&value] = result;
    return result;
  }

 private:
  nb::object make(const PickleValue& value, int depth) {
    switch (value.kind) {
      case Kind::None: return nb::none();
      case Kind::Bool: return nb::bool_(value.integer != 0);
      case Kind::Int: return nb::int_(value.integer);
      case Kind::BigInt: return number_of(value.text);
      case Kind::Float: return nb::float_(value.real);
      case Kind::Text: return text_of(value.text);
      case Kind::Bytes: return bytes_object(value.text);
      case Kind::List: return items_of(value, depth);
      case Kind::Tuple: return nb::tuple(items_of(value, depth));
      case Kind::Set: return set_of(value, depth);
      case Kind::Dict: return dict_of(value, depth);
      case Kind::Global: return global(value.text);
      case Kind::Persistent: break;
      case Kind::Call: return call(value, depth);
    }
    platform::fail(platform::ErrorKind::Value, "The file holds a storage outside any tensor.");
  }

  static nb::object number_of(const std::string& bytes) {
    return python("builtins", "int")
        .attr("from_bytes")(bytes_object(bytes), "little", nb::arg("signed") = true);
  }

  // Texts of Python 2 may be any bytes.
  static nb::object text_of(const std::string& text) {
    PyObject* made = PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
    if (made == nullptr) {
      PyErr_Clear();
      made = PyUnicode_DecodeLatin1(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr);
    }
    return checked(made);
  }

  nb::list items_of(const PickleValue& value, int depth) {
    return list_of(value.items, [&](const PickleValue* item) { return convert(*item, depth); });
  }

  nb::object set_of(const PickleValue& items, int depth) {
    for (const PickleValue* item : items.items) formats::require_hashable(*item);
    return checked(PySet_New(items_of(items, depth).ptr()));
  }

  nb::object dict_of(const PickleValue& value, int depth) {
    nb::object dict =
        value.is_ordered ? python("collections", "OrderedDict")() : nb::object(nb::dict());
    for (std::size_t i = 0; i + 1 < value.items.size(); i += 2) {
      formats::require_hashable(*value.items[i]);
      const nb::object key = convert(*value.items[i], depth);
      dict[key] = convert(*value.items[i + 1], depth);
    }
    return dict;
  }

  static nb::object global(const std::string& name) {
    const formats::TorchElement* element = formats::torch_element_of_dtype(name);
    if (element != nullptr && element->small == formats::Float8::No)
      return nb::borrow(dtype_object(element->ours));
    return text_object(name);
  }

  // What a module of Python defines.
  static nb::object python(const char* module, const char* name) {
    return nb::module_::import_(module).attr(name);
  }

  nb::object call(const PickleValue& value, int depth) {
    using CallKind = formats::TorchCall::Kind;
    const formats::TorchCall call = formats::torch_call(value);
    const auto argument = [&](std::size_t i) { return convert(*call.arguments[i], depth); };
    switch (call.kind) {
      case CallKind::Tensor: return nb::cast(file_.tensor_of(call));
      case CallKind::Same: return argument(0);
      case CallKind::Bytes: return argument(0).attr("encode")("latin1");
      case CallKind::Set: return set_of(*call.arguments[0], depth);
      case CallKind::ByteArray: {
        if (call.arguments.empty()) return python("builtins", "bytearray")();
        const bool is_text = call.arguments[0]->kind == Kind::Text;
        return python("builtins",
                      "bytearray")(is_text ? argument(0).attr("encode")("latin1") : argument(0));
      }
      case CallKind::Complex: return python("builtins", "complex")(argument(0), argument(1));
      case CallKind::NumpyType: return python("numpy", "dtype")(argument(0));
      case CallKind::NumpyNumber:
        return python("numpy", "frombuffer")(argument(1), argument(0))[nb::int_(0)];
    }
    return nb::none();
  }

  const TorchFile& file_;
  std::unordered_map<const PickleValue*, nb::object> done_;
};

}  // namespace

void bind_torch_file(nb::module_& module) {
  module.def("read_torch_file", [](const std::string& path) {
    const TorchFile file(path);
    try {
      return Conversion(file).convert(file.root());
    } catch (const nb::python_error& error) {
      const bool is_mistake = error.matches(PyExc_TypeError) || error.matches(PyExc_ValueError) ||
                              error.matches(PyExc_LookupError) ||
                              error.matches(PyExc_ArithmeticError) ||
                              error.matches(PyExc_AttributeError);
      if (!is_mistake) throw;
      platform::fail(platform::ErrorKind::Value, "'", path,
                     "' cannot be read as a file of PyTorch. The file is damaged: ", error.what());
    } catch (const platform::Error& error) {
      platform::fail(error.kind(), "'", path, "' cannot be read as a file of PyTorch. ",
                     error.message());
    }
  });
}

}  // namespace mycel::bindings
