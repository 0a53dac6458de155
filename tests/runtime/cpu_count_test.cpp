#include <sluice/runtime/process.h>

#include <gtest/gtest.h>
#include <sched.h>

namespace sluice {
namespace cpu_count_test {

TEST(CpuCount, ReadsQuotas) {
  EXPECT_EQ(detail::quota_of_cpu_max("max 100000\n"), 0);
  EXPECT_EQ(detail::quota_of_cpu_max("150000 100000\n"), 1.5);
  EXPECT_EQ(detail::quota_of_cpu_max("50000 100000\n"), 0.5);
  EXPECT_EQ(detail::quota_of_cpu_max(""), 0);
  EXPECT_EQ(detail::quota_of_cpu_max("nonsense 100000"), 0);
  EXPECT_EQ(detail::quota_of_cpu_max("100000 0"), 0);
  EXPECT_EQ(detail::quota_of_cfs(-1, 100000), 0);
  EXPECT_EQ(detail::quota_of_cfs(400000, 100000), 4);
  EXPECT_EQ(detail::quota_of_cfs(100000, 0), 0);
}

TEST(CpuCount, FollowsTheAffinityMask) {
  const int before = cpu_count();
  ASSERT_GE(before, 1);
  cpu_set_t old;
  ASSERT_EQ(sched_getaffinity(0, sizeof old, &old), 0);
  EXPECT_LE(before, CPU_COUNT(&old));
  int first = 0;
  while (!CPU_ISSET(static_cast<std::size_t>(first), &old)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(first), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(cpu_count(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof old, &old), 0);
  EXPECT_EQ(cpu_count(), before);
}

}  // namespace cpu_count_test
}  // namespace sluice
