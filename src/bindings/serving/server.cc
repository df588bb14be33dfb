// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <memory>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <unistd.h>

#include "bindings/serving/parts.h"
#include "serving/gateway/server_config.h"

namespace mycel::bindings {

namespace nb = nanobind;
using platform::Json;
using serving::Server;

namespace {

// A server and the process it is in: in a copy made by fork none of its threads are there, and
// nothing of it can be ended.
class OwnServer {
 public:
  OwnServer() : server_(std::make_unique<Server>()), process_(getpid()) {}
  ~OwnServer() {
    const nb::gil_scoped_release release;
    if (getpid() == process_) {
      server_.reset();
    } else {
      server_.release();  // NOLINT: see above
    }
  }
  OwnServer(const OwnServer&) = delete;
  OwnServer& operator=(const OwnServer&) = delete;

  Server& get() const {
    platform::require(getpid() == process_, platform::ErrorKind::Runtime,
                      "this server runs in process ", process_,
                      ", of which this one is a copy: use it there");
    return *server_;
  }

 private:
  std::unique_ptr<Server> server_;
  pid_t process_;
};

// Without the interpreter lock: everything waits for the server's thread.
template <class Body>
auto asking(const OwnServer& server, const Body& body) {
  const nb::gil_scoped_release release;
  return body(server.get());
}

}  // namespace

void bind_server(nb::module_& module) {
  nb::class_<OwnServer>(module, "Server")
      .def(nb::init<>())
      .def("load",
           [](const OwnServer& own, const std::string& text) {
             asking(own, [&](Server& server) {
               const Json json = platform::parse_json(text, "what is to be loaded");
               server.load(serving::read_version_options(json));
             });
           })
      .def("unload",
           [](const OwnServer& own, const std::string& servable, std::uint32_t version) {
             return asking(own, [&](Server& server) { return server.unload(servable, version); });
           })
      .def("start_rest",
           [](const OwnServer& own, const std::string& text) {
             asking(own, [&](Server& server) {
               const Json json = platform::parse_json(text, "how to listen");
               server.start_rest(serving::read_listen_options(json));
             });
           })
      .def("start_grpc",
           [](const OwnServer& own, const std::string& text) {
             asking(own, [&](Server& server) {
               const Json json = platform::parse_json(text, "how to listen");
               server.start_grpc(serving::read_listen_options(json));
             });
           })
      .def("set_most_requests",
           [](const OwnServer& own, std::size_t count) {
             asking(own, [&](Server& server) { server.set_most_requests(count); });
           })
      .def("stop",
           [](const OwnServer& own, std::int64_t patience_ms) {
             asking(own,
                    [&](Server& server) { server.stop(std::chrono::milliseconds(patience_ms)); });
           })
      // False: the time is over.
      .def("wait", [](const OwnServer& own, std::int64_t time_ms) {
        return asking(
            own, [&](Server& server) { return server.wait(std::chrono::milliseconds(time_ms)); });
      });
}

}  // namespace mycel::bindings
