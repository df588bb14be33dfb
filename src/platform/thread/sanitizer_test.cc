// SPDX-License-Identifier: Apache-2.0
// What ThreadSanitizer cannot see. The C++ library is not built with it: owners of an exception are
// counted there, and to the tool the last one to go, on whichever thread, frees what others read.
extern "C" const char* __tsan_default_suppressions();

extern "C" const char* __tsan_default_suppressions() {
  return "race:std::__exception_ptr::exception_ptr::_M_release\n";
}
