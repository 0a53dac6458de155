// The number of samples that a worker is asked for at once.
#include <sluice/io/workers/workers.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/file.h>
#include <tests/io/workers/asked.h>
#include <unistd.h>

namespace sluice {
namespace groups_test {

// Returns the sizes of the groups, by sample. No worker is ready before all samples are requested.
std::vector<std::int64_t> sizes_of(const std::string& argument, bool together) {
  std::FILE* const lock = std::tmpfile();
  ::flock(::fileno(lock), LOCK_EX);
  const std::string path =
      "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(::fileno(lock));
  testing::Asked<std::int64_t> asked("groups", {.workers = 2, .argument = argument + " " + path},
                                     200, together);
  for (std::int64_t i = 0; i < 200; ++i) asked.begin(i);
  ::flock(::fileno(lock), LOCK_UN);
  std::vector<std::int64_t> sizes;
  for (const auto& answer : asked.all()) sizes.push_back(answer.sample.value());
  std::fclose(lock);
  return sizes;
}

// One by one: a worker with few samples ends soon after the others.
TEST(WorkerGroups, SamplesThatTakeLongAreAskedForOneByOne) {
  const auto sizes = sizes_of("3000 each", false);
  EXPECT_GT(sizes.front(), 1);  // nothing is known yet
  for (std::size_t i = 120; i < sizes.size(); ++i) EXPECT_EQ(sizes[i], 1) << i;
}

// Samples that a reader makes at once are requested at once, however long that takes.
TEST(WorkerGroups, SamplesThatAreMadeTogetherAreAskedForTogether) {
  const auto sizes = sizes_of("3000 first", true);
  for (std::size_t i = 0; i < 144; ++i) EXPECT_EQ(sizes[i], 16) << i;
}

}  // namespace groups_test
}  // namespace sluice
