// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/model_statistics.h"

#include <utility>

#include "platform/json/json.h"
#include "serving/gateway/model_lookup.h"

namespace mycel::serving {
namespace {

using platform::join;
using platform::Json;

ModelStatistics statistics_of(std::string name, const std::shared_ptr<Version>& version,
                              const Method& method) {
  return {std::move(name), join(version->number()),
          std::shared_ptr<const MethodStatistics>(version, &version->statistics(method)),
          version->runs_of(method)};
}

Json count_of(std::uint64_t count) { return static_cast<std::int64_t>(count); }

Json json_of(const DurationSum& sum) {
  Json::Object entry;
  entry.emplace_back("count", count_of(sum.count()));
  entry.emplace_back("ns", count_of(sum.nanoseconds()));
  return entry;
}

}  // namespace

std::vector<ModelStatistics> model_statistics(const Repository& repository) {
  std::vector<ModelStatistics> all;
  for (const std::shared_ptr<Version>& version : repository.versions())
    for (const Method& method : version->servable().methods)
      all.push_back(statistics_of(published_name(version->servable(), method), version, method));
  return all;
}

std::vector<ModelStatistics> model_statistics(const Repository& repository,
                                              const std::string& model, std::uint64_t version,
                                              const Route& route) {
  if (version != 0) return {statistics_of(model, route.version, *route.method)};
  std::vector<ModelStatistics> all;
  for (const std::shared_ptr<Version>& own : repository.versions_of(route.version->servable().name))
    if (const Method* method = own->servable().find(route.method->name))
      all.push_back(statistics_of(model, own, *method));
  return all;
}

std::string write_statistics(const std::vector<ModelStatistics>& all) {
  Json::Array list;
  for (const ModelStatistics& own : all) {
    Json::Object requests;
    requests.emplace_back("success", json_of(own.counts->succeeded));
    requests.emplace_back("fail", json_of(own.counts->failed));
    Json::Object entry;
    entry.emplace_back("name", own.name);
    entry.emplace_back("version", own.version);
    entry.emplace_back("last_inference", own.counts->last_request.load());
    entry.emplace_back("inference_count", count_of(own.counts->succeeded_instances));
    entry.emplace_back("execution_count", count_of(own.runs));
    entry.emplace_back("inference_stats", std::move(requests));
    list.emplace_back(std::move(entry));
  }
  Json::Object text;
  text.emplace_back("model_stats", std::move(list));
  return Json(std::move(text)).text();
}

}  // namespace mycel::serving
