// Rounds: measures the sides of `sluice bench` in interleaved rounds.
//
// Threads: one. Errors: those of the sides. An error of the baseline is printed and excludes it
// from then on, unless the device is lost.
#pragma once

#include "benchmarks/bench/overhead.h"
#include "benchmarks/bench/workloads.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::app {

struct Round {
  double ours = 0;  // samples per second
  double limit = 0;
  double cpu_us = 0;  // of ours, per sample
  double limit_cpu_us = 0;
  double baseline = 0;  // samples per second; 0: no baseline
  double baseline_cpu_us = 0;
  double ratio() const { return ours / limit; }
  double baseline_ratio() const { return ours / baseline; }
};

struct Result {
  std::vector<Round> rounds;
  double allocations_per_image = 0;
  Stats stats;
  bool baseline = false;  // true if it ran in all rounds
};

template <class F>
double median_of(const std::vector<Round>& rounds, F value) {
  std::vector<double> values;
  for (const Round& round : rounds) values.push_back(value(round));
  return median(std::move(values));
}

// The smallest and the largest value.
template <class F>
std::pair<double, double> range_of(const std::vector<Round>& rounds, F value) {
  std::pair<double, double> range{value(rounds.front()), value(rounds.front())};
  for (const Round& round : rounds)
    range = {std::min(range.first, value(round)), std::max(range.second, value(round))};
  return range;
}

// A third side: another library that does the same work, on its own number of images.
struct Baseline {
  std::string name;
  std::int64_t images = 0;
  std::function<double()> run;  // returns the seconds for that many; empty: no baseline
};

// Runs the rounds. `limit` returns the seconds that the other side takes, or would take, for
// `images`. The first round of each side is a warm-up and does not count.
Result alternate(const Subject& ours, const std::function<double()>& limit, Baseline baseline,
                 std::int64_t images, int rounds, std::FILE* out);

}  // namespace sluice::app
