// SPDX-License-Identifier: Apache-2.0
#include "serving/model/model_worker.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "platform/json/json.h"
#include "platform/log/log.h"
#include "serving/model/model_runner.h"

namespace mycel::serving {
namespace {

using platform::Json;
using platform::Result;
using Clock = std::chrono::steady_clock;

std::unique_ptr<ModelRunner> load(const IncomingFrame& frame) {
  const Json text = platform::parse_json(frame.description, "what the server wants loaded");
  const Servable servable = read_servable(text.at("servable"));
  ModelPlace place;
  place.servable_folder = servable.folder;
  place.version_folder = text.at("version_folder").string();
  place.key_mode = text.at("key_mode").string();
  place.key.assign(reinterpret_cast<const char*>(frame.data.get()), frame.head.data_bytes);
  auto runner = std::make_unique<ModelRunner>(servable.models, place);
  std::ranges::fill(place.key, '\0');
  return runner;
}

std::vector<Outcome> run(ModelRunner& runner, const RunOrder& order) {
  const bool is_known = order.kind == StageKind::Model &&
                        order.target < runner.signatures().size() &&
                        order.subgraph < runner.signatures()[order.target].size();
  if (!is_known)
    return std::vector<Outcome>(order.instances.size(),
                                Failure{FailureCode::SystemError, "this worker has no such model"});
  const std::size_t chunk = std::max<std::size_t>(order.batch_size, 1);
  std::vector<Outcome> outcomes;
  std::span<const Instance> rest = order.instances;
  while (!rest.empty()) {
    const std::span<const Instance> some = rest.first(std::min(chunk, rest.size()));
    rest = rest.subspan(some.size());
    std::vector<Outcome> part;
    try {
      part = runner.run(order.target, order.subgraph, some);
    } catch (const std::exception& problem) {
      part.assign(some.size(), Failure{FailureCode::Failed, problem.what()});
    }
    std::ranges::move(part, std::back_inserter(outcomes));
  }
  return outcomes;
}

}  // namespace

int serve_models(Channel& channel) {
  std::unique_ptr<ModelRunner> runner;
  while (true) {
    Result<std::optional<IncomingFrame>> received = channel.read();
    if (!received) {
      platform::log_error("serving: ", received.error().message());
      return 1;
    }
    std::optional<IncomingFrame> frame = std::move(received).value();
    if (!frame || frame->head.kind == FrameKind::Stop) return 0;
    if (frame->head.kind == FrameKind::Load) {
      try {
        runner = load(*frame);
      } catch (const std::exception& problem) {
        platform::log_error("serving: ", problem.what());
        channel.write(write_text(FrameKind::Failed, 0, problem.what()));
        return 1;
      }
      channel.write(write_text(FrameKind::Ready, 0, to_json(runner->signatures()).text()));
      continue;
    }
    Result<RunOrder> order = read_run(frame->description, frame->data, frame->head.data_bytes);
    if (frame->head.kind != FrameKind::Run || runner == nullptr || !order) {
      platform::log_error("serving: the server sent what is no order for a worker of models");
      return 1;
    }
    const Clock::time_point begin = Clock::now();
    const std::vector<Outcome> outcomes = run(*runner, order.value());
    if (!channel.write(write_result(frame->head.id, outcomes, Clock::now() - begin))) return 0;
  }
}

}  // namespace mycel::serving
