// SPDX-License-Identifier: Apache-2.0
#include "serving/worker/frame.h"

#include <cstring>

#include <gtest/gtest.h>

namespace mycel::serving {
namespace {

Value floats(const std::vector<float>& numbers) {
  return make_value(ElementType::Float32, {static_cast<std::int64_t>(numbers.size())},
                    std::as_bytes(std::span(numbers)));
}

Value text(std::string_view part) { return make_text(ElementType::String, {1}, {&part, 1}); }

// A frame as it comes out at the other end.
struct Received {
  FrameHead head;
  std::string description;
  std::shared_ptr<std::byte[]> data;
};

Received received(const OutgoingFrame& frame) {
  Received own;
  std::memcpy(&own.head, frame.beginning.data(), sizeof own.head);
  own.description = frame.beginning.substr(sizeof own.head);
  own.data = take_data(own.head.data_bytes);
  std::size_t at = 0;
  for (const std::span<const std::byte> part : frame.data) {
    std::ranges::copy(part, own.data.get() + at);
    at += part.size();
  }
  EXPECT_EQ(at, own.head.data_bytes);
  EXPECT_EQ(own.description.size(), own.head.description_bytes);
  EXPECT_EQ(frame.size(), sizeof own.head + own.description.size() + at);
  return own;
}

RunOrder two_instances() {
  RunOrder order;
  order.target = 3;
  order.subgraph = 1;
  order.batch_size = 2;
  order.tag = "model";
  order.instances = {{floats({1, 2}), text("ab")}, {floats({3, 4}), text("")}};
  return order;
}

bool equal(const Value& one, const Value& other) {
  return one.type == other.type && one.dims == other.dims &&
         std::ranges::equal(one.bytes, other.bytes);
}

TEST(FrameTest, HeadsOfOthersAreRefused) {
  const FrameHead good;
  EXPECT_TRUE(check_head(good));
  FrameHead bad = good;
  bad.magic ^= 1;
  EXPECT_FALSE(check_head(bad));
  bad = good;
  bad.kind = static_cast<FrameKind>(7);
  EXPECT_FALSE(check_head(bad));
  bad = good;
  bad.description_bytes = FrameHead::kMostDescriptionBytes + 1;
  EXPECT_FALSE(check_head(bad));
  bad = good;
  bad.data_bytes = FrameHead::kMostDataBytes + 1;
  EXPECT_FALSE(check_head(bad));
}

TEST(FrameTest, EveryTruncatedDescriptionIsRefused) {
  const Received run = received(write_run(FrameKind::Run, 1, two_instances()));
  for (std::size_t size = 0; size < run.description.size(); ++size)
    EXPECT_FALSE(read_run(run.description.substr(0, size), run.data, run.head.data_bytes)) << size;
  EXPECT_FALSE(read_run(run.description + "x", run.data, run.head.data_bytes));
  const Outcome outcomes[] = {Instance{floats({1})}, Failure{FailureCode::Failed, "no"}};
  const Received result = received(write_result(1, outcomes));
  for (std::size_t size = 0; size < result.description.size(); ++size)
    EXPECT_FALSE(
        read_result(result.description.substr(0, size), result.data, result.head.data_bytes));
}

TEST(FrameTest, TruncatedDataIsRefused) {
  const Received run = received(write_run(FrameKind::Run, 1, two_instances()));
  ASSERT_GT(run.head.data_bytes, 64U);
  EXPECT_FALSE(read_run(run.description, run.data, 64));
  EXPECT_FALSE(read_run(run.description, run.data, 0));
}

// Whatever byte is damaged: an error, or values whose bytes lie in the data and fit their shapes.
TEST(FrameTest, DamagedDescriptionsAreRefusedOrHarmless) {
  const Received run = received(write_run(FrameKind::Run, 1, two_instances()));
  const Outcome outcomes[] = {Instance{floats({1}), text("x")}, Failure{FailureCode::Failed, "no"}};
  const Received result = received(write_result(1, outcomes));
  const auto is_sound = [](const Instance& instance, const Received& frame) {
    for (const Value& value : instance) {
      EXPECT_GE(value.bytes.data(), frame.data.get());
      EXPECT_LE(value.bytes.data() + value.bytes.size(), frame.data.get() + frame.head.data_bytes);
      EXPECT_TRUE(check(value));
    }
  };
  for (std::size_t at = 0; at < run.description.size(); ++at) {
    for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      std::string damaged = run.description;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      if (const auto order = read_run(damaged, run.data, run.head.data_bytes))
        for (const Instance& instance : order.value().instances) is_sound(instance, run);
    }
  }
  for (std::size_t at = 0; at < result.description.size(); ++at) {
    for (const int flip : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      std::string damaged = result.description;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      if (const auto own = read_result(damaged, result.data, result.head.data_bytes))
        for (const Outcome& outcome : own.value())
          if (const auto* instance = std::get_if<Instance>(&outcome)) is_sound(*instance, result);
    }
  }
}

// One instance of many values among many of none: as much work as there are values.
TEST(FrameTest, UnevenInstancesTakeNoTime) {
  RunOrder order;
  order.instances.resize(200'000);
  for (int i = 0; i < 60'000; ++i) order.instances[0].push_back(floats({}));
  const Received run = received(write_run(FrameKind::Run, 1, order));
  EXPECT_TRUE(read_run(run.description, run.data, run.head.data_bytes));
}

TEST(FrameTest, RunComesBack) {
  const RunOrder order = two_instances();
  const Received run = received(write_run(FrameKind::Run, 42, order));
  EXPECT_EQ(run.head.kind, FrameKind::Run);
  EXPECT_EQ(run.head.id, 42U);
  EXPECT_TRUE(check_head(run.head));
  const RunOrder own = read_run(run.description, run.data, run.head.data_bytes).value();
  EXPECT_EQ(own.kind, order.kind);
  EXPECT_EQ(own.target, order.target);
  EXPECT_EQ(own.subgraph, order.subgraph);
  EXPECT_EQ(own.batch_size, order.batch_size);
  EXPECT_EQ(own.tag, order.tag);
  ASSERT_EQ(own.instances.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_TRUE(equal(own.instances[i][k], order.instances[i][k]));
}

TEST(FrameTest, TensorsOfAnInputLieTogetherAndAligned) {
  const Received run = received(write_run(FrameKind::Run, 1, two_instances()));
  const RunOrder own = read_run(run.description, run.data, run.head.data_bytes).value();
  const Value& first = own.instances[0][0];
  EXPECT_EQ(first.bytes.data() + first.bytes.size(), own.instances[1][0].bytes.data());
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(own.instances[0][k].bytes.data()) % kDataAlignment,
              0U);
}

TEST(FrameTest, ResultComesBack) {
  const Outcome outcomes[] = {Instance{floats({1, 2, 3})},
                              Failure{FailureCode::InvalidInputs, "one bad instance"},
                              Instance{floats({4, 5, 6})}, Instance{}};
  const Received result = received(write_result(9, outcomes));
  EXPECT_EQ(result.head.kind, FrameKind::Result);
  const auto own = read_result(result.description, result.data, result.head.data_bytes).value();
  ASSERT_EQ(own.size(), 4U);
  EXPECT_TRUE(equal(std::get<Instance>(own[0])[0], std::get<Instance>(outcomes[0])[0]));
  EXPECT_EQ(std::get<Failure>(own[1]).code, FailureCode::InvalidInputs);
  EXPECT_EQ(std::get<Failure>(own[1]).text, "one bad instance");
  EXPECT_TRUE(equal(std::get<Instance>(own[2])[0], std::get<Instance>(outcomes[2])[0]));
  EXPECT_TRUE(std::get<Instance>(own[3]).empty());
}

TEST(FrameTest, EmptyTensorsComeBack) {
  RunOrder order;
  order.instances = {{floats({1}), floats({})}, {floats({2}), floats({})}};
  const Received run = received(write_run(FrameKind::Run, 1, order));
  const RunOrder own = read_run(run.description, run.data, run.head.data_bytes).value();
  EXPECT_TRUE(own.instances[1][1].bytes.empty());
  EXPECT_EQ(own.instances[1][1].dims, Dims{0});
}

// Rows that are one piece already are sent as one.
TEST(FrameTest, NeighboursAreNotCutApart) {
  const Value whole = floats({1, 2, 3, 4});
  Value first = whole, second = whole;
  first.bytes = whole.bytes.first(8);
  second.bytes = whole.bytes.subspan(8);
  first.dims = second.dims = {2};
  RunOrder order;
  order.instances = {{first}, {second}};
  EXPECT_EQ(write_run(FrameKind::Run, 1, order).data.size(), 1U);
}

}  // namespace
}  // namespace mycel::serving
