// SPDX-License-Identifier: Apache-2.0
// Files of PyTorch as Python values.
#include "formats/torch/torch_file.h"

#include <unordered_map>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/dtype_object.h"
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
      case Kind::Bytes: return nb::bytes(value.text.data(), value.text.size());
      case Kind::List: return list_of(value, depth);
      case Kind::Tuple: return nb::tuple(list_of(value, depth));
      case Kind::Set: return set_of(value, depth);
      case Kind::Dict: return dict_of(value, depth);
      case Kind::Global: return global(value.text);
      case Kind::Persistent: break;
      case Kind::Call: return call(value, depth);
    }
    platform::fail(platform::ErrorKind::Value, "The file holds a storage outside any tensor.");
  }

  static nb::object number_of(const std::string& bytes) {
    return nb::module_::import_("builtins")
        .attr("int")
        .attr("from_bytes")(nb::bytes(bytes.data(), bytes.size()), "little",
                            nb::arg("signed") = true);
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

  nb::list list_of(const PickleValue& value, int depth) {
    nb::list list;
    for (const PickleValue* item : value.items) list.append(convert(*item, depth));
    return list;
  }

  nb::object set_of(const PickleValue& items, int depth) {
    for (const PickleValue* item : items.items) formats::require_hashable(*item);
    return checked(PySet_New(list_of(items, depth).ptr()));
  }

  nb::object dict_of(const PickleValue& value, int depth) {
    nb::object dict = value.is_ordered ? nb::module_::import_("collections").attr("OrderedDict")()
                                       : nb::object(nb::dict());
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
    return nb::str(name.c_str(), name.size());
  }

  nb::object call(const PickleValue& value, int depth) {
    const std::string& name = value.text;
    if (TorchFile::makes_tensor(name)) return nb::cast(file_.tensor_of(value));
    const auto argument = [&](std::size_t i) -> const PickleValue& {
      platform::require(i < value.items.size(), platform::ErrorKind::Value,
                        "The file is damaged: '", name, "' has ", value.items.size(),
                        " arguments.");
      return *value.items[i];
    };
    if (name.starts_with("torch._utils._rebuild_parameter")) return convert(argument(0), depth);
    if (name == "torch._tensor._rebuild_from_type_v2")
      return rebuilt(argument(0), argument(2), depth);
    if (name == "torch.Size") return convert(argument(0), depth);
    if (name == "torch.device") return convert(argument(0), depth);
    if (name == "_codecs.encode") return convert(argument(0), depth).attr("encode")("latin1");
    if (name.ends_with(".set")) return set_of(argument(0), depth);
    if (name == "builtins.bytearray") return bytearray_of(value, depth);
    if (name == "builtins.complex")
      return nb::module_::import_("builtins")
          .attr("complex")(convert(argument(0), depth), convert(argument(1), depth));
    if (name == "numpy.dtype") {
      formats::require_plain_dtype(argument(0));
      return nb::module_::import_("numpy").attr("dtype")(convert(argument(0), depth));
    }
    if (name.ends_with(".multiarray.scalar")) {
      const nb::object dtype = convert(argument(0), depth);
      const nb::object bytes = convert(argument(1), depth);
      return nb::module_::import_("numpy").attr("frombuffer")(bytes, dtype)[nb::int_(0)];
    }
    platform::fail(platform::ErrorKind::Value, "The file is damaged: '", name,
                   "' is called, which is a type.");
  }

  nb::object rebuilt(const PickleValue& function, const PickleValue& arguments, int depth) {
    PickleValue inner;
    inner.kind = Kind::Call;
    inner.text = function.text;
    inner.items = arguments.items;
    platform::require(function.kind == Kind::Global, platform::ErrorKind::Value,
                      "The file is damaged: a tensor is made by nothing.");
    return make(inner, depth);
  }

  // Of bytes, or of a text that stands for them; a number would be a length.
  nb::object bytearray_of(const PickleValue& value, int depth) {
    const nb::object type = nb::module_::import_("builtins").attr("bytearray");
    if (value.items.empty()) return type();
    const PickleValue& content = *value.items[0];
    platform::require(content.kind == Kind::Bytes || content.kind == Kind::Text,
                      platform::ErrorKind::Value, "The file is damaged: bytes are made of a ",
                      name_of(content.kind), ".");
    const nb::object made = convert(content, depth);
    return type(content.kind == Kind::Bytes ? made : made.attr("encode")("latin1"));
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
