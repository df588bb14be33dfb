// SPDX-License-Identifier: Apache-2.0
#include "tensor/live_report.h"

#include <functional>
#include <map>
#include <mutex>

#include <pthread.h>

#include "platform/error/error.h"

namespace mycel::tensor {
namespace {

constexpr std::size_t kLinesReported = 10;

std::mutex live_mutex;          // guards the list and its links
Storage* first_live = nullptr;  // newest first

const bool registered = [] {
  device::set_live_report(LiveStorages::report);
  // A forked child must not find the list locked by a thread it does not have.
  pthread_atfork([] { live_mutex.lock(); }, [] { live_mutex.unlock(); },
                 [] { live_mutex.unlock(); });
  return true;
}();

}  // namespace

void LiveStorages::add(Storage& storage) {
  const std::lock_guard lock(live_mutex);
  storage.previous_live_ = nullptr;
  storage.next_live_ = first_live;
  if (first_live != nullptr) first_live->previous_live_ = &storage;
  first_live = &storage;
}

void LiveStorages::remove(Storage& storage) {
  const std::lock_guard lock(live_mutex);
  Storage* const before = storage.previous_live_;
  Storage* const after = storage.next_live_;
  (before != nullptr ? before->next_live_ : first_live) = after;
  if (after != nullptr) after->previous_live_ = before;
}

std::string LiveStorages::report(Device device) {
  std::map<std::size_t, std::size_t, std::greater<>> count_by_bytes;  // largest first
  {
    const std::lock_guard lock(live_mutex);
    for (const Storage* storage = first_live; storage != nullptr; storage = storage->next_live_) {
      if (storage->device() == device) ++count_by_bytes[storage->bytes()];
    }
  }
  if (count_by_bytes.empty()) return "";
  std::string text = " The largest live tensors: ";
  std::size_t written = 0;
  for (const auto& [bytes, count] : count_by_bytes) {
    if (written == kLinesReported) break;
    if (written++ > 0) text += ", ";
    text += count == 1 ? platform::join(bytes, " bytes")
                       : platform::join(count, " x ", bytes, " bytes");
  }
  return text + ".";
}

}  // namespace mycel::tensor
