#include <sluice/runtime/error.h>
#include <sluice/runtime/process.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <new>
#include <sstream>
#include <thread>

#include <pthread.h>
#include <sched.h>

namespace sluice {
namespace detail {

double quota_of_cpu_max(const std::string& text) {
  std::istringstream in(text);
  std::string quota;
  double period = 0;
  if (!(in >> quota >> period) || quota == "max" || period <= 0) return 0;
  try {
    return std::max(0.0, std::stod(quota) / period);
  } catch (const std::exception&) {
    return 0;
  }
}

double quota_of_cfs(long long quota_us, long long period_us) {
  if (quota_us <= 0 || period_us <= 0) return 0;
  return static_cast<double>(quota_us) / static_cast<double>(period_us);
}

}  // namespace detail

namespace {

int affinity_count() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());  // more than 1,024 CPUs
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

long long read_number(const std::string& path) {
  std::ifstream file(path);
  long long value = -1;
  return file >> value ? value : -1;
}

double smaller_quota(double a, double b) {
  if (a <= 0) return b;
  return b <= 0 ? a : std::min(a, b);
}

// Visits the folders from the process's own group up to the root: a parent's quota binds its
// children.
template <class Quota>
double smallest_on_path(const std::string& mount, std::string group, Quota quota_in) {
  double quota = 0;
  while (true) {
    quota = smaller_quota(quota, quota_in(mount + group));
    const auto slash = group.find_last_of('/');
    if (group.empty() || slash == std::string::npos) return quota;
    group.resize(slash);
  }
}

double cgroup_quota() {
  double quota = 0;
  std::istringstream groups(read_text("/proc/self/cgroup"));
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") {
      quota = smaller_quota(
          quota, smallest_on_path("/sys/fs/cgroup", group, [](const std::string& folder) {
            return detail::quota_of_cpu_max(read_text(folder + "/cpu.max"));
          }));
    } else if (controllers.find(",cpu,") != std::string::npos) {
      quota = smaller_quota(
          quota, smallest_on_path("/sys/fs/cgroup/cpu", group, [](const std::string& folder) {
            return detail::quota_of_cfs(read_number(folder + "/cpu.cfs_quota_us"),
                                        read_number(folder + "/cpu.cfs_period_us"));
          }));
    }
  }
  return quota;
}

}  // namespace

int cpu_count() {
  int count = affinity_count();
  const double quota = cgroup_quota();
  if (quota > 0) count = std::min(count, static_cast<int>(std::ceil(quota)));
  return std::max(1, count);
}

namespace {

std::atomic<unsigned> forks{0};

}  // namespace

unsigned ForkGuard::generation() {
  static const bool noticed = [] {
    const auto in_child = [] { forks.fetch_add(1, std::memory_order_relaxed); };
    if (pthread_atfork(nullptr, nullptr, in_child) != 0) throw std::bad_alloc();
    return true;
  }();
  (void)noticed;
  return forks.load(std::memory_order_relaxed);
}

bool ForkGuard::here() const noexcept {
  return generation_ == forks.load(std::memory_order_relaxed);
}

void ForkGuard::require(const std::string& what) const {
  if (here()) return;
  throw Error(what +
              " belongs to the process that made it, and fork() does not copy its threads; make a "
              "pipeline in the child, and destroy all others before fork()");
}

}  // namespace sluice
