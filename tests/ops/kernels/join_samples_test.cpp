// tiles_of and join_samples: every pixel of a mosaic comes from one place.
#include <sluice/ops/kernels/join_samples.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::kernels {
namespace join_samples_test {

TEST(TilesOf, CoverThePictureOnce) {
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

TEST(JoinSamples, WhatIsNoPictureIsRefused) {
  for (const Shape& shape : {Shape{4}, Shape{2, 2}, Shape{2, 2, 2, 2}})
    EXPECT_THROW((void)picture_side({shape, DType::u8}), std::invalid_argument);
}

}  // namespace join_samples_test
}  // namespace sluice::kernels
