// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bridge.h"
#include "bindings/data/failures.h"
#include "bindings/data/items.h"
#include "bindings/data/parts.h"
#include "bindings/exceptions.h"
#include "data/feed/row_feed.h"
#include "data/pipeline/row_stream.h"

namespace mycel::bindings {

namespace nb = nanobind;
using namespace data;  // NOLINT: this file is about nothing else

namespace {

// Errors of a pipeline get their blocks here, and nowhere else.
template <class Body>
auto reporting(const Body& body) {
  try {
    return body();
  } catch (const PythonError&) {
    throw nb::python_error();
  } catch (const nb::python_error&) {
    throw;
  } catch (...) {
    set_pipeline_error();
    throw nb::python_error();
  }
}

// Ctrl-C must reach the program however long the next row takes.
void wait_for_row(RowStream& stream) {
  bool ready = false;
  while (!ready) {
    {
      const nb::gil_scoped_release release;
      ready = stream.wait(std::chrono::milliseconds(50));
    }
    if (PyErr_CheckSignals() != 0) throw PythonError();
  }
}

// A list of values; None at the end of an epoch; False at the end of the data.
nb::object next_row(RowStream& stream, bool as_tensors) {
  return reporting([&]() -> nb::object {
    Row row;
    Pulled pulled = Pulled::Row;
    if (!stream.try_next(row, pulled)) {
      wait_for_row(stream);
      const nb::gil_scoped_release release;
      pulled = stream.next(row);
    }
    if (pulled == Pulled::EndOfEpoch) return nb::none();
    if (pulled == Pulled::EndOfData) return nb::bool_(false);
    nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(row.items.size())));
    for (std::size_t i = 0; i < row.items.size(); ++i) {
      PyObject* value =
          as_tensors ? tensor_from_item(row.items[i]) : python_from_item(row.items[i]);
      if (value == nullptr) throw PythonError();
      PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), value);
    }
    return list;
  });
}

std::shared_ptr<RowStream> start(StagePtr root, const nb::dict& given) {
  StreamOptions options;
  options.epochs = nb::cast<std::int64_t>(given["epochs"]);
  options.workers = nb::cast<std::size_t>(given["workers"]);
  options.ahead = nb::cast<std::size_t>(given["ahead"]);
  options.threads = nb::cast<bool>(given["threads"]);
  options.reader_helps = nb::cast<bool>(given["reader_helps"]);
  options.start_epoch = nb::cast<std::int64_t>(given["start_epoch"]);
  options.start_row = nb::cast<std::int64_t>(given["start_row"]);
  // The last reference may go with the interpreter lock held, and the threads may want it to end.
  return reporting([&] {
    return std::shared_ptr<RowStream>(new RowStream(std::move(root), options),
                                      [](RowStream* stream) {
                                        if (PyGILState_Check() != 0) {
                                          const nb::gil_scoped_release release;
                                          delete stream;
                                        } else {
                                          delete stream;
                                        }
                                      });
  });
}

// A stream for the other module; errors of the pipeline are Python errors by the time they get
// there.
class ReportingFeed : public RowFeed {
 public:
  using RowFeed::RowFeed;
  bool next(std::vector<Tensor>& row) override {
    try {
      return RowFeed::next(row);
    } catch (...) {
      const nb::gil_scoped_acquire lock;
      set_pipeline_error();
      throw PythonError();
    }
  }
};

nb::capsule tensor_stream(std::shared_ptr<RowStream> stream) {
  auto* held =
      new std::shared_ptr<tensor::TensorStream>(std::make_shared<ReportingFeed>(std::move(stream)));
  return nb::capsule(held, kStreamName, [](void* pointer) noexcept {
    delete static_cast<std::shared_ptr<tensor::TensorStream>*>(pointer);
  });
}

nb::list report(const RowStream& stream) {
  nb::list lines;
  for (const RowStream::Report& line : stream.report())
    lines.append(nb::make_tuple(line.name, line.rows, line.busy_s, line.wait_s));
  return lines;
}

}  // namespace

void bind_streams(nb::module_& module) {
  nb::class_<RowStream>(module, "RowStream")
      .def_prop_ro("columns", &RowStream::columns)
      .def("next", next_row)
      .def("stop", &RowStream::stop, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("epoch", &RowStream::epoch)
      .def_prop_ro("rows_given", &RowStream::rows_given)
      .def_prop_ro("ready", &RowStream::ready)
      .def("report", report);
  module.def("start_stream", start);
  module.def("tensor_stream", tensor_stream);
}

}  // namespace mycel::bindings
