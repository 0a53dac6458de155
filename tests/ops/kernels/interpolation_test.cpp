#include <sluice/ops/kernels/interpolation.h>

#include <cctype>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace interpolation_test {

TEST(Interpolation, EveryKindHasANameOfItsOwn) {
  std::set<std::string> names;
  for (int kind = 0; kind <= static_cast<int>(Interpolation::lanczos); ++kind) {
    const std::string name = name_of(static_cast<Interpolation>(kind));
    for (const char letter : name) EXPECT_TRUE(std::islower(letter)) << name;
    EXPECT_TRUE(names.insert(name).second) << name << " twice";
  }
  EXPECT_EQ(names.size(), 6U);
  EXPECT_EQ(names.count("bilinear"), 1U);
}

}  // namespace interpolation_test
}  // namespace sluice
