// SPDX-License-Identifier: Apache-2.0
// For tests: a server in this process, in a folder of its own, and rows to store.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <unistd.h>

#include "cache/client/cache_client.h"
#include "cache/client/control.h"
#include "cache/server/server.h"
#include "platform/thread/thread.h"

namespace mycel::cache {

// A folder that is empty at first and gone afterwards; servers are made and looked for in it.
class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "cache-XXXXXX").string();
    path_ = mkdtemp(name.data());
    setenv("MYCEL_CACHE_DIR", path_.c_str(), 1);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() {
    unsetenv("MYCEL_CACHE_DIR");
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class TestServer {
 public:
  explicit TestServer(const ServerOptions& options = {}, MachineMemory machine = this_machine())
      : port_(options.port), server_(Server::start(options, std::move(machine)).value()) {
    thread_ = platform::Thread("test_server", [this](std::stop_token) { server_->run(); });
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;
  ~TestServer() { stop(); }

  void stop() {
    if (server_ == nullptr) return;
    server_->stop();
    thread_.join();
    server_.reset();
  }
  std::unique_ptr<Control> control() const {
    return make_control(connect_to_server(port_).value(), port_);
  }
  std::uint32_t session() const { return control()->generate_session().value(); }

 private:
  std::uint16_t port_;
  std::unique_ptr<Server> server_;
  platform::Thread thread_;
};

// Gives a row of one part, or appends it.
inline Result<Done> offer(CacheClient& client, std::uint64_t row_id, std::string_view text) {
  const Bytes part = platform::as_bytes(text);
  return client.offer(row_id, std::span(&part, 1));
}
inline Result<BuildStep> append(CacheClient& client, std::string_view text) {
  const Bytes part = platform::as_bytes(text);
  return client.append(std::span(&part, 1));
}
// The row's bytes; "(none)" when it is not there.
inline std::string text_of(CacheClient& client, std::uint64_t row_id) {
  const std::optional<RowView> found = client.find(row_id).value();
  if (!found) return "(none)";
  return {reinterpret_cast<const char*>(found->bytes.data()), found->bytes.size()};
}

}  // namespace mycel::cache
