// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "serving/gateway/http_server.h"
#include "serving/gateway/open_inference.h"
#include "serving/repository/repository.h"

namespace mycel::serving {

struct RestOptions {
  // MindSpore Serving answers 200 whatever happens, and its clients expect that.
  bool use_status_codes = false;
};

// What the REST port answers: MindSpore Serving's protocol, the Open Inference Protocol, metrics.
// Lives on the repository's thread, at least as long as requests are answered.
class RestGateway {
 public:
  RestGateway(Repository& repository, RestOptions options)
      : repository_(repository), options_(options) {}

  void handle(HttpRequest request, HttpServer::Respond respond);
  static HttpReply too_large(std::size_t limit);

 private:
  void handle_classic(const HttpRequest& request, HttpServer::Respond respond);
  void handle_open_inference(HttpRequest request, HttpServer::Respond respond);
  void control(const HttpRequest& request, const std::vector<std::string>& parts,
               HttpServer::Respond respond);
  void infer(const HttpRequest& request, const std::string& model, std::uint64_t version,
             HttpServer::Respond respond);
  HttpReply model_reply(const std::string& model, std::uint64_t version,
                        std::string_view action) const;

  Repository& repository_;
  const RestOptions options_;
};

// Servable and method of a model's name in the Open Inference Protocol: "servable" or
// "servable.method".
std::variant<Route, Failure> find_model(const Repository& repository, const std::string& model,
                                        std::uint64_t version);
ModelDescription metadata_of(const Repository& repository, const std::string& model,
                             const Route& route);

}  // namespace mycel::serving
