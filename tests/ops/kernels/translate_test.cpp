#include "tests/ops/kernels/place_level.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/translate.h>

#include <stdexcept>

#include <gtest/gtest.h>

namespace sluice {
namespace translate_test {

using kernels::WarpOptions;
using testing::expect_levels;
using testing::for_all_warps;
using testing::Place;

TEST(Translate, AgreesWithTheFormula) {
  const Place moves[] = {{0, 0}, {3, -2}, {-1.25, 0.5}, {0.75, 100}, {-65535, 65535}};
  for_all_warps([&](const Image& in, const WarpOptions& how) {
    for (const Place& move : moves) {
      Image out;
      kernels::translate(in, move.x, move.y, false, how, out);
      expect_levels(in, how, out, [&](double x, double y) {
        return Place{x - move.x, y - move.y};
      });
    }
    Image out;
    kernels::translate(in, 0.5, -0.25, true, how, out);
    expect_levels(in, how, out, [&](double x, double y) {
      return Place{x - 0.5 * in.width(), y + 0.25 * in.height()};
    });
  });
}

TEST(Translate, MovesWholePixels) {
  for (int channels = 1; channels <= 4; ++channels) {
    const Image in = testing::make_picture(11, 23, channels);
    for (const WarpOptions& how : testing::kAllWarps) {
      Image out;
      kernels::translate(in, 4, 3, false, how, out);
      EXPECT_EQ(out.crop_view(3, 4, 8, 19), in.crop_view(0, 0, 8, 19));
    }
  }
}

TEST(Translate, RefusesWhatIsNoPicture) {
  Image out;
  EXPECT_THROW(kernels::translate(Image(), 1, 1, false, {}, out), std::invalid_argument);
}

}  // namespace translate_test
}  // namespace sluice
