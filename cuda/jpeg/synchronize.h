// Decodes the Huffman codes of a JPEG file without a JPEG index, with the threads of a device.
// First it finds where MCUs begin: self-synchronizing parallel Huffman decoding after A.
// Weissenberger and B. Schmidt, "Accelerating JPEG Decompression on GPUs", arXiv 2111.09219.
//
// Problem: Huffman codes differ in length, and a code begins where the one before it ends. So
// threads cannot simply start in the middle. But a reader that starts at a wrong bit usually falls
// in step soon. Example with the codes a = 0, b = 10, c = 110, d = 111:
//
//     bits              1 1 0 0 1 0 1 1 1 0 1 0
//     from bit 0        c     a b   d     a b
//     from bit 7                      c     b      wrong at first, in step from bit 10 on
//
// For JPEG, two readers are in step if their states agree: bit position, block in the MCU, and
// position in the block.
//
// Solution: cut the codes into subsequences of 256 bytes, one for each thread. Guess the states
// between them, and read again after a wrong guess. Example: P, Q and R are the true states between
// four subsequences, and X is a wrong guess.
//
//     subsequence   0          1          2          3
//     guess         known      P          X          R          after up to 512 bits before it
//     round 0       -> P       P -> Q     X -> R     R -> S     all threads read
//     round 1                             Q -> R                entry was X, exit before it is Q
//     end                                                       all entries equal the exits before
//
// 1. In the first launch, the threads of each tile (256 subsequences) do this for their tile.
// 2. kJpegMoreLaunches more launches carry states from tile to tile: the first subsequence of a
//    tile compares its entry with the last exit of the tile before.
// 3. Each reading also fills in a JpegTally: the MCUs that begin there, and sums of DC differences.
//    find_jpeg_starts() adds these up: which MCUs begin where, and with which DC predictors.
// 4. Then each thread decodes the MCUs that begin in a subsequence (JpegStartReader) into blocks of
//    coefficients, which are all zero at first. It writes only blocks of the sample.
//
// Invariants:
// - The first subsequence of an interval begins with an MCU (kKnown). If every other entry equals
//   the exit before it, all states are those of a reader from the start.
// - In a round, threads first write exits and then entries, with a sync() between. Only the tile
//   before may run at the same time: a launch reads its exit once.
// - Each symbol takes at least one bit, also a wrong one. So a reading ends for any input bytes. It
//   reads only bytes of the sample.
// - A launch reads a subsequence again at most kJpegBitsAgain / subsequence_bits times.
//
// Errors: find_jpeg_starts() checks all entries, exits and tallies. Each subsequence must have been
// read from the state in which the one before ended, and the first one of an interval from its
// beginning. No subsequence may contain an error. Each interval must have the right number of MCUs,
// and less than a byte after them. If all of that holds, the codes were read as a single reader
// would read them from their start. The host decodes samples that fail the check, or whose
// JpegStartReader finds anything that a sound file cannot contain.
//
// Ownership: functions without state, and readers that refer to their arguments.
//
// Read synchronize_jpeg_tile() first, then read_jpeg_subsequence().
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/jpeg/huffman.h>
#include <sluice/cuda/jpeg/job.h>

#include <cstdint>

namespace sluice::device {

// The number of launches after the first one, which carry states from tile to tile; and the number
// of bits that each of them may read again, by one thread after the other. Files that need more are
// left to the host.
inline constexpr int kJpegMoreLaunches = 2;
inline constexpr std::uint32_t kJpegBitsAgain = 1 << 17;

// A step of a reader that only looks for MCUs: one symbol or several, with their extra bits. On
// average, an AC step covers 1.5 symbols of photographs. Packed in 16 bits. Bits 0..4: the number
// of bits; 5..11: the number of coefficients, where the end of a block counts as one; 12: 1
// if the block ends.
//
// JpegCodes::steps has two values for the next bits, or 0 if jpeg_symbol() must decode them. The
// lower half is the longest step. The upper half is the step of the first symbol alone for AC, and
// the number of extra bits for DC.
struct JpegStep {
  std::uint32_t packed = 0;

  SLUICE_HOST_DEVICE std::uint32_t bits() const { return packed & 31; }
  SLUICE_HOST_DEVICE std::uint32_t coefficients() const { return packed >> 5 & 127; }
  SLUICE_HOST_DEVICE bool ends_block() const { return (packed >> 12 & 1) != 0; }
  // `symbol`: an entry of JpegCodes.
  SLUICE_HOST_DEVICE static JpegStep of(std::uint32_t symbol, bool dc) {
    const std::uint32_t size = symbol & 15, zeros = symbol >> 4 & 15;
    const std::uint32_t ends = !dc && size == 0 && zeros != 15 ? 1 : 0;
    return {((symbol >> 8) + size) | (ends != 0 ? 1 : zeros + 1) << 5 | ends << 12};
  }
  // The most extra bits of a symbol in a valid file.
  SLUICE_HOST_DEVICE static std::uint32_t most_extra(bool dc) { return dc ? 11 : 10; }
};

// Returns where the steps of DC or AC table 0 or 1 begin.
SLUICE_HOST_DEVICE inline std::uint32_t jpeg_steps_at(bool dc, std::uint32_t table) {
  return dc ? table << kJpegDcStepBits : kJpegDcSteps + (table << kJpegAcStepBits);
}

// Return the value in JpegCodes::steps for the next bits.
SLUICE_HOST_DEVICE inline std::uint32_t make_jpeg_dc_step(const JpegCodeSource& source,
                                                          std::uint32_t next) {
  const std::uint32_t symbol = make_jpeg_entry(source, next, kJpegDcStepBits);
  const std::uint32_t extra = symbol & 15;
  if (symbol == 0 || extra > JpegStep::most_extra(true)) return 0;
  return JpegStep::of(symbol, true).packed | extra << 16;
}
SLUICE_HOST_DEVICE inline std::uint32_t make_jpeg_ac_step(const JpegCodeSource& source,
                                                          std::uint32_t next) {
  std::uint32_t left = kJpegAcStepBits;  // unused bits of `next`
  JpegStep first, all;
  while (left > 0 && !all.ends_block()) {
    const std::uint32_t symbol = make_jpeg_entry(source, next & ((1u << left) - 1), left);
    if (symbol == 0 || (symbol & 15) > JpegStep::most_extra(false)) break;
    const JpegStep step = JpegStep::of(symbol, false);
    const bool fits = step.bits() <= left;
    if (first.packed == 0) {
      first = all = step;
    } else {
      if (!fits || all.coefficients() + step.coefficients() > 64) break;
      all.packed += step.packed;
    }
    if (!fits) break;
    left -= step.bits();
  }
  return all.packed | first.packed << 16;
}

// Builds the steps of table 0 to 3. `source`: as for build_jpeg_codes().
SLUICE_HOST_DEVICE inline void build_jpeg_steps(const JpegThreadBlock& thread_block,
                                                const JpegCodeSource& source, std::uint32_t table,
                                                JpegCodes& codes) {
  const bool dc = table < 2;
  std::uint32_t* const steps = codes.steps + jpeg_steps_at(dc, table & 1);
  const std::uint32_t count = 1u << (dc ? kJpegDcStepBits : kJpegAcStepBits);
  for (std::uint32_t i = thread_block.thread; i < count; i += thread_block.threads)
    steps[i] = dc ? make_jpeg_dc_step(source, i) : make_jpeg_ac_step(source, i);
}

// The data for reading a sample's codes.
struct JpegCodesOfSample {
  const JpegUnindexed& sample;
  const std::uint32_t* words;
  const JpegCodes& codes;
  std::uint32_t blocks;  // of an MCU

  SLUICE_HOST_DEVICE JpegPlainBits bits(std::uint32_t from) const {
    return {words, (sample.bytes + 3) / 4, from};
  }
};

// The position of a subsequence, in bits from the sample's first.
struct JpegPlace {
  std::uint32_t interval = 0;  // its number
  std::uint32_t interval_begin = 0;
  std::uint32_t begin = 0, end = 0;
  bool first = false, last = false;  // of the interval's subsequences

  SLUICE_HOST_DEVICE JpegPlace(const JpegUnindexed& sample, const JpegInterval* intervals,
                               std::uint32_t number) {
    interval = find_range(sample.intervals, number,
                          [intervals](std::uint32_t i) { return intervals[i].first_subsequence; });
    const JpegInterval& of = intervals[interval];
    const std::uint32_t in_interval = number - of.first_subsequence;
    interval_begin = 8 * of.begin;
    begin = interval_begin + in_interval * sample.subsequence_bits;
    first = in_interval == 0;
    last = 8 * of.end - begin <= sample.subsequence_bits;
    end = last ? 8 * of.end : begin + sample.subsequence_bits;
  }
};

// Reads from `begin`, in `state`, to `end`, and returns the state there. `steps`: those of `from`,
// in the fastest memory available. `last`: the interval ends there. kCount: fills in
// `out` with the contents in between.
template <bool kCount>
SLUICE_HOST_DEVICE std::uint32_t read_jpeg_subsequence(const JpegCodesOfSample& from,
                                                       const std::uint32_t* steps,
                                                       std::uint32_t state, std::uint32_t begin,
                                                       std::uint32_t end, bool last,
                                                       JpegTally& out) {
  const std::uint32_t pattern = from.sample.pattern, blocks = from.blocks;
  std::uint32_t block = state >> 5 & 7, k = state >> 8 & 63;
  std::uint32_t place = begin + (state & 31), starts = 0, in_last = 0, bad = 0;
  std::int32_t sum0 = 0, sum1 = 0, sum2 = 0;
  const auto put = [](std::int32_t(&to)[3], std::int32_t a, std::int32_t b, std::int32_t c) {
    to[0] = a;
    to[1] = b;
    to[2] = c;
  };
  JpegPlainBits bits = from.bits(place);
  while (true) {
    const bool more = place < end;
    if (kCount && (block | k) == 0 && (more || (last && place == end))) {
      if (starts + in_last == 0) {
        out.first = place;
        put(out.before, sum0, sum1, sum2);
      }
      const std::uint32_t late = last && end - place < 8 ? 1 : 0;
      in_last += late;
      starts += 1 - late;
    }
    if (!more) break;
    bits.refill();
    const bool dc = k == 0;
    const std::uint32_t of = pattern >> 4 * block;
    const std::uint32_t table = dc ? of & 1 : of >> 1 & 1;
    const std::uint32_t next = bits.peek(dc ? kJpegDcStepBits : kJpegAcStepBits);
    const std::uint32_t entry = steps[jpeg_steps_at(dc, table) + next];
    JpegStep step{entry & 0xffff};
    std::uint32_t extra = entry >> 16;  // for DC
    bool wrong = false;
    if (!dc && (k + step.coefficients() > 64 || place + step.bits() > end)) {
      // The block or the subsequence ends before all of these symbols.
      step.packed = entry >> 16;
    }
    if (entry == 0) {
      const std::uint32_t number = dc ? table : 2 + table;
      std::uint32_t symbol = jpeg_symbol(bits, from.codes.entries[number], from.codes, number);
      wrong = symbol == 0;
      if (wrong) symbol = 1 << 8;  // continues with the next bit
      step = JpegStep::of(symbol, dc);
      extra = symbol & 15;
      wrong |= extra > JpegStep::most_extra(dc);
    }
    if (kCount && dc) {
      bits.drop(step.bits() - extra);
      const std::int32_t difference = bits.number(extra);
      const std::uint32_t component = of >> 2 & 3;
      sum0 += component == 0 ? difference : 0;
      sum1 += component == 1 ? difference : 0;
      sum2 += component == 2 ? difference : 0;
    } else {
      bits.drop(step.bits());
    }
    place += step.bits();
    const bool over = step.ends_block();
    k += step.coefficients();
    wrong |= k > 64 && !over;
    if (wrong) {
      // Not in step: continue with an AC code of block 0, because most codes are of that kind.
      k = 1;
      block = 0;
    } else if (over || k >= 64) {
      k = 0;
      block = block + 1 == blocks ? 0 : block + 1;
    }
    if (!kCount || !wrong) continue;
    if (in_last > 0) break;  // the padding of the last byte
    bad = 1;
  }
  if (kCount) {
    if (starts + in_last == 0) {
      out.first = end;
      put(out.before, sum0, sum1, sum2);
    }
    put(out.sums, sum0, sum1, sum2);
    // The counts fit, because of the limits on subsequence sizes (see JpegPlan).
    out.starts = static_cast<std::uint16_t>(starts);
    out.in_last = static_cast<std::uint8_t>(in_last);
    out.bad = static_cast<std::uint8_t>(bad);
  }
  return ((place - end) & 31) | block << 5 | k << 8;
}

// Memory that the threads of a tile share.
struct JpegTileMemory {
  JpegStates states[kJpegSubsequencesPerTile];
  std::uint32_t to_read[kJpegSubsequencesPerTile];  // the subsequences to read (again)
  std::uint32_t count;                              // of to_read
};

// The findings about a sample's subsequences.
struct JpegFindings {
  const JpegInterval* intervals;
  JpegStates* states;
  JpegTally* tallies;
};

// Handles the tile that begins with subsequence `first`. `steps`: as for read_jpeg_subsequence().
// `again`: it has been read before.
SLUICE_HOST_DEVICE inline void synchronize_jpeg_tile(
    const JpegThreadBlock& thread_block, JpegTileMemory& shared, const JpegCodesOfSample& from,
    const std::uint32_t* steps, const JpegFindings& found, std::uint32_t first, bool again) {
  const std::uint32_t rest = from.sample.subsequences - first;
  const std::uint32_t tile = rest < kJpegSubsequencesPerTile ? rest : kJpegSubsequencesPerTile;
  const auto place_of = [&](std::uint32_t i) {
    return JpegPlace(from.sample, found.intervals, first + i);
  };
  for (std::uint32_t i = thread_block.thread; i < tile; i += thread_block.threads) {
    shared.to_read[i] = i;
    if (again) {
      shared.states[i] = found.states[first + i];
      continue;
    }
    const JpegPlace place = place_of(i);
    shared.states[i].entry = JpegStates::kKnown;
    if (place.first) continue;
    const bool near = place.begin - place.interval_begin < kJpegWarmUpBits;
    const std::uint32_t begin = near ? place.interval_begin : place.begin - kJpegWarmUpBits;
    JpegTally unused;
    shared.states[i].entry =
        read_jpeg_subsequence<false>(from, steps, 0, begin, place.begin, false, unused);
  }
  // The tile before may be writing it.
  const bool known = again && first > 0;
  const volatile std::uint32_t& exit = found.states[known ? first - 1 : first].exit;
  const std::uint32_t before = exit;
  const std::uint32_t most = kJpegBitsAgain / from.sample.subsequence_bits;
  bool changed = !again;
  std::uint32_t count = again ? 0 : tile;
  thread_block.sync();
  for (std::uint32_t round = 0;; ++round) {
    for (std::uint32_t j = thread_block.thread; j < count; j += thread_block.threads) {
      const std::uint32_t i = shared.to_read[j];
      const JpegPlace place = place_of(i);
      JpegStates& states = shared.states[i];
      states.exit =
          read_jpeg_subsequence<true>(from, steps, states.entry & ~JpegStates::kKnown, place.begin,
                                      place.end, place.last, found.tallies[first + i]);
    }
    if (thread_block.thread == 0) shared.count = 0;
    thread_block.sync();
    if (round == most) break;
    for (std::uint32_t i = thread_block.thread; i < tile; i += thread_block.threads) {
      JpegStates& states = shared.states[i];
      if (states.entry == JpegStates::kKnown || (i == 0 && !known)) continue;
      const std::uint32_t entry = i == 0 ? before : shared.states[i - 1].exit;
      if (entry == states.entry) continue;
      states.entry = entry;
      shared.to_read[thread_block.add_one(shared.count)] = i;
    }
    thread_block.sync();
    count = shared.count;
    if (count == 0) break;
    changed = true;
    thread_block.sync();
  }
  if (!changed) return;
  for (std::uint32_t i = thread_block.thread; i < tile; i += thread_block.threads) {
    found.states[first + i] = shared.states[i];
  }
}

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
SLUICE_HOST_DEVICE inline bool find_jpeg_starts(const JpegThreadBlock& thread_block,
                                                JpegSums* shared, const JpegSample& sample,
                                                const JpegFindings& found, JpegStart* starts) {
  const std::uint32_t count = sample.unindexed.subsequences;
  // Each thread handles a run of subsequences.
  const std::uint32_t share = (count + thread_block.threads - 1) / thread_block.threads;
  const std::uint32_t begin =
      thread_block.thread * share < count ? thread_block.thread * share : count;
  const std::uint32_t end = begin + share < count ? begin + share : count;
  JpegSums mine;
  for (std::uint32_t i = begin; i < end; ++i) {
    if (found.states[i].entry == JpegStates::kKnown) mine = {.begins = 1};
    mine.add(found.tallies[i]);
  }
  shared[thread_block.thread] = mine;
  thread_block.sync();
  for (std::uint32_t step = 1; step < thread_block.threads; step *= 2) {
    const bool more = thread_block.thread >= step;
    if (more) mine = mine.after(shared[thread_block.thread - step]);
    thread_block.sync();
    if (more) shared[thread_block.thread] = mine;
    thread_block.sync();
  }
  JpegSums before;
  if (thread_block.thread > 0) before = shared[thread_block.thread - 1];
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

class JpegStartReader {
 public:
  // `entries`: those of `from`, in the fastest memory available. `coefficients`: of all samples.
  SLUICE_HOST_DEVICE JpegStartReader(const JpegSample& sample, const JpegCodesOfSample& from,
                                     const std::uint16_t* entries, const JpegStart& start,
                                     std::int16_t* coefficients)
      : sample_(sample),
        from_(from),
        entries_(entries),
        coefficients_(coefficients),
        bits_(from.bits(start.bit)),
        left_(start.count),
        row_(start.number / sample.unindexed.columns),
        column_(start.number - row_ * sample.unindexed.columns) {
    SLUICE_UNROLL for (int i = 0; i < 3; ++i) predictors_[i] = start.predictors[i];
  }

  // True if any of the MCUs is in a row that is needed.
  SLUICE_HOST_DEVICE static bool wanted(const JpegUnindexed& sample, const JpegStart& start) {
    return start.count > 0 && start.number < sample.bottom * sample.columns &&
           start.number + start.count > sample.top * sample.columns;
  }

  // One loop reads all symbols, as in JpegSegmentReader. Returns false if the codes are damaged.
  SLUICE_HOST_DEVICE bool run() {
    enter_block();
    std::uint32_t k = 0;  // the position of the next coefficient, in zigzag order
    while (left_ > 0) {
      bits_.refill();
      const std::uint32_t table = k == 0 ? block_.dc : block_.ac;
      const std::uint32_t symbol =
          jpeg_symbol(bits_, entries_ + (table << kJpegLookupBits), from_.codes, table);
      const std::uint32_t size = symbol & 15, zeros = symbol >> 4 & 15;
      if (symbol == 0 || size > (k == 0 ? 11u : 10u)) return false;
      bits_.drop(symbol >> 8);
      std::int32_t value = bits_.number(size);
      bool over = false;
      if (k == 0) {
        value = predict(value);
        if (value < -32768 || value > 32767) return false;
      } else {
        over = size == 0 && zeros != 15;
        k += zeros;
        if (k > 63 && !over) return false;
      }
      if (value != 0 && out_ != nullptr) out_[k] = static_cast<std::int16_t>(value);
      ++k;
      if (k < 64 && !over) continue;
      k = 0;
      next_block();
    }
    return true;
  }

 private:
  SLUICE_HOST_DEVICE std::int32_t predict(std::int32_t difference) {
    std::int32_t value = 0;
    SLUICE_UNROLL for (int i = 0; i < 3; ++i) {
      if (block_.component == i) value = predictors_[i] += difference;
    }
    return value;
  }
  SLUICE_HOST_DEVICE void next_block() {
    if (++number_ == sample_.group_blocks) {
      number_ = 0;
      --left_;
      if (++column_ == sample_.unindexed.columns) {
        column_ = 0;
        // The rows below are not needed.
        if (++row_ >= sample_.unindexed.bottom) left_ = 0;
      }
    }
    enter_block();
  }
  SLUICE_HOST_DEVICE void enter_block() {
    block_ = sample_.group[number_];
    const JpegUnindexed& of = sample_.unindexed;
    const bool kept = row_ >= of.top && row_ < of.bottom && column_ >= of.left &&
                      column_ < of.right && block_.component < sample_.shown;
    out_ =
        kept ? coefficients_ + 64 * (block_.first + std::uint64_t{row_ - of.top} * block_.row_step +
                                     (column_ - of.left) * block_.across)
             : nullptr;
  }

  const JpegSample& sample_;
  const JpegCodesOfSample& from_;
  const std::uint16_t* const entries_;
  std::int16_t* const coefficients_;
  JpegPlainBits bits_;
  std::int32_t predictors_[3];
  std::uint32_t left_;          // MCUs
  std::uint32_t row_, column_;  // of the MCU, in the image
  std::uint32_t number_ = 0;    // of the block in the MCU
  JpegGroupBlock block_;
  std::int16_t* out_ = nullptr;  // null for blocks that are not needed
};

}  // namespace sluice::device
