#include <sluice/runtime/compute.h>

#include <array>
#include <utility>

#include <gtest/gtest.h>

namespace sluice::detail {
namespace compute_test {

struct Product {
  Wide x, y;
  bool overflows;
};

TEST(Compute, ProductsOf128Bits) {
  const Wide two_63 = Wide{1} << 63, two_64 = Wide{1} << 64, two_126 = Wide{1} << 126;
  const Wide lowest = -two_126 - two_126, highest = -(lowest + 1);
  const std::array<Product, 16> products = {{
      {0, lowest, false},
      {3, -4, false},
      {two_63, two_63, false},
      {two_63, -two_63, false},
      {two_64, two_63, true},
      {two_64, -two_63, false},  // the lowest
      {-two_64, -two_63, true},
      {two_64 - 1, two_64 - 1, true},
      {two_64 - 1, two_63, false},
      {lowest, 1, false},
      {lowest, -1, true},
      {highest, -1, false},
      {highest, 2, true},
      {lowest, lowest, true},
      {highest / 3, 3, false},
      {highest / 3 + 1, 3, true},
  }};
  for (const auto& [x, y, overflows] : products) {
    for (const auto& [left, right] : {std::pair(x, y), std::pair(y, x)}) {
      SCOPED_TRACE(static_cast<double>(left));
      SCOPED_TRACE(static_cast<double>(right));
      Wide to{};
      ASSERT_EQ(multiply_overflows(left, right, to), overflows);
      if (!overflows && right != 0) {
        EXPECT_TRUE(to / right == left && to % right == 0);
      }
    }
  }
}

}  // namespace compute_test
}  // namespace sluice::detail
