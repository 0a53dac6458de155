#include "tests/ops/kernels/every_target.h"
#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/equalize.h>

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace equalize_test {

using kernels::equalize;

// By counting the pixels below each one, with no histogram.
Image expected(const Image& in) {
  Image out = in.clone();
  for (int c = 0; c < std::min(3, in.channels()); ++c) {
    std::vector<int> levels;
    for (int y = 0; y < in.height(); ++y) {
      for (int x = 0; x < in.width(); ++x) levels.push_back(in.at(y, x, c));
    }
    std::sort(levels.begin(), levels.end());
    const auto below = [&](int level) {
      return std::lower_bound(levels.begin(), levels.end(), level) - levels.begin();
    };
    const auto step = below(levels.back()) / 255;
    if (step == 0) continue;
    for (int y = 0; y < in.height(); ++y) {
      for (int x = 0; x < in.width(); ++x) {
        const auto level = (below(in.at(y, x, c)) + step / 2) / step;
        out.row(y)[x * in.channels() + c] =
            static_cast<std::uint8_t>(std::min<std::ptrdiff_t>(255, level));
      }
    }
  }
  return out;
}

TEST(Equalize, IsPillowsTable) {
  testing::on_every_target([] {
    testing::on_small_pictures({1, 3, 4}, [](const Image& in) {
      Image out;
      equalize(in, out);
      EXPECT_EQ(out, expected(in));
    });
  });
  // From just below the number of pixels at which it begins to do something, to well beyond.
  for (const int channels : {1, 3, 4}) {
    for (const int height : {17, 31, 32, 64, 200}) {
      const Image in = testing::make_picture(height, 16, channels, 7);
      const Image all = expected(in);
      testing::on_every_target([&] {
        Image out;
        equalize(in, out);
        EXPECT_EQ(out, all) << height;
      });
    }
  }
}

TEST(Equalize, KnownValues) {
  // 255 black pixels, 255 of level 9, 40 white ones: a step of 2.
  Image in(1, 550, 1);
  std::fill_n(in.row(0), 255, std::uint8_t{0});
  std::fill_n(in.row(0) + 255, 255, std::uint8_t{9});
  std::fill_n(in.row(0) + 510, 40, std::uint8_t{255});
  Image out;
  equalize(in, out);
  EXPECT_EQ(out.at(0, 0, 0), 0);
  EXPECT_EQ(out.at(0, 300, 0), 128);
  EXPECT_EQ(out.at(0, 520, 0), 255);
  const Image flat = testing::constant_picture(40, 40, 3, 77);
  equalize(flat, out);
  EXPECT_EQ(out, flat);
}

TEST(Equalize, RefusesWhatCannotBe) {
  Image out;
  EXPECT_EQ(testing::refusal([&] { equalize(testing::make_picture(2, 2, 2), out); }),
            "equalize: the image has 2 channels; 1, 3 or 4 are possible");
  EXPECT_EQ(testing::refusal([&] { equalize(Image(), out); }), "equalize: the image is empty");
}

}  // namespace equalize_test
}  // namespace sluice
