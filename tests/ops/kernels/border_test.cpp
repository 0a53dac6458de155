#include <sluice/ops/kernels/border.h>

#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace border_test {

TEST(Border, HasNames) {
  EXPECT_EQ(std::string(name_of(Border::constant)), "constant");
  EXPECT_EQ(std::string(name_of(Border::edge)), "edge");
  EXPECT_EQ(std::string(name_of(Border::reflect)), "reflect");
}

}  // namespace border_test
}  // namespace sluice
