// PackTokenParser: finds the tokens for the symbols of a packed JPEG. Internal: for the writer and
// the learner of tokens.
//
// It takes the longest token that fits, again and again. The fewest tokens would be half a percent
// fewer. Tokens are found in a trie of symbols. The parser looks for the longest token at every
// symbol, also within other tokens. That is faster than looking only where a token begins, because
// no search waits for the one before it.
//
// Ownership: values. Threads: a parser is immutable; each list of matches belongs to one thread.
// Errors: PackError for tokens that cannot express all blocks; std::bad_alloc.
#pragma once

#include <sluice/io/packs/block_symbols.h>
#include <sluice/io/packs/tokens.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice {

PackToken token_of(std::uint32_t run, std::size_t type);
PackToken end_token();
PackToken skip_token(std::uint32_t run);

class PackTokenParser {
 public:
  // The most tokens of a block: one for each coefficient, and one for the end.
  static constexpr std::size_t kMostSteps = 65;

  // A token and its symbols. A step without symbols skips zeros.
  struct Step {
    std::uint16_t token;
    std::uint8_t symbols;
    std::uint8_t signs;  // symbols without the end of the block
    std::uint8_t extra;  // extra bits of the first symbol
    bool is_all;         // the first symbol's extra bits are its whole magnitude
  };

  static constexpr std::int32_t kRoots = 64 << 6;  // codes at the begin of a token

  // Throws PackError if these tokens cannot express all blocks.
  explicit PackTokenParser(std::span<const PackToken> tokens);

  // Calls use(step, at) for each token of a segment, in order; `at` is the number of its first
  // symbol. `first` and `later` are those of PackSymbols, also behind the last one. `found` is
  // working memory.
  template <class Use>
  void parse(const std::uint16_t* first, const std::uint8_t* later, std::size_t count,
             std::vector<std::uint32_t>& found, const Use& use) const {
    match(first, later, count, found);
    for (std::size_t at = 0; at < count;) {
      const Step step = step_of(found[at]);
      if (step.symbols != 0) {
        use(step, at);
        at += step.symbols;
        continue;
      }
      for (std::uint32_t zeros = first[at] >> 6; zeros > 0; zeros -= skips_[zeros].zeros)
        use(skips_[zeros].step, at);
      use(single_[first[at] & 63], at);
      ++at;
    }
  }

 private:
  static constexpr std::uint16_t kNone = 0x1fff;
  static constexpr std::uint16_t kFree = 0xffff;

  struct Skip {
    Step step = {kNone, 0, 0, 0, false};
    std::uint8_t zeros = 0;  // that it skips
    std::uint8_t steps = 0;  // for all zeros
  };

  static Step step_of(std::uint32_t match) {
    return {static_cast<std::uint16_t>(match & 0x1fff), static_cast<std::uint8_t>(match >> 13 & 15),
            static_cast<std::uint8_t>(match >> 17 & 15),
            static_cast<std::uint8_t>(match >> 21 & 31), false};
  }
  // Writes for each symbol the longest token that begins there, as in `matches_`.
  void match(const std::uint16_t* first, const std::uint8_t* later, std::size_t count,
             std::vector<std::uint32_t>& found) const;
  void find_skips(std::span<const PackToken> tokens);

  struct Trie;
  void lay_out(Trie& trie);

  // The nodes: first one for each code at the begin. The node behind another one by a code has the
  // number base + code. A link has the base in its lower half, or 0 if no nodes are behind it. Its
  // upper half is the base of the node before it, or kFree.
  std::vector<std::uint32_t> links_;
  // The longest token up to a node: bits 0 to 12 its number, 13 to 16 its symbols, 17 to 20 its
  // signs, 21 to 25 its extra bits.
  std::vector<std::uint32_t> matches_;
  Step single_[64];  // tokens of one symbol without a run
  Skip skips_[64];
};

}  // namespace sluice
