// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/rest.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "serving/gateway/classic_json.h"
#include "serving/gateway/metrics.h"
#include "serving/gateway/model_config.h"
#include "serving/gateway/model_control.h"
#include "serving/gateway/model_lookup.h"
#include "serving/gateway/model_statistics.h"
#include "serving/gateway/server_metadata.h"
#include "serving/gateway/status_page.h"

namespace mycel::serving {
namespace {

namespace http = boost::beast::http;
using platform::join;

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kJsonBytes = "Inference-Header-Content-Length";
constexpr std::string_view kRetryAfter = "1";

HttpReply reply_with(http::status status, std::string_view type, std::string body) {
  HttpReply reply(status, 11);
  reply.set(http::field::server, "mycel");
  reply.set(http::field::content_type, boost::beast::string_view(type.data(), type.size()));
  if (status == http::status::service_unavailable)
    reply.set(http::field::retry_after,
              boost::beast::string_view(kRetryAfter.data(), kRetryAfter.size()));
  reply.body() = std::move(body);
  return reply;
}

http::status status_of(FailureCode code) {
  switch (code) {
    case FailureCode::None: return http::status::ok;
    case FailureCode::InvalidInputs: return http::status::bad_request;
    case FailureCode::NotFound: return http::status::not_found;
    case FailureCode::WorkerUnavailable:
    case FailureCode::ServableUnavailable:
    case FailureCode::QueueFull: return http::status::service_unavailable;
    case FailureCode::DeadlineExceeded: return http::status::gateway_timeout;
    case FailureCode::Failed:
    case FailureCode::SystemError:
    case FailureCode::Cancelled: return http::status::internal_server_error;
  }
  return http::status::internal_server_error;
}

HttpReply open_inference_failure(const Failure& failure) {
  return reply_with(status_of(failure.code), kJson, open_inference_error(failure.text));
}

std::string_view text_of(boost::beast::string_view text) { return {text.data(), text.size()}; }

bool is_open_inference(std::string_view target) {
  return target == "/v2" || target.starts_with("/v2/");
}

std::vector<std::string> path_parts(std::string_view target) {
  target = target.substr(0, target.find('?'));
  std::vector<std::string> parts;
  while (!target.empty()) {
    target.remove_prefix(1);  // the slash
    const std::size_t slash = std::min(target.find('/'), target.size());
    parts.emplace_back(target.substr(0, slash));
    target.remove_prefix(slash);
  }
  while (!parts.empty() && parts.back().empty()) parts.pop_back();
  return parts;
}

// Bytes of the results; their JSON has some times as many.
std::size_t size_of(const std::vector<Outcome>& outcomes) {
  std::size_t size = 0;
  for (const Outcome& outcome : outcomes)
    if (const auto* values = std::get_if<Instance>(&outcome))
      for (const Value& value : *values) size += value.bytes.size();
  return size;
}

}  // namespace

HttpReply RestGateway::too_large(const HttpRequest& request, std::size_t limit) {
  const std::string text = join("http message is bigger than ", limit);
  return reply_with(http::status::payload_too_large, kJson,
                    is_open_inference(text_of(request.target())) ? open_inference_error(text)
                                                                 : classic_error(text));
}

void RestGateway::handle(HttpRequest request, HttpServer::Respond respond) {
  const std::string_view target = text_of(request.target());
  if (is_open_inference(target)) return handle_open_inference(std::move(request), respond);
  const bool is_get = request.method() == http::verb::get || request.method() == http::verb::head;
  if (is_get && target == "/metrics")
    return respond(
        reply_with(http::status::ok, "text/plain; version=0.0.4", metrics_text(repository_)));
  if (is_get && target == "/")
    return respond(
        reply_with(http::status::ok, "text/html; charset=utf-8", std::string(status_page())));
  if (is_get && target == "/status")
    return respond(reply_with(http::status::ok, kJson, status_json(repository_)));
  handle_classic(std::move(request), std::move(respond));
}

// ---- MindSpore Serving

void RestGateway::handle_classic(HttpRequest request, HttpServer::Respond respond) {
  const bool use_codes = options_.use_status_codes;
  const auto refuse = [respond, use_codes](FailureCode code, std::string_view text) {
    const http::status status = use_codes ? status_of(code) : http::status::ok;
    respond(reply_with(status, kJson, classic_error(text)));
  };
  if (request.method() != http::verb::post)
    return refuse(FailureCode::InvalidInputs, "http message only support POST right now");
  const auto path = read_classic_path(text_of(request.target()));
  if (const auto* problem = std::get_if<std::string>(&path))
    return refuse(FailureCode::InvalidInputs, *problem);
  const std::size_t size = request.body().size();
  const auto read = [request = std::make_shared<HttpRequest>(std::move(request))] {
    return read_classic_body(request->body());
  };
  side_.run(size, read, [this, refuse, respond, place = std::get<ClassicPath>(path)](auto body) {
    if (const auto* problem = std::get_if<std::string>(&body))
      return refuse(FailureCode::InvalidInputs, *problem);
    submit_classic(place, std::get<0>(std::move(body)), respond);
  });
}

void RestGateway::submit_classic(const ClassicPath& place, std::vector<NamedValues> instances,
                                 HttpServer::Respond respond) {
  const bool use_codes = options_.use_status_codes;
  const auto refuse = [respond, use_codes](const Failure& failure) {
    const http::status status = use_codes ? status_of(failure.code) : http::status::ok;
    respond(reply_with(status, kJson, classic_error(failure.text)));
  };
  const auto found = repository_.find(place.servable, place.method, place.version);
  if (const auto* failure = std::get_if<Failure>(&found)) return refuse(*failure);
  const Route& route = std::get<Route>(found);
  Request call;
  for (NamedValues& values : instances) {
    auto instance = in_order(route.version->servable(), *route.method, std::move(values));
    if (const auto* failure = std::get_if<Failure>(&instance)) return refuse(*failure);
    call.instances.push_back(std::get<Instance>(std::move(instance)));
  }
  call.done = [this, respond, route, refuse](std::vector<Outcome> outcomes) {
    if (const Failure* failure = common_failure(outcomes)) return refuse(*failure);
    const std::size_t size = size_of(outcomes);
    const auto write = [route, outcomes = std::move(outcomes)] {
      return classic_reply(*route.method, outcomes);
    };
    side_.run(size, write, [respond](std::string reply) {
      respond(reply_with(http::status::ok, kJson, std::move(reply)));
    });
  };
  repository_.submit(route, std::move(call));
}

// ---- Open Inference Protocol

void RestGateway::handle_open_inference(HttpRequest request, HttpServer::Respond respond) {
  const std::vector<std::string> parts = path_parts(text_of(request.target()));
  const bool is_get = request.method() == http::verb::get || request.method() == http::verb::head;
  const bool is_post = request.method() == http::verb::post;
  const auto ok = [&](std::string body) {
    respond(reply_with(http::status::ok, kJson, std::move(body)));
  };
  if (is_get && parts.size() == 1) return ok(write_server_metadata());
  if (is_get && parts.size() == 3 && parts[1] == "health") {
    const bool is_fine = parts[2] == "live" || (parts[2] == "ready" && repository_.is_ready());
    if (parts[2] == "live" || parts[2] == "ready")
      return respond(
          reply_with(is_fine ? http::status::ok : http::status::service_unavailable, kJson, ""));
  }
  if (is_post && parts.size() >= 3 && parts[1] == "repository")
    return control(request, parts, std::move(respond));
  const bool is_of_all = parts.size() == 3 && parts[1] == "models" && parts[2] == "stats";
  if (is_get && is_of_all && repository_.versions_of(parts[2]).empty())
    return ok(write_statistics(model_statistics(repository_)));
  if (parts.size() >= 3 && parts[1] == "models") {
    std::uint64_t version = 0;
    std::size_t next = 3;
    if (parts.size() >= 5 && parts[3] == "versions") {
      const std::optional<std::uint64_t> number = read_number(parts[4]);
      if (!number)
        return respond(
            reply_with(http::status::bad_request, kJson,
                       open_inference_error(join("version '", parts[4], "' is no number"))));
      version = *number;
      next = 5;
    }
    const std::string action = next < parts.size() ? parts[next] : "";
    if (next + 1 >= parts.size() && is_post && action == "infer")
      return infer(std::move(request), parts[2], version, std::move(respond));
    if (next + 1 >= parts.size() && is_get) return respond(model_reply(parts[2], version, action));
  }
  respond(
      reply_with(http::status::not_found, kJson,
                 open_inference_error(join("there is nothing at ", text_of(request.method_string()),
                                           " ", text_of(request.target())))));
}

// /v2/repository/index, /v2/repository/models/<model>[/versions/<n>]/load and /unload
void RestGateway::control(const HttpRequest& request, const std::vector<std::string>& parts,
                          HttpServer::Respond respond) {
  const auto wanted = read_control(request.body());
  if (const auto* problem = std::get_if<std::string>(&wanted))
    return respond(reply_with(http::status::bad_request, kJson, open_inference_error(*problem)));
  const ControlRequest& asked = std::get<ControlRequest>(wanted);
  if (parts.size() == 3 && parts[2] == "index")
    return respond(reply_with(http::status::ok, kJson,
                              write_model_states(model_states(repository_, asked.only_ready))));
  const auto done = [respond](const std::optional<std::string>& problem) {
    respond(problem ? reply_with(http::status::bad_request, kJson, open_inference_error(*problem))
                    : reply_with(http::status::ok, kJson, ""));
  };
  const bool names_version = parts.size() == 7 && parts[4] == "versions";
  if ((parts.size() == 5 || names_version) && parts[2] == "models") {
    const std::string version = names_version ? parts[5] : "";
    if (parts.back() == "load")
      return load_model(repository_, {parts[3], version, asked.parameters}, done);
    if (parts.back() == "unload")
      return unload_model(repository_, {parts[3], version, asked.parameters}, done);
  }
  respond(
      reply_with(http::status::not_found, kJson,
                 open_inference_error(join("there is nothing at ", text_of(request.target())))));
}

HttpReply RestGateway::model_reply(const std::string& model, std::uint64_t version,
                                   std::string_view action) const {
  const auto found = find_model(repository_, model, version);
  if (const auto* failure = std::get_if<Failure>(&found)) return open_inference_failure(*failure);
  if (action == "ready") return reply_with(http::status::ok, kJson, "");
  if (action.empty())
    return reply_with(http::status::ok, kJson,
                      write_metadata(metadata_of(repository_, model, std::get<Route>(found))));
  if (action == "config")
    return reply_with(http::status::ok, kJson,
                      write_config(config_of(model, std::get<Route>(found))));
  if (action == "stats")
    return reply_with(
        http::status::ok, kJson,
        write_statistics(model_statistics(repository_, model, version, std::get<Route>(found))));
  return reply_with(http::status::not_found, kJson,
                    open_inference_error(join("a model has no '", action, "'")));
}

void RestGateway::infer(HttpRequest request, const std::string& model, std::uint64_t version,
                        HttpServer::Respond respond) {
  const auto refuse = [respond](const Failure& failure) {
    respond(open_inference_failure(failure));
  };
  const auto found = find_model(repository_, model, version);
  if (const auto* failure = std::get_if<Failure>(&found)) return refuse(*failure);
  const Route route = std::get<Route>(found);
  std::size_t json_bytes = request.body().size();
  const auto header = request.find(boost::beast::string_view(kJsonBytes.data(), kJsonBytes.size()));
  if (header != request.end()) {
    const std::optional<std::uint64_t> number = read_number(text_of(header->value()));
    if (!number)
      return refuse({FailureCode::InvalidInputs, "Inference-Header-Content-Length is no number"});
    json_bytes = *number;
  }
  const std::size_t size = std::min(json_bytes, request.body().size());
  const auto read = [request = std::make_shared<HttpRequest>(std::move(request)), json_bytes] {
    return read_open_inference(request->body(), json_bytes);
  };
  side_.run(size, read, [this, refuse, respond, route, model](auto body) {
    if (const auto* problem = std::get_if<std::string>(&body))
      return refuse({FailureCode::InvalidInputs, *problem});
    submit_inference(route, model, std::get<OpenInferenceRequest>(std::move(body)), respond);
  });
}

void RestGateway::submit_inference(const Route& route, const std::string& model,
                                   OpenInferenceRequest wanted, HttpServer::Respond respond) {
  const auto refuse = [respond](const Failure& failure) {
    respond(open_inference_failure(failure));
  };
  for (const OpenInferenceRequest::WantedOutput& output : wanted.outputs)
    if (std::ranges::find(route.method->outputs, output.name) == route.method->outputs.end())
      return refuse(
          {FailureCode::InvalidInputs, join("the model has no output '", output.name, "'")});
  auto instances = to_instances(route.version->servable(), *route.method, wanted.inputs);
  if (const auto* failure = std::get_if<Failure>(&instances)) return refuse(*failure);
  Request call;
  call.instances = std::get<0>(std::move(instances));
  wanted.inputs.clear();
  call.done = [this, respond, refuse, route, model,
               wanted = std::move(wanted)](std::vector<Outcome> outcomes) {
    const std::size_t size = size_of(outcomes);
    std::vector<Instance> rows;
    for (Outcome& outcome : outcomes) {
      if (const auto* failure = std::get_if<Failure>(&outcome)) return refuse(*failure);
      rows.push_back(std::get<Instance>(std::move(outcome)));
    }
    auto tensors = to_tensors(route.version->servable(), *route.method, std::move(rows));
    if (const auto* failure = std::get_if<Failure>(&tensors)) return refuse(*failure);
    const auto write = [route, model, wanted, tensors = std::get<Instance>(std::move(tensors))] {
      return write_open_inference(wanted, model, route.version->number(), *route.method, tensors);
    };
    side_.run(size, write, [respond](OpenInferenceReply written) {
      HttpReply reply =
          reply_with(http::status::ok, written.json_bytes ? "application/octet-stream" : kJson,
                     std::move(written.body));
      if (written.json_bytes)
        reply.set(boost::beast::string_view(kJsonBytes.data(), kJsonBytes.size()),
                  join(*written.json_bytes));
      respond(std::move(reply));
    });
  };
  repository_.submit(route, std::move(call));
}

}  // namespace mycel::serving
