// SPDX-License-Identifier: Apache-2.0
#include "cache/admin/listings.h"

#include <cstdio>
#include <iomanip>
#include <optional>
#include <ostream>
#include <string>

#include "platform/json/json.h"

namespace mycel::cache {
namespace {

using platform::join;
using platform::Json;

constexpr int kRule = 70;

std::string number_text(std::uint64_t number) { return number == 0 ? "n/a" : join(number); }

std::string percent_text(const CacheStatistics& statistics) {
  const std::uint64_t looks = statistics.hits + statistics.misses;
  if (looks == 0) return "n/a";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f%%",
                100.0 * static_cast<double>(statistics.hits) / static_cast<double>(looks));
  return text;
}

// A column of the list of caches. The first six are known to scripts by place.
struct Column {
  const char* name;
  int width;
  std::string (*text)(const CacheListing& cache);
};
constexpr Column kColumns[] = {
    {"Cache Id", 12, [](const CacheListing& cache) { return join(cache.cache_id); }},
    {"Mem cached", 12,
     [](const CacheListing& cache) { return number_text(cache.statistics.rows_in_memory); }},
    {"Disk cached", 12,
     [](const CacheListing& cache) { return number_text(cache.statistics.rows_on_disk); }},
    {"Avg cache size", 16,
     [](const CacheListing& cache) { return number_text(cache.statistics.average_row_bytes()); }},
    {"Numa hit", 10,
     [](const CacheListing& cache) { return number_text(cache.statistics.rows_in_memory); }},
    {"Hit rate", 10, [](const CacheListing& cache) { return percent_text(cache.statistics); }},
    {"Mem bytes", 16,
     [](const CacheListing& cache) { return number_text(cache.statistics.bytes_in_memory); }},
    {"Disk bytes", 16,
     [](const CacheListing& cache) { return number_text(cache.statistics.bytes_on_disk); }},
    {"Clients", 9, [](const CacheListing& cache) { return number_text(cache.statistics.clients); }},
};
constexpr int kSessionWidth = 12;

std::string megabytes_text(std::uint64_t bytes) { return join(bytes >> 20, " MB"); }

std::int64_t as_json(std::uint64_t number) { return static_cast<std::int64_t>(number); }

Json json_of(const CacheListing& cache) {
  const CacheStatistics& statistics = cache.statistics;
  const std::uint64_t looks = statistics.hits + statistics.misses;
  Json::Object object;
  object.emplace_back("cache_id", as_json(cache.cache_id));
  object.emplace_back("rows_in_memory", as_json(statistics.rows_in_memory));
  object.emplace_back("rows_on_disk", as_json(statistics.rows_on_disk));
  object.emplace_back("bytes_in_memory", as_json(statistics.bytes_in_memory));
  object.emplace_back("bytes_on_disk", as_json(statistics.bytes_on_disk));
  object.emplace_back("average_row_bytes", as_json(statistics.average_row_bytes()));
  object.emplace_back("hits", as_json(statistics.hits));
  object.emplace_back("misses", as_json(statistics.misses));
  object.emplace_back("hit_rate", looks == 0 ? Json()
                                             : Json(static_cast<double>(statistics.hits) /
                                                    static_cast<double>(looks)));
  object.emplace_back("clients", as_json(statistics.clients));
  return object;
}

}  // namespace

void print_sessions(std::ostream& out, const std::vector<SessionListing>& sessions) {
  if (sessions.empty()) {
    out << "No active sessions.\n";
    return;
  }
  out << std::right << std::setw(kSessionWidth) << "Session";
  for (const Column& column : kColumns) out << std::setw(column.width) << column.name;
  out << "\n";
  for (const SessionListing& session : sessions) {
    for (const CacheListing& cache : session.caches) {
      out << std::setw(kSessionWidth) << session.session;
      for (const Column& column : kColumns) out << std::setw(column.width) << column.text(cache);
      out << "\n";
    }
    if (!session.caches.empty()) continue;
    out << std::setw(kSessionWidth) << session.session;
    for (const Column& column : kColumns) out << std::setw(column.width) << "n/a";
    out << "\n";
  }
}

void print_sessions_json(std::ostream& out, std::uint16_t port,
                         const std::vector<SessionListing>& sessions) {
  Json::Array list;
  for (const SessionListing& session : sessions) {
    Json::Array caches;
    for (const CacheListing& cache : session.caches) caches.push_back(json_of(cache));
    Json::Object object;
    object.emplace_back("session", as_json(session.session));
    object.emplace_back("caches", std::move(caches));
    list.emplace_back(std::move(object));
  }
  Json::Object object;
  object.emplace_back("port", std::int64_t{port});
  object.emplace_back("sessions", std::move(list));
  out << Json(std::move(object)).text() << "\n";
}

void print_server(std::ostream& out, const ServerListing& server) {
  const std::string rule(kRule, '-');
  const std::pair<const char*, std::string> rows[] = {
      {"hostname", "127.0.0.1"},
      {"port", join(server.port)},
      {"number of workers", join(server.workers)},
      {"log level", join(server.log_level)},
      {"spill dir", server.spill_folder.empty() ? "None" : server.spill_folder},
      {"process id", join(server.pid)},
      {"uptime", join(static_cast<std::int64_t>(server.uptime_seconds), " s")},
      {"memory used", join(megabytes_text(server.memory_used_bytes), " of ",
                           megabytes_text(server.memory_cap_bytes))},
      {"clients", join(server.clients)},
  };
  out << "Cache Server Configuration: \n" << rule << "\n" << std::left;
  out << std::setw(20) << "config name" << std::setw(50) << "value"
      << "\n"
      << rule << "\n";
  for (const auto& [name, value] : rows)
    out << std::setw(20) << name << std::setw(50) << value << "\n";
  out << rule << "\nActive sessions: \n";
  if (server.sessions.empty()) {
    out << "No active sessions.\n";
    return;
  }
  for (const std::uint32_t session : server.sessions) out << session << "  ";
  out << "\n(Please use 'cache_admin --list_sessions' to get detailed info of sessions.)\n";
}

void print_server_json(std::ostream& out, const ServerListing& server) {
  Json::Array sessions;
  for (const std::uint32_t session : server.sessions) sessions.emplace_back(as_json(session));
  Json::Object object;
  object.emplace_back("hostname", "127.0.0.1");
  object.emplace_back("port", std::int64_t{server.port});
  object.emplace_back("workers", as_json(server.workers));
  object.emplace_back("log_level", as_json(server.log_level));
  object.emplace_back("spill_dir",
                      server.spill_folder.empty() ? Json() : Json(server.spill_folder));
  object.emplace_back("pid", std::int64_t{server.pid});
  object.emplace_back("protocol_version", server.version);
  object.emplace_back("uptime_seconds", server.uptime_seconds);
  object.emplace_back("memory_used_bytes", as_json(server.memory_used_bytes));
  object.emplace_back("memory_cap_bytes", as_json(server.memory_cap_bytes));
  object.emplace_back("clients", as_json(server.clients));
  object.emplace_back("sessions", std::move(sessions));
  out << Json(std::move(object)).text() << "\n";
}

}  // namespace mycel::cache
