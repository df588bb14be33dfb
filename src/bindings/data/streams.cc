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
#include "bindings/data/user_calls.h"
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
void look_after_signals() {
  const nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw_user_error("a signal came while a row was awaited");
}

// A list of values; None at the end of an epoch; False at the end of the data.
nb::object next_row(RowStream& stream, bool as_tensors) {
  return reporting([&]() -> nb::object {
    Row row;
    Pulled pulled = Pulled::Row;
    if (!stream.try_next(row, pulled)) {
      const nb::gil_scoped_release release;
      pulled = stream.next(row);
    }
    if (pulled == Pulled::EndOfEpoch) return nb::none();
    if (pulled == Pulled::EndOfData) return nb::bool_(false);
    return list_of(row.items, as_tensors ? tensor_from_item : python_from_item);
  });
}

std::shared_ptr<RowStream> start(StagePtr root, const nb::dict& given) {
  StreamOptions options;
  options.epochs = nb::cast<std::int64_t>(given["epochs"]);
  options.workers = nb::cast<std::size_t>(given["workers"]);
  options.ahead = nb::cast<std::size_t>(given["ahead"]);
  options.threads = nb::cast<bool>(given["threads"]);
  options.ahead_bytes = nb::cast<std::size_t>(given["ahead_bytes"]);
  options.attend = look_after_signals;
  options.late_after = std::chrono::milliseconds(
      static_cast<std::int64_t>(1000 * nb::cast<double>(given["late_after"])));
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

bool stop_within(RowStream& stream, double seconds) {
  const nb::gil_scoped_release release;
  return stream.stop_within(std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000)));
}

// However long a function of the user's takes to come to its end, Ctrl-C ends the wait for it.
// Threads of the stream itself do not wait.
void stop(RowStream& stream) {
  while (!stop_within(stream, 0.05) && !stream.is_own_thread())
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

nb::list report(const RowStream& stream) {
  return list_of(stream.report(), [](const RowStream::Report& line) {
    return nb::make_tuple(line.name, line.rows, line.busy_s, line.wait_s);
  });
}

}  // namespace

void bind_streams(nb::module_& module) {
  nb::class_<RowStream>(module, "RowStream")
      .def_prop_ro("columns", &RowStream::columns)
      .def("next", next_row)
      .def("stop", stop)
      .def("stop_within", stop_within)
      .def_prop_ro("epoch", &RowStream::epoch)
      .def_prop_ro("rows_given", &RowStream::rows_given)
      .def_prop_ro("ready", &RowStream::ready)
      .def_prop_ro("held_bytes", &RowStream::held_bytes)
      .def_prop_ro("failed", &RowStream::failed)
      .def("report", report);
  module.def("start_stream", start);
  module.def("tensor_stream", tensor_stream);
  module.def("wait_for_dropped_streams", [](double seconds) {
    const nb::gil_scoped_release release;
    return wait_for_dropped_streams(
        std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000)));
  });
}

}  // namespace mycel::bindings
