// SPDX-License-Identifier: Apache-2.0
// What --list_sessions and --server_info print. Scripts read it: words and columns stay as they
// are.
#pragma once

#include <iosfwd>
#include <vector>

#include "cache/client/control.h"

namespace mycel::cache {

void print_sessions(std::ostream& out, const std::vector<SessionListing>& sessions);
void print_sessions_json(std::ostream& out, std::uint16_t port,
                         const std::vector<SessionListing>& sessions);
void print_server(std::ostream& out, const ServerListing& server);
void print_server_json(std::ostream& out, const ServerListing& server);

}  // namespace mycel::cache
