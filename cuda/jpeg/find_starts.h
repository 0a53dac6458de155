// Which MCUs of a JPEG file that no index knows begin where, and with which predictors of DC: sums
// over what synchronise.h has found, for the threads of a device.
//
// It also says whether all of that holds: that each subsequence was read from the state in which
// the one before was left, the first one of an interval from its beginning; that nothing in them is
// wrong; and that each interval has as many MCUs as it should, and less than a byte after them.
// Then the codes were read as one reader would have read them from their start.
//
// Plain functions without state; they read and write what belongs to the sample.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/jpeg/job.h>
#include <sluice/cuda/jpeg/synchronise.h>

#include <cstdint>

namespace sluice::device {

// Threads that work at one sample.
inline constexpr std::uint32_t kJpegFinders = 256;

// Sums over a run of subsequences, as far as they belong to the last interval in it.
struct JpegSums {
  std::uint32_t begins = 0;  // whether that interval begins in the run
  std::uint32_t groups = 0;
  std::int32_t dc[3] = {};

  SLUICE_HOST_DEVICE void add(const JpegTally& tally) {
    groups += tally.starts;
    SLUICE_UNROLL for (int i = 0; i < 3; ++i) dc[i] += tally.sums[i];
  }
  // Those of the run before and this one.
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

// Fills in `start`, and says whether it and what it is made from is in order. `before`: what
// precedes it in its interval; `previous`: the subsequence before it, if there is one.
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

// All of a sample. `shared`: room for as many sums as there are threads. What `starts` says may be
// used if all threads say true.
SLUICE_HOST_DEVICE inline bool find_jpeg_starts(const JpegTeam& team, JpegSums* shared,
                                                const JpegSample& sample, const JpegFindings& found,
                                                JpegStart* starts) {
  const std::uint32_t count = sample.unindexed.subsequences;
  // Each thread has a run of them.
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
