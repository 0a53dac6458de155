// Kernels that blur an image as a camera does: motion_blur, defocus and zoom_blur.
#include "tests/ops/kernels/filter_reference.h"
#include "tests/ops/kernels/image_kernel.h"
#include "tests/ops/kernels/place_level.h"
#include <sluice/ops/kernels/filter.h>
#include <sluice/ops/kernels/warp.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::testing {
namespace camera_blurs_test {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Small sizes that are odd in some way, and one that is wider than any vector.
const std::vector<ImageSize> kSizes = {{1, 1},  {1, 2}, {2, 1},   {1, 17},
                                       {13, 1}, {3, 3}, {11, 23}, {5, 97}};

// The mean along a line through the pixel, with values between pixels interpolated.
Levels moved(const Image& in, int length, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  Levels out(in);
  out.fill([&](int y, int x, int c) {
    double sum = 0;
    for (int i = 0; i < length; ++i) {
      const double t = i - (length - 1) * 0.5;
      // Rounded, so that whole pixels are whole numbers.
      const double px = std::round((x + t * std::cos(angle)) * 1e8) / 1e8;
      const double py = std::round((y - t * std::sin(angle)) * 1e8) / 1e8;
      for (int row = static_cast<int>(std::floor(py)); row <= std::ceil(py); ++row) {
        for (int column = static_cast<int>(std::floor(px)); column <= std::ceil(px); ++column) {
          sum += (1 - std::abs(px - column)) * (1 - std::abs(py - row)) *
                 in.at(folded(row, in.height()), folded(column, in.width()), c);
        }
      }
    }
    return sum / length;
  });
  return out;
}

ImageKernel motion_blur() {
  ImageKernel kernel("motion_blur");
  kernel.sizes = kSizes;
  const auto with = [](int length, float degrees) {
    return [=](const Image& in, Image& out) { kernels::motion_blur(in, length, degrees, out); };
  };
  const struct {
    int length;
    float degrees;
  } cases[] = {{1, 33}, {2, 0}, {5, 90}, {4, 45}, {7, -160}, {9, 1000.5f}};
  for (const auto& [length, degrees] : cases) {
    kernel.gives(
        "length " + std::to_string(length) + ", degrees " + std::to_string(degrees),
        with(length, degrees),
        [length = length, angle = double{degrees}](const Image& in) {
          return moved(in, length, angle);
        },
        0.501);
  }
  for (const int length : {0, 256}) {
    kernel.refuses(with(length, 0),
                   "motion_blur: length must lie between 1 and 255, not " + std::to_string(length));
  }
  kernel.refuses(with(3, kInfinity), "motion_blur: degrees is inf; a finite number is needed");
  return kernel;
}

// The window as albumentations makes it: a disk of ones in a square of 17 or more pixels, divided
// by its sum, and then a Gaussian along the rows and the columns. Here nothing is cut off.
Weights defocus_window(int radius, double alias_blur) {
  const int reach = radius <= 8 ? 1 : 2, most = radius + reach;
  const auto side = static_cast<std::size_t>(2 * most + 1);
  Weights disk(side, std::vector<double>(side));
  double pixels = 0;
  for (int y = -most; y <= most; ++y) {
    for (int x = -most; x <= most; ++x) {
      const bool inside = y * y + x * x <= radius * radius;
      disk[static_cast<std::size_t>(y + most)][static_cast<std::size_t>(x + most)] = inside;
      pixels += inside;
    }
  }
  std::vector<double> line;
  double sum = 0;
  for (int i = -reach; i <= reach; ++i) {
    line.push_back(i == 0 ? 1 : std::exp(-i * i / (2 * alias_blur * alias_blur)));
    sum += line.back();
  }
  Weights all(side, std::vector<double>(side));
  for (std::size_t y = 0; y < side; ++y) {
    for (std::size_t x = 0; x < side; ++x) {
      for (std::size_t r = 0; r < line.size(); ++r) {
        for (std::size_t k = 0; k < line.size(); ++k) {
          const std::size_t row = y + r - static_cast<std::size_t>(reach);
          const std::size_t column = x + k - static_cast<std::size_t>(reach);
          if (row < side && column < side)
            all[y][x] += disk[row][column] / pixels * line[r] * line[k] / (sum * sum);
        }
      }
    }
  }
  return all;
}

ImageKernel defocus() {
  ImageKernel kernel("defocus");
  kernel.sizes = kSizes;
  kernel.wide_sizes = {{4, 257}, {33, 40}};
  const auto with = [](int radius, float alias_blur) {
    return [=](const Image& in, Image& out) { kernels::defocus(in, radius, alias_blur, out); };
  };
  const struct {
    int radius;
    float alias_blur;
  } cases[] = {{1, 0}, {1, 0.01f}, {3, 0.1f}, {4, 0.5f}, {8, 0.5f}, {9, 1}, {12, 10}};
  for (const auto& [radius, alias_blur] : cases) {
    const Weights window = defocus_window(radius, double{alias_blur});
    kernel.gives(
        "radius " + std::to_string(radius) + ", alias_blur " + std::to_string(alias_blur),
        with(radius, alias_blur),
        [=](const Image& in) {
          Levels out(in);
          out.fill([&](int y, int x, int c) { return weighted_sum(in, y, x, c, window); });
          return out;
        },
        0.501);
  }
  for (const int radius : {0, 51}) {
    kernel.refuses(with(radius, 1),
                   "defocus: radius must lie between 1 and 50, not " + std::to_string(radius));
  }
  kernel.refuses(with(3, -1), "defocus: alias_blur is -1; it must lie between 0 and 10");
  kernel.refuses(with(3, kNan), "defocus: alias_blur is nan; it must lie between 0 and 10");
  return kernel;
}

// A single bright pixel becomes the disk.
TEST(Defocus, APointBecomesADisk) {
  for (const int radius : {1, 5, 10}) {
    Image point(41, 41, 1), out;
    for (int y = 0; y < 41; ++y) {
      for (int x = 0; x < 41; ++x) *(point.row(y) + x) = 0;
    }
    *(point.row(20) + 20) = 255;
    kernels::defocus(point, radius, 0, out);
    int pixels = 0;
    for (int y = -radius; y <= radius; ++y) {
      for (int x = -radius; x <= radius; ++x) pixels += y * y + x * x <= radius * radius;
    }
    for (int y = 0; y < 41; ++y) {
      for (int x = 0; x < 41; ++x) {
        const int squared = (y - 20) * (y - 20) + (x - 20) * (x - 20);
        EXPECT_EQ(out.at(y, x, 0), squared <= radius * radius ? std::lround(255.0 / pixels) : 0)
            << radius << ": " << y << ", " << x;
      }
    }
  }
}

ImageKernel zoom_blur() {
  ImageKernel kernel("zoom_blur");
  kernel.sizes = kSizes;
  kernel.wide_sizes = {{4, 257}, {33, 40}, {70, 150}};
  const auto with = [](float max_factor, float step_factor) {
    return
        [=](const Image& in, Image& out) { kernels::zoom_blur(in, max_factor, step_factor, out); };
  };
  const struct {
    float max_factor, step_factor;
    int copies;
  } cases[] = {{1.11f, 0.01f, 10}, {1.31f, 0.03f, 10},    {2, 0.5f, 1}, {2.1f, 0.5f, 2},
               {10, 0.25f, 35},    {1.256f, 0.001f, 255}, {10, 10, 0},  {1, 0.1f, 0}};
  for (const auto& [max_factor, step_factor, copies] : cases) {
    kernel.gives(
        std::to_string(max_factor) + " by " + std::to_string(step_factor),
        with(max_factor, step_factor),
        [step = double{step_factor}, copies = copies](const Image& in) {
          Levels out(in);
          out.fill([&](int y, int x, int c) {
            double sum = 2 * in.at(y, x, c);
            for (int i = 1; i <= copies; ++i) {
              const double factor = 1 + i * step;
              const double row = in.height() / 2.0 + (y + 0.5 - in.height() / 2.0) / factor;
              const double column = in.width() / 2.0 + (x + 0.5 - in.width() / 2.0) / factor;
              sum += place_level(in, column, row, c, {.border = Border::edge});
            }
            return sum / (copies + 2);
          });
          return out;
        },
        copies == 0 ? 0 : 1.01);
  }
  const struct {
    float max_factor, step_factor;
    std::string says;
  } wrong[] = {
      {0.5f, 0.1f, "max_factor is 0.5; it must lie between 1 and 10"},
      {kNan, 0.1f, "max_factor is nan; it must lie between 1 and 10"},
      {kInfinity, 0.1f, "max_factor is inf; it must lie between 1 and 10"},
      {2, 0, "step_factor is 0; it must be above 0 and at most 10"},
      {2, kNan, "step_factor is nan; it must be above 0 and at most 10"},
      {2, 0.001f,
       "max_factor 2 and step_factor 0.001 make more than 256 copies; pass a larger step_factor"}};
  for (const auto& c : wrong)
    kernel.refuses(with(c.max_factor, c.step_factor), "zoom_blur: " + c.says);
  return kernel;
}

INSTANTIATE_TEST_SUITE_P(CameraBlurs, ImageKernels,
                         ::testing::Values(motion_blur(), defocus(), zoom_blur()), name_of_kernel);

}  // namespace camera_blurs_test
}  // namespace sluice::testing
