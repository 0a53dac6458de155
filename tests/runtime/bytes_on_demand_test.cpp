// Bytes on demand, from a source that records the requests.
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/take_ownership.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace bytes_on_demand_test {

using Ranges = std::vector<ByteRange>;
constexpr std::size_t kSize = 100'000;
constexpr std::size_t kGap = Bytes::kReadGap;

std::vector<std::uint8_t> content() {
  std::vector<std::uint8_t> all(kSize);
  for (std::size_t i = 0; i < kSize; ++i) all[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  return all;
}

struct Asked {
  Ranges parts;
  int times = 0;
  int failures = 0;  // that are to come
  bool alive = true;
};

class Source : public ByteSource {
 public:
  explicit Source(Asked& asked) : asked_(asked) {}
  ~Source() override { asked_.alive = false; }
  void read(std::span<const ByteRange> parts, std::span<std::uint8_t> whole) override {
    ++asked_.times;
    EXPECT_EQ(whole.size(), kSize);
    if (asked_.failures > 0) {
      --asked_.failures;
      throw std::runtime_error("the disk is gone");
    }
    const std::vector<std::uint8_t> all = content();
    std::size_t end = 0;
    for (const ByteRange& part : parts) {
      EXPECT_LT(part.begin, part.end);
      EXPECT_TRUE(asked_.parts.empty() || end == 0 || part.begin > end);
      end = part.end;
      std::copy_n(all.data() + part.begin, part.size(), whole.data() + part.begin);
      asked_.parts.push_back(part);
    }
  }

 private:
  Asked& asked_;
};

// The first 100 bytes are there.
Bytes make(Asked& asked) {
  Bytes bytes(kSize);
  std::fill_n(bytes.data(), kSize, std::uint8_t{0xEE});
  const std::vector<std::uint8_t> all = content();
  std::copy_n(all.data(), 100, bytes.data());
  return Bytes::on_demand(std::move(bytes), 100, std::make_unique<Source>(asked));
}

bool is_content(std::span<const std::uint8_t> bytes, const ByteRange& part) {
  const std::vector<std::uint8_t> all = content();
  return std::equal(bytes.data() + part.begin, bytes.data() + part.end, all.data() + part.begin);
}

TEST(BytesOnDemand, ReadsTheMissingPartsOnce) {
  const struct {
    Ranges wanted;
    Ranges read;
  } kSteps[] = {
      {{{0, 100}, {10, 20}}, {}},
      {{{50, 200}}, {{100, 200}}},
      {{{5000, 5000}}, {}},
      // In any order. Ranges a gap apart become one; with a byte more they do not.
      {{{40'000, 40'100}, {30'000, 30'100}, {30'100 + kGap, 30'200 + kGap}},
       {{30'000, 30'200 + kGap}, {40'000, 40'100}}},
      {{{50'000, 50'001}, {50'002 + kGap, 50'003 + kGap}},
       {{50'000, 50'001}, {50'002 + kGap, 50'003 + kGap}}},
      // Around the existing bytes, which are not written again.
      {{{29'990, 40'200}}, {{29'990, 30'000}, {30'200 + kGap, 40'000}, {40'100, 40'200}}},
      {{{0, kSize}},
       {{200, 29'990}, {40'200, 50'000}, {50'001, 50'002 + kGap}, {50'003 + kGap, kSize}}},
      {{{0, kSize}, {7, 9}}, {}},
  };
  Asked asked;
  const Bytes bytes = make(asked);
  for (const auto& step : kSteps) {
    EXPECT_TRUE(bytes.is_on_demand() || step.read.empty());
    asked.parts.clear();
    const std::span<const std::uint8_t> all = bytes.read_parts(step.wanted);
    EXPECT_EQ(asked.parts, step.read);
    EXPECT_EQ(all.size(), kSize);
    for (const ByteRange& part : step.wanted) EXPECT_TRUE(is_content(all, part));
  }
  EXPECT_FALSE(bytes.is_on_demand());
  EXPECT_FALSE(asked.alive) << "the source is not needed any more";
  EXPECT_EQ(bytes.prefix().size(), kSize);
}

TEST(BytesOnDemand, WhoeverLooksGetsAll) {
  using Look = void (*)(Bytes&);
  const Look kLooks[] = {
      [](Bytes& b) {
        EXPECT_TRUE(is_content({std::as_const(b).data(), b.size()}, {0, kSize}));
      },
      [](Bytes& b) {
        EXPECT_TRUE(is_content({b.data(), b.size()}, {0, kSize}));
      },
      [](Bytes& b) { EXPECT_EQ(b.end() - b.begin(), std::ptrdiff_t{kSize}); },
      [](Bytes& b) {
        EXPECT_TRUE(is_content(b, {0, kSize}));
      },
      [](Bytes& b) {
        EXPECT_TRUE(is_content(Bytes::copy_of(b), {0, kSize}));
      },
      [](Bytes& b) { b.own(); },
      [](Bytes& b) {
        std::optional<Bytes> inside(std::move(b));
        detail::take_ownership(inside);  // as for the result of a step
        b = *std::move(inside);
      },
  };
  for (const Look look : kLooks) {
    Asked asked;
    Bytes bytes = make(asked);
    bytes.set_index(nullptr, 42);
    EXPECT_EQ(bytes.size(), kSize);
    EXPECT_EQ(bytes.prefix().size(), 100U);
    EXPECT_EQ(asked.times, 0);
    look(bytes);
    EXPECT_EQ(asked.times, 1);
    EXPECT_EQ(asked.parts, (Ranges{{100, kSize}}));
    EXPECT_FALSE(bytes.is_on_demand());
    EXPECT_TRUE(is_content(bytes, {0, kSize}));
    look(bytes);
    EXPECT_EQ(asked.times, 1);
  }
}

TEST(BytesOnDemand, MoveAndLetGo) {
  Asked asked;
  Bytes bytes = make(asked);
  Bytes made(std::move(bytes));
  // NOLINTNEXTLINE(bugprone-use-after-move): what is left of it is what is tested.
  EXPECT_TRUE(bytes.empty() && !bytes.is_on_demand() && bytes.data() == nullptr);
  Bytes assigned(10);
  assigned = std::move(made);
  EXPECT_TRUE(assigned.is_on_demand());
  EXPECT_FALSE(assigned.is_view());
  const ByteRange part{1000, 2000};
  EXPECT_TRUE(is_content(assigned.read_parts({&part, 1}), part));
  EXPECT_TRUE(asked.alive);
  assigned = Bytes(3);
  EXPECT_FALSE(asked.alive);
  EXPECT_FALSE(assigned.is_on_demand());

  Asked again;
  Bytes released = make(again);
  released.release();
  EXPECT_FALSE(again.alive);
  EXPECT_TRUE(released.empty() && released.data() == nullptr);
}

TEST(BytesOnDemand, WhatTheSourceThrowsGoesToWhoeverAsked) {
  Asked asked;
  asked.failures = 2;
  Bytes bytes = make(asked);
  const ByteRange part{500, 600};
  EXPECT_THROW((void)bytes.read_parts({&part, 1}), std::runtime_error);
  EXPECT_THROW((void)bytes.data(), std::runtime_error);
  EXPECT_EQ(bytes.prefix().size(), 100U);
  EXPECT_TRUE(is_content(bytes.read_parts({&part, 1}), part));
  EXPECT_EQ(asked.parts, (Ranges{part})) << "nothing counted as read that was not";
  for (const ByteRange& wrong : {ByteRange{10, 5}, ByteRange{kSize, kSize + 1}})
    EXPECT_THROW((void)bytes.read_parts({&wrong, 1}), std::out_of_range);
  EXPECT_TRUE(is_content(bytes, {0, kSize}));
}

TEST(BytesOnDemand, NeedASourceAndMemoryOfTheirOwn) {
  Asked asked;
  const std::vector<std::uint8_t> text(10);
  const auto owner = std::make_shared<int>();
  EXPECT_THROW(Bytes::on_demand(Bytes(10), 0, nullptr), std::invalid_argument);
  EXPECT_THROW(Bytes::on_demand(Bytes(10), 11, std::make_unique<Source>(asked)),
               std::invalid_argument);
  EXPECT_THROW(Bytes::on_demand(Bytes::view_of(text), 0, std::make_unique<Source>(asked)),
               std::invalid_argument);
  EXPECT_THROW(Bytes::on_demand(Bytes::shared(owner, text), 0, std::make_unique<Source>(asked)),
               std::invalid_argument);
}

TEST(BytesOnDemand, ManyThreadsReadEachByteOnce) {
  Asked asked;
  const Bytes bytes = make(asked);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 40; ++i) {
        const std::size_t begin = (i * 7919 + t * 12'345) % (kSize - 2000);
        const Ranges wanted{{begin, begin + 1500}, {begin + 1900, begin + 2000}};
        const auto all = bytes.read_parts(wanted);
        for (const ByteRange& part : wanted) wrong += is_content(all, part) ? 0 : 1;
      }
      wrong += is_content(bytes, {0, kSize}) ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  const std::size_t read =
      std::accumulate(asked.parts.begin(), asked.parts.end(), std::size_t{0},
                      [](std::size_t sum, const ByteRange& part) { return sum + part.size(); });
  EXPECT_EQ(read, kSize - 100);
}

}  // namespace bytes_on_demand_test
}  // namespace sluice
