// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include <cache.grpc.pb.h>
#include <fcntl.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/grpcpp.h>

#include "cache/client/control.h"
#include "cache/client/wire.h"

namespace mycel::cache {
namespace {

using platform::Error;
using platform::ErrorKind;
using platform::join;

constexpr int kDeadlineMs = 60000;

class GrpcControl final : public Control {
 public:
  GrpcControl(std::shared_ptr<grpc::Channel> channel, std::uint16_t port)
      : stub_(wire::CacheServer::NewStub(channel)), port_(port) {}

  Result<std::uint32_t> attach(std::uint64_t client, const CacheOptions& options) override {
    wire::AttachRequest request;
    request.set_client(client);
    request.set_session(options.session);
    request.set_cache_id(options.cache_id);
    request.set_description(options.description);
    request.set_is_stream(options.kind == SourceKind::Stream);
    request.set_size_mb(options.size_mb);
    request.set_spilling(options.spilling);
    wire::AttachReply reply;
    const Result<Done> done = call(&Stub::Attach, request, reply);
    if (!done) return done.error();
    return reply.cache_id();
  }

  Result<BuildAnswer> begin_build(std::uint64_t client) override {
    wire::ClientRequest request;
    request.set_client(client);
    wire::BeginBuildReply reply;
    const Result<Done> done = call(&Stub::BeginBuild, request, reply);
    if (!done) return done.error();
    return BuildAnswer{static_cast<BuildAnswer::Turn>(reply.turn()), reply.cookie(),
                       reply.builder()};
  }

  Result<Room> store(std::uint64_t client, std::uint64_t cookie, const StagedRows& rows) override {
    wire::StoreRequest request;
    request.set_client(client);
    request.set_cookie(cookie);
    request.mutable_row_ids()->Add(rows.row_ids.begin(), rows.row_ids.end());
    request.mutable_offsets()->Add(rows.offsets.begin(), rows.offsets.end());
    request.mutable_lengths()->Add(rows.lengths.begin(), rows.lengths.end());
    wire::StoreReply reply;
    const Result<Done> done = call(&Stub::Store, request, reply);
    if (!done) return done.error();
    return static_cast<Room>(reply.room());
  }

  Result<BuildStep> end_build(std::uint64_t client, std::uint64_t cookie,
                              std::uint64_t rows) override {
    wire::EndBuildRequest request;
    request.set_client(client);
    request.set_cookie(cookie);
    request.set_rows(rows);
    wire::EndBuildReply reply;
    const Result<Done> done = call(&Stub::EndBuild, request, reply);
    if (!done) return done.error();
    return reply.turn_lost() ? BuildStep::TurnLost : BuildStep::Kept;
  }

  Result<Done> report(std::uint64_t client, std::uint64_t hits, std::uint64_t misses) override {
    wire::ReportRequest request;
    request.set_client(client);
    request.set_hits(hits);
    request.set_misses(misses);
    wire::Nothing reply;
    return call(&Stub::Report, request, reply);
  }

  Result<CacheStatistics> statistics(std::uint64_t client) override {
    wire::ClientRequest request;
    request.set_client(client);
    wire::CacheState reply;
    const Result<Done> done = call(&Stub::Statistics, request, reply);
    if (!done) return done.error();
    return wire::statistics_of(reply);
  }

  Result<std::uint32_t> generate_session() override {
    wire::SessionMessage reply;
    const Result<Done> done = call(&Stub::GenerateSession, wire::Nothing(), reply);
    if (!done) return done.error();
    return reply.session();
  }

  Result<Done> destroy_session(std::uint32_t session) override {
    wire::SessionMessage request;
    request.set_session(session);
    wire::Nothing reply;
    return call(&Stub::DestroySession, request, reply);
  }

  Result<std::vector<SessionListing>> list_sessions() override {
    wire::SessionList reply;
    const Result<Done> done = call(&Stub::ListSessions, wire::Nothing(), reply);
    if (!done) return done.error();
    std::vector<SessionListing> sessions;
    for (const wire::SessionState& session : reply.sessions()) {
      SessionListing& listing = sessions.emplace_back();
      listing.session = session.session();
      for (const wire::CacheState& cache : session.caches())
        listing.caches.push_back({cache.cache_id(), wire::statistics_of(cache)});
    }
    return sessions;
  }

  Result<ServerListing> server_info() override {
    wire::ServerState reply;
    const Result<Done> done = call(&Stub::ServerInfo, wire::Nothing(), reply);
    if (!done) return done.error();
    return ServerListing{.version = reply.version(),
                         .port = static_cast<std::uint16_t>(reply.port()),
                         .workers = reply.workers(),
                         .log_level = reply.log_level(),
                         .spill_folder = reply.spill_folder(),
                         .memory_cap_bytes = reply.memory_cap_bytes(),
                         .memory_used_bytes = reply.memory_used_bytes(),
                         .uptime_seconds = reply.uptime_seconds(),
                         .clients = reply.clients(),
                         .sessions = {reply.sessions().begin(), reply.sessions().end()},
                         .pid = reply.pid()};
  }

  Result<Done> stop(int deadline_ms) override {
    wire::Nothing reply;
    return call(&Stub::Stop, wire::Nothing(), reply, deadline_ms);
  }

 private:
  using Stub = wire::CacheServer::Stub;

  template <class Request, class Reply>
  Result<Done> call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Reply*),
                    const Request& request, Reply& reply, int deadline_ms = kDeadlineMs) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(deadline_ms));
    const grpc::Status status = ((*stub_).*method)(&context, request, &reply);
    if (status.ok()) return Done{};
    switch (status.error_code()) {
      case grpc::StatusCode::UNAVAILABLE:
      case grpc::StatusCode::CANCELLED: return unreachable(port_);
      case grpc::StatusCode::DEADLINE_EXCEEDED:
        return Error(ErrorKind::Runtime,
                     join("Network error. Cache server with port ", port_,
                          " did not answer within ", deadline_ms / 1000, " s. GRPC Code 4"));
      default: return Error(ErrorKind::Runtime, status.error_message());
    }
  }

  const std::unique_ptr<Stub> stub_;
  const std::uint16_t port_;
};

}  // namespace

std::unique_ptr<Control> make_control(platform::Descriptor socket, std::uint16_t port) {
  // gRPC closes the descriptor with the channel.
  const int own = fcntl(socket.number(), F_DUPFD_CLOEXEC, 0);
  fcntl(own, F_SETFL, fcntl(own, F_GETFL) | O_NONBLOCK);
  return std::make_unique<GrpcControl>(grpc::CreateInsecureChannelFromFd("cache_server", own),
                                       port);
}

}  // namespace mycel::cache

extern "C" mycel::cache::Control* mycel_make_cache_control(int socket, std::uint16_t port) {
  return mycel::cache::make_control(mycel::platform::Descriptor(socket), port).release();
}
