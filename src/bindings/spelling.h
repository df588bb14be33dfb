// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <Python.h>

namespace mycel::bindings {

// What the package knows about names: hint(wrong, known) is a sentence about a keyword that is not
// known, called(operator) the name by which the user called what ended in an operator of ours.
void set_speller(PyObject* hint, PyObject* called);

std::string keyword_hint(const char* wrong, const std::vector<std::string>& known);

// The message as users can understand it: operators that they cannot call are named after what they
// called.
std::string in_users_words(std::string message);

}  // namespace mycel::bindings
