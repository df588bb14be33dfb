// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/server_config.h"

#include "platform/error/error.h"
#include "serving/gateway/base64.h"

namespace mycel::serving {
namespace {

using platform::ErrorKind;
using platform::Json;
using platform::require;

std::int64_t integer_or(const Json& text, std::string_view name, std::int64_t otherwise) {
  const Json* value = text.find(name);
  return value == nullptr || value->is_null() ? otherwise : value->integer();
}

std::string string_or(const Json& text, std::string_view name, std::string otherwise) {
  const Json* value = text.find(name);
  return value == nullptr || value->is_null() ? std::move(otherwise) : value->string();
}

WorkerOptions read_workers(const Json& text) {
  WorkerOptions workers;
  for (const Json& word : text.at("command").array()) workers.words.push_back(word.string());
  require(!workers.words.empty(), ErrorKind::Runtime, "'command' of workers is empty");
  workers.count = static_cast<std::size_t>(text.at("count").integer());
  if (const Json* files = text.find("log_files"))
    for (const Json& file : files->array()) workers.log_files.push_back(file.string());
  return workers;
}

}  // namespace

VersionOptions read_version_options(const Json& text) {
  VersionOptions options;
  options.description = text.at("servable").text();
  options.number = static_cast<std::uint32_t>(text.at("version").integer());
  options.folder = text.at("folder").string();
  if (const Json* key = text.find("key"); key != nullptr && !key->is_null()) {
    const std::optional<std::string> bytes = from_base64(key->string());
    require(bytes.has_value(), ErrorKind::Runtime, "'key' is no base64");
    options.key = *bytes;
  }
  options.key_mode = string_or(text, "key_mode", "AES-GCM");
  options.model_workers = read_workers(text.at("model_workers"));
  options.function_workers = read_workers(text.at("function_workers"));
  options.batching.delay = std::chrono::microseconds(integer_or(text, "max_batch_delay_us", 0));
  options.batching.most_rows = static_cast<std::uint32_t>(integer_or(text, "max_batch_size", 32));
  options.run_limit = std::chrono::milliseconds(integer_or(text, "run_limit_ms", 0));
  return options;
}

ListenOptions read_listen_options(const Json& text) {
  ListenOptions options;
  options.address = text.at("address").string();
  options.most_message_bytes = static_cast<std::size_t>(integer_or(text, "max_msg_mb_size", 100))
                               << 20;
  if (const Json* tls = text.find("tls"); tls != nullptr && !tls->is_null()) {
    TlsOptions own;
    own.certificate = tls->at("certificate").string();
    own.private_key = tls->at("private_key").string();
    own.custom_ca = string_or(*tls, "custom_ca", "");
    if (const Json* verify = tls->find("verify_client")) own.verify_client = verify->boolean();
    options.tls = std::move(own);
  }
  if (const Json* codes = text.find("http_status_codes"))
    options.rest.use_status_codes = codes->boolean();
  return options;
}

void start(Server& server, const Json& config) {
  if (const Json* most = config.find("max_enqueued_requests"))
    server.set_most_requests(static_cast<std::size_t>(most->integer()));
  for (const Json& servable : config.at("servables").array()) {
    server.load(read_version_options(servable));
    const Json* follow = servable.find("follow_newest");
    if (follow != nullptr && follow->boolean()) server.follow(read_version_options(servable));
  }
  if (const Json* rest = config.find("rest")) server.start_rest(read_listen_options(*rest));
  if (const Json* grpc = config.find("grpc")) server.start_grpc(read_listen_options(*grpc));
}

}  // namespace mycel::serving
