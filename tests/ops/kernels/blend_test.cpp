#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/filter_reference.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/blend.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace blend_test {

using kernels::blend;
using kernels::weighted_sum;

// Pictures of one shape, each a part of a larger one: rows do not follow each other.
struct Pictures {
  Pictures(int height, int width, int channels, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      whole.push_back(testing::make_picture(height + 2, width + 1, channels,
                                            static_cast<std::uint32_t>(k) + 1));
      parts.push_back(whole.back().crop_view(1, 1, height, width));
    }
  }
  std::vector<Image> whole, parts;
};

void expect_near(const Image& out, const std::vector<Image>& pictures,
                 const std::vector<float>& weights, double most) {
  for (int y = 0; y < out.height(); ++y) {
    for (std::size_t i = 0; i < out.row_bytes(); ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < pictures.size(); ++k)
        sum += static_cast<double>(weights[k]) * pictures[k].row(y)[i];
      ASSERT_LE(std::abs(out.row(y)[i] - std::min(sum, 255.0)), most) << y << " " << i;
    }
  }
}

TEST(Blend, FollowsTheFormulaOnEveryTarget) {
  for (const float weight : {0.f, 0.001f, 0.3f, 0.5f, 0.75f, 0.9999f, 1.f}) {
    for (const testing::FilterSize& size : testing::filter_sizes()) {
      for (int channels = 1; channels <= 4; ++channels) {
        const Pictures two(size.height, size.width, channels, 2);
        const std::vector<Image>& pictures = two.parts;
        testing::on_every_target([&] {
          Image out;
          blend(pictures[0], pictures[1], weight, out);
          ASSERT_EQ(out.height(), size.height);
          ASSERT_EQ(out.width(), size.width);
          ASSERT_EQ(out.channels(), channels);
          expect_near(out, pictures, {1 - weight, weight}, 0.516);
        });
      }
    }
  }
}

TEST(Blend, OfTwoWholeHalvesIsExact) {
  Image a(256, 256, 1), b(256, 256, 1);
  for (int y = 0; y < 256; ++y) {
    for (int x = 0; x < 256; ++x) {
      a.row(y)[x] = static_cast<std::uint8_t>(y);
      b.row(y)[x] = static_cast<std::uint8_t>(x);
    }
  }
  Image out;
  blend(a, b, 0.5f, out);
  for (int y = 0; y < 256; ++y) {
    for (int x = 0; x < 256; ++x) ASSERT_EQ(out.row(y)[x], (x + y + 1) / 2) << y << " " << x;
  }
  blend(a, b, 0.f, out);
  EXPECT_EQ(out, a);
  blend(a, b, 1.f, out);
  EXPECT_EQ(out, b);
}

TEST(WeightedSum, FollowsTheFormulaOnEveryTarget) {
  const std::vector<std::vector<float>> cases = {
      {1.f}, {0.25f}, {0.2f, 0.5f, 0.3f}, {0.1f, 0.2f, 0.3f, 0.15f, 0.25f}, {1.f, 1.f, 0.5f}};
  for (const std::vector<float>& weights : cases) {
    for (const testing::FilterSize& size : testing::filter_sizes()) {
      const Pictures several(size.height, size.width, 3, weights.size());
      const std::vector<Image>& pictures = several.parts;
      testing::on_every_target([&] {
        Image out;
        weighted_sum(pictures, weights, out);
        expect_near(out, pictures, weights, 0.5 + 0.008 * static_cast<double>(weights.size()));
      });
    }
  }
}

// What is cut off stays cut off, whatever comes after it.
TEST(WeightedSum, IsTheSameOnEveryTarget) {
  std::vector<Image> pictures;
  for (std::uint32_t k = 1; k <= 4; ++k) pictures.push_back(testing::make_picture(9, 77, 3, k));
  const std::vector<float> weights = {0.9f, 0.8f, 0.0004f, 0.61f};
  Image first;
  testing::on_every_target([&] {
    Image out;
    weighted_sum(pictures, weights, out);
    if (first.empty()) first = out.clone();
    EXPECT_EQ(out, first);
  });
}

TEST(WeightedSum, OfWeightsThatAddUpToOneLeavesAFlatPicture) {
  for (int level = 0; level < 256; ++level) {
    Image flat(2, 33, 1);
    for (int y = 0; y < 2; ++y) std::fill_n(flat.row(y), 33, static_cast<std::uint8_t>(level));
    std::vector<Image> pictures;
    for (int k = 0; k < 7; ++k) pictures.push_back(flat.clone());
    Image out;
    weighted_sum(pictures, std::vector<float>(7, 1.f / 7), out);
    EXPECT_EQ(out, flat) << level;
  }
}

TEST(WeightedSum, RefusesWhatCannotBe) {
  const Image a = testing::make_picture(4, 4, 3), gray = testing::make_picture(4, 4, 1),
              wide = testing::make_picture(4, 5, 3);
  const auto error_of = [](const auto& call) -> std::string {
    try {
      Image out;
      call(out);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "no error";
  };
  const auto sum_error = [&](const std::vector<Image>& pictures, const std::vector<float>& w) {
    return error_of([&](Image& out) { weighted_sum(pictures, w, out); });
  };
  const auto two = [&](const Image& x, const Image& y) {
    std::vector<Image> both;
    both.push_back(x.clone());
    both.push_back(y.clone());
    return both;
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const struct {
    std::string error, says;
  } cases[] = {
      {error_of([&](Image& out) { blend(a, gray, 0.5f, out); }),
       "blend: one picture is 4 x 4 with 3 channels, another one 4 x 4 with 1"},
      {error_of([&](Image& out) { blend(a, wide, 0.5f, out); }), "another one 4 x 5 with 3"},
      {error_of([&](Image& out) { blend(Image(), Image(), 0.5f, out); }), "blend: "},
      {error_of([&](Image& out) { blend(a, a, 1.5f, out); }),
       "blend: weight is 1.5; it must lie between 0 and 1"},
      {error_of([&](Image& out) { blend(a, a, nan, out); }), "blend: weight"},
      {sum_error({}, {}), "weighted_sum: there are no pictures"},
      {sum_error(two(a, a), {1.f}), "weighted_sum: there are 2 pictures and 1 weights"},
      {sum_error(std::vector<Image>(65), std::vector<float>(65)),
       "weighted_sum: there are 65 pictures; 64 are the most"},
      {sum_error(two(a, wide), {0.5f, 0.5f}), "weighted_sum: one picture is 4 x 4"},
      {sum_error(two(a, a), {0.5f, -0.1f}), "weighted_sum: weight is -0.1"},
  };
  for (const auto& c : cases) EXPECT_NE(c.error.find(c.says), std::string::npos) << c.error;
}

}  // namespace blend_test
}  // namespace sluice
