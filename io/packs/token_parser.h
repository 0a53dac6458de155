// PackTokenParser: finds the tokens for the blocks of a packed JPEG. Internal: for the writer and
// the learner of tokens.
//
// It takes the longest token that fits, again and again. The fewest tokens would be half a percent
// fewer, but finding them takes several times as long. Tokens are found in a trie. Its symbols are
// pairs: a run of zeros, and the class of the magnitude behind it. Magnitudes below 32 are a class
// each, larger ones share classes and have extra bits. The last class has all magnitudes, with 16
// extra bits.
//
// Ownership: values. Threads: a parser is immutable. Errors: PackError for tokens that cannot
// express all blocks; std::bad_alloc.
#pragma once

#include <sluice/io/jpeg/zigzag.h>
#include <sluice/io/packs/tokens.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace sluice {

// Magnitude classes.
struct MagnitudeClass {
  std::uint8_t base;
  std::uint8_t extra;
};
struct MagnitudeClasses {
  static constexpr std::size_t kExact = 32;  // classes below are magnitudes
  static constexpr std::size_t kAll = 45;    // the last one
  static constexpr std::size_t kCount = kAll + 1;

  MagnitudeClass of_class[kCount];
  std::uint8_t of_small[256];

  constexpr MagnitudeClasses() : of_class{}, of_small{} {
    for (std::size_t i = 0; i < kExact; ++i) of_class[i] = {static_cast<std::uint8_t>(i), 0};
    std::size_t count = kExact;
    // Four classes an octave.
    for (std::uint32_t octave = 5; octave < 8; ++octave)
      for (std::uint32_t quarter = 4; quarter < 8; ++quarter)
        of_class[count++] = {static_cast<std::uint8_t>(quarter << (octave - 2)),
                             static_cast<std::uint8_t>(octave - 2)};
    of_class[count++] = {255, 11};
    of_class[count++] = {0, 16};
    for (std::size_t c = 0; c < kAll - 1; ++c)
      for (std::uint32_t i = 0; i < 1u << of_class[c].extra; ++i)
        of_small[of_class[c].base + i] = static_cast<std::uint8_t>(c);
  }
  std::uint8_t of(std::uint32_t magnitude) const {
    if (magnitude < 256) return of_small[magnitude];
    return static_cast<std::uint8_t>(magnitude < 255 + (1u << 11) ? kAll - 1 : kAll);
  }
};
inline constexpr MagnitudeClasses kMagnitudeClasses;

inline constexpr JpegZigzag kPackZigzag;
struct NaturalOrder {
  std::uint8_t at[64];
  constexpr NaturalOrder() : at{} {
    for (int i = 0; i < 64; ++i) at[kPackZigzag.at[i]] = static_cast<std::uint8_t>(i);
  }
};
inline constexpr NaturalOrder kNaturalOrder;

// Zeros and the coefficient behind them.
struct PackPair {
  std::uint16_t magnitude;
  std::uint8_t run;
  std::uint8_t type;  // magnitude class
};

// The pairs of a block.
struct PackPairs {
  PackPair pair[64];
  int count = 0;
  bool zeros_behind = false;
  std::uint64_t negative = 0;  // a bit for each pair

  // Returns a bit for each of 4 coefficients that is not zero.
  static std::uint64_t nonzero(const std::int16_t* four) {
    constexpr std::uint64_t kLow = 0x7fff7fff7fff7fff;
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t word;
    std::memcpy(&word, four, sizeof word);
    // The highest bit of each coefficient is set if any of its bits is. A product collects them.
    word = (((word & kLow) + kLow) | word) & ~kLow;
    return (word >> 15) * 0x0001000200040008 >> 48;
  }
  // Reads a block whose DC difference is `dc`.
  void read(const PackBlock& block, std::int16_t dc) {
    // The coefficients that are not zero: first row by row, then in zigzag order.
    std::uint64_t rows = 0;
    for (std::size_t i = 0; i < 64; i += 4) rows |= nonzero(block.data() + i) << i;
    rows &= ~std::uint64_t{1};
    std::uint64_t zigzag = dc != 0 ? 1 : 0;
    for (; rows != 0; rows &= rows - 1)
      zigzag |= std::uint64_t{1} << kPackZigzag.at[std::countr_zero(rows)];
    zeros_behind = zigzag >> 63 == 0;
    count = 0;
    negative = 0;
    int next = 0;
    for (; zigzag != 0; zigzag &= zigzag - 1) {
      const int k = std::countr_zero(zigzag);
      const int value = k == 0 ? dc : block[kNaturalOrder.at[k]];
      const auto magnitude = static_cast<std::uint16_t>(value < 0 ? -value : value);
      negative |= std::uint64_t{value < 0} << count;
      pair[count++] = {magnitude, static_cast<std::uint8_t>(k - next),
                       kMagnitudeClasses.of(magnitude)};
      next = k + 1;
    }
  }
};

// Calls `use` with the pairs of each block of a segment.
template <class Use>
void for_each_block(std::span<const PackBlock> blocks, const PackLayout& layout, const Use& use) {
  std::int16_t predictors[4] = {};
  PackPairs pairs;
  int in_group = 0;
  for (const PackBlock& block : blocks) {
    std::int16_t& predictor = predictors[layout.block[in_group].component & 3];
    pairs.read(block, static_cast<std::int16_t>(block[0] - predictor));
    predictor = block[0];
    use(pairs);
    if (++in_group == layout.blocks) in_group = 0;
  }
}

PackToken token_of(std::uint32_t run, std::size_t type);
PackToken end_token();
PackToken skip_token(std::uint32_t run);

class PackTokenParser {
 public:
  static constexpr int kMostSteps = 65;  // of a block
  struct Step {
    std::uint16_t token;
    std::uint8_t pairs;
  };

  // Throws PackError if these tokens cannot express all blocks.
  explicit PackTokenParser(std::span<const PackToken> tokens);

  // Writes the tokens of a block to `steps`, and returns their number. A step without pairs skips
  // zeros, or ends the block.
  int parse(const PackPairs& pairs, Step* steps) const;

 private:
  static constexpr std::uint16_t kNone = 0x1fff;
  static constexpr std::uint32_t kEmpty = 0x7fffff;
  static constexpr std::uint32_t kNearRuns = 8;  // within a token, a run is shorter

  // A step from one symbol of the trie to the next. A table has the steps to first symbols, and a
  // hash table has all others. It is small, for the processor's caches.
  struct Edge {
    std::uint64_t key : 23 = kEmpty;    // the node that it leaves, and its symbol
    std::uint64_t node : 15 = 0;        // that it leads to; 0 if no edges leave this one
    std::uint64_t token : 13 = kNone;   // that ends here
    std::uint64_t ending : 13 = kNone;  // the same with the end of the block
  };
  struct Skip {
    std::uint16_t token = kNone;
    std::uint8_t zeros = 0;  // that it skips
    std::uint8_t steps = 0;  // for all zeros
  };

  static std::size_t first_symbol(std::uint32_t run, std::size_t type) { return run << 6 | type; }
  static std::uint32_t later_symbol(std::uint32_t run, std::uint32_t type) {
    return run << 5 | type;
  }
  std::size_t place_of(std::uint32_t key) const { return key * 2654435761u >> shift_; }
  // Returns the edge with this key, or an empty one where it belongs.
  const Edge& find(std::uint32_t key) const {
    std::size_t i = place_of(key);
    while (edges_[i].key != key && edges_[i].key != kEmpty) i = (i + 1) & (edges_.size() - 1);
    return edges_[i];
  }
  void add(std::uint16_t number, const PackToken& token);
  void grow();
  void find_skips(std::span<const PackToken> tokens);

  std::vector<Edge> first_;
  std::vector<Edge> edges_;  // a hash table, at most a third full
  std::size_t edge_count_ = 0;
  std::uint32_t shift_ = 0;
  std::uint32_t nodes_ = 0;
  std::uint16_t end_ = kNone;
  std::uint16_t single_[MagnitudeClasses::kCount];  // without a run
  Skip skips_[64];
};

}  // namespace sluice
