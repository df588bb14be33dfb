// SPDX-License-Identifier: Apache-2.0
#include "cache/server/call_server.h"

#include <chrono>
#include <exception>

#include <cache.grpc.pb.h>
#include <fcntl.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server_posix.h>

#include "cache/client/wire.h"
#include "platform/log/log.h"

namespace mycel::cache {
namespace {

using platform::ErrorKind;

constexpr int kMostBytesOfMessage = 4 << 20;
constexpr std::size_t kBytesOfAllCalls = std::size_t{256} << 20;
constexpr int kCallsOfConnection = 16;
constexpr std::chrono::seconds kEndTime{2};

grpc::StatusCode code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Key: return grpc::StatusCode::NOT_FOUND;
    case ErrorKind::Value: return grpc::StatusCode::INVALID_ARGUMENT;
    case ErrorKind::Memory: return grpc::StatusCode::RESOURCE_EXHAUSTED;
    default: return grpc::StatusCode::INTERNAL;
  }
}

// Runs the body, which returns a Result, and gives its value to `fill`.
template <class Body, class Fill>
grpc::Status answer(Body body, Fill fill) {
  try {
    const auto result = body();
    if (!result) return {code_of(result.error().kind()), result.error().message()};
    fill(result.value());
    return grpc::Status::OK;
  } catch (const std::exception& problem) {
    platform::log_error("cache: a call failed: ", problem.what());
    return {grpc::StatusCode::INTERNAL, problem.what()};
  }
}

constexpr auto kNothingToFill = [](const auto&) {};

class CallService final : public wire::CacheServer::Service {
 public:
  CallService(SessionTable& sessions, CallServer::Settings settings)
      : sessions_(sessions), settings_(std::move(settings)) {}

  using Context = grpc::ServerContext;

  grpc::Status Attach(Context* /*context*/, const wire::AttachRequest* request,
                      wire::AttachReply* reply) override {
    JoinRequest join;
    join.session = request->session();
    join.cache_id = request->cache_id();
    join.description = request->description();
    join.is_stream = request->is_stream();
    join.size_mb = request->size_mb();
    join.spilling = request->spilling();
    return answer([&] { return sessions_.join_cache(request->client(), join); },
                  [&](const JoinAnswer& joined) {
                    reply->set_cache_id(joined.cache_id);
                    reply->set_client_number(joined.client_number);
                  });
  }

  grpc::Status BeginBuild(Context* /*context*/, const wire::ClientRequest* request,
                          wire::BeginBuildReply* reply) override {
    return answer([&] { return sessions_.begin_build(request->client()); },
                  [&](const BuildAnswer& build) {
                    reply->set_turn(static_cast<wire::BeginBuildReply::Turn>(build.turn));
                    reply->set_cookie(build.cookie);
                    reply->set_builder(build.builder);
                  });
  }

  grpc::Status Store(Context* /*context*/, const wire::StoreRequest* request,
                     wire::StoreReply* reply) override {
    const StagedRows rows{{request->row_ids().begin(), request->row_ids().end()},
                          {request->offsets().begin(), request->offsets().end()},
                          {request->lengths().begin(), request->lengths().end()}};
    return answer([&] { return sessions_.store(request->client(), request->cookie(), rows); },
                  [&](Room room) { reply->set_room(static_cast<wire::StoreReply::Room>(room)); });
  }

  grpc::Status EndBuild(Context* /*context*/, const wire::EndBuildRequest* request,
                        wire::EndBuildReply* reply) override {
    return answer(
        [&] { return sessions_.end_build(request->client(), request->cookie(), request->rows()); },
        [&](BuildStep step) { reply->set_turn_lost(step == BuildStep::TurnLost); });
  }

  grpc::Status Report(Context* /*context*/, const wire::ReportRequest* request,
                      wire::Nothing* /*reply*/) override {
    return answer(
        [&] { return sessions_.report(request->client(), request->hits(), request->misses()); },
        kNothingToFill);
  }

  grpc::Status Statistics(Context* /*context*/, const wire::ClientRequest* request,
                          wire::CacheState* reply) override {
    return answer([&] { return sessions_.statistics(request->client()); },
                  [&](const CacheStatistics& statistics) { wire::fill(*reply, 0, statistics); });
  }

  grpc::Status GenerateSession(Context* /*context*/, const wire::Nothing* /*request*/,
                               wire::SessionMessage* reply) override {
    return answer([&] { return Result<std::uint32_t>(sessions_.generate_session()); },
                  [&](std::uint32_t session) { reply->set_session(session); });
  }

  grpc::Status DestroySession(Context* /*context*/, const wire::SessionMessage* request,
                              wire::Nothing* /*reply*/) override {
    return answer([&] { return sessions_.destroy_session(request->session()); }, kNothingToFill);
  }

  grpc::Status ListSessions(Context* /*context*/, const wire::Nothing* /*request*/,
                            wire::SessionList* reply) override {
    return answer([&] { return Result<std::vector<SessionListing>>(sessions_.list()); },
                  [&](const std::vector<SessionListing>& sessions) {
                    for (const SessionListing& session : sessions) {
                      wire::SessionState& state = *reply->add_sessions();
                      state.set_session(session.session);
                      for (const CacheListing& cache : session.caches)
                        wire::fill(*state.add_caches(), cache.cache_id, cache.statistics);
                    }
                  });
  }

  grpc::Status ServerInfo(Context* /*context*/, const wire::Nothing* /*request*/,
                          wire::ServerState* reply) override {
    return answer([&] { return Result<ServerListing>(settings_.facts()); },
                  [&](const ServerListing& facts) {
                    reply->set_version(facts.version);
                    reply->set_port(facts.port);
                    reply->set_workers(facts.workers);
                    reply->set_log_level(facts.log_level);
                    reply->set_spill_folder(facts.spill_folder);
                    reply->set_memory_cap_bytes(facts.memory_cap_bytes);
                    reply->set_memory_used_bytes(facts.memory_used_bytes);
                    reply->set_uptime_seconds(facts.uptime_seconds);
                    reply->set_clients(facts.clients);
                    reply->mutable_sessions()->Add(facts.sessions.begin(), facts.sessions.end());
                    reply->set_pid(facts.pid);
                  });
  }

  grpc::Status Stop(Context* /*context*/, const wire::Nothing* /*request*/,
                    wire::Nothing* /*reply*/) override {
    settings_.stop();
    return grpc::Status::OK;
  }

 private:
  SessionTable& sessions_;
  const CallServer::Settings settings_;
};

class GrpcCallServer final : public CallServer {
 public:
  GrpcCallServer(SessionTable& sessions, Settings settings) : service_(sessions, settings) {
    grpc::ResourceQuota quota("cache");
    quota.Resize(kBytesOfAllCalls);
    grpc::ServerBuilder builder;
    builder.RegisterService(&service_);
    builder.SetResourceQuota(quota);
    builder.SetMaxReceiveMessageSize(kMostBytesOfMessage);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kCallsOfConnection);
    builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::NUM_CQS, 1);
    builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::MIN_POLLERS, 1);
    builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::MAX_POLLERS,
                                settings.workers);
    server_ = builder.BuildAndStart();
    platform::require(server_ != nullptr, ErrorKind::Runtime, "gRPC could not be started");
  }
  ~GrpcCallServer() override {
    server_->Shutdown(std::chrono::system_clock::now() + kEndTime);
    server_->Wait();
  }

  void add_connection(platform::Descriptor socket) override {
    const int own = fcntl(socket.number(), F_DUPFD_CLOEXEC, 0);  // gRPC closes it
    if (own >= 0) grpc::AddInsecureChannelFromFd(server_.get(), own);
  }

 private:
  CallService service_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

std::unique_ptr<CallServer> CallServer::make(SessionTable& sessions, Settings settings) {
  return std::make_unique<GrpcCallServer>(sessions, std::move(settings));
}

}  // namespace mycel::cache
