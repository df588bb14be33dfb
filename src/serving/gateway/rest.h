// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "serving/gateway/classic_path.h"
#include "serving/gateway/http_server.h"
#include "serving/gateway/open_inference.h"
#include "serving/gateway/side_thread.h"
#include "serving/repository/repository.h"

namespace mycel::serving {

struct RestOptions {
  // MindSpore Serving answers 200 whatever happens, and its clients expect that.
  bool use_status_codes = false;
};

// What the REST port answers: MindSpore Serving's protocol, the Open Inference Protocol, metrics.
// Lives on the repository's thread, at least as long as requests are answered; large JSON is read
// and written on a thread of its own.
class RestGateway {
 public:
  RestGateway(boost::asio::io_context& context, Repository& repository, RestOptions options)
      : repository_(repository), options_(options), side_(context) {}

  void handle(HttpRequest request, HttpServer::Respond respond);
  static HttpReply too_large(const HttpRequest& request, std::size_t limit);

 private:
  void handle_classic(HttpRequest request, HttpServer::Respond respond);
  void submit_classic(const ClassicPath& place, std::vector<NamedValues> instances,
                      HttpServer::Respond respond);
  void handle_open_inference(HttpRequest request, HttpServer::Respond respond);
  void control(const HttpRequest& request, const std::vector<std::string>& parts,
               HttpServer::Respond respond);
  void infer(HttpRequest request, const std::string& model, std::uint64_t version,
             HttpServer::Respond respond);
  void submit_inference(const Route& route, const std::string& model, OpenInferenceRequest wanted,
                        HttpServer::Respond respond);
  HttpReply model_reply(const std::string& model, std::uint64_t version,
                        std::string_view action) const;

  Repository& repository_;
  const RestOptions options_;
  SideThread side_;
};

}  // namespace mycel::serving
