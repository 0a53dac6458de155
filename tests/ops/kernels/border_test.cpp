#include <sluice/ops/kernels/border.h>

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Border, HasANameForEach) {
  EXPECT_STREQ(name_of(Border::constant), "constant");
  EXPECT_STREQ(name_of(Border::edge), "edge");
}

}  // namespace
}  // namespace sluice
