// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/metrics.h"

#include <algorithm>
#include <functional>

#include "platform/json/json.h"

namespace mycel::serving {
namespace {

using platform::join;
using platform::Json;

std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\\' || c == '"') text.push_back('\\');
    if (c == '\n') {
      text += "\\n";
    } else {
      text.push_back(c);
    }
  }
  return text;
}

std::string labels_of(const Version& version, std::string_view method) {
  return join("servable=\"", escaped(version.servable().name), "\",version=\"", version.number(),
              "\",method=\"", escaped(method), "\"");
}

void head(std::string& text, std::string_view name, std::string_view type, std::string_view help) {
  text += join("# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
}

using Each =
    std::function<void(const Version& version, const Method& method, MethodStatistics& statistics)>;

void each_method(const Repository& repository, const Each& visit) {
  for (const std::shared_ptr<Version>& version : repository.versions())
    for (const Method& method : version->servable().methods)
      visit(*version, method, version->statistics(method));
}

void append_counter(std::string& text, const Repository& repository, std::string_view name,
                    std::string_view help, std::atomic<std::uint64_t> MethodStatistics::*member) {
  head(text, name, "counter", help);
  each_method(repository,
              [&](const Version& version, const Method& method, MethodStatistics& statistics) {
                text += join(name, "{", labels_of(version, method.name), "} ",
                             (statistics.*member).load(), "\n");
              });
}

void append_histogram(std::string& text, const Repository& repository) {
  constexpr std::string_view kName = "mycel_serving_request_duration_seconds";
  head(text, kName, "histogram", "From a request that is read to its answer.");
  each_method(repository,
              [&](const Version& version, const Method& method, MethodStatistics& statistics) {
                const std::string labels = labels_of(version, method.name);
                const DurationHistogram& latency = statistics.latency;
                std::uint64_t below = 0;
                for (std::size_t i = 0; i + 1 < DurationHistogram::kBuckets; ++i) {
                  below += latency.in_bucket(i);
                  text += join(kName, "_bucket{", labels, ",le=\"",
                               DurationHistogram::upper_seconds(i), "\"} ", below, "\n");
                }
                text += join(kName, "_bucket{", labels, ",le=\"+Inf\"} ", latency.count(), "\n");
                text += join(kName, "_sum{", labels, "} ", latency.sum_seconds(), "\n");
                text += join(kName, "_count{", labels, "} ", latency.count(), "\n");
              });
}

std::string_view name_of(Version::State state) {
  switch (state) {
    case Version::State::Starting: return "starting";
    case Version::State::Ready: return "ready";
    case Version::State::Draining: return "draining";
    case Version::State::Ended: return "ended";
  }
  return "?";
}

}  // namespace

std::string metrics_text(const Repository& repository) {
  std::string text;
  append_counter(text, repository, "mycel_serving_requests_total", "Requests that were let in.",
                 &MethodStatistics::requests);
  append_counter(text, repository, "mycel_serving_instances_total", "Instances of these requests.",
                 &MethodStatistics::instances);
  append_counter(text, repository, "mycel_serving_failed_instances_total", "Instances that failed.",
                 &MethodStatistics::failed_instances);
  append_counter(text, repository, "mycel_serving_refused_requests_total",
                 "Requests that were refused because too many were on their way.",
                 &MethodStatistics::refused);
  append_histogram(text, repository);
  const auto gauge = [&](std::string_view name, std::string_view help, const auto& value_of) {
    head(text, name, "gauge", help);
    for (const std::shared_ptr<Version>& version : repository.versions())
      text += join(name, "{servable=\"", escaped(version->servable().name), "\",version=\"",
                   version->number(), "\"} ", value_of(*version), "\n");
  };
  gauge("mycel_serving_waiting_instances", "Instances in queues.",
        [](const Version& v) { return v.waiting(); });
  gauge("mycel_serving_running_instances", "Instances at workers.",
        [](const Version& v) { return v.running(); });
  gauge("mycel_serving_workers", "Worker processes that are ready.", [](const Version& version) {
    const std::vector<Version::WorkerView> workers = version.workers();
    return std::ranges::count_if(workers, &Version::WorkerView::is_ready);
  });
  gauge("mycel_serving_worker_restarts", "Worker processes that were started again.",
        [](const Version& version) {
          std::uint64_t restarts = 0;
          for (const Version::WorkerView& worker : version.workers()) restarts += worker.restarts;
          return restarts;
        });
  head(text, "mycel_serving_open_requests", "gauge", "Requests on their way.");
  text += join("mycel_serving_open_requests ", repository.open_requests(), "\n");
  return text;
}

std::string status_json(const Repository& repository) {
  Json::Array versions;
  for (const std::shared_ptr<Version>& version : repository.versions()) {
    Json::Array workers, methods;
    for (const Version::WorkerView& worker : version->workers()) {
      Json::Object entry;
      entry.emplace_back("kind", worker.kind == StageKind::Model ? "model" : "function");
      entry.emplace_back("process", std::int64_t{worker.process});
      entry.emplace_back("ready", worker.is_ready);
      entry.emplace_back("restarts", static_cast<std::int64_t>(worker.restarts));
      workers.emplace_back(std::move(entry));
    }
    for (const Method& method : version->servable().methods) {
      const MethodStatistics& statistics = version->statistics(method);
      Json::Object entry;
      entry.emplace_back("name", method.name);
      entry.emplace_back("requests", static_cast<std::int64_t>(statistics.requests.load()));
      entry.emplace_back("instances", static_cast<std::int64_t>(statistics.instances.load()));
      entry.emplace_back("failed_instances",
                         static_cast<std::int64_t>(statistics.failed_instances.load()));
      entry.emplace_back("refused", static_cast<std::int64_t>(statistics.refused.load()));
      entry.emplace_back("p50_seconds", statistics.latency.quantile_seconds(0.5));
      entry.emplace_back("p99_seconds", statistics.latency.quantile_seconds(0.99));
      Json::Array buckets;
      for (std::size_t i = 0; i < DurationHistogram::kBuckets; ++i)
        buckets.emplace_back(static_cast<std::int64_t>(statistics.latency.in_bucket(i)));
      entry.emplace_back("latency_buckets", std::move(buckets));
      methods.emplace_back(std::move(entry));
    }
    Json::Object entry;
    entry.emplace_back("servable", version->servable().name);
    entry.emplace_back("version", std::int64_t{version->number()});
    entry.emplace_back("state", std::string(name_of(version->state())));
    entry.emplace_back("waiting", static_cast<std::int64_t>(version->waiting()));
    entry.emplace_back("running", static_cast<std::int64_t>(version->running()));
    entry.emplace_back("workers", std::move(workers));
    entry.emplace_back("methods", std::move(methods));
    versions.emplace_back(std::move(entry));
  }
  Json::Object status;
  status.emplace_back("open_requests", static_cast<std::int64_t>(repository.open_requests()));
  status.emplace_back("versions", std::move(versions));
  return Json(std::move(status)).text();
}

}  // namespace mycel::serving
