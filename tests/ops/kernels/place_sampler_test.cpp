// Places side by side give what each gives alone, whatever the set of instructions.
#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/place_sampler.h>
#include <sluice/runtime/random.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace place_sampler_test {

constexpr int kHeight = 13, kWidth = 17;

// A few that lie at borders or nowhere, and others in and around the picture.
void draw_places(std::size_t count, std::vector<double>& x, std::vector<double>& y) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  constexpr double kFar = std::numeric_limits<double>::infinity();
  x = {0, 0.5, kWidth, kWidth - 0.5, 8, kNone, 3, kFar, -kFar, 1e300, 7.5, 16.75, 16.25};
  y = {0, 0.5, kHeight, kHeight - 0.5, kNone, 5, kFar, 4, -1e300, 6, 6.5, 12.75, 11.5};
  Random random({.seed = 7});
  while (x.size() < count) {
    x.push_back(static_cast<double>(random.uniform(-3.f, kWidth + 3.f)));
    y.push_back(static_cast<double>(random.uniform(-3.f, kHeight + 3.f)));
  }
  x.resize(count);
  y.resize(count);
}

TEST(PlaceSampler, ARowIsItsPlacesOneByOneOnEveryInstructionSet) {
  std::vector<double> x, y;
  for (int channels = 1; channels <= 4; ++channels) {
    // A copy, so that reading beyond its last byte is seen where memory is watched.
    const Image in = testing::make_picture(kHeight, kWidth, channels);
    const auto size = static_cast<std::size_t>(channels);
    for (const auto interpolation :
         {Interpolation::nearest, Interpolation::bilinear, Interpolation::bicubic}) {
      for (const Border border : {Border::constant, Border::edge}) {
        const kernels::PlaceSampler sampler(in, {interpolation, border, {9, 80, 150, 220}});
        for (const std::size_t count : {1, 2, 3, 63, 64, 65, 400}) {
          SCOPED_TRACE(::testing::Message() << channels << " channels, " << name_of(interpolation)
                                            << ", " << name_of(border) << ", " << count);
          draw_places(count, x, y);
          std::vector<std::uint8_t> expected(count * size + 16, 0xA5);
          for (std::size_t i = 0; i < count; ++i)
            sampler.sample(x[i], y[i], expected.data() + i * size);
          testing::on_every_target([&] {
            std::vector<std::uint8_t> out(expected.size(), 0xA5);
            sampler.sample_row(x.data(), y.data(), static_cast<int>(count), out.data());
            EXPECT_EQ(out, expected);
          });
        }
      }
    }
  }
}

}  // namespace place_sampler_test
}  // namespace sluice
