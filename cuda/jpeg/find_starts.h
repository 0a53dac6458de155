// Finds which MCUs begin where in a JPEG file without a JPEG index, and with which DC predictors.
// It sums over the results of synchronise.h, with the threads of a device.
//
// It also checks the results. Each subsequence must have been read from the state in which the one
// before ended, and the first one of an interval from its beginning. No subsequence may contain an
// error. Each interval must have the right number of MCUs, and less than a byte after them. If all
// of that holds, the codes were read as a single reader would read them from their start.
//
// Plain functions without state; they read and write only the sample's own data.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/jpeg/job.h>
#include <sluice/cuda/jpeg/synchronise.h>

#include <cstdint>

namespace sluice::device {

// Threads that work on one sample.
inline constexpr std::uint32_t kJpegFinders = 256;

// Sums over a run of subsequences; only the part in the last interval of the run counts.
struct JpegSums {
  std::uint32_t begins = 0;  // 1 if that interval begins in the run
  std::uint32_t groups = 0;
  std::int32_t dc[3] = {};

  SLUICE_HOST_DEVICE void add(const JpegTally& tally) {
    groups += tally.starts;
    SLUICE_UNROLL for (int i = 0; i < 3; ++i) dc[i] += tally.sums[i];
  }
  // Returns the sums over the run before and this one.
  SLUICE_HOST_DEVICE JpegSums after(const JpegSums& before) const {
    if (begins != 0) return *this;
    JpegSums both = before;
    both.groups += groups;
    SLUICE_UNROLL for (int i = 0; i < 3; ++i) both.dc[i] += dc[i];
    return both;
  }
};

SLUICE_HOST_DEVICE inline std::uint32_t groups_of_interval(const JpegSample& sample,
                                                           std::uint32_t interval) {
  const std::uint32_t all = sample.unindexed.columns * sample.unindexed.rows;
  if (sample.interval == 0) return all;
  const std::uint32_t left = all - interval * sample.interval;
  return left < sample.interval ? left : sample.interval;
}

// Fills in `start`. Returns true if it and the data that it is made from are valid. `before`: sums
// over the part of the interval before this subsequence. `expected`: the state in which the
// subsequence before ended, or kKnown for the first of an interval.
SLUICE_HOST_DEVICE inline bool make_jpeg_start(const JpegSample& sample, const JpegPlace& place,
                                               const JpegSums& before, const JpegTally& tally,
                                               std::uint32_t entry, std::uint32_t expected,
                                               JpegStart& start) {
  bool good = tally.bad == 0 && entry == expected;
  std::uint32_t count = tally.starts;
  if (place.last) {
    const std::uint32_t all = groups_of_interval(sample, place.interval);
    good &= before.groups <= all;
    count = all - before.groups;
    good &= count >= tally.starts && count < std::uint32_t{tally.starts} + tally.in_last;
  }
  start.bit = tally.first;
  start.number = place.interval * sample.interval + before.groups;
  start.count = static_cast<std::uint16_t>(count);
  SLUICE_UNROLL for (int i = 0; i < 3; ++i) {
    const std::int32_t predictor = before.dc[i] + tally.before[i];
    good &= predictor >= -32768 && predictor <= 32767;
    start.predictors[i] = static_cast<std::int16_t>(predictor);
  }
  return good;
}

// Finds all starts of a sample. `shared`: room for one JpegSums per thread. `starts` is valid only
// if all threads return true.
SLUICE_HOST_DEVICE inline bool find_jpeg_starts(const JpegTeam& team, JpegSums* shared,
                                                const JpegSample& sample, const JpegFindings& found,
                                                JpegStart* starts) {
  const std::uint32_t count = sample.unindexed.subsequences;
  // Each thread handles a run of subsequences.
  const std::uint32_t share = (count + team.threads - 1) / team.threads;
  const std::uint32_t begin = team.thread * share < count ? team.thread * share : count;
  const std::uint32_t end = begin + share < count ? begin + share : count;
  JpegSums mine;
  for (std::uint32_t i = begin; i < end; ++i) {
    if (found.states[i].entry == JpegStates::kKnown) mine = {.begins = 1};
    mine.add(found.tallies[i]);
  }
  shared[team.thread] = mine;
  team.sync();
  for (std::uint32_t step = 1; step < team.threads; step *= 2) {
    const bool more = team.thread >= step;
    if (more) mine = mine.after(shared[team.thread - step]);
    team.sync();
    if (more) shared[team.thread] = mine;
    team.sync();
  }
  JpegSums before;
  if (team.thread > 0) before = shared[team.thread - 1];
  bool good = true;
  for (std::uint32_t i = begin; i < end; ++i) {
    const JpegPlace place(sample.unindexed, found.intervals, i);
    if (place.first) before = {};
    const std::uint32_t expected =
        place.first ? std::uint32_t{JpegStates::kKnown} : found.states[i - 1].exit;
    const JpegTally& tally = found.tallies[i];
    good &=
        make_jpeg_start(sample, place, before, tally, found.states[i].entry, expected, starts[i]);
    before.add(tally);
  }
  return good;
}

}  // namespace sluice::device
