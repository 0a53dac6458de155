// The number of CPUs that this process may really use: the smaller of its affinity mask and its
// cgroup's quota (v1 and v2, every ancestor counted, rounded up, at least 1).
#pragma once

#include <string>

namespace sluice {

int cpu_count();

namespace detail {
// Quota in CPUs of the cgroup v2 file `cpu.max` ("max 100000" or "150000 100000"); 0 when there is
// none.
double quota_of_cpu_max(const std::string& text);
// The same for cgroup v1's two numbers in microseconds; a quota below 1 means none.
double quota_of_cfs(long long quota_us, long long period_us);
}  // namespace detail

}  // namespace sluice
