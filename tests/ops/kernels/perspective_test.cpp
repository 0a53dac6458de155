// Against places and levels from the formulas; and the sampler that other warps use, too.
#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/place_level.h"
#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/perspective.h>
#include <sluice/ops/kernels/place_rows.h>
#include <sluice/ops/kernels/place_sampler.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace perspective_test {

using testing::expect_levels;
using testing::for_all_warps;
using testing::make_picture;
using testing::Place;
using testing::refusal;

TEST(Perspective, AgreesWithTheDefinition) {
  const kernels::PerspectiveMap maps[] = {{1, 0, 0, 0, 1, 0, 0, 0, 1},
                                          {0.9, 0.2, -1.3, -0.1, 1.1, 2.2, 0.01, -0.004, 1},
                                          {2, 0, 0, 0, 2, 0, 0, 0, -2},
                                          {1, 0, 0, 0, 1, 0, -0.11, 0.03, 0.7}};
  for_all_warps([&](const Image& in, const kernels::WarpOptions& how) {
    for (const auto& m : maps) {
      Image out;
      kernels::warp_perspective("perspective", in, m, in.height() + 1, in.width() + 2, how, out);
      expect_levels(in, how, out, [&](double x, double y) {
        const double part = 1 / (m[6] * x + m[7] * y + m[8]);
        return Place{(m[0] * x + m[1] * y + m[2]) * part, (m[3] * x + m[4] * y + m[5]) * part};
      });
    }
  });
}

TEST(Perspective, PointsComeToTheirPlaces) {
  const kernels::PerspectivePoints from{{{0, 0}, {99, 0}, {99, 79}, {0, 79}}};
  const kernels::PerspectivePoints to{{{10, 3}, {80, -7.5}, {120, 60}, {-4, 70}}};
  const kernels::PerspectiveMap m = kernels::map_of_points("perspective", from, to);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& [x, y] = from[i];
    const double w = m[6] * x + m[7] * y + m[8];
    EXPECT_NEAR((m[0] * x + m[1] * y + m[2]) / w, to[i].x, 1e-9);
    EXPECT_NEAR((m[3] * x + m[4] * y + m[5]) / w, to[i].y, 1e-9);
  }
  EXPECT_EQ(refusal([&] {
              (void)kernels::map_of_points("perspective", from, {{{0, 0}, {1, 1}, {2, 2}, {0, 5}}});
            }),
            "perspective: three of the points (0, 0) (1, 1) (2, 2) (0, 5) lie on a line, so they "
            "are no corners of a quadrilateral");
  EXPECT_NE(refusal([&] { (void)kernels::map_of_points("perspective", {}, to); }), "");
  Image out;
  const Image in = make_picture(3, 3, 1);
  EXPECT_NE(
      refusal([&] { kernels::warp_perspective("perspective", in, {std::nan("")}, 3, 3, {}, out); }),
      "");
  EXPECT_EQ(refusal([&] {
              kernels::warp_perspective("perspective", in, {}, 3, 3, {.border = Border::reflect},
                                        out);
            }),
            "perspective: border reflect is not possible; take constant or edge");
}

// The definition, step by step, whatever the set of instructions and where a row ends.
TEST(Perspective, PlacesOfARowOnEveryInstructionSet) {
  const kernels::PerspectiveMap m{0.9, 0.2, -1.3, -0.1, 1.1, 2.2, 0.01, -0.004, 1};
  for (const int count : {1, 3, 8, 37}) {
    testing::on_every_target([&] {
      std::vector<double> xs(static_cast<std::size_t>(count) + 1, -5), ys = xs;
      kernels::perspective_places(m, 7.5, count, xs.data(), ys.data());
      for (int i = 0; i < count; ++i) {
        const double x = i + 0.5, part = 1 / (m[6] * x + m[7] * 7.5 + m[8]);
        EXPECT_EQ(xs[static_cast<std::size_t>(i)], (m[0] * x + m[1] * 7.5 + m[2]) * part);
        EXPECT_EQ(ys[static_cast<std::size_t>(i)], (m[3] * x + m[4] * 7.5 + m[5]) * part);
      }
      EXPECT_EQ(xs.back(), -5);
      EXPECT_EQ(ys.back(), -5);
    });
  }
}

// Where the map leads nowhere, and as far away as numbers go.
TEST(Perspective, PlacesThatAreNone) {
  const Image in = testing::constant_picture(4, 4, 2, 9);
  Image out;
  kernels::warp_perspective("perspective", in, {}, 4, 4, {.border = Border::edge, .fill = 5}, out);
  EXPECT_EQ(out.at(2, 2, 1), 5);
  kernels::warp_perspective("perspective", in, {1e300, 0, 0, 0, -1e300, 0, 0, 0, 1}, 4, 4,
                            {.border = Border::edge, .fill = 5}, out);
  EXPECT_EQ(out.at(2, 2, 1), 9);
}

// Weights written as the cubic's pieces, for a = -0.75.
double cubic(double t) {
  t = std::abs(t);
  if (t <= 1) return 1.25 * t * t * t - 2.25 * t * t + 1;
  return t < 2 ? -0.75 * t * t * t + 3.75 * t * t - 6 * t + 3 : 0;
}

TEST(PlaceSampler, CubicWeights) {
  for (int part = 0; part < 2048; ++part) {
    const auto& weights = kernels::cubic_table()[static_cast<std::size_t>(part)];
    int sum = 0;
    for (int k = 0; k < 4; ++k) {
      const int weight = weights[static_cast<std::size_t>(k)];
      ASSERT_NEAR(weight, 16384 * cubic(part / 2048.0 + 1 - k), 2) << part << " " << k;
      sum += weight;
    }
    ASSERT_EQ(sum, 16384) << part;
  }
}

TEST(PlaceSampler, Bicubic) {
  testing::on_small_pictures({1, 3, 4}, [](const Image& in) {
    const kernels::PlaceSampler sampler(in, {Interpolation::bicubic, Border::edge});
    for (const double x : {-2.25, 0.0, 0.5, 0.7, 3.1, 126.9}) {
      for (const double y : {-1.0, 0.25, 2.5, 12.3}) {
        std::uint8_t got[4];
        sampler.sample(x, y, got);
        for (int c = 0; c < in.channels(); ++c) {
          double sum = 0;
          for (int row = -8; row < 30; ++row) {
            for (int column = -8; column < 150; ++column) {
              sum += cubic(x - 0.5 - column) * cubic(y - 0.5 - row) *
                     in.at(std::clamp(row, 0, in.height() - 1),
                           std::clamp(column, 0, in.width() - 1), c);
            }
          }
          if (x <= in.width() + 4 && y <= in.height() + 4) {
            ASSERT_LE(std::abs(got[c] - std::clamp(sum, 0.0, 255.0)), 0.75) << x << " " << y;
          }
        }
      }
    }
  });
}

}  // namespace perspective_test
}  // namespace sluice
