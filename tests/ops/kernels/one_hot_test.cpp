#include <sluice/ops/kernels/one_hot.h>

#include <stdexcept>

#include <gtest/gtest.h>

namespace sluice {
namespace kernels_one_hot_test {

using kernels::one_hot;

TEST(OneHotKernel, FollowsTheFormula) {
  Tensor out;
  for (const int classes : {1, 2, 3, 10}) {
    for (const float smoothing : {0.f, 0.3f, 1.f}) {
      for (int label = 0; label < classes; ++label) {
        one_hot(label, classes, smoothing, out);
        ASSERT_EQ(out.shape(), Shape{classes});
        const Tensor& made = out;
        for (int k = 0; k < classes; ++k) {
          const double s = static_cast<double>(smoothing), own = k == label ? 1 - s : 0;
          EXPECT_NEAR(static_cast<double>(made.data<float>()[k]), own + s / classes, 1e-7);
        }
      }
    }
  }
  one_hot(1, 3, 0, out);
  EXPECT_EQ(out.data<float>()[0], 0.f);
  EXPECT_EQ(out.data<float>()[1], 1.f);
}

TEST(OneHotKernel, RefusesLabelsOutside) {
  Tensor out;
  for (const std::int64_t label : {std::int64_t{-1}, std::int64_t{3}, std::int64_t{1} << 40})
    EXPECT_THROW(one_hot(label, 3, 0, out), std::invalid_argument) << label;
}

}  // namespace kernels_one_hot_test
}  // namespace sluice
