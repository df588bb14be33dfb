// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/serving/parts.h"
#include "bindings/serving/values.h"
#include "serving/worker/function_channel.h"

namespace mycel::bindings {

namespace nb = nanobind;
using namespace serving;  // NOLINT: this file is about nothing else
using platform::ErrorKind;
using platform::require;

namespace {

nb::list python_from_instances(const std::vector<Instance>& instances) {
  nb::list list;
  for (const Instance& instance : instances) list.append(python_from_instance(instance));
  return list;
}

std::vector<Instance> instances_from_python(const nb::list& list) {
  std::vector<Instance> instances;
  for (const nb::handle values : list) instances.push_back(instance_from_python(values));
  return instances;
}

// ("load", description, key), ("run", id, function, instances a call, tag, instances), or None.
nb::object read(FunctionChannel& channel) {
  std::optional<IncomingFrame> frame;
  {
    const nb::gil_scoped_release release;
    frame = channel.next();
  }
  if (!frame) return nb::none();
  if (frame->head.kind == FrameKind::Load) {
    const nb::bytes key(frame->data.get(), frame->head.data_bytes);
    return nb::make_tuple("load", frame->description, key);
  }
  platform::Result<RunOrder> order =
      read_run(frame->description, frame->data, frame->head.data_bytes);
  require(static_cast<bool>(order), ErrorKind::Runtime, "serving: a run is broken");
  const RunOrder& run = order.value();
  return nb::make_tuple("run", frame->head.id, run.target, run.batch_size, run.tag,
                        python_from_instances(run.instances));
}

// An outcome is a tuple of values, or a str: why there are none.
void answer(FunctionChannel& channel, std::uint64_t run, const nb::list& given) {
  std::vector<Outcome> outcomes;
  for (const nb::handle outcome : given) {
    if (nb::isinstance<nb::str>(outcome)) {
      outcomes.emplace_back(Failure{FailureCode::Failed, nb::cast<std::string>(outcome)});
    } else {
      outcomes.emplace_back(instance_from_python(outcome));
    }
  }
  // `given` keeps the arrays until they are written.
  const nb::gil_scoped_release release;
  channel.answer(run, outcomes);
}

nb::list call_model(FunctionChannel& channel, std::uint32_t model, std::uint32_t subgraph,
                    const nb::list& instances) {
  RunOrder order;
  order.target = model;
  order.subgraph = subgraph;
  order.instances = instances_from_python(instances);
  std::vector<Outcome> outcomes;
  {
    const nb::gil_scoped_release release;
    outcomes = channel.call_model(std::move(order));
  }
  nb::list list;
  for (const Outcome& outcome : outcomes) {
    if (const auto* failure = std::get_if<Failure>(&outcome)) {
      list.append(nb::str(failure->text.data(), failure->text.size()));
    } else {
      list.append(python_from_instance(std::get<Instance>(outcome)));
    }
  }
  return list;
}

}  // namespace

void bind_worker_channel(nb::module_& module) {
  module.def("check_value", [](nb::handle object) { value_from_python(object); });
  nb::class_<FunctionChannel>(module, "WorkerChannel")
      .def("__init__",
           [](FunctionChannel* self, int descriptor) {
             new (self) FunctionChannel(platform::Descriptor(descriptor));  // NOLINT: nanobind's
           })
      .def("read", read)
      .def("answer", answer)
      .def("call_model", call_model)
      .def("ready",
           [](FunctionChannel& channel) {
             const nb::gil_scoped_release release;
             channel.tell(FrameKind::Ready, "");
           })
      .def("failed", [](FunctionChannel& channel, const std::string& why) {
        const nb::gil_scoped_release release;
        channel.tell(FrameKind::Failed, why);
      });
}

}  // namespace mycel::bindings
