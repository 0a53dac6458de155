// Kernels that make each value from those around it.
#include "tests/every_target.h"
#include "tests/ops/kernels/filter_reference.h"
#include "tests/ops/kernels/image_kernel.h"
#include <sluice/ops/kernels/blur.h>
#include <sluice/ops/kernels/filter.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::testing {
namespace filters_test {

using kernels::FilterWeights;
using kernels::GaussianBlurParams;
using kernels::MorphologyWindow;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Small sizes that are odd in some way, and one that is wider than any vector.
const std::vector<ImageSize> kSizes = {{1, 1},  {1, 2}, {2, 1},   {1, 17},
                                       {13, 1}, {3, 3}, {11, 23}, {5, 97}};

// The default sizes up to this width.
std::vector<ImageSize> small_sizes_up_to(int width) {
  std::vector<ImageSize> sizes(std::begin(kSmallSizes), std::end(kSmallSizes));
  std::erase_if(sizes, [&](const ImageSize& size) { return size.width > width; });
  return sizes;
}

std::string window_message(const std::string& op, int window) {
  return op + ": window_size must be an odd number between 1 and 255, not " +
         std::to_string(window);
}

const Weights kSmooth = {{1, 1, 1}, {1, 5, 1}, {1, 1, 1}};

Levels sharpened(const Image& in, double factor) {
  Levels out(in);
  out.fill([&](int y, int x, int c) {
    const double level = in.at(y, x, c);
    if (y == 0 || x == 0 || y == in.height() - 1 || x == in.width() - 1) return level;
    const double smooth = std::floor(weighted_sum(in, y, x, c, kSmooth) / 13 + 0.5);
    return std::clamp(smooth + factor * (level - smooth), 0.0, 255.0);
  });
  return out;
}

ImageKernel sharpness() {
  ImageKernel kernel("sharpness");
  kernel.sizes = kSizes;
  kernel.sizes.push_back({9, 33});
  const auto with = [](float factor) {
    return [=](const Image& in, Image& out) { kernels::sharpness(in, factor, out); };
  };
  for (const float factor :
       {0.f, 0.1f, 0.3f, 0.5f, 1.f, 1.5f, 1.7f, 1.9f, 2.f, 7.3f, 33.f, 100.f}) {
    kernel.gives(
        "factor " + std::to_string(factor), with(factor),
        [=](const Image& in) { return sharpened(in, double{factor}); },
        // The kernel has 16 bits for a factor, which is coarse for large ones.
        factor > 10 ? 1.0 : 0.52);
  }
  kernel.refuses(with(kNan), "sharpness: factor is nan; a finite number is needed");
  kernel.refuses(with(-0.5f), "sharpness: factor is -0.5; it must lie between 0 and 100");
  kernel.refuses(with(101), "sharpness: factor is 101; it must lie between 0 and 100");
  return kernel;
}

// Every possible mean: the division by 13 is exact.
TEST(Sharpness, RoundsMeansToNearest) {
  for (int sum = 0; sum <= 13 * 255; ++sum) {
    Image in(3, 3, 1);
    const int center = sum > 13 * 254 ? 255 : sum / 13;
    in.row(1)[1] = static_cast<std::uint8_t>(center);
    int left = sum - 5 * center;
    for (int i = 0; i < 9; ++i) {
      if (i == 4) continue;
      const int level = std::min(255, left);
      in.row(i / 3)[i % 3] = static_cast<std::uint8_t>(level);
      left -= level;
    }
    ASSERT_EQ(left, 0);
    Image out;
    kernels::sharpness(in, 0, out);
    ASSERT_EQ(out.at(1, 1, 0), (2 * sum + 13) / 26) << sum;
  }
}

// The weighted sums along columns and then along rows, with reflected borders.
Levels separable(const Image& in, const std::vector<double>& down,
                 const std::vector<double>& across) {
  const auto blur = [](const Levels& from, const std::vector<double>& line, bool along_rows) {
    const int reach = static_cast<int>(line.size()) / 2;
    const int length = along_rows ? from.width : from.height;
    Levels to(from.height, from.width, from.channels);
    for (int at = 0; at < length; ++at) {
      for (int i = -reach; i <= reach; ++i) {
        const int source = folded(at + i, length);
        const double weight = *(line.begin() + reach + i);
        for (int other = 0; other < (along_rows ? from.height : from.width); ++other) {
          for (int c = 0; c < from.channels; ++c) {
            if (along_rows) {
              to.at(other, at, c) += weight * from.at(other, source, c);
            } else {
              to.at(at, other, c) += weight * from.at(source, other, c);
            }
          }
        }
      }
    }
    return to;
  };
  return blur(blur(Levels(in), down, false), across, true);
}

std::vector<double> gaussian(double sigma, int window) {
  std::vector<double> line;
  double sum = 0;
  for (int i = -(window / 2); i <= window / 2; ++i) {
    line.push_back(std::exp(-i * i / (2 * sigma * sigma)));
    sum += line.back();
  }
  for (double& weight : line) weight /= sum;
  return line;
}

// No value is further from the exact sum than this.
constexpr double kGaussianError = 0.75;

ImageKernel gaussian_blur() {
  ImageKernel kernel("gaussian_blur");
  kernel.sizes = kSizes;
  const auto with = [](const GaussianBlurParams& params) {
    return [=](const Image& in, Image& out) { kernels::gaussian_blur(in, params, out); };
  };
  const struct {
    GaussianBlurParams params;
    double sigma_x, sigma_y;
    int window_x, window_y;
  } cases[] = {
      // The window that follows from a sigma, and the sigma that follows from a window.
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
  for (const auto& c : cases) {
    kernel.gives(
        "sigma " + std::to_string(c.params.sigma) + ", sigma_y " +
            std::to_string(c.params.sigma_y) + ", window_size " +
            std::to_string(c.params.window_size),
        with(c.params),
        [down = gaussian(c.sigma_y, c.window_y), across = gaussian(c.sigma_x, c.window_x)](
            const Image& in) { return separable(in, down, across); },
        kGaussianError);
  }
  const std::string op = "gaussian_blur: ";
  kernel.refuses(with({}), op + "give sigma, window_size or both");
  kernel.refuses(with({.sigma = -1}), op + "sigma is -1; it must lie between 0 and 42");
  kernel.refuses(with({.sigma = 1, .sigma_y = 43}),
                 op + "sigma_y is 43; it must lie between 0 and 42");
  kernel.refuses(with({.sigma = kNan}), op + "sigma is nan; a finite number is needed");
  kernel.refuses(with({.sigma = kInfinity}), op + "sigma is inf; a finite number is needed");
  for (const int window : {-1, 2, 256, 257})
    kernel.refuses(with({.window_size = window}), window_message("gaussian_blur", window));
  return kernel;
}

// Rounding alone gives a mean error of a quarter. A larger mean would be a shift.
TEST(GaussianBlur, HasNoBias) {
  for (const ImageKernel::Setting& setting : gaussian_blur().settings) {
    for (const auto& [height, width] : {ImageSize{11, 23}, {5, 97}}) {
      const Image in = make_image(height, width, 3);
      Image out;
      setting.run(in, out);
      const Levels exact = setting.formula(in);
      double error = 0;
      for (std::size_t i = 0; i < exact.levels.size(); ++i)
        error += std::abs(out.data()[i] - exact.levels[i]);
      EXPECT_LE(error / static_cast<double>(exact.levels.size()), 0.27) << setting.arguments;
    }
  }
}

// The longest window, with its worst input: black and white pixels side by side.
TEST(GaussianBlur, IsExactEnoughWithTheLongestWindow) {
  Image in(2, 300, 1);
  for (int x = 0; x < 300; ++x) in.row(0)[x] = in.row(1)[x] = x % 2 == 0 || x > 200 ? 255 : 0;
  Image out;
  kernels::gaussian_blur(in, {.sigma = kernels::kLargestSigma}, out);
  const std::vector<double> line = gaussian(double{kernels::kLargestSigma}, 253);
  EXPECT_EQ(difference(out, separable(in, line, line), kGaussianError), std::nullopt);
}

// In whole numbers.
Levels box_means(const Image& in, int window) {
  const std::vector<double> ones(static_cast<std::size_t>(window), 1.0);
  Levels out = separable(in, ones, ones);
  const int area = window * window;
  for (double& sum : out.levels) {
    const int mean = (static_cast<int>(sum) + area / 2) / area;
    sum = mean;
  }
  return out;
}

ImageKernel box_blur() {
  ImageKernel kernel("box_blur");
  kernel.sizes = kSizes;
  const auto with = [](int window) {
    return [=](const Image& in, Image& out) { kernels::box_blur(in, window, out); };
  };
  for (const int window : {1, 3, 5, 7, 9, 11, 13, 15, 17, 33, 127, 255}) {
    kernel.gives("window " + std::to_string(window), with(window),
                 [=](const Image& in) { return box_means(in, window); });
  }
  for (const int window : {-1, 0, 4, 256, 257})
    kernel.refuses(with(window), window_message("box_blur", window));
  return kernel;
}

// Sums as large as possible, and means just above or below a half.
TEST(BoxBlur, RoundsToNearestAtTheEndsOfTheScale) {
  for (const int window : {3, 5, 7, 9, 11, 13, 15, 17, 181, 253, 255}) {
    for (const int level : {0, 1, 127, 254}) {
      Image in(window > 17 ? 3 : window + 2, window + 2, 1);
      // Every other value is higher by 1, so the mean is about half a pixel value higher.
      for (int y = 0; y < in.height(); ++y) {
        for (int x = 0; x < in.width(); ++x)
          in.row(y)[x] = static_cast<std::uint8_t>(level + (x + y) % 2);
      }
      const Levels expected = box_means(in, window);
      on_every_target([&] {
        Image out;
        kernels::box_blur(in, window, out);
        EXPECT_EQ(difference(out, expected, 0), std::nullopt) << window << " " << level;
      });
    }
  }
}

TEST(Blurs, LeaveFlatImagesAlone) {
  Image out;
  for (const int level : {0, 1, 77, 254, 255}) {
    for (const float sigma : {0.3f, 1.f, 8.f, 42.f}) {
      const Image in = constant_image(7, 70, 3, level);
      kernels::gaussian_blur(in, {.sigma = sigma}, out);
      EXPECT_EQ(out, in) << level << " " << sigma;
    }
  }
  for (const int window : {1, 3, 7, 255}) {
    const Image in = constant_image(5, 40, 3, 255);
    kernels::box_blur(in, window, out);
    EXPECT_EQ(out, in) << window;
  }
}

ImageKernel median_blur() {
  ImageKernel kernel("median_blur");
  kernel.sizes = kSizes;
  const auto with = [](int window) {
    return [=](const Image& in, Image& out) { kernels::median_blur(in, window, out); };
  };
  for (const int window : {3, 5}) {
    kernel.gives("window " + std::to_string(window), with(window), [=](const Image& in) {
      Levels out(in);
      out.fill([&](int y, int x, int c) {
        std::vector<int> levels;
        for (int i = 0; i < window * window; ++i) {
          levels.push_back(in.at(std::clamp(y + i / window - window / 2, 0, in.height() - 1),
                                 std::clamp(x + i % window - window / 2, 0, in.width() - 1), c));
        }
        std::sort(levels.begin(), levels.end());
        return levels[levels.size() / 2];
      });
      return out;
    });
  }
  for (const int window : {-3, 0, 1, 4, 7}) {
    kernel.refuses(with(window),
                   "median_blur: window_size must be 3 or 5, not " + std::to_string(window));
  }
  return kernel;
}

// By the 0-1 principle, a network that finds every median of two values finds all medians.
TEST(MedianBlur, FindsEveryMedianOfTwoLevels) {
  Image in(3, 3 * 512, 1);
  for (int i = 0; i < 512; ++i) {
    for (int k = 0; k < 9; ++k)
      in.row(k / 3)[3 * i + k % 3] = static_cast<std::uint8_t>((i >> k & 1) * 255);
  }
  Image out;
  kernels::median_blur(in, 3, out);
  for (int i = 0; i < 512; ++i) {
    int ones = 0;
    for (int k = 0; k < 9; ++k) ones += i >> k & 1;
    EXPECT_EQ(out.at(1, 3 * i + 1, 0), ones >= 5 ? 255 : 0) << i;
  }
}

// dilate or erode. Pixels beyond the border do not count.
template <class Kernel, class Extreme>
ImageKernel morphology(const std::string& name, Kernel run, Extreme extreme) {
  ImageKernel kernel(name);
  kernel.sizes = small_sizes_up_to(100);
  kernel.wide_sizes.clear();
  for (const int width : {1, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 256, 300})
    kernel.wide_sizes.push_back({7, width});
  const auto with = [=](const MorphologyWindow& window) {
    return [=](const Image& in, Image& out) { run(in, window, out); };
  };
  for (const MorphologyWindow& window : {MorphologyWindow{1, 1},
                                         {3, 3},
                                         {2, 5},
                                         {7, 4},
                                         {255, 1},
                                         {1, 255},
                                         {4, 2},
                                         {1, 7},
                                         {9, 1}}) {
    kernel.gives("window " + std::to_string(window.height) + " x " + std::to_string(window.width),
                 with(window), [=](const Image& in) {
                   Levels out(in);
                   out.fill([&](int y, int x, int c) {
                     int level = in.at(y, x, c);
                     for (int r = 0; r < window.height; ++r) {
                       const int row = y + r - window.height / 2;
                       if (row < 0 || row >= in.height()) continue;
                       for (int k = 0; k < window.width; ++k) {
                         const int column = x + k - window.width / 2;
                         if (column >= 0 && column < in.width())
                           level = extreme(level, int{in.at(row, column, c)});
                       }
                     }
                     return level;
                   });
                   return out;
                 });
  }
  kernel.refuses(with({0, 3}), name + ": window_height must lie between 1 and 255, not 0");
  kernel.refuses(with({3, 256}), name + ": window_width must lie between 1 and 255, not 256");
  return kernel;
}

ImageKernel dilate() {
  return morphology("dilate", kernels::dilate, [](int a, int b) { return std::max(a, b); });
}
ImageKernel erode() {
  return morphology("erode", kernels::erode, [](int a, int b) { return std::min(a, b); });
}

Levels filtered(const Image& in, const Weights& weights) {
  Levels out(in);
  out.fill([&](int y, int x, int c) {
    return std::clamp(weighted_sum(in, y, x, c, weights), 0.0, 255.0);
  });
  return out;
}

Weights scaled(Weights weights, double scale) {
  for (std::vector<double>& row : weights) {
    for (double& weight : row) weight *= scale;
  }
  return weights;
}

// Sums of Sobel's second derivatives. OpenCV's documentation has the table for a window of 3.
ImageKernel laplacian() {
  ImageKernel kernel("laplacian");
  kernel.every_level = true;
  const auto with = [](int window, float scale) {
    return [=](const Image& in, Image& out) { kernels::laplacian(in, window, scale, out); };
  };
  const Weights one{{0, 1, 0}, {1, -4, 1}, {0, 1, 0}};
  const Weights three{{2, 0, 2}, {0, -8, 0}, {2, 0, 2}};
  const Weights five{
      {2, 4, 4, 4, 2}, {4, 0, -8, 0, 4}, {4, -8, -24, -8, 4}, {4, 0, -8, 0, 4}, {2, 4, 4, 4, 2}};
  const struct {
    int window;
    float scale;
    const Weights& weights;
  } cases[] = {{1, 1, one}, {3, 0.5f, three}, {3, -1, three}, {5, 0.125f, five}};
  for (const auto& [window, scale, weights] : cases) {
    kernel.gives(
        "window " + std::to_string(window) + ", scale " + std::to_string(scale),
        with(window, scale),
        [all = scaled(weights, double{scale})](const Image& in) { return filtered(in, all); },
        0.501);
  }
  for (const int window : {0, 2, 4, 9}) {
    kernel.refuses(with(window, 1),
                   "laplacian: window_size must be 1, 3, 5 or 7, not " + std::to_string(window));
  }
  kernel.refuses(with(3, 257), "laplacian: scale is 257; it must lie between -256 and 256");
  return kernel;
}

// A window of 7 gives 0 on a slope. On a parabola it gives the curvature, 2, times the sums of the
// smoothing parts.
TEST(Laplacian, KnownValuesOfTheLargestWindow) {
  Image slope(9, 20, 1), parabola(9, 20, 1), out;
  for (int y = 0; y < 9; ++y) {
    for (int x = 0; x < 20; ++x) {
      slope.row(y)[x] = static_cast<std::uint8_t>(3 * x + 5 * y);
      parabola.row(y)[x] = static_cast<std::uint8_t>((x - 10) * (x - 10));
    }
  }
  kernels::laplacian(slope, 7, 1, out);
  EXPECT_EQ(out.at(4, 10, 0), 0);
  kernels::laplacian(parabola, 7, 1.0f / 1024, out);
  EXPECT_EQ(out.at(4, 10, 0), 2);
}

FilterWeights filter_of(const Weights& weights) {
  FilterWeights filter;
  filter.rows = static_cast<int>(weights.size());
  filter.columns = static_cast<int>(weights[0].size());
  std::size_t next = 0;
  for (const auto& row : weights)
    for (const double weight : row) filter.weights.at(next++) = static_cast<float>(weight);
  return filter;
}

// All weights differ, so a test notices if two change places.
Weights uneven(std::size_t rows, std::size_t columns) {
  Weights weights(rows, std::vector<double>(columns));
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c)
      weights[r][c] = static_cast<double>(r * columns + c + 1) * (c % 2 == 0 ? 0.0625 : -0.03125);
  }
  return weights;
}

ImageKernel filter_2d() {
  ImageKernel kernel("filter_2d");
  kernel.sizes = kSizes;
  kernel.sizes.push_back({3, 1});
  kernel.sizes.push_back({3, 40});
  kernel.wide_sizes.clear();
  for (const int width : {1, 2, 5, 8, 11, 16, 31, 32, 33, 64, 67})
    kernel.wide_sizes.push_back({9, width});
  const auto with = [](const FilterWeights& filter) {
    return [=](const Image& in, Image& out) { kernels::filter_2d(in, filter, out); };
  };
  const std::pair<const char*, Weights> all[] = {
      {"1", {{1}}},
      {"no weight", {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
      {"to the left", {{0, 0, 0}, {0, 0, 1}, {0, 0, 0}}},
      {"sharper", {{0, -1, 0}, {-1, 5, -1}, {0, -1, 0}}},
      {"1 x 7", uneven(1, 7)},
      {"7 x 1", uneven(7, 1)},
      {"3 x 5", uneven(3, 5)},
      {"5 x 3", uneven(5, 3)},
      {"7 x 7", uneven(7, 7)},
      {"5 x 7 with rounded products", scaled(uneven(5, 7), 0.37)}};
  for (const auto& [name, weights] : all) {
    kernel.gives(
        name, with(filter_of(weights)),
        [weights = weights](const Image& in) { return filtered(in, weights); }, 0.501);
  }
  for (const int side : {-1, 0, 2, 8, 9}) {
    const std::string message =
        " must be an odd number between 1 and 7, not " + std::to_string(side);
    kernel.refuses(with({.rows = side}), "filter_2d: rows" + message);
    kernel.refuses(with({.columns = side}), "filter_2d: columns" + message);
  }
  for (const auto& [weight, text] :
       {std::pair{2e6f, "2000000"}, {-2e6f, "-2000000"}, {kNan, "nan"}}) {
    FilterWeights filter;
    filter.weights[3] = weight;
    kernel.refuses(with(filter), "filter_2d: a weight is " + std::string(text) +
                                     "; its absolute value must not exceed 1000000");
  }
  return kernel;
}

// A window with a single weight moves the image. A larger call before leaves no trace.
TEST(Filter2d, MovesByOne) {
  const Image in = make_image(6, 9, 3);
  Image large, out;
  kernels::filter_2d(make_image(20, 40, 4), filter_of(uneven(7, 7)), large);
  kernels::filter_2d(in, filter_of({{0, 0, 0}, {1, 0, 0}, {0, 0, 0}}), out);
  for (int y = 0; y < 6; ++y) {
    for (int x = 1; x < 9; ++x) EXPECT_EQ(out.at(y, x, 1), in.at(y, x - 1, 1));
    EXPECT_EQ(out.at(y, 0, 1), in.at(y, 1, 1));
  }
}

INSTANTIATE_TEST_SUITE_P(Filters, ImageKernels,
                         ::testing::Values(sharpness(), gaussian_blur(), box_blur(), median_blur(),
                                           dilate(), erode(), laplacian(), filter_2d()),
                         name_of_kernel);

}  // namespace filters_test
}  // namespace sluice::testing
