// How many samples a worker is asked for at once.
#include <sluice/io/workers/workers.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tests/io/workers/asked.h>

namespace sluice {
namespace groups_test {

// The sizes of the groups, by sample.
std::vector<std::int64_t> sizes_of(const std::string& argument) {
  testing::Asked<std::int64_t> asked("groups", {.workers = 2, .argument = argument});
  std::vector<std::int64_t> sizes;
  for (const auto& answer : asked.all_of(200)) sizes.push_back(answer.sample.value());
  return sizes;
}

// Alone: a worker that has few in hand ends soon after the others.
TEST(WorkerGroups, SamplesThatTakeLongAreAskedForOneByOne) {
  const auto sizes = sizes_of("3000 each");
  EXPECT_GT(sizes.front(), 1);  // nothing is known yet
  for (std::size_t i = 100; i < sizes.size(); ++i) EXPECT_EQ(sizes[i], 1) << i;
}

// A reader that makes all with the first one is served as before.
TEST(WorkerGroups, SamplesThatAreMadeTogetherAreAskedForTogether) {
  const auto sizes = sizes_of("3000 first");
  EXPECT_GT(*std::max_element(sizes.begin() + 100, sizes.begin() + 150), 1);
}

}  // namespace groups_test
}  // namespace sluice
