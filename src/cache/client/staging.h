// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>

#include "cache/client/control.h"
#include "cache/client/memory_map.h"
#include "platform/file/file.h"

namespace mycel::cache {

// Rows on their way to the server, in memory of the client's that the server reads. Two halves: one
// is filled while the other is on its way, so whatever comes meanwhile goes out as one batch.
// Memory is bounded by the halves, which grow only for a row that is larger than one.
class Staging {
 public:
  // Called when there is new memory, before rows lie in it; no batch is on its way then.
  using Announce = std::function<Result<Done>(int descriptor, std::uint64_t size)>;

  Staging(std::uint64_t half_bytes, Announce announce);

  // Copies a row in; waits for room. The error: the memory could not be had, or close() came.
  Result<Done> put(std::uint64_t row_id, std::span<const Bytes> parts);

  // For the thread that sends. Waits for rows; nothing once closed and empty, or asked to stop. A
  // batch is on its way until done() is called.
  std::optional<StagedRows> next(std::stop_token stop);
  void done();

  // Waits until all rows put so far are sent, or close().
  void wait_sent();
  // Waiting ends; what is not sent is forgotten if `is_lost`, and put() fails from then on.
  void close(bool is_lost);

 private:
  struct Half {
    StagedRows rows;
    std::uint64_t used = 0;
  };

  Result<Done> make_memory(std::uint64_t half_bytes);
  bool has_room(std::uint64_t size) const;
  bool is_idle() const { return sending_ < 0 && halves_[filling_].rows.row_ids.empty(); }

  const Announce announce_;
  std::mutex mutex_;  // guards everything below
  std::condition_variable_any changed_;
  platform::Descriptor descriptor_;
  MemoryMap memory_;
  std::uint64_t half_bytes_;
  Half halves_[2];
  int filling_ = 0;
  int sending_ = -1;  // the half that is on its way; -1: none
  bool closed_ = false;
  bool lost_ = false;
};

}  // namespace mycel::cache
