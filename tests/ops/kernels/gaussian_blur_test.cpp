#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/filter_reference.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/gaussian_blur.h>

#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace kernels_gaussian_blur_test {

using kernels::gaussian_blur;
using kernels::GaussianBlurParams;
using testing::make_picture;

std::vector<double> line_of(double sigma, int window) {
  std::vector<double> line;
  double sum = 0;
  for (int i = -(window / 2); i <= window / 2; ++i) {
    line.push_back(std::exp(-i * i / (2 * sigma * sigma)));
    sum += line.back();
  }
  for (double& weight : line) weight /= sum;
  return line;
}

struct Case {
  GaussianBlurParams params;
  double sigma_x, sigma_y;
  int window_x, window_y;
};

const Case kCases[] = {
    // The window of each sigma, and the sigma of each window.
    {{.sigma = 0.1f}, 0.1f, 0.1f, 3, 3},
    {{.sigma = 1}, 1, 1, 7, 7},
    {{.sigma = 1.5f}, 1.5, 1.5, 11, 11},
    {{.sigma = 2.5f, .sigma_y = 0.5f}, 2.5, 0.5, 17, 5},
    {{.window_size = 1}, 0.5, 0.5, 1, 1},
    {{.window_size = 3}, 0.8f, 0.8f, 3, 3},
    {{.window_size = 9}, 1.7f, 1.7f, 9, 9},
    {{.sigma_y = 2, .window_size = 5}, 1.1f, 2, 5, 5},
    {{.sigma = 8}, 8, 8, 49, 49},
    {{.sigma = 20, .window_size = 7}, 20, 20, 7, 7},
    {{.sigma = 0.5f, .window_size = 13}, 0.5, 0.5, 13, 13},
    {{.sigma = 1e-30f, .window_size = 5}, 1e-30, 1e-30, 5, 5},
};

// Blurs in two passes, in double precision.
double blurred(const Image& in, int y, int x, int c, const std::vector<double>& down,
               const std::vector<double>& across) {
  testing::Weights weights;
  for (const double row : down) {
    weights.emplace_back();
    for (const double column : across) weights.back().push_back(row * column);
  }
  return testing::weighted_sum(in, y, x, c, weights);
}

TEST(GaussianBlur, IsWithinOneLevelOfTheFormula) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.window_x * 1000 + c.window_y);
    const std::vector<double> down = line_of(c.sigma_y, c.window_y);
    const std::vector<double> across = line_of(c.sigma_x, c.window_x);
    for (const auto& [height, width] : testing::filter_sizes()) {
      const Image whole = make_picture(height + 2, width + 3, 1 + (height + width) % 4);
      const Image in = whole.crop_view(1, 2, height, width);
      Image out;
      gaussian_blur(in, c.params, out);
      ASSERT_EQ(out.height(), height);
      ASSERT_EQ(out.width(), width);
      ASSERT_EQ(out.channels(), in.channels());
      double differences = 0;
      for (int y = 0; y < height; ++y) {
        for (int i = 0; i < width * in.channels(); ++i) {
          const int x = i / in.channels(), k = i % in.channels();
          const double expected = blurred(in, y, x, k, down, across);
          const double difference = std::abs(out.at(y, x, k) - expected);
          ASSERT_LE(difference, 0.75) << y << " " << x;
          differences += difference;
        }
      }
      // Rounding alone makes a quarter of a level on average; nothing is shifted.
      if (height * width > 200) {
        EXPECT_LE(differences / (height * width * in.channels()), 0.27);
      }
    }
  }
}

TEST(GaussianBlur, IsTheSameOnEveryTarget) {
  for (const Case& c : kCases) {
    for (int channels = 1; channels <= 4; ++channels) {
      const Image in = make_picture(9, 61, channels);
      std::optional<Image> first;
      testing::on_every_target([&] {
        Image out;
        gaussian_blur(in, c.params, out);
        if (!first) first = out.clone();
        EXPECT_EQ(out, *first);
      });
    }
  }
}

TEST(GaussianBlur, LeavesWhatIsFlatAlone) {
  for (const int level : {0, 1, 77, 254, 255}) {
    for (const float sigma : {0.3f, 1.f, 8.f, 42.f}) {
      const Image in = testing::constant_picture(7, 70, 3, level);
      Image out;
      gaussian_blur(in, {.sigma = sigma}, out);
      EXPECT_EQ(out, in) << level << " " << sigma;
    }
  }
}

// The longest window, on what is worst for it: black and white in turns.
TEST(GaussianBlur, TheLongestWindowIsWithinOneLevelToo) {
  Image in(2, 300, 1);
  for (int x = 0; x < 300; ++x) in.row(0)[x] = in.row(1)[x] = x % 2 == 0 || x > 200 ? 255 : 0;
  Image out;
  gaussian_blur(in, {.sigma = kernels::kLargestSigma}, out);
  const std::vector<double> line = line_of(kernels::kLargestSigma, 253);
  for (int x = 0; x < 300; x += 23)
    EXPECT_LE(std::abs(out.at(0, x, 0) - blurred(in, 0, x, 0, line, line)), 0.75) << x;
}

TEST(GaussianBlur, RefusesWhatCannotBe) {
  const Image in = make_picture(4, 4, 3);
  Image out;
  const auto told = [&](const Image& image, const GaussianBlurParams& params) -> std::string {
    try {
      gaussian_blur(image, params, out);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(told(Image(), {.sigma = 1}), "gaussian_blur: the image is empty");
  EXPECT_EQ(told(Image(2, 2, 5), {.sigma = 1}),
            "gaussian_blur: the image has 5 channels; 1 to 4 are possible");
  EXPECT_EQ(told(in, {}), "gaussian_blur: give sigma, window_size or both");
  EXPECT_EQ(told(in, {.sigma = -1}), "gaussian_blur: sigma is -1; it must lie between 0 and 42");
  EXPECT_EQ(told(in, {.sigma = 1, .sigma_y = 43}),
            "gaussian_blur: sigma_y is 43; it must lie between 0 and 42");
  EXPECT_NE(told(in, {.sigma = std::numeric_limits<float>::quiet_NaN()}), "");
  EXPECT_NE(told(in, {.sigma = std::numeric_limits<float>::infinity()}), "");
  for (const int window : {-1, 2, 256, 257}) {
    EXPECT_EQ(told(in, {.window_size = window}),
              "gaussian_blur: window_size must be an odd number between 1 and 255, not " +
                  std::to_string(window));
  }
}

}  // namespace kernels_gaussian_blur_test
}  // namespace sluice
