// SPDX-License-Identifier: Apache-2.0
#include "device/stream_pool.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "device/current.h"
#include "platform/error/error.h"

namespace mycel::device {
namespace {

// A stream that is told how far it has come, and what it waits for.
class SteppedStream final : public Stream {
 public:
  void synchronize() override {
    done = queued;
    for (auto& [other, point] : waits_for) other->done = std::max(other->done, point);
  }
  bool is_done() override { return done == queued; }
  std::size_t queued = 0;
  std::size_t done = 0;
  std::map<SteppedStream*, std::size_t> waits_for;
};

class SteppedEvent final : public Event {
 public:
  void record(Stream& stream) override {
    stream_ = static_cast<SteppedStream*>(&stream);
    point_ = stream_->queued;
    before_ = stream_->waits_for;
    before_[stream_] = point_;
  }
  // For what the other stream has waited for, too.
  void wait(Stream& stream) override {
    auto& later = static_cast<SteppedStream&>(stream);
    for (const auto& [other, point] : before_)
      later.waits_for[other] = std::max(later.waits_for[other], point);
  }
  void synchronize() override { stream_->done = std::max(stream_->done, point_); }
  bool is_done() override { return stream_ == nullptr || stream_->done >= point_; }
  double milliseconds_since(const Event&) const override { return 0; }

 private:
  SteppedStream* stream_ = nullptr;
  std::size_t point_ = 0;
  std::map<SteppedStream*, std::size_t> before_;
};

class SteppedBackend final : public Backend {
 public:
  std::string_view name() const override { return "STEPPED"; }
  int device_count() const override { return 1; }
  Capabilities capabilities(int) const override {
    return {.asynchronous = true, .description = ""};
  }
  MemoryInformation memory_information(int) const override { return {available - used, available}; }
  void* allocate(int, std::size_t bytes) override {
    if (bytes > available - used) return nullptr;
    used += bytes;
    ++calls;
    return std::aligned_alloc(512, bytes);
  }
  void release(int, void* data, std::size_t bytes) override {
    if (wait_for_streams) wait_for_streams();  // as a backend has to, before memory goes
    used -= bytes;
    std::free(data);
  }
  void copy(int, void*, const void*, std::size_t, CopyDirection, Stream&) override {}
  Stream& default_stream(int) override { return stream_; }
  std::unique_ptr<Stream> create_stream(int) override { return std::make_unique<SteppedStream>(); }
  std::unique_ptr<Event> create_event(int) override { return std::make_unique<SteppedEvent>(); }
  void synchronize(int) override {}

  std::size_t available = std::size_t{1} << 30;
  std::size_t used = 0;
  int calls = 0;
  std::function<void()> wait_for_streams;

 private:
  SteppedStream stream_;
};

class StreamPoolTest : public ::testing::Test {
 protected:
  static SteppedBackend& backend() {
    static SteppedBackend* const instance = [] {
      auto owned = std::make_unique<SteppedBackend>();
      SteppedBackend* const raw = owned.get();
      register_backend(std::move(owned));
      return raw;
    }();
    return *instance;
  }
  void SetUp() override {
    backend().available = std::size_t{1} << 30;
    pool_ = std::make_unique<StreamPool>(Device{reserve_backend(backend().name()), 0});
  }
  void TearDown() override {
    pool_->check();
    pool_->drop_cached();
    EXPECT_EQ(backend().used, 0U) << "the pool has not given everything back";
  }
  std::unique_ptr<StreamPool> pool_;
  SteppedStream a_, b_;
};

TEST_F(StreamPoolTest, MoreThanThereIsGivesNothingAndThePoolGoesOn) {
  EXPECT_EQ(pool_->allocate(std::size_t{2} << 30, a_).data, nullptr);
  const Block block = pool_->allocate(100, a_);
  EXPECT_NE(block.data, nullptr);
  pool_->release(block);
}

TEST_F(StreamPoolTest, PiecesOfASegmentAreSplitAndJoined) {
  const int before = backend().calls;
  std::vector<Block> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(pool_->allocate(200 << 10, a_));
  EXPECT_EQ(backend().calls, before + 1);
  for (const int i : {1, 5, 3, 0, 7, 2, 6, 4}) pool_->release(blocks[static_cast<std::size_t>(i)]);
  const Block all = pool_->allocate(1 << 20, a_);
  EXPECT_EQ(all.data, blocks[0].data);
  EXPECT_EQ(backend().calls, before + 1);
  pool_->release(all);
}

TEST_F(StreamPoolTest, TheSameStreamGetsABlockBackAtOnce) {
  const Block block = pool_->allocate(4096, a_);
  ++a_.queued;  // work that has not run
  pool_->release(block);
  const Block again = pool_->allocate(4096, a_);
  EXPECT_EQ(again.data, block.data);
  pool_->release(again);
}

TEST_F(StreamPoolTest, WhatAnotherStreamUsesStaysAwayUntilItHasPassed) {
  const Block block = pool_->allocate(4096, a_);
  ++b_.queued;
  pool_->note_use(block, b_);
  pool_->release(block);
  const Block other = pool_->allocate(4096, a_);
  EXPECT_NE(other.data, block.data);
  b_.synchronize();
  const Block again = pool_->allocate(4096, a_);
  EXPECT_EQ(again.data, block.data);
  pool_->release(other);
  pool_->release(again);
}

TEST_F(StreamPoolTest, AWholeSegmentGoesToAnotherStreamThatWaits) {
  const int before = backend().calls;
  ++a_.queued;
  const Block block = pool_->allocate(30 << 20, a_);
  pool_->release(block);
  const Block other = pool_->allocate(30 << 20, b_);
  EXPECT_EQ(other.data, block.data);
  EXPECT_EQ(backend().calls, before + 1);
  EXPECT_EQ(b_.waits_for[&a_], 1U);
  pool_->release(other);
}

TEST_F(StreamPoolTest, ALimitIsKeptAndCachedMemoryCountsLast) {
  pool_->set_limit(std::size_t{64} << 20);
  const Block first = pool_->allocate(40 << 20, a_);
  EXPECT_EQ(pool_->allocate(30 << 20, a_).data, nullptr);
  pool_->release(first);
  const Block second = pool_->allocate(60 << 20, a_);  // the cached segment has to go
  EXPECT_NE(second.data, nullptr);
  EXPECT_LE(pool_->statistics().reserved, std::size_t{64} << 20);
  pool_->release(second);
}

TEST_F(StreamPoolTest, MemoryOfAStreamThatGoesIsTheDefaultStreams) {
  auto gone = std::make_unique<SteppedStream>();
  const Block held = pool_->allocate(4096, *gone);
  const Block free = pool_->allocate(4096, *gone);
  pool_->release(free);
  pool_->forget(*gone);
  gone.reset();
  EXPECT_EQ(StreamPool::stream_of(held), &backend().default_stream(0));
  const Block again = pool_->allocate(4096, backend().default_stream(0));
  EXPECT_EQ(again.data, free.data);
  pool_->release(again);
  pool_->release(held);
}

// Who may still work on which bytes, and until when.
struct Use {
  const char* begin;
  const char* end;
  SteppedStream* stream;
  std::size_t point;
};

class RandomUse {
 public:
  RandomUse(StreamPool& pool, unsigned seed) : pool_(pool), random_(seed), streams_(4) {}

  void step() {
    for (SteppedStream& stream : streams_) {
      if (draw(8) == 0) stream.done = stream.done + draw(stream.queued - stream.done + 1);
    }
    if (live_.empty() || draw(5) < 3) {
      allocate();
    } else {
      release(draw(live_.size()));
    }
  }

  void finish() {
    while (!live_.empty()) release(live_.size() - 1);
    synchronize();
  }

  void synchronize() {
    for (SteppedStream& stream : streams_) stream.synchronize();
  }

 private:
  struct Live {
    Block block;
    std::vector<SteppedStream*> streams;
  };

  std::size_t draw(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
  }

  void allocate() {
    SteppedStream& stream = streams_[draw(streams_.size())];
    const std::size_t bytes = (std::size_t{1} << draw(24)) + draw(1 << 10);
    const Block block = pool_.allocate(bytes, stream);
    if (block.data == nullptr) return;
    ASSERT_GE(block.bytes, bytes);
    const auto* begin = static_cast<const char*>(block.data);
    for (const Live& other : live_) {
      const auto* there = static_cast<const char*>(other.block.data);
      ASSERT_TRUE(there + other.block.bytes <= begin || begin + block.bytes <= there)
          << "two blocks overlap";
    }
    for (const Use& use : uses_) {
      if (use.end <= begin || begin + block.bytes <= use.begin) continue;
      const bool passed = use.stream->done >= use.point;
      const bool ordered = use.stream == &stream || stream.waits_for[use.stream] >= use.point;
      ASSERT_TRUE(passed || ordered) << "memory is handed out that another stream still uses";
    }
    ++stream.queued;
    live_.push_back({block, {&stream}});
    if (draw(3) == 0) {
      SteppedStream& other = streams_[draw(streams_.size())];
      pool_.note_use(block, other);
      ++other.queued;
      live_.back().streams.push_back(&other);
    }
  }

  void release(std::size_t i) {
    const Live gone = live_[i];
    live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(i));
    const auto* begin = static_cast<const char*>(gone.block.data);
    for (SteppedStream* stream : gone.streams)
      uses_.push_back({begin, begin + gone.block.bytes, stream, stream->queued});
    std::erase_if(uses_, [](const Use& use) { return use.stream->done >= use.point; });
    pool_.release(gone.block);
  }

  StreamPool& pool_;
  std::mt19937 random_;
  std::vector<SteppedStream> streams_;
  std::vector<Live> live_;
  std::vector<Use> uses_;
};

TEST_F(StreamPoolTest, RandomUseNeverGivesBytesAwayThatAreStillNeeded) {
  backend().available = std::size_t{256} << 20;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    RandomUse use(*pool_, seed);
    backend().wait_for_streams = [&] { use.synchronize(); };
    for (int i = 0; i < 2000; ++i) {
      use.step();
      if (::testing::Test::HasFatalFailure()) return;
      if (i % 100 == 0) pool_->check();
    }
    use.finish();
    pool_->drop_cached();  // its streams go
    pool_->check();
    backend().wait_for_streams = {};
  }
}

TEST_F(StreamPoolTest, ThreadsShareIt) {
  std::vector<SteppedStream> streams(4);  // they know of each other, so all outlive the threads
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      SteppedStream& own = streams[t];
      std::mt19937 random(t);
      std::vector<Block> held;
      for (int i = 0; i < 500; ++i) {
        held.push_back(pool_->allocate(1 + random() % (4 << 20), own));
        pool_->note_use(held.back(), own);
        if (held.size() > 8 || random() % 2 == 0) {
          std::swap(held[random() % held.size()], held.back());
          pool_->release(held.back());
          held.pop_back();
        }
      }
      for (const Block& block : held) pool_->release(block);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (SteppedStream& stream : streams) pool_->forget(stream);
  EXPECT_EQ(pool_->statistics().in_use, 0U);
}

TEST_F(StreamPoolTest, AHoldKeepsWhatIsGivenBack) {
  const Device device{reserve_backend(backend().name()), 0};
  void* first = nullptr;
  {
    ReleaseHold hold;
    hold.open();
    const Block block = allocate(device, 4096);
    first = block.data;
    release(device, block);
    hold.close();
    const Block other = allocate(device, 4096);
    EXPECT_NE(other.data, first);
    release(device, other);
  }
  const Block again = allocate(device, 4096);
  EXPECT_EQ(again.data, first);
  release(device, again);
  empty_cache(device);
}

TEST_F(StreamPoolTest, CurrentStreamDecidesWhoseABlockIs) {
  const Device device{reserve_backend(backend().name()), 0};
  const std::shared_ptr<Stream> stream = make_stream(device);
  Block block;
  {
    const StreamScope scope(device, *stream);
    block = allocate(device, 100);
  }
  EXPECT_EQ(stream_of(block), stream.get());
  const Block other = allocate(device, 100);
  EXPECT_EQ(stream_of(other), &backend().default_stream(0));
  release(device, block);
  release(device, other);
  empty_cache(device);
}

}  // namespace
}  // namespace mycel::device
