#include "tests/ops/kernels/small_pictures.h"
#include <sluice/ops/kernels/posterize.h>

#include <gtest/gtest.h>

namespace sluice {
namespace posterize_test {

using kernels::posterize;

TEST(Posterize, KeepsTheUpperBits) {
  testing::on_small_pictures({1, 2, 3, 4}, [](const Image& in) {
    for (int bits = 1; bits <= 8; ++bits) {
      const int step = 256 >> bits;
      Image out;
      posterize(in, bits, out);
      EXPECT_EQ(out, testing::mapped(in, [&](int x) { return x / step * step; })) << bits;
    }
  });
}

TEST(Posterize, RefusesWhatCannotBe) {
  const Image in = testing::make_picture(2, 2, 3);
  Image out;
  for (const int bits : {-1, 0, 9}) {
    EXPECT_EQ(testing::refusal([&] { posterize(in, bits, out); }),
              "posterize: bits is " + std::to_string(bits) + "; it must lie in 1 .. 8");
  }
  EXPECT_EQ(testing::refusal([&] { posterize(Image(), 4, out); }), "posterize: the image is empty");
}

}  // namespace posterize_test
}  // namespace sluice
