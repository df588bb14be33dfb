// SPDX-License-Identifier: Apache-2.0
#include "bindings/data/remote_code.h"

#include <span>
#include <utility>

#include "bindings/data/items.h"
#include "bindings/data/user_calls.h"
#include "data/pipeline/many_rows.h"

namespace mycel::bindings {

namespace nb = nanobind;
using data::Items;
using data::RowRandom;
using data::SourceColumns;

namespace {

// The answers for all rows, a list as long as the question.
nb::object ask(const HeldPtr& function, const nb::tuple& arguments, std::size_t rows,
               const std::string& operation) {
  nb::object answers = call(function, operation, arguments);
  if (PyList_Check(answers.ptr()) == 0 ||
      PyList_GET_SIZE(answers.ptr()) != static_cast<Py_ssize_t>(rows))
    platform::fail(platform::ErrorKind::Internal, operation, "expected a list of ", rows,
                   " answers from the worker processes.");
  return answers;
}

// Spreads the answers over the rows; `convert(answer)` makes items. Failures stay with their rows.
template <class Ask, class Convert>
void answer_all(std::span<Items> rows, std::span<std::exception_ptr> failures,
                const std::string& operation, const Ask& question, const Convert& convert) {
  nb::object answers;
  try {
    answers = converting(operation, question);
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
          const auto convert = [](const Items& row) { return argument_tuple(row); };
          return ask(function_, nb::make_tuple(list_of(rows, convert), seeds(random)), rows.size(),
                     operation);
        },
        [&](PyObject* answer) { return items_from_result(answer, how_.keep_objects); });
  }

 private:
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
        [&] { return ask(function_, nb::make_tuple(list_of(rows)), rows.size(), operation); },
        [&](PyObject* answer) { return source_items(answer, columns_); });
  }

 private:
  HeldPtr function_;
  SourceColumns columns_;
  std::int64_t rows_;
};

}  // namespace

data::TransformPtr remote_transform(nb::callable function, std::string name, PythonCall how) {
  return std::make_shared<RemoteTransform>(held(function), std::move(name), how);
}

data::IndexedSourcePtr remote_source(nb::callable function, SourceColumns columns,
                                     std::int64_t rows) {
  return std::make_shared<RemoteSource>(held(function), std::move(columns), rows);
}

}  // namespace mycel::bindings
