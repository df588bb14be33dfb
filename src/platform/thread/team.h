// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mycel::platform {

// To be called before a library lets OpenMP work on this thread: a process that is forked from it
// then knows that the team's threads are not there, and works alone.
void note_team();

}  // namespace mycel::platform
