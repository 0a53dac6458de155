#include "benchmarks/bench/rounds.h"

#include "benchmarks/bench/allocations.h"
#include <sluice/runtime/device.h>

#include <exception>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>

namespace sluice::app {
namespace {

// The CPU time of all threads, user and system.
double cpu_us_now() {
  rusage usage{};
  (void)getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

// If the baseline fails, prints the error and removes it.
void run_baseline(Baseline& baseline, Round& round, std::FILE* out) {
  if (!baseline.run) return;
  const auto gave_up = [&](const std::exception& e) {
    fmt::print(out, "  {} is out: {}\n", baseline.name, e.what());
    baseline.run = nullptr;
  };
  try {
    const auto count = static_cast<double>(baseline.images);
    const double cpu_before = cpu_us_now();
    round.baseline = count / baseline.run();
    round.baseline_cpu_us = (cpu_us_now() - cpu_before) / count;
  } catch (const DeviceError& e) {
    if (e.device_lost()) throw;
    gave_up(e);
  } catch (const std::exception& e) {
    gave_up(e);
  }
}

}  // namespace

Result alternate(const Subject& ours, const std::function<double()>& limit, Baseline baseline,
                 std::int64_t images, int rounds, std::FILE* out) {
  Result result;
  const auto count = static_cast<double>(images);
  (void)ours.run();
  (void)limit();
  Round warm;
  run_baseline(baseline, warm, out);
  for (int i = 0; i < rounds; ++i) {
    const std::uint64_t allocated = allocations() + ours.stats().memory.system_allocations;
    Round round;
    const double cpu_before = cpu_us_now();
    round.ours = count / ours.run();
    round.cpu_us = (cpu_us_now() - cpu_before) / count;
    const std::uint64_t allocated_after = allocations() + ours.stats().memory.system_allocations;
    result.allocations_per_image = static_cast<double>(allocated_after - allocated) / count;
    const double limit_cpu_before = cpu_us_now();
    round.limit = count / limit();
    round.limit_cpu_us = (cpu_us_now() - limit_cpu_before) / count;
    run_baseline(baseline, round, out);
    fmt::print(out, "  round {}: Sluice {:10.1f}/s, baseline {:10.1f}/s, ratio {:.3f}", i + 1,
               round.ours, round.limit, round.ratio());
    if (baseline.run)
      fmt::print(out, "; {} {:10.1f}/s, ratio {:.3f}", baseline.name, round.baseline,
                 round.baseline_ratio());
    fmt::print(out, "\n");
    (void)std::fflush(out);
    result.rounds.push_back(round);
  }
  result.stats = ours.stats();
  result.baseline = baseline.run != nullptr;
  return result;
}

}  // namespace sluice::app
