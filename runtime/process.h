// The process: the number of CPUs that it may use, and the process in which an object was made.
#pragma once

#include <string>

namespace sluice {

// The number of CPUs that this process may really use: the smaller of its affinity mask and its
// cgroup's quota (v1 and v2, every ancestor counted, rounded up, at least 1).
int cpu_count();

namespace detail {
// The quota in CPUs of the cgroup v2 file `cpu.max` ("max 100000" or "150000 100000"); 0 if there
// is none.
double quota_of_cpu_max(const std::string& text);
// The same for cgroup v1's two numbers in microseconds; a quota below 1 means none.
double quota_of_cfs(long long quota_us, long long period_us);
}  // namespace detail

// ForkGuard: the process in which an object was made, for objects that fork() copies without the
// threads and the locks that belong to them.
//
// A child of fork() has one thread. A lock that another thread held stays locked for ever, and the
// work of the other threads is never done. An object with such parts holds a ForkGuard and leaves
// them alone once here() is false.
//
// Threads: any. Errors: std::bad_alloc when the first ForkGuard of a program is made. A child
// made by the system call itself, without fork(), is not noticed.

class ForkGuard {
 public:
  ForkGuard() : generation_(generation()) {}
  // False in children of fork(), and in their children.
  bool here() const noexcept;
  // Throws Error, whose message begins with `what`, unless here().
  void require(const std::string& what) const;
  // The number of fork() calls between the first process and this one, counted from the first use
  // of this class on.
  static unsigned generation();

 private:
  unsigned generation_;
};
using HomeProcess [[deprecated("use ForkGuard")]] = ForkGuard;

}  // namespace sluice
