// Batches whose samples are mixed with each other.
#include "tests/every_target.h"
#include <sluice/ops/kernels/blend_rows.h>
#include <sluice/ops/kernels/mix.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace mix_samples_test {

using kernels::cut_samples;
using kernels::last_sample;
using kernels::mix_samples;
using kernels::SampleBlock;

template <class T>
struct Samples {
  std::vector<T> numbers;
  SampleBlock block;

  Samples(std::size_t count, const Shape& shape, Layout layout) {
    const auto each = static_cast<std::size_t>(shape.elements());
    for (std::size_t i = 0; i < count * each; ++i)
      numbers.push_back(T(static_cast<float>((i * 37 + i / 7) % 256)));
    block = {
        reinterpret_cast<std::byte*>(numbers.data()), count, {shape, dtype_of<T>::value, layout}};
  }
  std::size_t each() const { return static_cast<std::size_t>(block.sample.shape.elements()); }
};

template <class T>
void expect_mixed(double tolerance) {
  for (const std::size_t count : {0u, 1u, 2u, 3u, 7u}) {
    for (const Shape& shape : {Shape{1}, Shape{3, 5, 7}, Shape{1000}}) {
      for (const double weight : {0.0, 0.25, 0.7, 1.0}) {
        Samples<T> samples(count, shape, Layout::none);
        const Samples<T> before(count, shape, Layout::none);
        mix_samples(samples.block, last_sample(samples.block), weight);
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t other = (i + count - 1) % count;
          for (std::size_t k = 0; k < samples.each(); ++k) {
            const auto own = static_cast<double>(float(before.numbers[i * samples.each() + k]));
            const auto from =
                static_cast<double>(float(before.numbers[other * samples.each() + k]));
            ASSERT_NEAR(static_cast<double>(float(samples.numbers[i * samples.each() + k])),
                        weight * own + (1 - weight) * from, tolerance)
                << count << " samples, weight " << weight << ": " << i << ", " << k;
          }
        }
      }
    }
  }
}

TEST(MixSamples, EachGetsAShareOfTheOneBefore) {
  expect_mixed<std::uint8_t>(0.516);
  expect_mixed<float>(1e-4);
  expect_mixed<Half>(0.13);
  expect_mixed<BFloat16>(0.51);
}

TEST(CutSamples, TheRegionIsThatOfTheOneBefore) {
  const Rectangle regions[] = {{}, {0, 0, 5, 4}, {1, 2, 3, 1}, {4, 3, 1, 1}, {2, 0, 0, 3}};
  for (const Layout layout : {Layout::hwc, Layout::chw}) {
    for (const std::size_t count : {1u, 2u, 5u}) {
      for (const Rectangle& region : regions) {
        const bool chw = layout == Layout::chw;
        const Shape shape = chw ? Shape{3, 5, 4} : Shape{5, 4, 3};
        Samples<float> samples(count, shape, layout);
        const Samples<float> before(count, shape, layout);
        cut_samples(samples.block, last_sample(samples.block), region);
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t other = (i + count - 1) % count;
          for (int y = 0; y < 5; ++y) {
            for (int x = 0; x < 4; ++x) {
              const bool inside = y >= region.y && y < region.y + region.height && x >= region.x &&
                                  x < region.x + region.width;
              for (int c = 0; c < 3; ++c) {
                const auto k =
                    static_cast<std::size_t>(chw ? (c * 5 + y) * 4 + x : (y * 4 + x) * 3 + c);
                ASSERT_EQ(samples.numbers[i * 60 + k],
                          before.numbers[(inside ? other : i) * 60 + k])
                    << i << ": " << y << ", " << x << ", " << c;
              }
            }
          }
        }
      }
    }
  }
}

TEST(CutSamples, RefusesWhatCannotBe) {
  const auto error_of = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "no error";
  };
  Samples<float> images(2, {5, 4, 3}, Layout::hwc), flat(2, {60}, Layout::none),
      none(2, {5, 4, 3}, Layout::none);
  const auto cut = [&](Samples<float>& samples, const Rectangle& region) {
    return error_of([&] { cut_samples(samples.block, last_sample(samples.block), region); });
  };
  EXPECT_NE(cut(flat, {}).find("images have 3 dimensions, HWC or CHW"), std::string::npos);
  EXPECT_NE(cut(none, {}).find("HWC or CHW"), std::string::npos);
  for (const Rectangle& region :
       {Rectangle{0, 0, 6, 1}, Rectangle{0, 0, 1, 5}, Rectangle{-1, 0, 1, 1}, Rectangle{4, 0, 2, 1},
        Rectangle{0, 0, 1, -1}, Rectangle{0, 2147483647, 1, 2147483647}})
    EXPECT_NE(cut(images, region).find("does not lie inside images of 4 x 5"), std::string::npos);
  std::int64_t numbers[2] = {};
  const SampleBlock whole{reinterpret_cast<std::byte*>(numbers), 2, {{1}, DType::i64}};
  EXPECT_NE(error_of([&] {
              mix_samples(whole, last_sample(whole), 0.5);
            }).find("elements are i64; only u8, f16, bf16 and f32 can be mixed"),
            std::string::npos);
}

}  // namespace mix_samples_test

namespace mix_rows_test {

// Every half that is a number, subnormal ones too, beside one that differs.
TEST(MixHalves, AreTheSameOnEveryTarget) {
  std::vector<Half> own, other;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7c00) == 0x7c00) continue;
    Half half;
    half.bits = static_cast<std::uint16_t>(bits);
    own.push_back(half);
    half.bits = static_cast<std::uint16_t>((bits * 40503u) & 0xbbff);
    other.push_back(half);
  }
  for (const float weight : {0.f, 0.3f, 0.5f, 0.9999f, 1.f}) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{13}, own.size()}) {
      testing::on_every_target([&] {
        std::vector<Half> mixed = own;
        kernels::mix_halves(other.data(), weight, 1 - weight, count, mixed.data());
        for (std::size_t i = 0; i < own.size(); ++i) {
          const float product = weight * static_cast<float>(own[i]);
          const float rest = (1 - weight) * static_cast<float>(other[i]);
          const Half expected = i < count ? Half(product + rest) : own[i];
          ASSERT_EQ(mixed[i].bits, expected.bits) << i << " " << weight;
        }
      });
    }
  }
}

}  // namespace mix_rows_test
}  // namespace sluice

namespace sluice::kernels {
// tiles_of and join_samples: every pixel of a mosaic comes from one place.
namespace join_samples_test {

TEST(TilesOf, CoverTheImageOnce) {
  constexpr int kHeight = 5, kWidth = 8;
  for (int first = 0; first < 4; ++first) {
    for (int y = 0; y <= kHeight; ++y) {
      for (int x = 0; x <= kWidth; ++x) {
        const auto tiles = tiles_of({true, x, y, first}, 1, 6, kHeight, kWidth);
        std::vector<int> seen(kHeight * kWidth);
        for (std::size_t k = 0; k < tiles.size(); ++k) {
          EXPECT_EQ(tiles[k].from, (7 - k) % 6) << "itself, then those before";
          const Rectangle& r = tiles[k].region;
          for (int row = r.y; row < r.y + r.height; ++row) {
            for (int column = r.x; column < r.x + r.width; ++column) {
              const int pixel = row * kWidth + column;
              ++seen[static_cast<std::size_t>(pixel)];
              // It shows an existing pixel of its image.
              EXPECT_TRUE(row >= tiles[k].y && row < tiles[k].y + kHeight);
              EXPECT_TRUE(column >= tiles[k].x && column < tiles[k].x + kWidth);
            }
          }
        }
        for (const int times : seen) ASSERT_EQ(times, 1);
      }
    }
  }
}

// A batch of 3 images whose numbers identify sample, row and column.
template <class T>
std::vector<T> numbers(bool planes, int height, int width, int channels) {
  std::vector<T> all;
  for (int i = 0; i < 3; ++i) {
    for (int a = 0; a < (planes ? channels : height); ++a)
      for (int b = 0; b < (planes ? height : width); ++b)
        for (int c = 0; c < (planes ? width : channels); ++c) {
          const int row = planes ? b : a, column = planes ? c : b, channel = planes ? a : c;
          all.push_back(static_cast<T>(64 * i + 16 * row + 4 * column + channel));
        }
  }
  return all;
}

template <class T>
void expect_joined(DType dtype, bool planes) {
  constexpr int kHeight = 3, kWidth = 4, kChannels = 2;
  const Shape shape =
      planes ? Shape{kChannels, kHeight, kWidth} : Shape{kHeight, kWidth, kChannels};
  const std::vector<T> before = numbers<T>(planes, kHeight, kWidth, kChannels);
  std::vector<T> after = before;
  const SampleBlock block{reinterpret_cast<std::byte*>(after.data()),
                          3,
                          {shape, dtype, planes ? Layout::chw : Layout::hwc}};
  const std::vector<Join> joins{{true, 1, 2, 0}, {}, {true, 4, 0, 3}};
  join_samples(block, joins);
  const auto at = [&](const std::vector<T>& of, std::size_t i, int y, int x, int c) {
    const int place = planes ? (c * kHeight + y) * kWidth + x : (y * kWidth + x) * kChannels + c;
    return of[i * kHeight * kWidth * kChannels + static_cast<std::size_t>(place)];
  };
  for (std::size_t i = 0; i < joins.size(); ++i) {
    const auto tiles = tiles_of(joins[i], i, joins.size(), kHeight, kWidth);
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        for (int c = 0; c < kChannels; ++c) {
          T expected = at(before, i, y, x, c);
          for (const Tile& tile : tiles) {
            const Rectangle& r = tile.region;
            const bool inside = y >= r.y && y < r.y + r.height && x >= r.x && x < r.x + r.width;
            if (joins[i].joined && inside)
              expected = at(before, tile.from, y - tile.y, x - tile.x, c);
          }
          EXPECT_EQ(at(after, i, y, x, c), expected) << i << ": " << y << ", " << x << ", " << c;
        }
      }
    }
  }
}

TEST(JoinSamples, OfAllTypesAndLayouts) {
  for (const bool planes : {false, true}) {
    expect_joined<std::uint8_t>(DType::u8, planes);
    expect_joined<std::uint16_t>(DType::f16, planes);
    expect_joined<float>(DType::f32, planes);
  }
}

TEST(JoinSamples, WhatIsNoImageIsRefused) {
  for (const Shape& shape : {Shape{4}, Shape{2, 2}, Shape{2, 2, 2, 2}})
    EXPECT_THROW((void)image_side({shape, DType::u8}), std::invalid_argument);
}

}  // namespace join_samples_test
}  // namespace sluice::kernels
