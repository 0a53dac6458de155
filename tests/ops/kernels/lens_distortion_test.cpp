#include "tests/ops/kernels/place_level.h"
#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/lens_distortion.h>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace sluice {
namespace lens_distortion_test {

using testing::expect_levels;
using testing::for_all_warps;
using testing::make_picture;
using testing::Place;
using testing::refusal;

TEST(LensDistortion, AgreesWithTheDefinition) {
  const float numbers[][2] = {{0, 0}, {0.4f, 0}, {-0.3f, 0.1f}, {5, -9}};
  for_all_warps([&](const Image& in, const kernels::WarpOptions& how) {
    for (const auto& k : numbers) {
      Image out;
      kernels::lens_distortion(in, k[0], k[1], how, out);
      expect_levels(in, how, out, [&](double x, double y) {
        const double cx = in.width() / 2.0, cy = in.height() / 2.0;
        const double r = std::hypot(x - cx, y - cy) / std::hypot(cx, cy);
        const double scale = 1 + static_cast<double>(k[0]) * std::pow(r, 2) +
                             static_cast<double>(k[1]) * std::pow(r, 4);
        return Place{cx + (x - cx) * scale, cy + (y - cy) * scale};
      });
    }
  });
  Image out;
  EXPECT_NE(refusal([&] {
              kernels::lens_distortion(make_picture(2, 2, 1),
                                       std::numeric_limits<float>::infinity(), 0, {}, out);
            }),
            "");
}

}  // namespace lens_distortion_test
}  // namespace sluice
