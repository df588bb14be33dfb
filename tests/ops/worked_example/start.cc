// SPDX-License-Identifier: Apache-2.0
// Lets the operator beside this file be loaded as a plug-in: it registers itself when it is opened.

extern "C" void mycel_start_plugin() {}
