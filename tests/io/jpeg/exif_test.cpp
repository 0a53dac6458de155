#include <sluice/io/jpeg/orientation.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace exif_test {

using Segment = std::vector<std::uint8_t>;

struct Fields {
  bool big_endian = true;
  std::uint32_t magic = 42;
  std::uint32_t directory = 8;
  std::uint32_t entries = 1;
  std::uint32_t tag = 0x0112;
  std::uint32_t type = 3;
  std::uint32_t count = 1;
  std::uint32_t value = 6;
  int entries_before = 0;  // of another tag
};

void put(Segment& out, bool big_endian, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    const int shift = 8 * (big_endian ? bytes - 1 - i : i);
    out.push_back(static_cast<std::uint8_t>(value >> shift));
  }
}

Segment segment_of(const Fields& f) {
  Segment s{'E', 'x', 'i', 'f', 0, 0};
  const std::uint8_t order = f.big_endian ? 'M' : 'I';
  s.push_back(order);
  s.push_back(order);
  put(s, f.big_endian, f.magic, 2);
  put(s, f.big_endian, f.directory, 4);
  put(s, f.big_endian, f.entries, 2);
  for (int i = 0; i < f.entries_before; ++i) {
    put(s, f.big_endian, 0x010f, 2);
    put(s, f.big_endian, 2, 2);
    put(s, f.big_endian, 4, 4);
    put(s, f.big_endian, 0x41424300, 4);
  }
  put(s, f.big_endian, f.tag, 2);
  put(s, f.big_endian, f.type, 2);
  put(s, f.big_endian, f.count, 4);
  if (f.type == 4) {
    put(s, f.big_endian, f.value, 4);
  } else {
    put(s, f.big_endian, f.value, 2);
    put(s, f.big_endian, 0, 2);
  }
  put(s, f.big_endian, 0, 4);
  return s;
}

TEST(Exif, ReadsBothByteOrdersAndBothTypes) {
  for (const bool big_endian : {true, false}) {
    for (const std::uint32_t type : {3u, 4u}) {
      for (std::uint32_t value = 1; value <= 8; ++value) {
        const Segment s = segment_of({.big_endian = big_endian, .type = type, .value = value});
        EXPECT_EQ(parse_exif_orientation(s), static_cast<int>(value));
      }
    }
  }
}

TEST(Exif, FindsTheEntryBehindOthers) {
  EXPECT_EQ(parse_exif_orientation(segment_of({.entries = 4, .value = 7, .entries_before = 3})), 7);
  EXPECT_EQ(parse_exif_orientation(segment_of({.entries = 65535, .entries_before = 3})), 6);
}

TEST(Exif, WhatIsNoOrientationCountsAsOne) {
  const Fields cases[] = {
      {.value = 0},
      {.value = 9},
      {.value = 255},
      {.value = 65535},
      {.type = 4, .value = 0xffffffff},
      {.type = 2},
      {.type = 9},
      {.count = 0},
      {.count = 2},
      {.count = 0xffffffff},
      {.tag = 0x0113},
      {.magic = 43},
      {.directory = 0},
      {.directory = 7},
      {.directory = 27},
      {.directory = 0xffffffff},
      {.entries = 0},
      {.entries = 1, .entries_before = 1},
  };
  for (const Fields& f : cases) {
    for (const bool big_endian : {true, false}) {
      Fields both = f;
      both.big_endian = big_endian;
      EXPECT_EQ(parse_exif_orientation(segment_of(both)), 1)
          << "tag " << f.tag << " type " << f.type << " count " << f.count << " value " << f.value
          << " directory " << f.directory;
    }
  }
}

// Each prefix lies in memory of exactly its length, so that reading past its end is noticed.
TEST(Exif, CutSegmentsCountAsOneUntilTheEntryIsThere) {
  const Segment whole = segment_of({});
  const std::size_t needed = 6 + 8 + 2 + 12;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const Segment cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(parse_exif_orientation(cut), size < needed ? 1 : 6) << size;
  }
}

TEST(Exif, OtherSegmentsAreNotExif) {
  const std::string xmp = "http://ns.adobe.com/xap/1.0/";
  const Segment s(xmp.begin(), xmp.end());
  EXPECT_FALSE(is_exif(s));
  EXPECT_EQ(parse_exif_orientation(s), 1);
  EXPECT_TRUE(is_exif(segment_of({})));
}

TEST(Exif, WritesWhatItReads) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    EXPECT_EQ(parse_exif_orientation(make_exif_orientation(orientation)), orientation);
  }
}

}  // namespace exif_test
}  // namespace sluice
