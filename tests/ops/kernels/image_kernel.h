// ImageKernel: a kernel that makes one image of another, as a row of a table. These suites run
// every row; they are in image_kernel.cpp:
//
//   FollowsTheFormula      the values of a plain reference, for all small sizes, from views with
//                          gaps between their rows, on every instruction set
//   SameBytes              the same bytes of wider images on every instruction set
//   WritesOnlyItsPlace     images without gaps, into given memory, as in a batch: the same values,
//                          and nothing behind them changes
//   RefusesWrongImages     empty images, and numbers of channels that the kernel does not accept
//   RefusesWrongArguments  with the exact message
//
// A family of kernels has one file. It makes an ImageKernel of each and passes them to
// INSTANTIATE_TEST_SUITE_P. Promises of one kernel alone have tests of their own beside them.
#pragma once

#include "tests/ops/kernels/small_images.h"
#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::testing {

// An image as a formula computes it: pixel values before rounding, height x width x channels.
struct Levels {
  Levels(int rows, int columns, int depth)
      : height(rows),
        width(columns),
        channels(depth),
        levels(count(rows) * count(columns * depth)) {}
  // Takes the size and the pixel values of an image.
  explicit Levels(const Image& in) : Levels(in.height(), in.width(), in.channels()) {
    fill([&](int y, int x, int c) { return in.at(y, x, c); });
  }

  double& at(int y, int x, int c) { return levels[index(y, x, c)]; }
  double at(int y, int x, int c) const { return levels[index(y, x, c)]; }
  // Sets each pixel value to level(y, x, c).
  template <class F>
  void fill(const F& level) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        for (int c = 0; c < channels; ++c) at(y, x, c) = level(y, x, c);
      }
    }
  }

  int height, width, channels;
  std::vector<double> levels;

 private:
  static std::size_t count(int n) { return static_cast<std::size_t>(n); }
  std::size_t index(int y, int x, int c) const { return count((y * width + x) * channels + c); }
};

// A formula returns this if it cannot tell a pixel value, such as one on an edge: any value passes.
inline constexpr double kAnyLevel = -1e9;

// Returns the first place where an image differs from the formula; nothing if there is none.
std::optional<std::string> difference(const Image& out, const Levels& wanted, double tolerance);

// Returns an image of the same size. level() maps each pixel value, and may take the channel, too:
// level(x), level(x, c).
template <class F>
Levels levels_of(const Image& in, const F& level) {
  Levels out(in);
  for (std::size_t i = 0; i < out.levels.size(); ++i) {
    double& x = out.levels[i];
    if constexpr (std::is_invocable_v<F, int>) {
      x = level(static_cast<int>(x));
    } else {
      x = level(static_cast<int>(x), static_cast<int>(i % static_cast<std::size_t>(out.channels)));
    }
  }
  return out;
}

struct ImageKernel {
  using Run = std::function<void(const Image& in, Image& out)>;
  using Formula = std::function<Levels(const Image& in)>;
  // The kernel with arguments, and its formula. Pixel values may differ by `tolerance`. With 0, the
  // formula returns whole numbers, and they are the same.
  struct Setting {
    std::string arguments;
    Run run;
    Formula formula;
    double tolerance;
    // Replaces all sizes of the kernel for this setting, unless empty.
    std::vector<ImageSize> sizes;
  };
  // `run` throws std::invalid_argument with this message. It receives an image of 4 x 4 pixels with
  // the most channels that the kernel accepts.
  struct Refusal {
    Run run;
    std::string message;
  };

  // A kernel whose messages begin with `name`.
  explicit ImageKernel(std::string called) : name(std::move(called)) {}

  ImageKernel& gives(std::string arguments, Run run, Formula formula, double tolerance = 0,
                     std::vector<ImageSize> sizes_for_it = {});
  ImageKernel& refuses(Run run, std::string message);

  std::string name;
  std::vector<Setting> settings;
  std::vector<Refusal> refusals;
  std::vector<int> channels = {1, 2, 3, 4};
  // The sizes for the formula.
  std::vector<ImageSize> sizes{std::begin(kSmallSizes), std::end(kSmallSizes)};
  // Adds one image with every pixel value in every channel.
  bool every_level = false;
  // The sizes for SameBytes.
  std::vector<ImageSize> wide_sizes = {{4, 257}, {9, 61}, {33, 40}, {40, 99}, {5, 771}};
};

class ImageKernels : public ::testing::TestWithParam<ImageKernel> {};

// For INSTANTIATE_TEST_SUITE_P: returns the kernel's name in the form of a test's name.
std::string name_of_kernel(const ::testing::TestParamInfo<ImageKernel>& info);
// Prints the kernel's name where GoogleTest prints a row.
void PrintTo(const ImageKernel& kernel, std::ostream* out);

}  // namespace sluice::testing
