#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/solarize.h>

#include <limits>

#include <gtest/gtest.h>

namespace sluice {
namespace solarize_test {

using kernels::solarize;

TEST(Solarize, InvertsFromTheThresholdOn) {
  testing::on_small_pictures({1, 2, 3, 4}, [](const Image& in) {
    for (const float threshold : {0.f, 0.5f, 1.f, 127.5f, 128.f, 254.f, 255.f, 255.5f, 256.f}) {
      Image out;
      solarize(in, threshold, out);
      EXPECT_EQ(out,
                testing::mapped(
                    in, [&](int x) { return static_cast<float>(x) < threshold ? x : 255 - x; }))
          << threshold;
    }
  });
}

TEST(Solarize, RefusesWhatCannotBe) {
  const Image in = testing::make_picture(2, 2, 3);
  Image out;
  EXPECT_EQ(testing::refusal([&] { solarize(in, -0.5f, out); }),
            "solarize: threshold is -0.5; it must lie in 0 .. 256");
  EXPECT_EQ(testing::refusal([&] { solarize(in, 257, out); }),
            "solarize: threshold is 257; it must lie in 0 .. 256");
  EXPECT_NE(testing::refusal([&] { solarize(in, std::numeric_limits<float>::quiet_NaN(), out); }),
            "");
  EXPECT_EQ(testing::refusal([&] { solarize(Image(), 4, out); }), "solarize: the image is empty");
}

}  // namespace solarize_test
}  // namespace sluice
