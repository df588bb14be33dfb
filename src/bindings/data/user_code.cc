// SPDX-License-Identifier: Apache-2.0
#include "bindings/data/user_code.h"

#include <chrono>
#include <deque>

#include "bindings/data/items.h"
#include "bindings/data/user_calls.h"

namespace mycel::bindings {

namespace nb = nanobind;
using data::Item;
using data::Items;
using platform::Error;
using platform::ErrorKind;
using platform::fail;

namespace {

PyObject* traceback_writer = nullptr;

}  // namespace

nb::object call(PyObject* function, PyObject* arguments, const std::string& operation) {
  PyObject* result = PyObject_CallObject(function, arguments);
  if (result == nullptr) throw_user_error(operation);
  return nb::steal(result);
}

nb::object argument_tuple(const std::vector<const Item*>& items) {
  nb::object arguments = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(items.size())));
  for (std::size_t i = 0; i < items.size(); ++i) {
    PyObject* value = python_from_item(*items[i]);
    if (value == nullptr) throw PythonError();
    PyTuple_SET_ITEM(arguments.ptr(), static_cast<Py_ssize_t>(i), value);
  }
  return arguments;
}

HeldObject::HeldObject(nb::handle object) : object_(object.ptr()) { Py_INCREF(object_); }

HeldObject::~HeldObject() {
  if (Py_IsInitialized() == 0) return;
  const InterpreterLock lock;
  Py_DECREF(object_);
}

void set_traceback_writer(PyObject* function) {
  Py_INCREF(function);
  traceback_writer = function;
}

void throw_user_error(const std::string& operation) {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace != nullptr) PyException_SetTraceback(value, trace);
  const nb::object exception = nb::steal(value);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  std::string text;
  PyObject* written = PyObject_CallOneArg(traceback_writer, exception.ptr());
  if (written != nullptr) {
    text = PyUnicode_AsUTF8(written);
    Py_DECREF(written);
  } else {
    PyErr_Clear();
    text = Py_TYPE(exception.ptr())->tp_name;
  }
  throw UserCodeError(operation + text, held(exception));
}

namespace {

thread_local std::uint64_t current_row_bits = 0;

class PythonTransform : public data::Transform {
 public:
  PythonTransform(HeldPtr function, std::string name, bool keep_objects)
      : function_(std::move(function)), name_(std::move(name)), keep_objects_(keep_objects) {}
  std::string name() const override { return name_; }
  bool uses_python() const override { return true; }
  std::shared_ptr<void> hold() const override { return std::make_shared<InterpreterLock>(); }

  void apply(Items& items, data::TransformContext& context) const override {
    const InterpreterLock lock;
    std::string operation = "map operation: [" + name_ + "] failed. ";
    if (!context.file.empty())
      operation += "The corresponding data file is: " + std::string(context.file) + ". ";
    operation += "Error description:\n";
    items = converting(operation, [&] {
      std::vector<const Item*> pointers;
      for (const Item& item : items) pointers.push_back(&item);
      const nb::object arguments = argument_tuple(pointers);
      current_row_bits = context.random.bits();
      const nb::object result = call(function_->get(), arguments.ptr(), operation);
      current_row_bits = 0;
      return items_from_result(result.ptr(), keep_objects_);
    });
  }

 private:
  HeldPtr function_;
  std::string name_;
  bool keep_objects_;  // the next function takes whatever this one made
};

[[noreturn]] void not_data(int place) {
  const std::string which =
      place < 0 ? "the input" : std::to_string(place + 1) + "th item of the input";
  fail(ErrorKind::Runtime,
       "Failed to create tensor from numpy array, data type is unknown. Data type ", "of ", which,
       " or its converted Numpy array is expected to be int or float or str, but got ", "object.");
}

}  // namespace

Items source_items(PyObject* row, const SourceColumns& columns) {
  PyObject* spread = PyTuple_Check(row) != 0 || PyList_Check(row) != 0 ? row : nullptr;
  const std::size_t count =
      spread == nullptr ? 1 : static_cast<std::size_t>(PySequence_Fast_GET_SIZE(spread));
  if (count != columns.names.size())
    fail(ErrorKind::Runtime, "Invalid Python function, the 'source' of 'GeneratorDataset' should ",
         "return same number of NumPy arrays as specified in column_names, the size of "
         "column_names ",
         "is:", columns.names.size(), " and number of returned NumPy array is:", count);
  Items items;
  items.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    PyObject* value =
        spread == nullptr ? row : PySequence_Fast_GET_ITEM(spread, static_cast<Py_ssize_t>(i));
    try {
      items.push_back(item_from_python(value));
    } catch (const Error&) {
      not_data(spread == nullptr ? -1 : static_cast<int>(i));
    } catch (const PythonError&) {
      PyErr_Clear();
      not_data(spread == nullptr ? -1 : static_cast<int>(i));
    }
    if (i < columns.types.size() && !columns.types[i].empty() &&
        items[i].type_name() != columns.types[i])
      fail(ErrorKind::Runtime,
           "Invalid Python function, type of returned data in 'GeneratorDataset' ",
           "should be same with specified column_types, but the type of returned data: ",
           items[i].type_name(), ", specified column type: ", columns.types[i]);
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
  std::shared_ptr<void> hold() const override { return std::make_shared<InterpreterLock>(); }

  bool writes_into_batches() const override { return true; }

  bool load_into(std::int64_t row, data::RowSink& sink, data::LoadedRow& out) const override {
    const InterpreterLock lock;
    const nb::object owner = fetch(row);
    if (columns_.types.empty() && write_row(owner.ptr(), columns_.names.size(), sink)) return true;
    out.items = converting("GeneratorDataset's __getitem__",
                           [&] { return source_items(owner.ptr(), columns_); });
    return false;
  }

  void load(std::int64_t row, data::LoadedRow& out) const override {
    const InterpreterLock lock;
    const nb::object owner = fetch(row);
    out.items = converting("GeneratorDataset's __getitem__",
                           [&] { return source_items(owner.ptr(), columns_); });
  }

 private:
  nb::object fetch(std::int64_t row) const {
    const nb::object index = nb::steal(PyLong_FromLongLong(row));
    PyObject* value = PyObject_GetItem(source_->get(), index.ptr());
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

// Rows of an iterator. The lock is taken for some rows at a time, and not for long.
class IterableStage : public data::Stage {
 public:
  IterableStage(HeldPtr make_iterator, SourceColumns columns, HeldPtr check)
      : Stage({}),
        make_iterator_(std::move(make_iterator)),
        source_columns_(std::move(columns)),
        check_(std::move(check)) {
    columns_ = source_columns_.names;
    calls_users_in_order_ = true;
  }
  std::string name() const override { return "GeneratorDataset"; }

  void prepare(data::Engine& engine) override {
    Stage::prepare(engine);
    activity_ = activity(name());
  }

  void begin() override {
    Stage::begin();
    given_ = 0;
    read_ = 0;
    rows_.clear();
    failure_ = nullptr;
    ended_ = false;
    const InterpreterLock lock;
    PyObject* iterator = PyObject_CallNoArgs(make_iterator_->get());
    if (iterator == nullptr)
      throw_user_error("GeneratorDataset's source failed. Error description:\n");
    const nb::object owner = nb::steal(iterator);
    iterator_ = held(owner);
  }

  void close() override {
    rows_.clear();
    iterator_ = nullptr;
    Stage::close();
  }

  bool next(data::Row& row) override {
    if (rows_.empty()) read();
    if (rows_.empty()) {
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
      return false;
    }
    row = std::move(rows_.front());
    rows_.pop_front();
    row.index = static_cast<std::int64_t>(given_);
    row.pass = pass();
    row.ordinal = given_++;
    return true;
  }

 private:
  void read() {
    if (ended_) return;
    const auto started = std::chrono::steady_clock::now();
    const auto until = started + std::chrono::milliseconds(1);
    const InterpreterLock lock;
    try {
      do {
        PyObject* value = PyIter_Next(iterator_->get());
        if (value == nullptr) {
          ended_ = true;
          finish();
          break;
        }
        const nb::object owner = nb::steal(value);
        Items items =
            converting("GeneratorDataset", [&] { return source_items(value, source_columns_); });
        rows_.emplace_back().items = std::move(items);
        charge(rows_.back());
        ++read_;
      } while (engine().look_ahead && rows_.size() < 256 && !engine().budget.is_full() &&
               std::chrono::steady_clock::now() < until);
    } catch (...) {  // after the rows before it
      ended_ = true;
      data::Row row;
      row.index = static_cast<std::int64_t>(read_);
      row.pass = pass();
      failure_ = data::located(std::current_exception(), "GeneratorDataset: reading a row", row);
    }
    activity_->rows = read_;
    activity_->busy_ns += static_cast<std::uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now() - started).count());
  }

  void finish() {
    if (PyErr_Occurred() != nullptr)
      throw_user_error("GeneratorDataset's source failed. Error description:\n");
    iterator_ = nullptr;
    if (check_ == nullptr) return;
    const nb::object rows = nb::steal(PyLong_FromUnsignedLongLong(read_));
    PyObject* complaint = PyObject_CallOneArg(check_->get(), rows.ptr());
    if (complaint == nullptr) throw_user_error("GeneratorDataset");
    const nb::object owner = nb::steal(complaint);
    if (complaint != Py_None) throw Error(ErrorKind::Runtime, PyUnicode_AsUTF8(complaint));
  }

  HeldPtr make_iterator_;
  SourceColumns source_columns_;
  HeldPtr check_;
  HeldPtr iterator_;
  std::deque<data::Row> rows_;  // read already
  std::uint64_t given_ = 0;
  std::uint64_t read_ = 0;
  bool ended_ = false;
  std::exception_ptr failure_;
  data::ActivityPtr activity_;
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
  return std::make_shared<IterableStage>(held(make_iterator), std::move(columns),
                                         check.is_none() ? nullptr : held(check));
}

data::Predicate python_predicate(nb::callable predicate) {
  return [function = held(predicate)](const std::vector<const Item*>& items) {
    const InterpreterLock lock;
    const std::string operation = "filter operation: [PyFunc] failed. Error description:\n";
    return converting(operation, [&] {
      const nb::object arguments = argument_tuple(items);
      const nb::object result = call(function->get(), arguments.ptr(), operation);
      const int truth = PyObject_IsTrue(result.ptr());
      if (truth < 0) throw PythonError();
      return truth != 0;
    });
  };
}

data::BatchFunction python_batch_function(nb::callable function) {
  return [function = held(function)](std::vector<Items>& columns, const data::BatchNumber& number) {
    const InterpreterLock lock;
    const std::string operation = "batch operation: [per_batch_map] failed. Error description:\n";
    return converting(operation, [&] {
      nb::list lists;
      for (const Items& column : columns) {
        nb::list values;
        for (const Item& item : column) values.append(nb::steal(python_from_item(item)));
        lists.append(values);
      }
      const nb::tuple arguments = nb::make_tuple(lists, number.epoch, number.batch);
      const nb::object result = call(function->get(), arguments.ptr(), operation);
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
    const InterpreterLock lock;
    const std::string operation = "batch operation: [batch_size] failed. Error description:\n";
    const nb::tuple arguments = nb::make_tuple(number.epoch, number.batch);
    const nb::object result = call(function->get(), arguments.ptr(), operation);
    const long long size = PyLong_AsLongLong(result.ptr());
    if (PyErr_Occurred() != nullptr) throw_user_error(operation);
    return static_cast<std::int64_t>(size);
  };
}

data::CollateObjects python_collate(nb::callable function) {
  return [function = held(function)](const std::vector<const Item*>& items) {
    const InterpreterLock lock;
    const std::string operation = "batch operation failed. Error description:\n";
    return converting(operation, [&] {
      nb::list values;
      for (const Item* item : items) values.append(nb::steal(python_from_item(*item)));
      const nb::tuple arguments = nb::make_tuple(values);
      return item_from_python(call(function->get(), arguments.ptr(), operation).ptr());
    });
  };
}

std::function<void()> python_gate(nb::callable function) {
  return [function = held(function)] {
    const InterpreterLock lock;
    const nb::object result =
        call(function->get(), nullptr, "sync_wait failed. Error description:\n");
  };
}

data::Watcher python_watcher(nb::callable function, bool steps, bool in_turn) {
  auto tell = [function = held(function)](data::WatchEvent event, const data::WatchPosition& at) {
    const InterpreterLock lock;
    const nb::tuple arguments =
        nb::make_tuple(data::name_of(event), at.epoch, at.step_in_epoch, at.step);
    call(function->get(), arguments.ptr(), "callback failed. Error description:\n");
  };
  return {std::move(tell), steps, in_turn};
}

data::SamplerPtr python_sampler(nb::callable function) {
  return data::called_sampler([function = held(function)](std::int64_t rows) {
    const InterpreterLock lock;
    const std::string operation = "sampler failed. Error description:\n";
    const nb::tuple arguments = nb::make_tuple(rows);
    const nb::object list = call(function->get(), arguments.ptr(), operation);
    data::RowNumbers numbers;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.ptr()); ++i)
      numbers.push_back(PyLong_AsLongLong(PyList_GET_ITEM(list.ptr(), i)));
    if (PyErr_Occurred() != nullptr) throw_user_error(operation);
    return numbers;
  });
}

}  // namespace mycel::bindings
