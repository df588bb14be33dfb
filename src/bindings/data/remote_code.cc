// SPDX-License-Identifier: Apache-2.0
#include "bindings/data/remote_code.h"

#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "bindings/data/items.h"
#include "bindings/data/parts.h"
#include "bindings/data/user_calls.h"
#include "data/packed_rows.h"
#include "data/pipeline/many_rows.h"

namespace mycel::bindings {

namespace nb = nanobind;
using data::Items;
using data::PackedRows;
using data::RowRandom;
using data::SourceColumns;

namespace {

// The answers for all rows: a list as long as the question, or an array of packed rows.
nb::object ask(const HeldPtr& function, const nb::tuple& arguments, std::size_t rows,
               const std::string& operation) {
  nb::object answers = call(function, operation, arguments);
  if (is_array(answers.ptr())) return answers;
  if (PyList_Check(answers.ptr()) == 0 ||
      PyList_GET_SIZE(answers.ptr()) != static_cast<Py_ssize_t>(rows))
    platform::fail(platform::ErrorKind::Internal, operation, "expected a list of ", rows,
                   " answers from the worker processes.");
  return answers;
}

// Rows that were turned into data by the other process.
void take_packed(PyObject* answers, std::span<Items> rows, const std::string& operation) {
  const PackedRows packed = PackedRows::open(bridge().tensor_from_buffer(answers, true)).value();
  if (packed.size() != rows.size())
    platform::fail(platform::ErrorKind::Internal, operation, "expected ", rows.size(),
                   " packed rows from the worker processes, but got ", packed.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = packed.items(i);
}

// Spreads the answers over the rows; `convert(answer)` makes items. Failures stay with their rows.
template <class Ask, class Convert>
void answer_all(std::span<Items> rows, std::span<std::exception_ptr> failures,
                const std::string& operation, const Ask& question, const Convert& convert) {
  nb::object answers;
  try {
    answers = converting(operation, question);
    if (is_array(answers.ptr())) return take_packed(answers.ptr(), rows, operation);
  } catch (...) {
    for (std::exception_ptr& failure : failures) failure = std::current_exception();
    return;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    PyObject* answer = PyList_GET_ITEM(answers.ptr(), static_cast<Py_ssize_t>(i));
    try {
      if (PyExceptionInstance_Check(answer) != 0) {
        set_error(answer);
        throw_user_error(operation);
      }
      rows[i] = converting(operation, [&] { return convert(answer); });
    } catch (...) {
      failures[i] = std::current_exception();
    }
  }
}

class RemoteTransform : public data::Transform, public data::ManyRowTransform {
 public:
  RemoteTransform(HeldPtr function, std::string name, PythonCall how)
      : function_(std::move(function)), name_(std::move(name)), how_(how) {}
  std::string name() const override { return name_; }
  bool uses_python() const override { return true; }

  void apply(Items& items, data::TransformContext& context) const override {
    std::exception_ptr failure;
    apply_all({&items, 1}, {&context.random, 1}, {&failure, 1});
    if (failure) std::rethrow_exception(failure);
  }

  void apply_all(std::span<Items> rows, std::span<RowRandom> random,
                 std::span<std::exception_ptr> failures) const override {
    const nb::gil_scoped_acquire lock;
    const std::string operation = "map operation: [" + name_ + "] failed. Error description:\n";
    answer_all(
        rows, failures, operation,
        [&] {
          return ask(function_, nb::make_tuple(question(rows), seeds(random), rows.size()),
                     rows.size(), operation);
        },
        [&](PyObject* answer) { return items_from_result(answer, how_.keep_objects); });
  }

 private:
  // Small rows as one array of bytes, so that they cost no object each; others as tuples.
  nb::object question(std::span<const Items> rows) const {
    if (data::is_worth_packing(rows)) return packed_array(rows, how_.keep_objects);
    return list_of(rows, [](const Items& row) { return argument_tuple(row); });
  }
  nb::object seeds(std::span<RowRandom> random) const {
    if (!how_.seeded) return nb::none();
    nb::list numbers;
    for (RowRandom& row : random) numbers.append(static_cast<std::uint64_t>(row.bits()));
    return numbers;
  }

  HeldPtr function_;
  std::string name_;
  PythonCall how_;
};

class RemoteSource : public data::IndexedSource, public data::ManyRowSource {
 public:
  RemoteSource(HeldPtr function, SourceColumns columns, std::int64_t rows)
      : function_(std::move(function)), columns_(std::move(columns)), rows_(rows) {}
  data::Columns columns() const override { return columns_.names; }
  std::int64_t rows() const override { return rows_; }
  bool uses_python() const override { return true; }

  void load(std::int64_t row, data::LoadedRow& out) const override {
    std::exception_ptr failure;
    load_all({&row, 1}, {&out.items, 1}, {&failure, 1});
    if (failure) std::rethrow_exception(failure);
  }

  void load_all(std::span<const std::int64_t> rows, std::span<Items> items,
                std::span<std::exception_ptr> failures) const override {
    const nb::gil_scoped_acquire lock;
    const std::string operation = "GeneratorDataset's __getitem__ failed. Error description:\n";
    answer_all(
        items, failures, operation,
        [&] { return ask(function_, nb::make_tuple(array_of(rows)), rows.size(), operation); },
        [](PyObject* answer) { return source_items(answer); });
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (failures[i]) continue;
      try {
        columns_.require(items[i]);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    }
  }

 private:
  static nb::object array_of(std::span<const std::int64_t> rows) {
    const tensor::Tensor numbers =
        tensor::Tensor::empty({static_cast<std::int64_t>(rows.size())}, tensor::DType::Int64);
    std::memcpy(numbers.raw(), rows.data(), rows.size_bytes());
    return owned(bridge().numpy_from_tensor(numbers));
  }

  HeldPtr function_;
  SourceColumns columns_;
  std::int64_t rows_;
};

}  // namespace

nb::object packed_array(std::span<const Items> rows, bool keep_objects) {
  const auto note = static_cast<std::uint32_t>(keep_objects);
  return owned(bridge().numpy_from_tensor(data::pack_rows(rows, note)));
}

nb::tuple unpacked_calls(nb::handle array) {
  const PackedRows packed =
      PackedRows::open(bridge().tensor_from_buffer(array.ptr(), true)).value();
  nb::list calls;
  for (std::size_t i = 0; i < packed.size(); ++i) calls.append(argument_tuple(packed.items(i)));
  return nb::make_tuple(calls, packed.note() != 0);
}

namespace {

std::size_t bytes_of_arrays(PyObject* value) {
  if (is_array(value)) return nb::cast<std::size_t>(nb::handle(value).attr("nbytes"));
  if (PyTuple_Check(value) == 0 && PyList_Check(value) == 0) return 0;
  std::size_t bytes = 0;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i)
    bytes += bytes_of_arrays(PySequence_Fast_GET_ITEM(value, i));
  return bytes;
}

// `convert(result)` makes items.
template <class Convert>
nb::object packed_values(const nb::list& results, bool keep_objects, const Convert& convert) {
  // Conversion copies: large arrays are passed over before.
  std::size_t bytes = 0;
  for (const nb::handle result : results) bytes += bytes_of_arrays(result.ptr());
  if (bytes > data::kMostBytesOfPackedRow * nb::len(results)) return nb::none();
  std::vector<Items> rows;
  rows.reserve(nb::len(results));
  try {
    for (const nb::handle result : results) rows.push_back(convert(result.ptr()));
  } catch (const PythonError&) {
    PyErr_Clear();  // the other process meets it again, and knows what to say
    return nb::none();
  } catch (const platform::Error&) {
    return nb::none();
  }
  return data::is_worth_packing(rows) ? packed_array(rows, keep_objects) : nb::none();
}

}  // namespace

nb::object packed_results(const nb::list& results, bool keep_objects) {
  return packed_values(results, keep_objects,
                       [&](PyObject* result) { return items_from_result(result, keep_objects); });
}

nb::object packed_source_rows(const nb::list& rows) {
  return packed_values(rows, false, [](PyObject* row) { return source_items(row); });
}

data::TransformPtr remote_transform(nb::callable function, std::string name, PythonCall how) {
  return std::make_shared<RemoteTransform>(held(function), std::move(name), how);
}

data::IndexedSourcePtr remote_source(nb::callable function, SourceColumns columns,
                                     std::int64_t rows) {
  return std::make_shared<RemoteSource>(held(function), std::move(columns), rows);
}

}  // namespace mycel::bindings
