// Finds where MCUs begin in the codes of a JPEG file without a JPEG index, with the threads of a
// device: self-synchronizing parallel Huffman decoding after A. Weissenberger and B. Schmidt,
// "Accelerating JPEG Decompression on GPUs", arXiv 2111.09219.
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
//    find_starts.h adds these up. Then unindexed.h decodes the coefficients.
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
// Errors: none here. find_starts.h checks all entries, exits and tallies. The host decodes samples
// that fail the check. Plain functions without state.
//
// Read synchronise_jpeg_tile() first, then read_jpeg_subsequence().
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/jpeg/huffman.h>
#include <sluice/cuda/jpeg/job.h>
#include <sluice/cuda/jpeg/plain_bits.h>
#include <sluice/cuda/jpeg/team.h>
#include <sluice/cuda/last_before.h>

#include <cstdint>

namespace sluice::device {

// The number of launches after the first one, which carry states from tile to tile; and the number
// of bits that each of them may read again, by one thread after the other. Files that need more are
// left to the host.
inline constexpr int kJpegMoreLaunches = 2;
inline constexpr std::uint32_t kJpegBitsAgain = 1 << 17;

// The data for reading a sample's codes. `entries`: as for jpeg_symbol().
struct JpegCodesOfSample {
  const JpegUnindexed& sample;
  const std::uint32_t* words;
  const std::uint16_t* entries;
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
    interval = last_before(sample.intervals, number,
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

// Reads from `begin`, in `state`, to `end`, and returns the state there. `last`: the interval ends
// there. kCount: fills in `out` with the contents in between.
template <bool kCount>
SLUICE_HOST_DEVICE std::uint32_t read_jpeg_subsequence(const JpegCodesOfSample& from,
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
    const std::uint32_t table = dc ? of & 1 : 2 + (of >> 1 & 1);
    std::uint32_t symbol =
        jpeg_symbol(bits, from.entries + (table << kJpegLookupBits), from.codes, table);
    bool wrong = symbol == 0;
    if (wrong) symbol = 1 << 8;  // continues with the next bit
    const std::uint32_t length = symbol >> 8, size = symbol & 15, zeros = symbol >> 4 & 15;
    bits.drop(length);
    if (kCount && dc) {
      const std::int32_t difference = bits.number(size);
      const std::uint32_t component = of >> 2 & 3;
      sum0 += component == 0 ? difference : 0;
      sum1 += component == 1 ? difference : 0;
      sum2 += component == 2 ? difference : 0;
    } else {
      bits.drop(size);
    }
    place += length + size;
    const bool over = !dc && size == 0 && zeros != 15;
    k += zeros + 1;
    wrong |= size > (dc ? 11u : 10u) || (k > 64 && !over);
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

// Handles the tile that begins with subsequence `first`. `again`: it has been read before.
SLUICE_HOST_DEVICE inline void synchronise_jpeg_tile(const JpegTeam& team, JpegTileMemory& shared,
                                                     const JpegCodesOfSample& from,
                                                     const JpegFindings& found, std::uint32_t first,
                                                     bool again) {
  const std::uint32_t rest = from.sample.subsequences - first;
  const std::uint32_t tile = rest < kJpegSubsequencesPerTile ? rest : kJpegSubsequencesPerTile;
  const auto place_of = [&](std::uint32_t i) {
    return JpegPlace(from.sample, found.intervals, first + i);
  };
  for (std::uint32_t i = team.thread; i < tile; i += team.threads) {
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
        read_jpeg_subsequence<false>(from, 0, begin, place.begin, false, unused);
  }
  // The tile before may be writing it.
  const bool known = again && first > 0;
  const volatile std::uint32_t& exit = found.states[known ? first - 1 : first].exit;
  const std::uint32_t before = exit;
  const std::uint32_t most = kJpegBitsAgain / from.sample.subsequence_bits;
  bool changed = !again;
  std::uint32_t count = again ? 0 : tile;
  team.sync();
  for (std::uint32_t round = 0;; ++round) {
    for (std::uint32_t j = team.thread; j < count; j += team.threads) {
      const std::uint32_t i = shared.to_read[j];
      const JpegPlace place = place_of(i);
      JpegStates& states = shared.states[i];
      states.exit =
          read_jpeg_subsequence<true>(from, states.entry & ~JpegStates::kKnown, place.begin,
                                      place.end, place.last, found.tallies[first + i]);
    }
    if (team.thread == 0) shared.count = 0;
    team.sync();
    if (round == most) break;
    for (std::uint32_t i = team.thread; i < tile; i += team.threads) {
      JpegStates& states = shared.states[i];
      if (states.entry == JpegStates::kKnown || (i == 0 && !known)) continue;
      const std::uint32_t entry = i == 0 ? before : shared.states[i - 1].exit;
      if (entry == states.entry) continue;
      states.entry = entry;
      shared.to_read[team.add_one(shared.count)] = i;
    }
    team.sync();
    count = shared.count;
    if (count == 0) break;
    changed = true;
    team.sync();
  }
  if (!changed) return;
  for (std::uint32_t i = team.thread; i < tile; i += team.threads) {
    found.states[first + i] = shared.states[i];
  }
}

}  // namespace sluice::device
