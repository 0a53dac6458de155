// Rounds: contenders of `sluice bench`, measured in turns, and what came of it.
//
// Threads: one. Errors: what the contenders throw; what the rival throws takes it out, and is told,
// unless the device is lost with it.
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
  double cpu_us = 0;  // of ours, for a sample
  double rival = 0;   // 0 where there is none
  double rival_cpu_us = 0;
  double ratio() const { return ours / limit; }
  double rival_ratio() const { return ours / rival; }
};

struct Result {
  std::vector<Round> rounds;
  double allocations_per_image = 0;
  Stats stats;
  bool rival = false;  // whether it came to the end
};

template <class F>
double median_of(const std::vector<Round>& rounds, F value) {
  std::vector<double> values;
  for (const Round& round : rounds) values.push_back(value(round));
  return median(std::move(values));
}

// The least and the most.
template <class F>
std::pair<double, double> range_of(const std::vector<Round>& rounds, F value) {
  std::pair<double, double> range{value(rounds.front()), value(rounds.front())};
  for (const Round& round : rounds)
    range = {std::min(range.first, value(round)), std::max(range.second, value(round))};
  return range;
}

// A third contender, which does the same work in as many images as it needs to be timed.
struct Rival {
  std::string name;
  std::int64_t images = 0;
  std::function<double()> run;  // seconds for so many; empty: there is none
};

// `limit` gives the seconds that it takes, or would take, for `images`. The first round of each
// warms up and does not count.
Result alternate(const Subject& ours, const std::function<double()>& limit, Rival rival,
                 std::int64_t images, int rounds, std::FILE* out);

}  // namespace sluice::app
