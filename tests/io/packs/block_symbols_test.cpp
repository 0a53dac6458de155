// The symbols of blocks, and the tokens and Huffman codes that are made of them, against plain
// loops.

#include "tests/every_target.h"
#include <sluice/io/jpeg/zigzag.h>
#include <sluice/io/packs/block_symbols.h>
#include <sluice/io/packs/token_parser.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace block_symbols_test {

using Blocks = std::vector<PackBlock>;

PackLayout color() {
  PackLayout layout;
  for (const int c : {0, 0, 0, 0, 1, 2})
    layout.block[layout.blocks++].component = static_cast<std::uint8_t>(c);
  return layout;
}

// Blocks of all kinds: empty, sparse, dense, with small and with large values.
Blocks any_blocks(std::size_t count, std::uint32_t seed) {
  Random random({.seed = 21, .sample = seed});
  Blocks blocks(count);
  for (PackBlock& block : blocks) {
    const std::uint32_t one_in = 1 + random.below(20), bits = random.below(17);
    for (std::int16_t& value : block)
      if (random.below(one_in) == 0)
        value = static_cast<std::int16_t>(static_cast<int>(random.below(1u << bits)) -
                                          static_cast<int>((1u << bits) / 2));
  }
  return blocks;
}

struct Symbol {
  std::uint32_t run = 0;
  int value = 0;
  bool ends = false;
  bool begins = false;  // a block
};

// Returns the coefficients in zigzag order.
std::vector<int> in_zigzag_order(const PackBlock& block) {
  const JpegZigzag zigzag;
  std::vector<int> values(64);
  for (std::size_t i = 0; i < 64; ++i) values[zigzag.at[i]] = block[i];
  return values;
}

std::vector<Symbol> symbols_of(const Blocks& blocks, const PackLayout& layout) {
  std::vector<Symbol> symbols;
  std::map<int, std::int16_t> predictors;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    std::vector<int> values = in_zigzag_order(blocks[b]);
    std::int16_t& predictor =
        predictors[layout.block[b % static_cast<std::size_t>(layout.blocks)].component];
    values[0] = static_cast<std::int16_t>(blocks[b][0] - predictor);
    predictor = blocks[b][0];
    std::uint32_t run = 0;
    bool begins = true;
    for (const int value : values) {
      if (value == 0) {
        ++run;
        continue;
      }
      symbols.push_back({run, value, false, begins});
      begins = false;
      run = 0;
    }
    if (run > 0) symbols.push_back({0, 0, true, begins});
  }
  return symbols;
}

// The class with the largest base, that has the magnitude.
std::size_t class_of(int magnitude) {
  for (std::size_t type = MagnitudeClasses::kAll - 1; type > 0; --type) {
    const MagnitudeClass& of = kMagnitudeClasses.of_class[type];
    if (magnitude >= of.base && magnitude < of.base + (1 << of.extra)) {
      // 255 is in two classes.
      if (magnitude == 255 && of.base == 255) continue;
      return type;
    }
  }
  return MagnitudeClasses::kAll;
}

TEST(PackSymbols, AreThoseOfAPlainLoop) {
  testing::on_every_target([] {
    PackSymbols found;
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
      const Blocks blocks = any_blocks(6 * (1 + seed % 5), seed);
      found.read(blocks, color());
      const std::vector<Symbol> expected = symbols_of(blocks, color());
      ASSERT_EQ(found.count, expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const Symbol& symbol = expected[i];
        const int magnitude = std::abs(symbol.value);
        const std::size_t type = symbol.ends ? 0 : class_of(magnitude);
        ASSERT_EQ(found.first[i], PackSymbols::first_code(symbol.run, type)) << magnitude;
        ASSERT_EQ(found.more[i], magnitude - kMagnitudeClasses.of_class[type].base) << magnitude;
        ASSERT_EQ(found.negative[i / 64] >> i % 64 & 1, symbol.value < 0 ? 1u : 0u);
        const std::uint8_t later =
            symbol.begins ? PackSymbols::kBegins
            : symbol.ends ? PackSymbols::kEnd
            : symbol.run < 8 && magnitude < 32
                ? PackSymbols::later_code(symbol.run, static_cast<std::uint32_t>(magnitude))
                : PackSymbols::kFar;
        ASSERT_EQ(found.later[i], later);
      }
      for (std::size_t i = 0; i < PackSymbols::kLongest; ++i)
        ASSERT_EQ(found.later[found.count + i], PackSymbols::kBegins);
    }
  });
}

// Puts the bits of a block one by one.
std::string bits_of(const PackBlock& block, int difference, const HuffmanCodes& dc,
                    const HuffmanCodes& ac) {
  std::string bits;
  const auto put = [&](const HuffmanCodes& of, std::uint32_t symbol, int value) {
    const std::uint32_t code = of.codes[symbol], size = symbol & 15;
    // A negative number is stored less one.
    const auto number = static_cast<std::uint32_t>(value < 0 ? value + (1 << size) - 1 : value);
    for (std::uint32_t i = code & 31; i-- > 0;)
      bits += ((code >> 5 | number) >> i & 1) != 0 ? '1' : '0';
  };
  const auto size_of = [](int value) {
    return static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint32_t>(std::abs(value))));
  };
  put(dc, size_of(difference), difference);
  std::vector<int> values = in_zigzag_order(block);
  std::uint32_t run = 0;
  for (std::size_t k = 1; k < 64; ++k) {
    if (values[k] == 0) {
      ++run;
      continue;
    }
    for (; run > 15; run -= 16) put(ac, 0xf0, 0);
    put(ac, run << 4 | size_of(values[k]), values[k]);
    run = 0;
  }
  if (run > 0) put(ac, 0, 0);
  return bits;
}

TEST(HuffmanBits, ABlockIsPutAsByAPlainLoop) {
  // Different lengths for all symbols.
  HuffmanCodes dc{}, ac{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    const std::uint32_t size = std::min(i & 15, 11u), length = 1 + i * 7 % 16;
    dc.codes[i] = ac.codes[i] =
        ((i * 2654435761u >> 16) % (1u << length)) << size << 5 | (length + size);
  }
  testing::on_every_target([&] {
    for (std::uint32_t seed = 0; seed < 600; ++seed) {
      const PackBlock block = any_blocks(1, seed)[0];
      const int difference = static_cast<int>(seed * 37 % 4100) - 2050;
      bool is_small = difference > -2048 && difference < 2048;
      for (std::size_t i = 1; i < 64; ++i) is_small = is_small && std::abs(block[i]) < 1024;
      std::vector<std::uint8_t> bytes(1 + kMostHuffmanBytes + 8);
      HuffmanBits bits{bytes.data()};
      bits.put(5, 3);
      ASSERT_EQ(put_block(block, difference, dc, ac, bits), is_small);
      if (!is_small) continue;
      bits.put(0, (8 - bits.filled) % 8);
      std::string found;
      for (const std::uint8_t* at = bytes.data(); at != bits.next; ++at)
        for (int i = 7; i >= 0; --i) found += (*at >> i & 1) != 0 ? '1' : '0';
      std::string expected = "101" + bits_of(block, difference, dc, ac);
      while (expected.size() % 8 != 0) expected += '0';
      ASSERT_EQ(found, expected);
    }
    // A symbol without a code.
    HuffmanCodes without = ac;
    without.codes[0] = 0;
    std::vector<std::uint8_t> bytes(kMostHuffmanBytes + 8);
    HuffmanBits bits{bytes.data()};
    EXPECT_FALSE(put_block({}, 0, dc, without, bits));
    EXPECT_TRUE(put_block({}, 0, dc, ac, bits));
  });
}

// The symbols of a token: pairs of a run and a magnitude class, and (0, 0) for the end.
using Pairs = std::vector<std::pair<std::uint32_t, std::size_t>>;

Pairs pairs_of(const PackToken& token) {
  Pairs pairs;
  std::uint32_t run = token.run;
  for (std::size_t i = 0; i < token.length; ++i, ++run) {
    if (!token.has_sign(i)) continue;
    std::size_t type = class_of(token.magnitude[i]);
    if (i == 0 && token.extra > 0) {
      type = 0;
      while (kMagnitudeClasses.of_class[type].base != token.magnitude[0] ||
             kMagnitudeClasses.of_class[type].extra != token.extra)
        ++type;
    }
    pairs.emplace_back(run, type);
    run = static_cast<std::uint32_t>(-1);
  }
  if (token.ends != 0) pairs.emplace_back(0, 0);
  return pairs;
}

TEST(PackTokenParser, TakesTheLongestTokenAgainAndAgain) {
  PackTokenLearner learner;
  for (std::uint32_t seed = 0; seed < 60; ++seed) learner.add(any_blocks(24, seed), color());
  const std::vector<PackToken> tokens = detail::read_pack_dictionary(learner.learn());
  std::map<Pairs, std::uint16_t> known;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Pairs pairs = pairs_of(tokens[i]);
    if (!pairs.empty()) known.emplace(pairs, static_cast<std::uint16_t>(i));
  }
  const PackTokenParser parser(tokens);
  PackSymbols symbols;
  std::vector<std::uint32_t> memory;
  int long_ones = 0;
  testing::on_every_target([&] {
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
      const Blocks blocks = any_blocks(24, seed);
      symbols.read(blocks, color());
      const std::vector<Symbol> all = symbols_of(blocks, color());
      // Only the steps with symbols: skips, and the symbols behind them, are no matches.
      std::size_t next = 0, skipped_at = all.size();
      parser.parse(symbols.first.data(), symbols.later.data(), symbols.count, memory,
                   [&](const PackTokenParser::Step& step, std::size_t at) {
                     ASSERT_EQ(at, next);
                     std::size_t longest = 0;
                     std::uint16_t token = 0;
                     Pairs pairs;
                     for (std::size_t i = at; i < all.size() && pairs.size() < 9; ++i) {
                       if (i > at && all[i].begins) break;
                       const std::size_t type = all[i].ends ? 0 : class_of(std::abs(all[i].value));
                       pairs.emplace_back(all[i].run, type);
                       const auto found = known.find(pairs);
                       if (found == known.end()) continue;
                       longest = pairs.size();
                       token = found->second;
                     }
                     next += step.symbols;
                     if (longest == 0) {
                       EXPECT_LE(step.symbols, 1);
                       skipped_at = at;
                       return;
                     }
                     EXPECT_NE(skipped_at, at);
                     EXPECT_EQ(step.symbols, longest);
                     EXPECT_EQ(step.token, token);
                     long_ones += longest > 3 ? 1 : 0;
                   });
      EXPECT_EQ(next, all.size());
    }
  });
  EXPECT_GT(long_ones, 100);
}

TEST(PackTokens, LearningCanBeStopped) {
  PackTokenLearner learner;
  learner.add(any_blocks(24, 1), color());
  std::atomic<bool> stop{false};
  EXPECT_EQ(learner.learn(&stop), learner.learn());
  stop = true;
  EXPECT_TRUE(learner.learn(&stop).empty());
}

}  // namespace block_symbols_test
}  // namespace sluice
