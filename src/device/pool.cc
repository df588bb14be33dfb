// SPDX-License-Identifier: Apache-2.0
#include "device/pool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <pthread.h>

#include "device/current.h"
#include "device/stream_pool.h"
#include "platform/error/error.h"
#include "platform/options/options.h"

namespace mycel::device {
namespace {

constexpr std::size_t kAlignmentBytes = 64;
constexpr int kClassesPerOctave = 4;  // at most 19 % of a block is wasted by rounding up
constexpr std::size_t kMaxBytes = std::size_t{1} << 46;

// Size class k holds blocks of class_bytes(k): 64, 128, 192, 256, then four steps per power of two.
int class_of(std::size_t bytes) {
  const std::size_t units =
      std::max<std::size_t>(1, (bytes + kAlignmentBytes - 1) / kAlignmentBytes);
  if (units <= kClassesPerOctave) return static_cast<int>(units) - 1;
  const int octave = std::bit_width(units - 1) - 3;  // units in (4 << octave, 8 << octave]
  const std::size_t step = std::size_t{1} << octave;
  const int within = static_cast<int>((units - 1) / step) - kClassesPerOctave;
  return kClassesPerOctave + octave * kClassesPerOctave + within;
}

std::size_t class_bytes(int size_class) {
  if (size_class < kClassesPerOctave)
    return static_cast<std::size_t>(size_class + 1) * kAlignmentBytes;
  const int octave = (size_class - kClassesPerOctave) / kClassesPerOctave;
  const int within = (size_class - kClassesPerOctave) % kClassesPerOctave;
  return (static_cast<std::size_t>(kClassesPerOctave + within + 1) << octave) * kAlignmentBytes;
}

constexpr int kClassCount = 176;

class SpinLock {
 public:
  void lock() {
    constexpr int kPatience = 100;  // then the holder has lost its processor, perhaps to us
    for (int spins = 0; flag_.test_and_set(std::memory_order_acquire); ++spins)
      if (spins > kPatience) std::this_thread::yield();
  }
  void unlock() { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag flag_;
};

struct Pool {
  SpinLock lock;  // guards everything below; held for a few instructions only
  std::array<std::vector<void*>, kClassCount> free_blocks;
  MemoryStatistics statistics;
};

using Pools = std::array<std::array<Pool, kMaxDevices>, kMaxBackends>;

template <class Action>
void each_pool(Pools& pools, const Action& action) {
  for (auto& backend : pools)
    for (Pool& pool : backend) action(pool);
}

// Never destroyed: tensors held by static objects give their blocks back while the process ends.
Pools& all_pools() {
  static Pools& pools = []() -> Pools& {
    Pools& made = *std::make_unique<Pools>().release();
    // A forked child must not find a pool locked by a thread it does not have.
    const auto lock_all = [] { each_pool(all_pools(), [](Pool& pool) { pool.lock.lock(); }); };
    const auto unlock_all = [] { each_pool(all_pools(), [](Pool& pool) { pool.lock.unlock(); }); };
    pthread_atfork(lock_all, unlock_all, unlock_all);
    return made;
  }();
  return pools;
}

Pool& pool_of(Device device) {
  static Pools& pools = all_pools();
  return pools[device.backend][device.index % kMaxDevices];
}

using StreamPools = std::array<std::array<std::atomic<StreamPool*>, kMaxDevices>, kMaxBackends>;
StreamPools stream_pools{};

void each_stream_pool(void (*action)(StreamPool& pool)) {
  for (auto& backend : stream_pools)
    for (auto& pool : backend)
      if (StreamPool* made = pool.load()) action(*made);
}

// Null: the device finishes work before a call returns, so that no stream has to be respected.
StreamPool* new_stream_pool(Device device) {
  if (!backend_at(device.backend).capabilities(device.index).asynchronous) return nullptr;
  static std::mutex mutex;
  const std::lock_guard guard(mutex);
  std::atomic<StreamPool*>& place = stream_pools[device.backend][device.index % kMaxDevices];
  if (StreamPool* pool = place.load()) return pool;
  [[maybe_unused]] static const int handlers =
      pthread_atfork([] { each_stream_pool([](StreamPool& pool) { pool.lock(); }); },
                     [] { each_stream_pool([](StreamPool& pool) { pool.unlock(); }); },
                     [] { each_stream_pool([](StreamPool& pool) { pool.unlock(); }); });
  place.store(std::make_unique<StreamPool>(device).release(), std::memory_order_release);
  return place.load();
}

StreamPool* stream_pool(Device device) {
  if (device.backend == kHostBackend) [[likely]]
    return nullptr;
  StreamPool* const pool =
      stream_pools[device.backend][device.index % kMaxDevices].load(std::memory_order_acquire);
  return pool != nullptr ? pool : new_stream_pool(device);
}

std::atomic<LiveReport> live_report{nullptr};

std::size_t drop_cached(Pool& pool, Device device) {
  std::vector<Block> dropped;
  {
    const std::lock_guard guard(pool.lock);
    for (int k = 0; k < kClassCount; ++k) {
      for (void* data : pool.free_blocks[k]) dropped.push_back({data, class_bytes(k)});
      pool.free_blocks[k].clear();
    }
    for (const Block& block : dropped) pool.statistics.reserved -= block.bytes;
  }
  std::size_t total = 0;
  for (const Block& block : dropped) {
    backend_at(device.backend).release(device.index, block.data, block.bytes);
    total += block.bytes;
  }
  return total;
}

// "4294967296 bytes (4.0 GiB)"
std::string bytes_text(std::size_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return platform::join(bytes, " bytes");
  double amount = static_cast<double>(bytes);
  const char* unit = "";
  for (const char* larger : kUnits) {
    if (amount < 1024) break;
    amount /= 1024;
    unit = larger;
  }
  return platform::join(bytes, " bytes (", std::round(amount * 10) / 10, " ", unit, ")");
}

// Blocks are a little larger than what they are asked for; told where that makes the difference.
std::string asked_text(std::size_t asked, std::size_t block, const MemoryStatistics& now) {
  const bool decides = now.limit != 0 && now.in_use + asked <= now.limit && block > asked;
  return decides ? platform::join(bytes_text(asked), ", for which the pool takes ", block, " bytes")
                 : bytes_text(asked);
}

[[noreturn]] void fail_for_memory(Device device, std::size_t asked, std::size_t block) {
  const MemoryStatistics now = memory_statistics(device);
  const LiveReport report = live_report.load();
  platform::fail(
      platform::ErrorKind::Memory, "Out of Memory: Memory not enough on ",
      backend_name(device.backend), " (device ", static_cast<int>(device.index), "): asked for ",
      asked_text(asked, block, now), ", in use ", bytes_text(now.in_use), ", reserved ",
      bytes_text(now.reserved), ", peak ", bytes_text(now.peak_in_use), ", limit ",
      now.limit == 0 ? std::string("none") : bytes_text(now.limit),
      ". Use a smaller batch_size, look for an oversized Parameter, release tensors, or raise "
      "'max_device_memory'.",
      report == nullptr ? std::string() : report(device));
}

void note_handed_out(MemoryStatistics& statistics, std::size_t bytes) {
  statistics.in_use += bytes;
  statistics.peak_in_use = std::max(statistics.peak_in_use, statistics.in_use);
  ++statistics.allocations;
}

// Books the bytes before they are asked for, so that threads cannot go over the limit together.
bool try_reserve(Pool& pool, std::size_t bytes) {
  const std::lock_guard guard(pool.lock);
  MemoryStatistics& statistics = pool.statistics;
  if (statistics.limit != 0 && statistics.reserved + bytes > statistics.limit) return false;
  statistics.reserved += bytes;
  return true;
}

void cancel_reservation(Pool& pool, std::size_t bytes) {
  const std::lock_guard guard(pool.lock);
  pool.statistics.reserved -= bytes;
}

// `asked` bytes in a block of `bytes`.
Block allocate_fresh(Pool& pool, Device device, std::size_t asked, std::size_t bytes) {
  Backend& backend = backend_at(device.backend);
  if (!try_reserve(pool, bytes)) {
    drop_cached(pool, device);
    if (!try_reserve(pool, bytes)) fail_for_memory(device, asked, bytes);
  }
  void* data = backend.allocate(device.index, bytes);
  if (data == nullptr && drop_cached(pool, device) > 0)
    data = backend.allocate(device.index, bytes);
  if (data == nullptr) {
    cancel_reservation(pool, bytes);
    fail_for_memory(device, asked, bytes);
  }
  const std::lock_guard guard(pool.lock);
  MemoryStatistics& statistics = pool.statistics;
  statistics.peak_reserved = std::max(statistics.peak_reserved, statistics.reserved);
  ++statistics.backend_allocations;
  note_handed_out(statistics, bytes);
  return {data, bytes};
}

}  // namespace

namespace {

thread_local ReleaseHold* open_hold = nullptr;

bool poisons_memory() {
  static const bool on = platform::flag_setting("MYCEL_POISON_MEMORY");
  return on;
}

// Whoever reads what nobody wrote, or reads on while the block belongs to somebody else, finds no
// numbers. In the stream's order: work that still needs what was there comes first.
void poison(Device device, const Block& block, Stream& stream) {
  constexpr char kPoison = '\xFF';  // not a number in every floating type
  backend_at(device.backend).fill(device.index, block.data, block.bytes, {&kPoison, 1}, stream);
}

Block allocate_on_stream(StreamPool& pool, Device device, std::size_t bytes) {
  Stream& stream = current_stream(device);
  const Block block = pool.allocate(bytes, stream);
  if (block.data == nullptr) [[unlikely]]
    fail_for_memory(device, bytes, StreamPool::rounded(bytes));
  if (poisons_memory()) [[unlikely]]
    poison(device, block, stream);
  return block;
}

}  // namespace

Block allocate(Device device, std::size_t bytes) {
  if (bytes > kMaxBytes) fail_for_memory(device, bytes, bytes);
  if (StreamPool* pieces = stream_pool(device)) return allocate_on_stream(*pieces, device, bytes);
  Pool& pool = pool_of(device);
  const int size_class = class_of(bytes);
  const std::size_t rounded = class_bytes(size_class);
  {
    const std::lock_guard guard(pool.lock);
    std::vector<void*>& blocks = pool.free_blocks[size_class];
    if (!blocks.empty()) [[likely]] {
      void* data = blocks.back();
      blocks.pop_back();
      note_handed_out(pool.statistics, rounded);
      return {data, rounded};
    }
  }
  return allocate_fresh(pool, device, bytes, rounded);
}

void release(Device device, Block block) {
  if (block.data == nullptr) return;
  if (block.piece != nullptr) {
    if (open_hold != nullptr) return open_hold->keep(device, block);
    return stream_pool(device)->release(block);
  }
  Pool& pool = pool_of(device);
  const std::lock_guard guard(pool.lock);
  pool.free_blocks[class_of(block.bytes)].push_back(block.data);
  pool.statistics.in_use -= block.bytes;
}

ReleaseHold::~ReleaseHold() {
  close();
  for (const auto& [device, block] : blocks_) release(device, block);
}
void ReleaseHold::open() { open_hold = this; }
void ReleaseHold::close() {
  if (open_hold == this) open_hold = nullptr;
}
void note_use(Device device, const Block& block, Stream& stream) {
  if (block.piece != nullptr) stream_pool(device)->note_use(block, stream);
}

Stream* stream_of(const Block& block) {
  return block.piece == nullptr ? nullptr : StreamPool::stream_of(block);
}

void forget_stream(Device device, Stream& stream) {
  if (StreamPool* pieces = stream_pool(device)) pieces->forget(stream);
}

MemoryStatistics memory_statistics(Device device) {
  if (const StreamPool* pieces = stream_pool(device)) return pieces->statistics();
  Pool& pool = pool_of(device);
  const std::lock_guard guard(pool.lock);
  return pool.statistics;
}

void reset_peak_statistics(Device device) {
  if (StreamPool* pieces = stream_pool(device)) return pieces->reset_peaks();
  Pool& pool = pool_of(device);
  const std::lock_guard guard(pool.lock);
  pool.statistics.peak_in_use = pool.statistics.in_use;
  pool.statistics.peak_reserved = pool.statistics.reserved;
}

void empty_cache(Device device) {
  if (StreamPool* pieces = stream_pool(device)) return pieces->drop_cached();
  drop_cached(pool_of(device), device);
}

void set_memory_limit(Device device, std::size_t bytes) {
  if (StreamPool* pieces = stream_pool(device)) return pieces->set_limit(bytes);
  Pool& pool = pool_of(device);
  const std::lock_guard guard(pool.lock);
  pool.statistics.limit = bytes;
}

void set_live_report(LiveReport report) { live_report = report; }

}  // namespace mycel::device
