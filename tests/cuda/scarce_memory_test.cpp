// What a pipeline does when its device has less memory than the samples under way would take: they
// wait for each other, and only one that is too large by itself is lost.
#include "tests/cuda/test_device.h"
#include <sluice/sluice.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace scarce_memory_test {

constexpr std::int64_t kSamples = 60;
constexpr std::int64_t kMiB = std::int64_t{1} << 20;

Image drawn(std::int64_t i, int side) {
  Image image(side, side, 3);
  for (int y = 0; y < side; ++y)
    std::memset(image.row(y), static_cast<int>((i * 7 + y) & 255), image.row_bytes());
  return image;
}

struct Made {
  std::vector<std::pair<std::int64_t, std::vector<std::uint8_t>>> pictures;
  std::vector<SampleError> errors;
};

Made epoch_of(Pipeline<Image>& pipeline) {
  Made made;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Image image = batch.get<0>()[i];
      made.pictures.emplace_back(
          batch.ids()[i], std::vector<std::uint8_t>(
                              image.data(), image.data() + image.height() * image.row_bytes()));
    }
    made.errors.insert(made.errors.end(), batch.errors().begin(), batch.errors().end());
  }
  return made;
}

// Pictures of `side`, and one of `large` in the middle.
Made make(const std::shared_ptr<Device>& device, std::int64_t most, int side, int large,
          int threads) {
  auto pipeline = make_pipeline(
      {.batch_size = 4,
       .seed = 3,
       .threads = threads,
       .device = device,
       .max_device_bytes = most,
       .on_error = OnError::skip},
      [&](Graph& g) {
        auto number =
            g.source(kSamples, [](const SampleInfo& info) { return info.index_in_epoch; });
        auto image = g.map(
            "draw", [=](std::int64_t i) { return drawn(i, i == kSamples / 2 ? large : side); },
            number);
        const bool there = device != nullptr;
        auto picture = there ? image.gpu() : image;
        auto small = resize(invert(picture), {.width = 20, .height = 10});
        return there ? small.cpu() : small;
      });
  return epoch_of(pipeline);
}

TEST(ScarceMemory, SamplesWaitForEachOther) {
  // 60 pictures of 0.75 MB and what is made of them: some 90 MB. What gathers keep is up to 16 MB.
  constexpr int kSide = 512;
  const Made expected = make(nullptr, 0, kSide, kSide, 2);
  ASSERT_EQ(expected.pictures.size(), static_cast<std::size_t>(kSamples));
  for (const std::int64_t most : {24 * kMiB, 60 * kMiB}) {
    for (const int threads : {1, 3}) {
      const Made made = make(test_device(), most, kSide, kSide, threads);
      EXPECT_TRUE(made.errors.empty())
          << most << ": " << made.errors.size() << ", " << made.errors.front().what;
      EXPECT_TRUE(made.pictures == expected.pictures) << most;
    }
  }
}

// What one sample has asked for in vain says nothing of the others.
TEST(ScarceMemory, OneThatIsTooLargeDoesNotMakeGathersSmall) {
  auto pipeline =
      make_pipeline({.batch_size = 16,
                     .threads = 2,
                     .device = test_device(),
                     .max_device_bytes = 24 * kMiB,
                     .on_error = OnError::skip},
                    [&](Graph& g) {
                      auto side = g.source(4 * kSamples, [](const SampleInfo& info) {
                        return info.epoch == 0 && info.index_in_epoch == 0 ? 4000 : 16;
                      });
                      auto image = g.map(
                          "draw", [](int pixels) { return drawn(0, pixels); }, side);
                      return resize(invert(image.gpu()), {.width = 20, .height = 10}).cpu();
                    });
  std::int64_t gathers = 0, samples = 0;
  std::size_t lost = 0;
  for (int epoch = 0; epoch < 4; ++epoch) {
    for (const auto& batch : pipeline.epoch()) lost += batch.errors().size();
    const DeviceStats now = pipeline.stats().device;
    if (epoch == 0) {
      gathers = now.gathers;
      samples = now.samples;
    } else if (epoch == 3) {
      EXPECT_LT(now.gathers - gathers, now.samples - samples);
    }
  }
  EXPECT_EQ(lost, 1u);
}

// Several gathers, one after the other: each keeps some memory while it is idle, which another one
// needs.
TEST(ScarceMemory, WhatIdleGathersKeepIsGivenToThoseThatWait) {
  const auto run = [](const std::shared_ptr<Device>& device, std::int64_t most, int threads) {
    auto pipeline =
        make_pipeline({.batch_size = 4,
                       .threads = threads,
                       .window = 8,
                       .device = device,
                       .max_device_bytes = most,
                       .on_error = OnError::skip},
                      [&](Graph& g) {
                        auto number = g.source(
                            kSamples, [](const SampleInfo& info) { return info.index_in_epoch; });
                        auto image = g.map(
                            "draw", [=](std::int64_t i) { return drawn(i, 256); }, number);
                        const bool there = device != nullptr;
                        auto picture = there ? image.gpu() : image;
                        for (int i = 0; i < 4; ++i) {  // each filter ends a gather
                          g.filter(mean(picture) < 1000.f);
                          picture = invert(picture);
                        }
                        auto small = resize(picture, {.width = 20, .height = 10});
                        return there ? small.cpu() : small;
                      });
    return epoch_of(pipeline);
  };
  const Made expected = run(nullptr, 0, 2);
  ASSERT_EQ(expected.pictures.size(), static_cast<std::size_t>(kSamples));
  for (const int threads : {1, 3}) {
    const std::int64_t most = threads == 1 ? 12 * kMiB : 20 * kMiB;
    const Made made = run(test_device(), most, threads);
    EXPECT_TRUE(made.errors.empty())
        << most << ": " << made.errors.size() << ", " << made.errors.front().what;
    EXPECT_TRUE(made.pictures == expected.pictures) << most;
  }
}

TEST(ScarceMemory, OneThatIsTooLargeCostsItself) {
  const Made made = make(test_device(), 48 * kMiB, 256, 3000, 2);
  EXPECT_EQ(made.pictures.size(), static_cast<std::size_t>(kSamples - 1));
  ASSERT_EQ(made.errors.size(), 1U);
  EXPECT_EQ(made.errors.front().key.index, kSamples / 2);
  EXPECT_NE(made.errors.front().what.find("max_device_bytes"), std::string::npos)
      << made.errors.front().what;
}

}  // namespace scarce_memory_test
}  // namespace sluice::device
