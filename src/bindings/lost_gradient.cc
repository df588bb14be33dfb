// SPDX-License-Identifier: Apache-2.0
#include "bindings/lost_gradient.h"

#include <mutex>
#include <set>
#include <string>
#include <utility>

#include <Python.h>

#include "bindings/exceptions.h"
#include "eager/tape.h"

namespace mycel::bindings {
namespace {

bool is_first_time(const ir::Position& position) {
  static std::mutex mutex;
  static std::set<std::pair<std::string, int>> known;
  const std::lock_guard lock(mutex);
  return known.emplace(position.file, position.line).second;
}

}  // namespace

void warn_of_lost_gradient(const tensor::Tensor& tensor, const char* what, int behind) {
  if (!eager::is_recording() || !tensor::is_floating(tensor.dtype()) || !eager::is_tracked(tensor))
    return;
  // Our own code knows what it does.
  const ir::Position position = caller_position(behind);
  if (position.file.empty() || !is_first_time(position)) return;
  const std::string text =
      std::string(what) +
      " of a Tensor whose gradient is being recorded gives a plain value: what "
      "is computed from it has no gradient. Use functions of mindspore.ops or "
      "methods of the Tensor; item() and asnumpy() say that the value is meant.";
  if (PyErr_WarnExplicit(PyExc_UserWarning, text.c_str(), position.file.c_str(), position.line,
                         nullptr, nullptr) < 0)
    throw PythonError();
}

}  // namespace mycel::bindings
