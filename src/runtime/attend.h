// SPDX-License-Identifier: Apache-2.0
// A loop may turn for hours: every now and then it looks whether somebody wants it to end.
#pragma once

namespace mycel::runtime {

// What is called from time to time on a thread that runs a loop. It ends the run by throwing.
using Attend = void (*)();
void set_attend(Attend attend);

// Calls it when the last time, on this thread, was long enough ago.
void attend_between_turns();

}  // namespace mycel::runtime
