// Rounds: measures the sides of `sluice bench` in interleaved rounds.
//
// Threads: one. Errors: those of the sides. An error of the rival is printed and excludes it from
// then on, unless the device is lost.
#pragma once

#include "benchmarks/workloads/overhead.h"
#include "benchmarks/workloads/subjects.h"

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
  double rival = 0;   // samples per second; 0: no rival
  double rival_cpu_us = 0;
  double ratio() const { return ours / limit; }
  double rival_ratio() const { return ours / rival; }
};

struct Result {
  std::vector<Round> rounds;
  double allocations_per_image = 0;
  Stats stats;
  bool rival = false;  // true if it ran in all rounds
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

// A third side, which does the same work on its own number of images.
struct Rival {
  std::string name;
  std::int64_t images = 0;
  std::function<double()> run;  // returns the seconds for that many; empty: no rival
};

// Runs the rounds. `limit` returns the seconds that the baseline takes, or would take, for
// `images`. The first round of each side is a warm-up and does not count.
Result alternate(const Subject& ours, const std::function<double()>& limit, Rival rival,
                 std::int64_t images, int rounds, std::FILE* out);

}  // namespace sluice::app
