// SPDX-License-Identifier: Apache-2.0
// Values of MindRecord fields to and from Python. The interpreter lock is held in all of these.
#pragma once

#include <string>
#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "data/record/given_rows.h"
#include "data/record/record_set.h"

namespace mycel::bindings {

// One value checked against its field, and what keeps it alive.
struct CheckedValue {
  data::FieldValue value;
  nanobind::object owner;
  data::FieldMistake mistake;
};

// The value of the field in a row.
CheckedValue check_value(const data::RecordField& field, const nanobind::dict& row);

// int, float, str, bytes or ndarray.
nanobind::object record_object(const data::RecordField& field, const data::RowPart& part,
                               int version);

}  // namespace mycel::bindings
