#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/paste.h>

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace sluice {
namespace paste_test {

using testing::make_picture;
using testing::on_small_pictures;
using testing::refusal;

constexpr int kFar = 2147483647;

TEST(Paste, IsMixedWhereItLies) {
  const kernels::PastePlace places[] = {{0, 0, 1},  {1, 2, 0.3f},     {-2, -1, 1}, {2, 60, 0.5f},
                                        {-9, 0, 1}, {kFar, -kFar, 1}, {0, 0, 0}};
  on_small_pictures({1, 2, 3, 4}, [&](const Image& in) {
    const Image patch = make_picture(4, 9, in.channels(), 7), mask = make_picture(4, 9, 1, 5);
    for (const auto& place : places) {
      for (const Image* m : {static_cast<const Image*>(nullptr), &mask}) {
        Image out;
        kernels::paste(in, patch, m, place, out);
        for (int y = 0; y < in.height(); ++y) {
          for (int x = 0; x < in.width(); ++x) {
            const std::int64_t row = std::int64_t{y} - place.y, column = std::int64_t{x} - place.x;
            const bool covered = row >= 0 && column >= 0 && row < 4 && column < 9;
            for (int c = 0; c < in.channels(); ++c) {
              double expected = in.at(y, x, c);
              if (covered) {
                const int r = static_cast<int>(row), k = static_cast<int>(column);
                const double weight = std::round(static_cast<double>(place.alpha) *
                                                 (m == nullptr ? 255.0 : mask.at(r, k, 0)));
                expected += (patch.at(r, k, c) - expected) * weight / 255;
              }
              // Halves do not occur: 255 is odd.
              ASSERT_EQ(out.at(y, x, c), std::round(expected)) << y << " " << x;
            }
          }
        }
      }
    }
  });
  const Image in = make_picture(3, 4, 3), gray = make_picture(3, 4, 1),
              small = make_picture(2, 2, 1);
  Image out;
  EXPECT_EQ(refusal([&] { kernels::paste(in, gray, nullptr, {}, out); }),
            "paste: the picture has 3 channels and what is pasted 1; make them of one kind first");
  EXPECT_EQ(refusal([&] { kernels::paste(in, in, &small, {}, out); }),
            "paste: the mask is 2 x 2 (height x width) with 1 channels; it must be 3 x 4, as what "
            "is pasted, with one");
  EXPECT_NE(refusal([&] { kernels::paste(in, in, &in, {}, out); }), "");
  EXPECT_NE(refusal([&] { kernels::paste(in, in, nullptr, {0, 0, 1.5f}, out); }), "");
}

}  // namespace paste_test
}  // namespace sluice
