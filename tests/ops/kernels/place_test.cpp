// Pictures on others and on canvases, and regions that reach beyond a picture: pixel by pixel.
#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/crop.h>
#include <sluice/ops/kernels/expand.h>
#include <sluice/ops/kernels/paste.h>

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace sluice {
namespace {

using testing::make_picture;
using testing::on_small_pictures;
using testing::refusal;

constexpr int kColour[] = {7, 77, 177, 250};
const Fill kFill(7, 77, 177, 250);
constexpr int kFar = 2147483647;

bool holds(const Image& in, int y, int x) {
  return y >= 0 && x >= 0 && y < in.height() && x < in.width();
}

TEST(CropPadded, IsFilledOutside) {
  const Rectangle regions[] = {{0, 0, 1, 1},   {-2, -3, 4, 6},  {1, 1, 9, 200},
                               {-9, 40, 5, 5}, {kFar, 0, 2, 2}, {0, -kFar - 1, 2, 3}};
  on_small_pictures({1, 2, 3, 4}, [&](const Image& in) {
    for (const Rectangle& region : regions) {
      Image out;
      kernels::crop_padded(in, region, kFill, out);
      ASSERT_EQ(out.height(), region.height);
      ASSERT_EQ(out.width(), region.width);
      for (int y = 0; y < out.height(); ++y) {
        for (int x = 0; x < out.width(); ++x) {
          const std::int64_t row = std::int64_t{region.y} + y, column = std::int64_t{region.x} + x;
          const bool inside = row >= 0 && column >= 0 && row < in.height() && column < in.width();
          for (int c = 0; c < in.channels(); ++c) {
            ASSERT_EQ(
                out.at(y, x, c),
                inside ? in.at(static_cast<int>(row), static_cast<int>(column), c) : kColour[c]);
          }
        }
      }
    }
  });
  Image out;
  EXPECT_NE(refusal([&] {
              kernels::crop_padded(make_picture(2, 2, 1), {0, 0, 0, 1}, 0, out);
            }),
            "");
}

TEST(CropTrimmed, IsWhatBothHave) {
  const struct {
    Rectangle region, expected;
  } cases[] = {{{0, 0, 5, 7}, {0, 0, 5, 7}},
               {{-2, -3, 4, 6}, {0, 0, 2, 3}},
               {{4, 6, 100, 100}, {4, 6, 1, 1}},
               {{-1, 2, kFar, kFar}, {0, 2, 5, 5}}};
  for (const auto& [region, expected] : cases) EXPECT_EQ(kernels::trimmed(region, 5, 7), expected);
  EXPECT_EQ(refusal([] {
              (void)kernels::trimmed({5, 0, 2, 3}, 5, 7);
            }),
            "crop: a region of 2 x 3 (height x width) at y = 5, x = 0 has nothing of the picture "
            "of 5 x 7");
  for (const Rectangle& none : {Rectangle{-2, 0, 2, 2}, Rectangle{0, 7, 1, 1},
                                Rectangle{1, 1, 0, 3}, Rectangle{1, 1, 3, -1}})
    EXPECT_NE(refusal([&] { (void)kernels::trimmed(none, 5, 7); }), "");
}

TEST(Expand, StandsOnACanvas) {
  const kernels::ExpandParams all[] = {{1, 0, 0}, {1.5f, 0.5f, 0.5f}, {3.7f, 1, 0.25f}, {2, 0, 1}};
  on_small_pictures({1, 3, 4}, [&](const Image& in) {
    for (const auto& params : all) {
      Image out;
      kernels::expand(in, params, kFill, out);
      const double ratio = static_cast<double>(params.ratio);
      ASSERT_EQ(out.height(), std::lround(in.height() * ratio));
      ASSERT_EQ(out.width(), std::lround(in.width() * ratio));
      const auto top = std::lround((out.height() - in.height()) * static_cast<double>(params.y));
      const auto left = std::lround((out.width() - in.width()) * static_cast<double>(params.x));
      for (int y = 0; y < out.height(); ++y) {
        for (int x = 0; x < out.width(); ++x) {
          const int row = y - static_cast<int>(top), column = x - static_cast<int>(left);
          for (int c = 0; c < in.channels(); ++c)
            ASSERT_EQ(out.at(y, x, c), holds(in, row, column) ? in.at(row, column, c) : kColour[c]);
        }
      }
    }
  });
  const Image in = make_picture(3, 4, 1);
  Image out;
  EXPECT_EQ(refusal([&] {
              kernels::expand(in, {0.5f, 0, 0}, 0, out);
            }),
            "expand: ratio is 0.5; it must be at least 1");
  EXPECT_EQ(refusal([&] {
              kernels::expand(in, {2, 0, 1.5f}, 0, out);
            }),
            "expand: x is 1.5; it must lie between 0 and 1");
  EXPECT_NE(refusal([&] { kernels::expand(in, {std::nanf(""), 0, 0}, 0, out); }), "");
  EXPECT_NE(refusal([&] { kernels::expand(in, {60000, 0, 0}, 0, out); }), "");
}

TEST(Paste, IsMixedWhereItLies) {
  const kernels::PastePlace places[] = {{0, 0, 1},  {1, 2, 0.3f},     {-2, -1, 1}, {2, 60, 0.5f},
                                        {-9, 0, 1}, {kFar, -kFar, 1}, {0, 0, 0}};
  on_small_pictures({1, 2, 3, 4}, [&](const Image& in) {
    const Image patch = make_picture(4, 9, in.channels(), 7), mask = make_picture(4, 9, 1, 5);
    for (const auto& place : places) {
      for (const Image* m : {static_cast<const Image*>(nullptr), &mask}) {
        Image out;
        kernels::paste(in, patch, m, place, out);
        for (int y = 0; y < in.height(); ++y) {
          for (int x = 0; x < in.width(); ++x) {
            const std::int64_t row = std::int64_t{y} - place.y, column = std::int64_t{x} - place.x;
            const bool covered = row >= 0 && column >= 0 && row < 4 && column < 9;
            for (int c = 0; c < in.channels(); ++c) {
              double expected = in.at(y, x, c);
              if (covered) {
                const int r = static_cast<int>(row), k = static_cast<int>(column);
                const double weight = std::round(static_cast<double>(place.alpha) *
                                                 (m == nullptr ? 255.0 : mask.at(r, k, 0)));
                expected += (patch.at(r, k, c) - expected) * weight / 255;
              }
              // Halves do not occur: 255 is odd.
              ASSERT_EQ(out.at(y, x, c), std::round(expected)) << y << " " << x;
            }
          }
        }
      }
    }
  });
  const Image in = make_picture(3, 4, 3), gray = make_picture(3, 4, 1),
              small = make_picture(2, 2, 1);
  Image out;
  EXPECT_EQ(refusal([&] { kernels::paste(in, gray, nullptr, {}, out); }),
            "paste: the picture has 3 channels and what is pasted 1; make them of one kind first");
  EXPECT_EQ(refusal([&] { kernels::paste(in, in, &small, {}, out); }),
            "paste: the mask is 2 x 2 (height x width) with 1 channels; it must be 3 x 4, as what "
            "is pasted, with one");
  EXPECT_NE(refusal([&] { kernels::paste(in, in, &in, {}, out); }), "");
  EXPECT_NE(refusal([&] { kernels::paste(in, in, nullptr, {0, 0, 1.5f}, out); }), "");
}

}  // namespace
}  // namespace sluice
