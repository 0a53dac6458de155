#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/luma.h"
#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/contrast.h>

#include <limits>

#include <gtest/gtest.h>

namespace sluice {
namespace contrast_test {

using kernels::contrast;

double mean_luma(const Image& in) {
  double sum = 0;
  for (int y = 0; y < in.height(); ++y) {
    for (int x = 0; x < in.width(); ++x)
      sum += in.channels() == 1 ? in.at(y, x, 0)
                                : testing::luma(in.at(y, x, 0), in.at(y, x, 1), in.at(y, x, 2));
  }
  return sum / (in.height() * in.width());
}

// Checks out against the formula; a fourth channel stays as it is.
void expect_contrast(const Image& in, double factor, const Image& out) {
  const double mean = mean_luma(in);
  ASSERT_EQ(out.channels(), in.channels());
  for (int y = 0; y < in.height(); ++y) {
    for (int x = 0; x < in.width(); ++x) {
      for (int c = 0; c < in.channels(); ++c) {
        const double value = factor * in.at(y, x, c) + (1 - factor) * mean;
        const double wanted = c == 3 ? in.at(y, x, c) : std::clamp(value, 0.0, 255.0);
        ASSERT_NEAR(out.at(y, x, c), wanted, 0.5 + 1e-9);
      }
    }
  }
}

TEST(Contrast, IsAboutTheMeanLumaOnEveryInstructionSet) {
  testing::on_every_target([] {
    testing::on_small_pictures({1, 3, 4}, [](const Image& in) {
      for (const float factor : {0.f, 0.3f, 1.f, 1.9f, 100.f}) {
        Image out;
        contrast(in, factor, out);
        expect_contrast(in, factor, out);
      }
    });
  });
}

TEST(Contrast, KnownValues) {
  Image in(1, 2, 1);
  in.row(0)[0] = 100;
  in.row(0)[1] = 151;  // the mean is 125.5
  Image out;
  contrast(in, 0, out);
  EXPECT_EQ(out.at(0, 0, 0), 126);
  EXPECT_EQ(out.at(0, 1, 0), 126);
  contrast(in, 2, out);
  EXPECT_EQ(out.at(0, 0, 0), 75);   // 74.5
  EXPECT_EQ(out.at(0, 1, 0), 177);  // 176.5
  contrast(in, 1, out);
  EXPECT_EQ(out, in);
}

// Rows longer than the stretch that is summed at once; and white is not too much for the sum.
TEST(Contrast, LargePictures) {
  const Image in = testing::constant_picture(300, 1025, 3, 255);
  Image out;
  contrast(in, 0.5f, out);
  EXPECT_EQ(out, in);
  for (const int channels : {1, 3}) {
    const Image noise = testing::make_picture(37, 1025, channels);
    contrast(noise, 1.7f, out);
    expect_contrast(noise, 1.7f, out);
  }
}

TEST(Contrast, RefusesWhatCannotBe) {
  const Image in = testing::make_picture(2, 2, 3);
  Image out;
  EXPECT_EQ(testing::refusal([&] { contrast(in, -1, out); }),
            "contrast: factor is -1; it must not be below zero");
  EXPECT_EQ(testing::refusal([&] { contrast(in, std::numeric_limits<float>::infinity(), out); }),
            "contrast: factor is inf; a finite number is needed");
  EXPECT_EQ(testing::refusal([&] { contrast(testing::make_picture(2, 2, 2), 1, out); }),
            "contrast: the image has 2 channels; 1, 3 or 4 are possible");
  EXPECT_EQ(testing::refusal([&] { contrast(Image(), 1, out); }), "contrast: the image is empty");
}

}  // namespace contrast_test
}  // namespace sluice
