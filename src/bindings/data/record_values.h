// SPDX-License-Identifier: Apache-2.0
// Values of MindRecord fields to and from Python. The interpreter lock is held in all of these.
#pragma once

#include <string>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "data/record/record_set.h"

namespace mycel::bindings {

// One value checked against its field, and what keeps it alive.
struct CheckedValue {
  data::FieldValue value;
  nanobind::object owner;
  std::string mistake;            // why it does not go; empty: it does
  bool is_array_mistake = false;  // an array of another type or shape than the schema's
};

CheckedValue check_value(const data::RecordField& field, nanobind::handle value);

// The value as a row of the pipeline has it.
data::Item record_item(const data::RecordField& field, const CheckedValue& value);

// int, float, str, bytes or ndarray.
nanobind::object record_object(const data::RecordField& field, const data::RowPart& part,
                               int version);

}  // namespace mycel::bindings
