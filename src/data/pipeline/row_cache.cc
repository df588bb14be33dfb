// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/row_cache.h"

#include <utility>

#include "data/pipeline/stage.h"
#include "platform/log/log.h"

namespace mycel::data {

using cache::BuildStep;
using cache::BuildTurn;
using platform::Error;

void RowCache::fail_or_bypass(const Error& error) {
  if (on_failure_ == CacheFailure::Raise) throw error;
  if (is_bypassed_.exchange(true)) return;
  platform::log_warning(
      "The cache cannot be used any more, rows come from the source instead. The reason: ",
      error.message());
}

std::optional<RowCache::Found> RowCache::find(std::int64_t row) {
  if (is_bypassed_) return std::nullopt;
  platform::Result<std::optional<cache::RowView>> view =
      client_->find(static_cast<std::uint64_t>(row));
  if (!view) {
    fail_or_bypass(view.error());
    return std::nullopt;
  }
  std::optional<cache::RowView> stored = std::move(view).value();
  if (!stored) return std::nullopt;
  Result<RowReader> reader = RowReader::open(stored->bytes);
  if (!reader) {
    fail_or_bypass(reader.error());
    return std::nullopt;
  }
  return Found{std::move(reader).value(), std::move(stored->keep_alive)};
}

void RowCache::announce(std::int64_t row, std::vector<std::uint64_t>& announced) {
  if (ahead_ == 0 || is_bypassed_) return;
  announced.push_back(static_cast<std::uint64_t>(row));
  if (announced.size() < ahead_) return;
  client_->will_need(announced);
  announced.clear();
}

bool RowCache::takes_rows() const { return !is_bypassed_ && client_->takes_rows(); }

void RowCache::offer(std::int64_t row, std::span<const Bytes> parts) {
  const auto done = client_->offer(static_cast<std::uint64_t>(row), parts);
  if (!done) fail_or_bypass(done.error());
}

BuildTurn RowCache::begin_build(std::stop_token stop, const cache::Attend& attend) {
  Result<BuildTurn> turn = client_->begin_build(stop, attend);
  if (!turn && stop.stop_requested()) throw Stopped();
  return std::move(turn).value();
}

BuildStep RowCache::append(std::span<const Bytes> parts) { return client_->append(parts).value(); }

BuildStep RowCache::end_build() { return client_->end_build().value(); }

cache::CacheStatistics RowCache::statistics() const {
  if (client_ == nullptr)
    platform::fail(ErrorKind::Runtime, "The cache was not built to its end: it has no figures.");
  const auto flushed = client_->flush();
  if (!flushed) throw flushed.error();
  return client_->statistics().value();
}

bool RowCache::is_usable() const {
  return client_ != nullptr && !is_bypassed_ && static_cast<bool>(client_->statistics());
}

std::shared_ptr<RowCache> open_row_cache(const cache::CacheOptions& options,
                                         CacheFailure on_failure) {
  // Only rows on disk have to be asked for ahead of time.
  const auto ahead = static_cast<std::size_t>(options.spilling ? options.prefetch : 0);
  return std::make_shared<RowCache>(cache::CacheClient::open(options).value(), on_failure, ahead);
}

}  // namespace mycel::data
