#include <sluice/ops/kernels/border.h>

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace fill_test {

TEST(Fill, OneValueIsForAllChannels) {
  const Fill fill = 255;
  for (int channel = 0; channel < 4; ++channel) EXPECT_EQ(fill[channel], 255);
}

TEST(Fill, ValuesStandInTheOrderOfChannels) {
  const Fill fill(1, 20, 255);
  EXPECT_EQ(fill[0], 1);
  EXPECT_EQ(fill[1], 20);
  EXPECT_EQ(fill[2], 255);
  EXPECT_EQ(fill[3], 0);
}

TEST(Fill, RefusesWhatIsNoByteAndNamesIt) {
  for (const int wrong : {-1, 256, 100000}) {
    try {
      Fill fill(0, wrong, 0);
      ADD_FAILURE() << wrong << " became " << int{fill[1]};
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(std::to_string(wrong)), std::string::npos);
    }
  }
}

}  // namespace fill_test
}  // namespace sluice
