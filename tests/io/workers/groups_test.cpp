// How many samples a worker is asked for at once.
#include <sluice/io/workers/workers.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tests/io/workers/asked.h>

namespace sluice {
namespace groups_test {

// The sizes of the groups, by sample.
std::vector<std::int64_t> sizes_of(const std::string& argument, bool together) {
  testing::Asked<std::int64_t> asked("groups", {.workers = 2, .argument = argument}, 200, together);
  std::vector<std::int64_t> sizes;
  for (const auto& answer : asked.all_of(200)) sizes.push_back(answer.sample.value());
  return sizes;
}

// One by one: a worker that has few in hand ends soon after the others.
TEST(WorkerGroups, SamplesThatTakeLongAreAskedForOneByOne) {
  const auto sizes = sizes_of("3000 each", false);
  EXPECT_GT(sizes.front(), 1);  // nothing is known yet
  for (std::size_t i = 120; i < sizes.size(); ++i) EXPECT_EQ(sizes[i], 1) << i;
}

// What a reader makes at once it is asked for at once, however long that takes.
TEST(WorkerGroups, SamplesThatAreMadeTogetherAreAskedForTogether) {
  const auto sizes = sizes_of("3000 first", true);
  for (std::size_t i = 0; i < 144; ++i) EXPECT_EQ(sizes[i], 16) << i;
}

}  // namespace groups_test
}  // namespace sluice
