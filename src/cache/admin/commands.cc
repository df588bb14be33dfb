// SPDX-License-Identifier: Apache-2.0
#include "cache/admin/commands.h"

#include <memory>
#include <ostream>

#include "cache/admin/listings.h"
#include "cache/admin/server_process.h"
#include "cache/client/control.h"
#include "cache/client/places.h"

namespace mycel::cache {
namespace {

Result<std::unique_ptr<Control>> connect(std::uint16_t port) {
  Result<platform::Descriptor> socket = connect_to_server(port);
  if (!socket) return socket.error();
  return make_control(std::move(socket).value(), port);
}

Result<Done> start(const Arguments& arguments, std::ostream& out) {
  Result<StartedServer> started = start_server(arguments);
  if (!started) return started.error();
  const auto port = static_cast<std::uint16_t>(arguments.port);
  const Result<Path> folder = make_user_folder();
  out << "Cache server startup completed successfully!\n"
      << "The cache server daemon has been created as process id " << started.value().pid
      << " and listening on port " << port << ".\n";
  if (!started.value().warning.empty()) out << started.value().warning << "\n";
  out << "\nRecommendation:\nThe server is a process of its own now: monitor the server logs "
         "(under "
      << (folder ? server_place(folder.value(), port).log_folder().string() : "its folder")
      << ") for anything that happens to it later.\n";
  return Done{};
}

Result<Done> generate_session(Control& control, std::uint16_t port, std::ostream& out) {
  const Result<std::uint32_t> session = control.generate_session();
  if (!session) return session.error();
  out << "Session created for server on port " << port << ": " << session.value() << "\n";
  return Done{};
}

Result<Done> destroy_sessions(Control& control, const Arguments& arguments, std::ostream& out) {
  for (const std::uint32_t session : arguments.sessions) {
    if (Result<Done> done = control.destroy_session(session); !done) return done.error();
    out << "Drop session " << session << " successfully for server on port " << arguments.port
        << "\n";
  }
  return Done{};
}

Result<Done> list_sessions(Control& control, const Arguments& arguments, std::ostream& out) {
  const Result<std::vector<SessionListing>> sessions = control.list_sessions();
  if (!sessions) return sessions.error();
  if (arguments.wants_json)
    print_sessions_json(out, static_cast<std::uint16_t>(arguments.port), sessions.value());
  else
    print_sessions(out, sessions.value());
  return Done{};
}

Result<Done> server_info(Control& control, const Arguments& arguments, std::ostream& out) {
  const Result<ServerListing> server = control.server_info();
  if (!server) return server.error();
  if (arguments.wants_json)
    print_server_json(out, server.value());
  else
    print_server(out, server.value());
  return Done{};
}

}  // namespace

Result<Done> run_command(const Arguments& arguments, std::ostream& out) {
  const auto port = static_cast<std::uint16_t>(arguments.port);
  if (arguments.command == Command::Start) return start(arguments, out);
  if (arguments.command == Command::Stop) {
    if (Result<Done> done = stop_server(port); !done) return done.error();
    out << "Cache server on port " << port << " has been stopped successfully.\n";
    return Done{};
  }
  // Said before it is known whether there is a server, as scripts expect.
  if (arguments.command == Command::ListSessions && !arguments.wants_json)
    out << "Listing sessions for server on port " << port << "\n\n";
  Result<std::unique_ptr<Control>> connected = connect(port);
  if (!connected) return connected.error();
  const std::unique_ptr<Control> control = std::move(connected).value();
  switch (arguments.command) {
    case Command::GenerateSession: return generate_session(*control, port, out);
    case Command::DestroySession: return destroy_sessions(*control, arguments, out);
    case Command::ListSessions: return list_sessions(*control, arguments, out);
    case Command::ServerInfo: return server_info(*control, arguments, out);
    default: return Done{};
  }
}

}  // namespace mycel::cache
