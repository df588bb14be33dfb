// SPDX-License-Identifier: Apache-2.0
#include "device/pool.h"

#include <cstdlib>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "platform/error/error.h"

namespace mycel::device {
namespace {

class IdleStream final : public Stream {
 public:
  void synchronize() override {}
  bool is_done() override { return true; }
};

// Counts what the pool asks for, and can be told to have nothing left.
class CountingBackend final : public Backend {
 public:
  std::string_view name() const override { return "COUNTING"; }
  int device_count() const override { return 2; }
  Capabilities capabilities(int) const override { return {}; }
  MemoryInformation memory_information(int) const override { return {available - used, available}; }
  void* allocate(int, std::size_t bytes) override {
    if (bytes > available - used) return nullptr;
    used += bytes;
    ++calls;
    return std::aligned_alloc(64, bytes);
  }
  void release(int, void* data, std::size_t bytes) override {
    used -= bytes;
    std::free(data);
  }
  void copy(int, void*, const void*, std::size_t, CopyDirection, Stream&) override {}
  Stream& default_stream(int) override { return stream_; }
  std::unique_ptr<Stream> create_stream(int) override { return std::make_unique<IdleStream>(); }
  std::unique_ptr<Event> create_event(int) override { return nullptr; }
  void synchronize(int) override {}

  std::size_t available = std::size_t{1} << 40;
  std::size_t used = 0;
  int calls = 0;

 private:
  IdleStream stream_;
};

class PoolTest : public ::testing::Test {
 protected:
  static CountingBackend& backend() {
    static CountingBackend* const instance = [] {
      auto owned = std::make_unique<CountingBackend>();
      CountingBackend* const raw = owned.get();
      register_backend(std::move(owned));
      return raw;
    }();
    return *instance;
  }
  void SetUp() override {
    backend();
    device_ = {reserve_backend("COUNTING"), 0};
    TearDown();
  }
  void TearDown() override {
    set_memory_limit(device_, 0);
    empty_cache(device_);
    reset_peak_statistics(device_);
    backend().available = std::size_t{1} << 40;
  }
  static std::string memory_error(Device device, std::size_t bytes) {
    try {
      release(device, allocate(device, bytes));
    } catch (const platform::Error& error) {
      EXPECT_EQ(error.kind(), platform::ErrorKind::Memory);
      return error.message();
    }
    return "";
  }
  Device device_;
};

TEST_F(PoolTest, OverTheLimitIsAnErrorAndThePoolGoesOn) {
  set_memory_limit(device_, 1 << 20);
  const Block kept = allocate(device_, 1 << 19);
  const std::string text = memory_error(device_, 1 << 20);
  EXPECT_NE(text.find("asked for 1048576 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("in use 524288 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("limit 1048576 bytes"), std::string::npos) << text;
  EXPECT_EQ(memory_statistics(device_).reserved, std::size_t{1} << 19);
  const Block next = allocate(device_, 1 << 19);
  EXPECT_NE(next.data, nullptr);
  release(device_, next);
  release(device_, kept);
}

TEST_F(PoolTest, AnErrorStatesWhatWasAskedForNotTheSizeOfABlock) {
  set_memory_limit(device_, 1 << 20);
  const std::string text = memory_error(device_, (1 << 20) + 1);
  EXPECT_NE(text.find("asked for 1048577 bytes"), std::string::npos) << text;
  EXPECT_EQ(text.find("the pool takes"), std::string::npos) << text;
  // Asked for alone it would fit.
  set_memory_limit(device_, (5 << 18) - 1);
  const std::string close = memory_error(device_, (1 << 20) + 1);
  EXPECT_NE(close.find("asked for 1048577 bytes (1 MiB), for which the pool takes 1310720 bytes"),
            std::string::npos)
      << close;
}

TEST_F(PoolTest, BackendWithoutMemoryIsAnErrorAndThePoolGoesOn) {
  backend().available = backend().used + 4096;
  EXPECT_NE(memory_error(device_, 1 << 20), "");
  EXPECT_EQ(memory_statistics(device_).reserved, 0U);
  EXPECT_EQ(memory_error(device_, 4096), "");
}

TEST_F(PoolTest, AbsurdSizeIsAnError) {
  EXPECT_NE(memory_error(device_, ~std::size_t{0}), "");
  EXPECT_NE(memory_error(device_, ~std::size_t{0} - 62), "");
  EXPECT_NE(memory_error(Device{}, std::size_t{1} << 45),
            "");  // the host refuses far more than it has
}

TEST_F(PoolTest, CachedBlocksAreDroppedBeforeMemoryRunsOut) {
  set_memory_limit(device_, 1 << 20);
  release(device_, allocate(device_, 1 << 19));
  EXPECT_EQ(memory_error(device_, 1 << 20), "");
  backend().available = backend().used;
  set_memory_limit(device_, 0);
  EXPECT_EQ(memory_error(device_, 1 << 18), "");
}

TEST_F(PoolTest, FreedBlockIsHandedOutAgain) {
  const Block first = allocate(device_, 1000);
  release(device_, first);
  const int calls = backend().calls;
  const Block second = allocate(device_, 990);
  EXPECT_EQ(second.data, first.data);
  EXPECT_EQ(backend().calls, calls);
  release(device_, second);
}

TEST_F(PoolTest, RoundingWastesLittle) {
  for (std::size_t bytes = 1; bytes < (std::size_t{1} << 34); bytes += bytes / 3 + 1) {
    backend().available = 0;  // only the size is looked at
    set_memory_limit(device_, bytes);
    const std::string text = memory_error(device_, bytes);
    const std::size_t told = text.find("the pool takes ");
    const std::size_t rounded =
        told == std::string::npos ? bytes : std::strtoull(text.c_str() + told + 15, nullptr, 10);
    EXPECT_GE(rounded, bytes);
    EXPECT_EQ(rounded % 64, 0U);
    if (bytes < 1024) continue;
    EXPECT_LE(static_cast<double>(rounded), 1.26 * static_cast<double>(bytes)) << bytes;
  }
}

TEST_F(PoolTest, StatisticsFollowTheBlocks) {
  const MemoryStatistics before = memory_statistics(device_);
  const Block a = allocate(device_, 4096);
  const Block b = allocate(device_, 8192);
  release(device_, a);
  MemoryStatistics now = memory_statistics(device_);
  EXPECT_EQ(now.in_use, 8192U);
  EXPECT_EQ(now.peak_in_use, 12288U);
  EXPECT_EQ(now.reserved, 12288U);
  EXPECT_EQ(now.allocations, before.allocations + 2);
  EXPECT_EQ(now.backend_allocations, before.backend_allocations + 2);
  reset_peak_statistics(device_);
  EXPECT_EQ(memory_statistics(device_).peak_in_use, 8192U);
  empty_cache(device_);
  now = memory_statistics(device_);
  EXPECT_EQ(now.reserved, 8192U);
  EXPECT_EQ(now.in_use, 8192U);
  EXPECT_EQ(backend().used, 8192U);
  release(device_, b);
}

TEST_F(PoolTest, DevicesOfOneBackendAreCountedApart) {
  const Device other{device_.backend, 1};
  const Block block = allocate(other, 4096);
  EXPECT_EQ(memory_statistics(device_).in_use, 0U);
  EXPECT_EQ(memory_statistics(other).in_use, 4096U);
  release(other, block);
  empty_cache(other);
}

TEST_F(PoolTest, EmptyRequestGivesABlock) {
  const Block block = allocate(device_, 0);
  EXPECT_NE(block.data, nullptr);
  release(device_, block);
  release(device_, Block());
}

TEST(BackendRegistryTest, MissingPluginSaysWhy) {
  try {
    load_plugin("/no/such/plugin.so");
    FAIL();
  } catch (const platform::Error& error) {
    EXPECT_EQ(error.kind(), platform::ErrorKind::Runtime);
    EXPECT_NE(error.message().find("/no/such/plugin.so"), std::string::npos);
  }
}

TEST(BackendRegistryTest, ReservedNameIsNotUsableYet) {
  const std::uint8_t index = reserve_backend("ONLY_A_NAME");
  EXPECT_EQ(reserve_backend("ONLY_A_NAME"), index);
  EXPECT_EQ(backend_name(index), "ONLY_A_NAME");
  EXPECT_EQ(find_backend("ONLY_A_NAME"), nullptr);
  EXPECT_THROW(backend_at(index), platform::Error);
  EXPECT_THROW(backend_at(kMaxBackends), platform::Error);
}

TEST(BackendRegistryTest, HostComesFirst) {
  EXPECT_EQ(reserve_backend("CPU"), kHostBackend);
  ASSERT_NE(find_backend("CPU"), nullptr);
  EXPECT_EQ(backend_names().front(), "CPU");
  Backend& host = backend_at(kHostBackend);
  EXPECT_TRUE(host.capabilities(0).host_accessible);
  EXPECT_EQ(host.device_count(), 1);
}

TEST(BackendRegistryTest, HostMemoryIsAligned) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{100}, std::size_t{3} << 20}) {
    const Block block = allocate(Device{}, bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data) % 64, 0U);
    if (bytes > (std::size_t{2} << 20)) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data) % (std::size_t{2} << 20), 0U);
    }
    release(Device{}, block);
  }
}

}  // namespace
}  // namespace mycel::device
