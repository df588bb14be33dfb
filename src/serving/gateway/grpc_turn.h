// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "serving/gateway/grpc_stream.h"

namespace mycel::serving {

// One message of a call that has many, as its method sees it. Its answer waits until those before
// it are there.
class GrpcTurn : public GrpcCall {
 public:
  GrpcTurn(std::shared_ptr<GrpcStream> stream, std::size_t asked_bytes)
      : stream_(std::move(stream)), asked_bytes_(asked_bytes) {}
  ~GrpcTurn() override { stream_->let_go(asked_bytes_); }
  GrpcTurn(const GrpcTurn&) = delete;
  GrpcTurn& operator=(const GrpcTurn&) = delete;

  bool is_open() const override { return !is_answered_ && stream_->is_open(); }
  Clock::time_point deadline() const override { return stream_->deadline(); }
  void send(std::string message) override {
    if (!is_open()) return;
    is_answered_ = true;
    const std::size_t bytes = message.size();
    answer_ = std::move(message);
    stream_->on_answer(bytes);
  }
  void finish(GrpcStatus status) override {
    if (status.code != GrpcCode::Ok) stream_->finish(std::move(status));
  }

  bool has_answer() const { return answer_.has_value(); }
  std::size_t answer_bytes() const { return answer_ ? answer_->size() : 0; }
  std::string take_answer() { return std::exchange(answer_, std::nullopt).value(); }

 private:
  const std::shared_ptr<GrpcStream> stream_;
  const std::size_t asked_bytes_;
  bool is_answered_ = false;
  std::optional<std::string> answer_;
};

}  // namespace mycel::serving
