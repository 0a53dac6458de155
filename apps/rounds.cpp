#include "rounds.h"

#include "allocations.h"
#include "runtime/device.h"

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

// If the rival fails, prints the error and removes it.
void run_rival(Rival& rival, Round& round, std::FILE* out) {
  if (!rival.run) return;
  const auto gave_up = [&](const std::exception& e) {
    fmt::print(out, "  {} is out: {}\n", rival.name, e.what());
    rival.run = nullptr;
  };
  try {
    const auto count = static_cast<double>(rival.images);
    const double cpu_before = cpu_us_now();
    round.rival = count / rival.run();
    round.rival_cpu_us = (cpu_us_now() - cpu_before) / count;
  } catch (const DeviceError& e) {
    if (e.device_lost()) throw;
    gave_up(e);
  } catch (const std::exception& e) {
    gave_up(e);
  }
}

}  // namespace

Result alternate(const Subject& ours, const std::function<double()>& limit, Rival rival,
                 std::int64_t images, int rounds, std::FILE* out) {
  Result result;
  const auto count = static_cast<double>(images);
  (void)ours.run();
  (void)limit();
  Round warm;
  run_rival(rival, warm, out);
  for (int i = 0; i < rounds; ++i) {
    const std::uint64_t allocated = allocations() + ours.stats().memory.system_allocations;
    Round round;
    const double cpu_before = cpu_us_now();
    round.ours = count / ours.run();
    round.cpu_us = (cpu_us_now() - cpu_before) / count;
    const std::uint64_t allocated_after = allocations() + ours.stats().memory.system_allocations;
    result.allocations_per_image = static_cast<double>(allocated_after - allocated) / count;
    round.limit = count / limit();
    run_rival(rival, round, out);
    fmt::print(out, "  round {}: {:10.1f}/s beside {:10.1f}/s, ratio {:.3f}", i + 1, round.ours,
               round.limit, round.ratio());
    if (rival.run)
      fmt::print(out, "; {} {:10.1f}/s, ratio {:.3f}", rival.name, round.rival,
                 round.rival_ratio());
    fmt::print(out, "\n");
    (void)std::fflush(out);
    result.rounds.push_back(round);
  }
  result.stats = ours.stats();
  result.rival = rival.run != nullptr;
  return result;
}

}  // namespace sluice::app
