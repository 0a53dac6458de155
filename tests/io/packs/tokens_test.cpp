// The coding of coefficients in packed JPEGs: what is written is read again, and damaged or forged
// bytes are met with doubt.

#include "tests/error_of.h"
#include "tests/io/corpus.h"
#include <sluice/io/packs/pack_jpeg.h>
#include <sluice/io/packs/tokens.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace pack_tokens_test {

using Bytes8 = std::vector<std::uint8_t>;
using Blocks = std::vector<PackBlock>;

PackLayout layout_of(std::initializer_list<int> components) {
  PackLayout layout;
  for (const int c : components)
    layout.block[layout.blocks++].component = static_cast<std::uint8_t>(c);
  return layout;
}
const PackLayout kGray = layout_of({0});
const PackLayout kColor = layout_of({0, 0, 0, 0, 1, 2});

// Blocks like those of photographs: small values, and fewer at high frequencies.
PackBlock ordinary_block(Random& random) {
  PackBlock block{};
  block[0] = static_cast<std::int16_t>(static_cast<int>(random.below(2000)) - 1000);
  for (std::uint32_t i = 1; i < 64; ++i) {
    const std::uint32_t sum = i / 8 + i % 8;
    if (random.below(3 + sum) > 1) continue;
    const std::uint32_t largest = 1 + 40 / (1 + sum * sum);
    const int value = 1 + static_cast<int>(random.below(largest));
    block[i] = static_cast<std::int16_t>(random.below(2) != 0 ? value : -value);
  }
  return block;
}
Blocks ordinary_blocks(std::size_t count, std::uint64_t seed) {
  Random random({.seed = seed});
  Blocks blocks(count);
  for (PackBlock& block : blocks) block = ordinary_block(random);
  return blocks;
}

Bytes8 learned(std::uint64_t seed = 1) {
  PackTokenLearner learner;
  const Blocks blocks = ordinary_blocks(1920, seed);
  for (std::size_t i = 0; i < blocks.size(); i += 96)
    learner.add(std::span(blocks).subspan(i, 96), kColor);
  return learner.learn();
}
const Bytes8& dictionary() {
  static const Bytes8 bytes = learned();
  return bytes;
}

Bytes8 write(const Blocks& blocks, const PackLayout& layout, const Bytes8& words = dictionary()) {
  PackTokenWriter writer(words);
  Bytes8 out;
  writer.write(blocks, layout, out);
  return out;
}

// Reads groups from an exact copy of the segment, so that a sanitizer sees reads outside it.
Blocks read(std::span<const std::uint8_t> segment, std::size_t count, const PackLayout& layout,
            const PackTokens& tokens, PackTokenReader& reader, std::int16_t background = 0) {
  const std::vector<std::uint8_t> copy(segment.begin(), segment.end());
  begin_segment(reader, copy);
  Blocks blocks(count);
  for (PackBlock& block : blocks) block.fill(background);
  const auto per_group = static_cast<std::size_t>(layout.blocks);
  for (std::size_t at = 0; at + per_group <= count; at += per_group) {
    std::int16_t(*group[PackLayout::kMostBlocks])[64];
    for (std::size_t i = 0; i < per_group; ++i)
      group[i] = reinterpret_cast<std::int16_t(*)[64]>(blocks[at + i].data());
    unpack_group(tokens, reader, layout, group);
  }
  return blocks;
}

void expect_round_trip(const Blocks& blocks, const PackLayout& layout,
                       const Bytes8& words = dictionary()) {
  const Bytes8 segment = write(blocks, layout, words);
  const PackTokens tokens(words);
  PackTokenReader reader;
  EXPECT_EQ(read(segment, blocks.size(), layout, tokens, reader), blocks);
  EXPECT_TRUE(has_ended(reader));
}

Blocks blocks_with(std::size_t count, const std::function<std::int16_t(std::size_t)>& value) {
  Blocks blocks(count);
  std::size_t at = 0;
  for (PackBlock& block : blocks)
    for (std::int16_t& coefficient : block) coefficient = value(at++);
  return blocks;
}

TEST(PackTokens, AllKindsOfBlocksAreReadAsTheyWereWritten) {
  Random random({.seed = 3});
  const auto any = [&](std::uint32_t below) {
    return static_cast<std::int16_t>(random.below(below));
  };
  const std::vector<std::function<std::int16_t(std::size_t)>> kinds{
      [](std::size_t) { return std::int16_t{0}; },
      [](std::size_t) { return std::int16_t{-1}; },
      [](std::size_t) { return std::int16_t{32767}; },
      [](std::size_t) { return std::int16_t{-32768}; },
      [](std::size_t i) { return i % 2 != 0 ? std::int16_t{-32768} : std::int16_t{32767}; },
      [](std::size_t i) { return i % 64 == 63 ? std::int16_t{5} : std::int16_t{0}; },
      [](std::size_t i) { return i % 64 == 63 ? std::int16_t{-32768} : std::int16_t{0}; },
      [](std::size_t i) { return static_cast<std::int16_t>(i); },
      [&](std::size_t) { return any(65536); },
      [&](std::size_t) { return random.below(40) == 0 ? any(65536) : std::int16_t{0}; },
      [&](std::size_t) { return random.below(10) == 0 ? any(4) : std::int16_t{0}; },
      [&](std::size_t) { return static_cast<std::int16_t>(any(5) - 2); },
      [&](std::size_t) { return static_cast<std::int16_t>(any(600) - 300); },
  };
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    SCOPED_TRACE("kind " + std::to_string(i));
    expect_round_trip(blocks_with(1, kinds[i]), kGray);
    expect_round_trip(blocks_with(16, kinds[i]), kGray);
    expect_round_trip(blocks_with(96, kinds[i]), kColor);
    expect_round_trip(blocks_with(20, kinds[i]), layout_of({0, 0, 0, 0, 1, 1, 2, 2, 3, 3}));
  }
}

// A coefficient of every size at every place.
TEST(PackTokens, EveryValueCanBeAnywhere) {
  for (std::size_t place = 0; place < 64; ++place) {
    Blocks blocks(96);
    int value = 1;
    for (PackBlock& block : blocks) {
      block[place] = static_cast<std::int16_t>(value);
      value = -value * 9 / 8 + (value < 0 ? 1 : -1);
    }
    SCOPED_TRACE(place);
    expect_round_trip(blocks, kColor);
  }
}

TEST(PackTokens, OrdinaryBlocksTakeFewBytes) {
  const Blocks blocks = ordinary_blocks(96, 77);
  expect_round_trip(blocks, kColor);
  EXPECT_LT(write(blocks, kColor).size(), 96 * 20u);
}

TEST(PackTokens, ADictionaryWithoutSamplesCanWriteAllBlocks) {
  const Bytes8 empty = PackTokenLearner().learn();
  expect_round_trip(ordinary_blocks(96, 5), kColor, empty);
  Random random({.seed = 6});
  expect_round_trip(
      blocks_with(96, [&](std::size_t) { return static_cast<std::int16_t>(random.below(65536)); }),
      kColor, empty);
}

TEST(PackTokens, TheFormatIsTheDocumentedOne) {
  // A dictionary of the tokens that are always there, with the example's as number 7.
  std::vector<PackToken> words = detail::read_pack_dictionary(PackTokenLearner().learn());
  const PackToken example{.length = 4, .ends = 1, .magnitude = {2, 0, 0, 1}};
  std::erase(words, example);
  words.resize(PackToken::kCount - 1);
  words.insert(words.begin() + 7, example);
  const Bytes8 bytes = detail::write_pack_dictionary(words);
  EXPECT_EQ(detail::read_pack_dictionary(bytes), words);
  Blocks blocks(1);
  blocks[0][0] = -2;
  blocks[0][16] = 1;  // the fourth in zigzag order
  Bytes8 expected(20);
  expected[0] = 0x01;
  expected[18] = 0x70;
  EXPECT_EQ(write(blocks, kGray, bytes), expected);
  expect_round_trip(blocks, kGray, bytes);
}

TEST(PackTokens, SkippedGroupsCountForThePredictors) {
  const Blocks blocks = ordinary_blocks(96, 8);
  const Bytes8 segment = write(blocks, kColor);
  const PackTokens tokens(dictionary());
  for (std::uint32_t skipped = 0; skipped <= 16; ++skipped) {
    PackTokenReader reader;
    begin_segment(reader, segment);
    skip_groups(tokens, reader, kColor, skipped);
    for (std::size_t at = skipped * 6u; at < blocks.size(); at += 6) {
      Blocks group(6);
      std::int16_t(*pointers[6])[64];
      for (std::size_t i = 0; i < 6; ++i)
        pointers[i] = reinterpret_cast<std::int16_t(*)[64]>(group[i].data());
      unpack_group(tokens, reader, kColor, pointers);
      ASSERT_TRUE(
          std::equal(group.begin(), group.end(), blocks.begin() + static_cast<std::ptrdiff_t>(at)));
    }
    EXPECT_TRUE(has_ended(reader)) << skipped;
  }
}

TEST(PackTokens, BlocksThatAreNotNeededStayAsTheyAre) {
  const Blocks blocks = ordinary_blocks(96, 9);
  PackLayout luma = kColor;
  luma.block[4].needed = luma.block[5].needed = false;
  PackTokenReader reader;
  const Blocks found = read(write(blocks, kColor), 96, luma, PackTokens(dictionary()), reader, 99);
  EXPECT_TRUE(has_ended(reader));
  PackBlock untouched;
  untouched.fill(99);
  for (std::size_t i = 0; i < blocks.size(); ++i)
    ASSERT_EQ(found[i], i % 6 < 4 ? blocks[i] : untouched) << i;
}

TEST(PackTokens, LearningIsDeterministic) {
  EXPECT_EQ(learned(4), learned(4));
  EXPECT_NE(learned(4), learned(5));
}

TEST(PackTokens, ManySamplesAreThinnedOut) {
  PackTokenLearner learner;
  const Blocks blocks = ordinary_blocks(960, 12);
  for (int i = 0; i < 200; ++i) learner.add(blocks, kColor);
  expect_round_trip(blocks, kColor, learner.learn());
}

TEST(PackTokens, ACutSegmentIsDoubtful) {
  const Blocks blocks = ordinary_blocks(96, 10);
  const Bytes8 segment = write(blocks, kColor);
  const PackTokens tokens(dictionary());
  int ended = 0;
  for (std::size_t size = 0; size < segment.size(); ++size) {
    PackTokenReader reader;
    read(std::span(segment).last(size), 96, kColor, tokens, reader);
    EXPECT_FALSE(has_ended(reader)) << size;
    // Without its last bytes, the segment begins with other tokens. These can fit by accident.
    read(std::span(segment).first(size), 96, kColor, tokens, reader);
    ended += has_ended(reader) ? 1 : 0;
  }
  EXPECT_LT(ended, 10);
  PackTokenReader reader;
  Bytes8 longer = segment;
  longer.insert(longer.begin(), 0);
  read(longer, 96, kColor, tokens, reader);
  EXPECT_FALSE(has_ended(reader));
  // Too few groups, and too many.
  read(segment, 90, kColor, tokens, reader);
  EXPECT_FALSE(has_ended(reader));
  read(segment, 102, kColor, tokens, reader);
  EXPECT_TRUE(reader.doubt);
  skip_groups(tokens, reader, kColor, 1000000);
  EXPECT_TRUE(reader.doubt);
}

// Forged bytes need only be harmless. With a sanitizer, this test says whether they are.
TEST(PackTokens, ForgedSegmentsAreHarmless) {
  Random random({.seed = 11});
  const PackTokens tokens(dictionary());
  const Bytes8 sound = write(ordinary_blocks(96, 11), kColor);
  const PackLayout ten = layout_of({0, 0, 0, 0, 1, 1, 2, 2, 3, 3});
  for (int i = 0; i < 4000 / testing::one_in(1, 4); ++i) {
    Bytes8 forged = sound;
    if (i % 2 == 0) {
      forged.resize(random.below(200));
      for (std::uint8_t& byte : forged) byte = static_cast<std::uint8_t>(random.below(256));
    } else {
      for (std::uint32_t n = 1 + random.below(8); n > 0; --n)
        forged[random.below(static_cast<std::uint32_t>(forged.size()))] =
            static_cast<std::uint8_t>(random.below(256));
    }
    PackTokenReader reader;
    read(forged, 240, i % 4 < 2 ? kColor : ten, tokens, reader);
    begin_segment(reader, forged);
    skip_groups(tokens, reader, ten, random.below(100));
  }
}

TEST(PackTokens, ForgedDictionariesAreRefusedOrHarmless) {
  Random random({.seed = 13});
  const Blocks blocks = ordinary_blocks(96, 13);
  const Bytes8 sound = write(blocks, kColor);
  int refused = 0, read_all = 0;
  for (int i = 0; i < 400 / testing::one_in(1, 4); ++i) {
    Bytes8 forged = dictionary();
    const auto any = [&] { return random.below(static_cast<std::uint32_t>(forged.size())); };
    for (std::uint32_t n = 1 + random.below(3); n > 0; --n) {
      const std::uint32_t at = i % 3 == 0 ? 1 + random.below(100) : any();
      forged[at] = static_cast<std::uint8_t>(i % 2 == 0 ? random.below(256) : forged[at] ^ 1);
    }
    if (i % 16 == 0) forged.resize(any());
    if (i % 16 == 1) forged.push_back(0);
    try {
      const PackTokens tokens(forged);
      PackTokenReader reader;
      read(sound, 96, kColor, tokens, reader);
      for (int k = 0; k < 20; ++k) {
        Bytes8 segment(20 + random.below(100));
        for (std::uint8_t& byte : segment) byte = static_cast<std::uint8_t>(random.below(256));
        read(segment, 96, kColor, tokens, reader);
      }
      expect_round_trip(blocks, kColor, forged);
      ++read_all;
    } catch (const PackError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);
  EXPECT_GT(read_all, 10);
}

TEST(PackTokens, DamagedDictionariesAreNamed) {
  const auto error = [](const Bytes8& bytes) {
    return error_of<PackError>([&] { PackTokens{bytes}; });
  };
  const Bytes8& good = dictionary();
  EXPECT_EQ(error({}), "the dictionary of tokens is damaged: it is empty");
  Bytes8 bad = good;
  bad[0] = 2;
  EXPECT_EQ(error(bad), "the dictionary of tokens has version 2 instead of 1");
  bad = good;
  bad.pop_back();
  EXPECT_EQ(error(bad), "the dictionary of tokens is damaged: it ends too early");
  bad = good;
  bad.push_back(0);
  EXPECT_EQ(error(bad), "the dictionary of tokens is damaged: it is too long");
  bad = good;
  bad[2] = 9;
  EXPECT_EQ(error(bad), "the dictionary of tokens is damaged: a token is too long");

  // Sound, but there is no end of a block.
  std::vector<PackToken> words = detail::read_pack_dictionary(good);
  for (PackToken& word : words)
    if (word.length == 0) word = {.length = 1, .magnitude = {1}};
  const Bytes8 endless = detail::write_pack_dictionary(words);
  EXPECT_NO_THROW(PackTokens{endless});
  EXPECT_EQ(error_of<PackError>([&] { PackTokenWriter{endless}; }),
            "the dictionary of tokens is damaged: it cannot express all blocks");
}

TEST(PackTokens, TokensKnowTheirDictionary) {
  const PackTokens tokens(dictionary());
  EXPECT_TRUE(tokens.is_of(dictionary()));
  EXPECT_FALSE(tokens.is_of(learned(2)));
  EXPECT_FALSE(tokens.is_of({}));
}

class PackTokensCorpus : public JpegCorpus {};

// Half of the photographs teach, and all are packed and rebuilt.
TEST_F(PackTokensCorpus, PhotographsTakeAtMostAQuarterMoreBytes) {
  const std::vector<File> files = photos();
  PackTokenLearner learner;
  for (std::size_t i = 0; i < files.size(); i += 2)
    if (const auto file = JpegCoefficients::read(files[i])) file->teach(learner);
  const Bytes8 words = learner.learn();
  std::size_t bytes = 0, packed_bytes = 0;
  for (std::size_t i = 0; i < files.size(); i += static_cast<std::size_t>(testing::one_in(4, 8))) {
    const auto file = JpegCoefficients::read(files[i]);
    if (!file) continue;
    const Bytes8 packed = pack_jpeg(*file, words);
    EXPECT_EQ(unpack_jpeg(packed), files[i]);
    bytes += files[i].size();
    packed_bytes += packed.size() - begin_of_packed_jpegs(words).size();
  }
  EXPECT_LT(static_cast<double>(packed_bytes), 1.25 * static_cast<double>(bytes));
}

}  // namespace pack_tokens_test
}  // namespace sluice
