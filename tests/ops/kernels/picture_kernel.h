// PictureKernel: a kernel that makes one picture of another, as a row of a table. These suites run
// every row; they are in picture_kernel.cpp:
//
//   FollowsTheFormula      the levels of a plain reference, for all small sizes, from views with
//                          gaps between their rows, on every instruction set
//   SameBytes              the same bytes of wider pictures on every instruction set
//   WritesOnlyItsPlace     of pictures without gaps, into memory that is given, as in a batch: the
//                          same levels, and nothing behind them changes
//   RefusesWrongPictures   empty ones, and numbers of channels that the kernel does not take
//   RefusesWrongArguments  with the exact message
//
// A family of kernels has one file. It makes a PictureKernel of each and hands them to
// INSTANTIATE_TEST_SUITE_P. What one kernel alone promises is a test of its own beside them.
#pragma once

#include "tests/ops/kernels/small_pictures.h"
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

// A picture as a formula has it: levels before they are rounded, height x width x channels.
struct Levels {
  Levels(int rows, int columns, int depth)
      : height(rows),
        width(columns),
        channels(depth),
        levels(count(rows) * count(columns * depth)) {}
  // The size of a picture, with its levels.
  explicit Levels(const Image& in) : Levels(in.height(), in.width(), in.channels()) {
    fill([&](int y, int x, int c) { return in.at(y, x, c); });
  }

  double& at(int y, int x, int c) { return levels[index(y, x, c)]; }
  double at(int y, int x, int c) const { return levels[index(y, x, c)]; }
  // The level that level(y, x, c) gives, everywhere.
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

// A formula gives this for a level that it cannot tell, such as one on an edge: any level will do.
inline constexpr double kAnyLevel = -1e9;

// The first place where a picture is not what the formula says; nothing, if it is.
std::optional<std::string> difference(const Image& out, const Levels& wanted, double tolerance);

// A picture of the same size. level() gives each level of the one at its place, and may be told the
// channel, too: level(x), level(x, c).
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

struct PictureKernel {
  using Run = std::function<void(const Image& in, Image& out)>;
  using Formula = std::function<Levels(const Image& in)>;
  // The kernel with arguments, and what its formula gives. Levels may differ by `tolerance`; with 0
  // the formula gives whole levels, and they are the same.
  struct Setting {
    std::string arguments;
    Run run;
    Formula formula;
    double tolerance;
    // Replaces all sizes of the kernel for this setting, unless empty.
    std::vector<PictureSize> sizes;
  };
  // `run` throws std::invalid_argument with this message. It gets a picture of 4 x 4 pixels with
  // the most channels that the kernel takes.
  struct Refusal {
    Run run;
    std::string message;
  };

  // A kernel whose messages begin with `name`.
  explicit PictureKernel(std::string called) : name(std::move(called)) {}

  PictureKernel& gives(std::string arguments, Run run, Formula formula, double tolerance = 0,
                       std::vector<PictureSize> sizes_for_it = {});
  PictureKernel& refuses(Run run, std::string message);

  std::string name;
  std::vector<Setting> settings;
  std::vector<Refusal> refusals;
  std::vector<int> channels = {1, 2, 3, 4};
  // The sizes for the formula.
  std::vector<PictureSize> sizes{std::begin(kSmallSizes), std::end(kSmallSizes)};
  // Besides: one picture with every level in every channel.
  bool every_level = false;
  // The sizes for SameBytes.
  std::vector<PictureSize> wide_sizes = {{4, 257}, {9, 61}, {33, 40}, {40, 99}, {5, 771}};
};

class PictureKernels : public ::testing::TestWithParam<PictureKernel> {};

// For INSTANTIATE_TEST_SUITE_P: the kernel's name, as tests are named.
std::string name_of_kernel(const ::testing::TestParamInfo<PictureKernel>& info);
// Prints the kernel's name where GoogleTest prints a row.
void PrintTo(const PictureKernel& kernel, std::ostream* out);

}  // namespace sluice::testing
