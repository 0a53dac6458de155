// JPEG headers that Sluice reads itself, against libjpeg's results: sound ones and damaged ones.
#include "tests/cuda/jpeg/test_files.h"
#include "tests/io/corpus.h"
#include "tests/io/jpeg/mutant.h"
#include "tests/one_in.h"
#include <sluice/cuda/jpeg/file_header.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace sluice::device {
namespace file_header_test {

using JpegHeadersOfFiles = JpegCorpus;

bool same_tables(const JpegFileHeader& a, const JpegFileHeader& b) {
  for (int i = 0; i < JpegFileHeader::kTables; ++i) {
    const std::uint16_t *of_a = a.find_quantizers(i), *of_b = b.find_quantizers(i);
    if ((of_a == nullptr) != (of_b == nullptr)) return false;
    if (of_a != nullptr && !std::equal(of_a, of_a + 64, of_b)) return false;
    for (int kind = 0; kind < 2; ++kind) {
      const JpegCodeSource *from_a = a.find_codes(kind, i), *from_b = b.find_codes(kind, i);
      if ((from_a == nullptr) != (from_b == nullptr)) return false;
      if (from_a != nullptr && !(std::ranges::equal(from_a->bits, from_b->bits) &&
                                 std::ranges::equal(from_a->values, from_b->values)))
        return false;
    }
  }
  return true;
}

// Returns the first difference; empty if the headers are the same.
std::string difference(const JpegFileHeader& a, const JpegFileHeader& b) {
  if (a.height != b.height || a.width != b.width || a.components != b.components) return "size";
  if (a.interval != b.interval) return "interval";
  if (a.first_byte != b.first_byte) return "first byte";
  for (int i = 0; i < a.components; ++i) {
    const auto &of_a = a.component[i], &of_b = b.component[i];
    if (of_a.id != of_b.id || of_a.across != of_b.across || of_a.down != of_b.down)
      return "component " + std::to_string(i);
    if (of_a.quantizers != of_b.quantizers || !std::ranges::equal(of_a.codes, of_b.codes))
      return "tables of component " + std::to_string(i);
  }
  return same_tables(a, b) ? "" : "tables";
}

struct Seen {
  int plain = 0, others = 0;
};

void compare(const File& file, const std::string& name, Seen& seen) {
  JpegFileHeader plain, library;
  if (!read_plain(file, plain)) {
    ++seen.others;
    return;
  }
  ++seen.plain;
  try {
    for (const DamagePolicy damage : {DamagePolicy::strict, DamagePolicy::tolerant}) {
      JpegOptions options;
      options.damage = damage;
      const char* const reason = read_with_library(file, peek_jpeg(file), options, library);
      ASSERT_EQ(reason, nullptr) << name << ": " << reason;
      ASSERT_EQ(difference(plain, library), "") << name;
    }
  } catch (const JpegError& error) {
    FAIL() << name << ": " << error.what();
  }
}

// Changes, adds or removes a few bytes of the header.
File with_damaged_header(File file, Random& random) {
  const auto segments = segments_of(file);
  std::size_t end = segments.empty() ? file.size() : segments.back().end;
  for (std::uint32_t times = 1 + random.below(3); times > 0 && end > 2; --times) {
    const std::size_t at = random.below(static_cast<std::uint32_t>(end));
    const auto value = static_cast<std::uint8_t>(random.below(4) == 0 ? 255 : random.below(256));
    const auto place = file.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random.below(5)) {
      case 0:
        *place = static_cast<std::uint8_t>(*place ^ (1u << random.below(8)));
        break;
      case 1:
        *place = value;
        break;
      case 2:
        file.erase(place);
        --end;
        break;
      case 3:
        file.insert(place, value);
        ++end;
        break;
      default:
        // Small numbers, as of tables and components.
        *place = static_cast<std::uint8_t>(random.below(5));
    }
  }
  return file;
}

File with_damage(const File& file, Random& random) {
  JpegMutator mutator(file, random);
  for (std::uint32_t times = 1 + random.below(3); times > 0; --times) mutator.damage();
  return std::move(mutator).take();
}

TEST(JpegFileHeader, PlainOnesAreReadAsLibjpegDoes) {
  Random random({.seed = 8});
  Seen sound, damaged;
  const int some = testing::one_in(1, 6);
  for (int i = 0; i < 100; ++i) {
    const File file = encode_test_jpeg(kSamplings[i % 5], 20 + i, 30, 75, i % 3, 1, i % 2 == 0);
    compare(file, std::to_string(i), sound);
    for (int j = 0; j < 300; j += some) {
      const std::string name = std::to_string(i) + ", damage " + std::to_string(j);
      compare(j % 3 == 0 ? with_damage(file, random) : with_damaged_header(file, random), name,
              damaged);
    }
  }
  EXPECT_EQ(sound.plain, 100);
  EXPECT_GT(damaged.plain, 5000 / some);
  EXPECT_GT(damaged.others, 5000 / some);
}

TEST_F(JpegHeadersOfFiles, PlainOnesAreReadAsLibjpegDoes) {
  Random random({.seed = 9});
  Seen photographs, others, damaged;
  for (const File& file : photos()) compare(file, "a photograph", photographs);
  for (const Entry& entry : entries_) {
    const File file = read(entry);
    compare(file, entry.at("path"), others);
    for (int j = 0; j < 8 && file.size() < (1u << 20); ++j)
      compare(with_damaged_header(file, random), entry.at("path") + ", damaged", damaged);
  }
  EXPECT_GT(photographs.plain, 9 * photographs.others);
  std::printf("plain: %d of %d photographs, %d of %d others, %d of %d damaged ones\n",
              photographs.plain, photographs.plain + photographs.others, others.plain,
              others.plain + others.others, damaged.plain, damaged.plain + damaged.others);
}

// Files that differ from the plain kind in one byte of their headers.
TEST(JpegFileHeader, UnusualOnesAreLeftToLibjpeg) {
  const File file = encode_test_jpeg(kSamplings[2], 40, 50, 75, 0, 1, false);
  const auto segments = segments_of(file);
  const auto frame = std::ranges::find(segments, 0xc0, &sluice::JpegSegment::marker)->begin + 4;
  const auto scan = segments.back().begin + 4;
  struct Case {
    const char* name;
    bool plain;
    std::size_t at;
    std::uint8_t value;
  };
  const Case cases[] = {{"as it is", true, 1, 0xd8},
                        {"no file of this kind", false, 1, 0xd9},
                        {"between segments", false, segments[1].begin, 0},
                        {"12 bits", false, frame, 12},
                        {"no rows", false, frame + 2, 0},
                        {"4 blocks across", false, frame + 7, 0x41},
                        {"colors as wide", false, frame + 10, 0x21},
                        {"two of the same name", false, frame + 9, 1},
                        {"part of the coefficients", false, scan + 8, 62},
                        {"progressive", false, frame - 3, 0xc2}};
  for (const Case& c : cases) {
    File other = file;
    other[c.at] = c.value;
    JpegFileHeader header;
    EXPECT_EQ(read_plain(other, header), c.plain) << c.name;
  }
}

}  // namespace file_header_test
}  // namespace sluice::device
