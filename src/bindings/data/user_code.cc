// SPDX-License-Identifier: Apache-2.0
#include "bindings/data/user_code.h"

#include "bindings/data/items.h"
#include "bindings/data/user_calls.h"
#include "data/pipeline/iterated_stage.h"

namespace mycel::bindings {

namespace nb = nanobind;
using data::Item;
using data::Items;
using data::SourceColumns;
using platform::Error;
using platform::ErrorKind;
using platform::fail;

namespace {

PyObject* traceback_writer = nullptr;
const char* const kSourceFailed = "GeneratorDataset's source failed. Error description:\n";

template <class Range, class Convert>
nb::object tuple_of(const Range& items, const Convert& convert) {
  nb::object tuple = owned(PyTuple_New(static_cast<Py_ssize_t>(items.size())));
  for (std::size_t i = 0; i < items.size(); ++i)
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i), convert(items[i]).release().ptr());
  return tuple;
}

}  // namespace

nb::object call(const HeldPtr& function, const std::string& operation, nb::handle arguments) {
  PyObject* result = PyObject_CallObject(function->ptr(), arguments.ptr());
  if (result == nullptr) throw_user_error(operation);
  return nb::steal(result);
}

nb::object argument_tuple(const std::vector<const Item*>& items) {
  return tuple_of(items, [](const Item* item) { return python_from_item(*item); });
}
nb::object argument_tuple(const Items& items) { return tuple_of(items, python_from_item); }

void set_traceback_writer(PyObject* function) { keep(traceback_writer, function); }

void throw_user_error(const std::string& operation) {
  const nb::object exception = take_error();
  std::string text = Py_TYPE(exception.ptr())->tp_name;
  const nb::object written = nb::steal(PyObject_CallOneArg(traceback_writer, exception.ptr()));
  if (written.is_valid())
    text = PyUnicode_AsUTF8(written.ptr());
  else
    PyErr_Clear();
  throw UserCodeError(operation + text, held(exception));
}

namespace {

thread_local std::uint64_t current_row_bits = 0;

bool is_spread_row(PyObject* row) { return PyTuple_Check(row) != 0 || PyList_Check(row) != 0; }

std::size_t source_values(PyObject* row) {
  return is_spread_row(row) ? static_cast<std::size_t>(PySequence_Fast_GET_SIZE(row)) : 1;
}

class PythonTransform : public data::Transform {
 public:
  PythonTransform(HeldPtr function, std::string name, bool keep_objects)
      : function_(std::move(function)), name_(std::move(name)), keep_objects_(keep_objects) {}
  std::string name() const override { return name_; }
  bool uses_python() const override { return true; }
  std::shared_ptr<void> hold() const override { return std::make_shared<nb::gil_scoped_acquire>(); }

  void apply(Items& items, data::TransformContext& context) const override {
    const nb::gil_scoped_acquire lock;
    std::string operation = "map operation: [" + name_ + "] failed. ";
    if (!context.file.empty())
      operation += "The corresponding data file is: " + std::string(context.file) + ". ";
    operation += "Error description:\n";
    items = converting(operation, [&] {
      const nb::object arguments = argument_tuple(items);
      current_row_bits = context.random.bits();
      const nb::object result = call(function_, operation, arguments);
      current_row_bits = 0;
      return items_from_result(result.ptr(), keep_objects_);
    });
  }

 private:
  HeldPtr function_;
  std::string name_;
  bool keep_objects_;  // the next function takes whatever this one made
};

}  // namespace

Items source_items(PyObject* row, const SourceColumns& columns) {
  columns.require_count(source_values(row));  // which says more than a value that is no data
  Items items = source_items(row);
  columns.require(items);
  return items;
}

Items source_items(PyObject* row) {
  const bool is_spread = is_spread_row(row);
  const std::size_t count = source_values(row);
  Items items;
  items.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto place = is_spread ? std::optional(i) : std::nullopt;
    try {
      items.push_back(item_from_python(
          is_spread ? PySequence_Fast_GET_ITEM(row, static_cast<Py_ssize_t>(i)) : row));
    } catch (const Error&) {
      data::refuse_value(place);
    } catch (const PythonError&) {
      PyErr_Clear();
      data::refuse_value(place);
    }
  }
  return items;
}

namespace {

class PythonSource : public data::IndexedSource {
 public:
  PythonSource(HeldPtr source, SourceColumns columns, std::int64_t rows)
      : source_(std::move(source)), columns_(std::move(columns)), rows_(rows) {}
  data::Columns columns() const override { return columns_.names; }
  std::int64_t rows() const override { return rows_; }
  bool uses_python() const override { return true; }
  std::shared_ptr<void> hold() const override { return std::make_shared<nb::gil_scoped_acquire>(); }

  bool writes_into_batches() const override { return true; }

  bool load_into(std::int64_t row, data::RowSink& sink, data::LoadedRow& out) const override {
    const nb::gil_scoped_acquire lock;
    const nb::object owner = fetch(row);
    if (columns_.types.empty() && write_row(owner.ptr(), columns_.names.size(), sink)) return true;
    out.items = converting("GeneratorDataset's __getitem__",
                           [&] { return source_items(owner.ptr(), columns_); });
    return false;
  }

  void load(std::int64_t row, data::LoadedRow& out) const override {
    const nb::gil_scoped_acquire lock;
    const nb::object owner = fetch(row);
    out.items = converting("GeneratorDataset's __getitem__",
                           [&] { return source_items(owner.ptr(), columns_); });
  }

 private:
  nb::object fetch(std::int64_t row) const {
    PyObject* value = PyObject_GetItem(source_->ptr(), nb::int_(row).ptr());
    if (value == nullptr) failed();
    return nb::steal(value);
  }

  [[noreturn]] static void failed() {
    if (PyErr_ExceptionMatches(PyExc_StopIteration) == 0)
      throw_user_error("GeneratorDataset's __getitem__ failed. Error description:\n");
    PyErr_Clear();
    fail(ErrorKind::Runtime, "generator raised StopIteration");
  }
  HeldPtr source_;
  SourceColumns columns_;
  std::int64_t rows_;
};

class PythonIteration : public data::RowIteration {
 public:
  PythonIteration(HeldPtr make_iterator, SourceColumns columns, HeldPtr check)
      : make_iterator_(std::move(make_iterator)),
        columns_(std::move(columns)),
        check_(std::move(check)) {}
  std::shared_ptr<void> hold() const override { return std::make_shared<nb::gil_scoped_acquire>(); }

  void begin() override {
    const nb::gil_scoped_acquire lock;
    iterator_ = held(call_with(make_iterator_, kSourceFailed));
  }
  bool next(Items& items) override {
    const nb::object row = nb::steal(PyIter_Next(iterator_->ptr()));
    if (!row.is_valid()) {
      if (PyErr_Occurred() != nullptr) throw_user_error(kSourceFailed);
      return false;
    }
    items = converting("GeneratorDataset", [&] { return source_items(row.ptr(), columns_); });
    return true;
  }
  void end(std::uint64_t rows) override {
    iterator_ = nullptr;
    if (check_ == nullptr) return;
    const nb::object complaint = call_with(check_, "GeneratorDataset", rows);
    if (!complaint.is_none()) throw Error(ErrorKind::Runtime, PyUnicode_AsUTF8(complaint.ptr()));
  }
  void stop() override { iterator_ = nullptr; }

 private:
  HeldPtr make_iterator_;
  SourceColumns columns_;
  HeldPtr check_;
  HeldPtr iterator_;
};

}  // namespace

std::uint64_t row_bits() { return current_row_bits; }

data::TransformPtr python_transform(nb::callable function, std::string name, bool keep_objects) {
  return std::make_shared<PythonTransform>(held(function), std::move(name), keep_objects);
}

data::IndexedSourcePtr python_source(nb::object source, SourceColumns columns, std::int64_t rows) {
  return std::make_shared<PythonSource>(held(source), std::move(columns), rows);
}

data::StagePtr iterable_stage(nb::callable make_iterator, SourceColumns columns, nb::object check) {
  data::Columns names = columns.names;
  return data::iterated_stage(
      "GeneratorDataset", std::move(names),
      std::make_unique<PythonIteration>(held(make_iterator), std::move(columns),
                                        check.is_none() ? nullptr : held(check)));
}

data::Predicate python_predicate(nb::callable predicate) {
  return [function = held(predicate)](const std::vector<const Item*>& items) {
    const nb::gil_scoped_acquire lock;
    const std::string operation = "filter operation: [PyFunc] failed. Error description:\n";
    return converting(operation, [&] {
      const nb::object result = call(function, operation, argument_tuple(items));
      const int truth = PyObject_IsTrue(result.ptr());
      if (truth < 0) throw PythonError();
      return truth != 0;
    });
  };
}

data::BatchFunction python_batch_function(nb::callable function) {
  return [function = held(function)](std::vector<Items>& columns, const data::BatchNumber& number) {
    const nb::gil_scoped_acquire lock;
    const std::string operation = "batch operation: [per_batch_map] failed. Error description:\n";
    return converting(operation, [&] {
      const nb::list lists =
          list_of(columns, [](const Items& column) { return list_of(column, python_from_item); });
      const nb::object result = call_with(function, operation, lists, number.epoch, number.batch);
      data::BatchFunctionResult made;
      made.stacked = PyTuple_GET_ITEM(result.ptr(), 1) == Py_True;
      for (const nb::handle column : nb::borrow<nb::list>(PyTuple_GET_ITEM(result.ptr(), 0))) {
        Items& values = made.columns.emplace_back();
        for (const nb::handle value : nb::borrow<nb::list>(column))
          values.push_back(item_from_python(value.ptr()));
      }
      return made;
    });
  };
}

std::function<std::int64_t(const data::BatchNumber&)> python_batch_size(nb::callable function) {
  return [function = held(function)](const data::BatchNumber& number) {
    const nb::gil_scoped_acquire lock;
    const std::string operation = "batch operation: [batch_size] failed. Error description:\n";
    const nb::object result = call_with(function, operation, number.epoch, number.batch);
    const long long size = PyLong_AsLongLong(result.ptr());
    if (PyErr_Occurred() != nullptr) throw_user_error(operation);
    return static_cast<std::int64_t>(size);
  };
}

data::CollateObjects python_collate(nb::callable function) {
  return [function = held(function)](const std::vector<const Item*>& items) {
    const nb::gil_scoped_acquire lock;
    const std::string operation = "batch operation failed. Error description:\n";
    return converting(operation, [&] {
      const auto convert = [](const Item* item) { return python_from_item(*item); };
      return item_from_python(call_with(function, operation, list_of(items, convert)).ptr());
    });
  };
}

std::function<void()> python_gate(nb::callable function) {
  return [function = held(function)] {
    const nb::gil_scoped_acquire lock;
    call_with(function, "sync_wait failed. Error description:\n");
  };
}

data::Watcher python_watcher(nb::callable function, bool steps, bool in_turn) {
  auto tell = [function = held(function)](data::WatchEvent event, const data::WatchPosition& at) {
    const nb::gil_scoped_acquire lock;
    call_with(function, "callback failed. Error description:\n", data::name_of(event), at.epoch,
              at.step_in_epoch, at.step);
  };
  return {std::move(tell), steps, in_turn};
}

data::SamplerPtr python_sampler(nb::callable function) {
  return data::called_sampler([function = held(function)](std::int64_t rows) {
    const nb::gil_scoped_acquire lock;
    const std::string operation = "sampler failed. Error description:\n";
    const nb::object list = call_with(function, operation, rows);
    data::RowNumbers numbers;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.ptr()); ++i)
      numbers.push_back(PyLong_AsLongLong(PyList_GET_ITEM(list.ptr(), i)));
    if (PyErr_Occurred() != nullptr) throw_user_error(operation);
    return numbers;
  });
}

}  // namespace mycel::bindings
