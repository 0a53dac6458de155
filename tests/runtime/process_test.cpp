#include "tests/in_child.h"
#include <sluice/runtime/process.h>

#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace process_test {

TEST(ForkGuard, IsLeftByFork) {
  const ForkGuard parent;
  EXPECT_TRUE(parent.here());
  const std::string said = testing::in_child([&]() -> std::string {
    if (parent.here()) return "still at home";
    const ForkGuard child;
    if (!child.here()) return "never at home";
    return testing::in_child(
        [&] { return parent.here() || child.here() ? "a home too many" : "far from both"; });
  });
  EXPECT_EQ(said, "far from both");
  EXPECT_TRUE(parent.here());
}

}  // namespace process_test
}  // namespace sluice
