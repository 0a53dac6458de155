// Huffman tables in the layout for a device, against a plain implementation; and the tables that
// are refused.
#include "tests/cuda/jpeg/device_decode.h"
#include "tests/cuda/jpeg/test_files.h"
#include "tests/io/corpus.h"
#include "tests/io/jpeg/mutant.h"
#include <sluice/cuda/jpeg/file_header.h>
#include <sluice/cuda/jpeg/huffman.h>
#include <sluice/cuda/jpeg/kernels.h>
#include <sluice/cuda/jpeg/synchronize.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace sluice::device {
namespace codes_test {

using JpegCodesOfFiles = JpegCorpus;

std::span<std::uint32_t> steps_of(JpegCodes& codes, std::uint32_t table) {
  const bool dc = table < 2;
  return {codes.steps + jpeg_steps_at(dc, table & 1),
          1u << (dc ? kJpegDcStepBits : kJpegAcStepBits)};
}

// Returns what JpegCodes::steps has for `next`, symbol by symbol. `symbols`: by the next 16 bits.
std::uint32_t plain_step(const std::vector<std::uint16_t>& symbols, std::uint32_t next, bool dc) {
  const std::uint32_t bits = dc ? kJpegDcStepBits : kJpegAcStepBits;
  std::uint32_t used = 0, coefficients = 0, ends = 0, result = 0;
  for (int count = 0; used < bits && ends == 0 && !(dc && count > 0); ++count) {
    const std::uint32_t symbol = symbols[next << (16 - bits) << used & 0xffff];
    const std::uint32_t length = symbol >> 8, extra = symbol & 15, zeros = symbol >> 4 & 15;
    if (symbol == 0 || used + length > bits || extra > (dc ? 11 : 10)) break;
    const bool end = !dc && extra == 0 && zeros != 15;
    const std::uint32_t more = end ? 1 : zeros + 1;
    if (count > 0 && (used + length + extra > bits || coefficients + more > 64)) break;
    used += length + extra;
    coefficients += more;
    ends = end ? 1 : 0;
    const std::uint32_t step = used | coefficients << 5 | ends << 12;
    if (count == 0) result = (dc ? extra : step) << 16;
    result = (result & 0xffff0000) | step;
  }
  return result;
}

// Builds the table code by code. Returns false for tables that libjpeg refuses.
bool build_plainly(const JpegCodeSource& source, std::uint32_t table, JpegCodes& codes) {
  std::vector<std::uint16_t> symbols(1 << 16);
  auto& entries = codes.entries[table];
  std::fill(std::begin(entries), std::end(entries), std::uint16_t{0});
  std::copy(std::begin(source.values), std::end(source.values), codes.values[table]);
  std::uint32_t code = 0, index = 0;
  for (std::uint32_t length = 1; length <= 16; ++length, code <<= 1) {
    const std::uint32_t first = code, first_index = index, count = source.bits[length - 1];
    code += count;
    index += count;
    if (count > 0 && (code >= 1u << length || index > 256)) return false;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint8_t value = source.values[first_index + i];
      if (table < 2 && value > 15) return false;
      const auto entry = static_cast<std::uint16_t>(length << 8 | value);
      for (std::uint32_t bits = (first + i) << (16 - length), end = bits + (1u << (16 - length));
           bits < end; ++bits) {
        symbols[bits] = entry;
        if (bits >= kJpegFirstLong) codes.long_entries[table][bits - kJpegFirstLong] = entry;
      }
      if (length > kJpegLookupBits) continue;
      const std::uint32_t spare = kJpegLookupBits - length;
      std::fill_n(entries + ((first + i) << spare), 1u << spare, entry);
    }
    if (length <= kJpegLookupBits) continue;
    const std::uint32_t i = length - kJpegLookupBits - 1;
    codes.end[table][i] = code << (16 - length);
    codes.offset[table][i] =
        static_cast<std::int32_t>(first_index) - static_cast<std::int32_t>(first);
  }
  const bool dc = table < 2;
  const std::span<std::uint32_t> steps = steps_of(codes, table);
  for (std::uint32_t i = 0; i < steps.size(); ++i) steps[i] = plain_step(symbols, i, dc);
  return index > 0;
}

// Compares refusals at once, and everything else on a device.
class Compare {
 public:
  void add(const JpegCodeSource& source, std::uint32_t table, const std::string& name) {
    JpegCodes plain{};
    const bool good = build_plainly(source, table, plain);
    EXPECT_EQ(is_legal(source, table < 2), good) << name;
    if (!good) {
      ++refused;
      return;
    }
    while (sources_.size() % 4 != table) add_nothing();
    sources_.push_back(source);
    names_.push_back(name);
  }
  std::size_t refused = 0, legal = 0;

  void run() {
    while (sources_.size() % 4 != 0) add_nothing();
    const std::size_t count = sources_.size() / 4;
    std::vector<JpegCodes> codes(count);
    build(codes);
    for (std::size_t i = 0; i < count; ++i) {
      JpegCodes plain{};
      for (std::uint32_t table = 0; table < 4; ++table) {
        const std::size_t at = 4 * i + table;
        legal += build_plainly(sources_[at], table, plain) ? 1 : 0;
        EXPECT_TRUE(std::ranges::equal(codes[i].entries[table], plain.entries[table]) &&
                    std::ranges::equal(codes[i].long_entries[table], plain.long_entries[table]) &&
                    std::ranges::equal(steps_of(codes[i], table), steps_of(plain, table)) &&
                    std::ranges::equal(codes[i].end[table], plain.end[table]) &&
                    std::ranges::equal(codes[i].offset[table], plain.offset[table]) &&
                    std::ranges::equal(codes[i].values[table], plain.values[table]))
            << names_[at] << ", table " << table;
      }
    }
  }

 private:
  void add_nothing() {
    sources_.emplace_back();
    names_.emplace_back("none");
  }
  void build(std::vector<JpegCodes>& codes) const {
    const auto device = test_device();
    const auto stream = device->make_stream();
    const auto event = device->make_event();
    const std::size_t bytes = sources_.size() * sizeof(JpegCodeSource);
    const Memory from(device->pinned(), bytes), there(device->memory(), bytes);
    const std::size_t made = codes.size() * sizeof(JpegCodes);
    const Memory scratch(device->memory(), made), back(device->pinned(), made);
    std::memcpy(from.get(), sources_.data(), bytes);
    JpegLaunch launch;
    launch.block = there.get();
    launch.block_bytes = bytes;
    launch.scratch = scratch.get();
    launch.scratch_bytes = made;
    launch.codes = static_cast<std::uint32_t>(codes.size());
    launch.unindexed = 1;
    stream->fill(scratch.get(), 0xa5, made);
    stream->copy(there.get(), from.get(), bytes);
    stream->launch(kJpegCodes, std::as_bytes(std::span(&launch, 1)));
    stream->copy(back.get(), scratch.get(), made);
    stream->record(*event);
    while (!event->over()) {
    }
    std::memcpy(codes.data(), back.get(), made);
  }

  std::vector<JpegCodeSource> sources_;
  std::vector<std::string> names_;
};

// All tables of a header, as both kinds.
void add_tables(const File& file, const std::string& name, Compare& compare) {
  for (const auto& segment : segments_of(file)) {
    if (segment.marker != 0xc4) continue;
    for (std::size_t at = segment.begin + 4; at + 17 <= segment.end;) {
      JpegCodeSource source;
      std::copy_n(&file[at + 1], 16, source.bits);
      std::size_t count = 0;
      for (const std::uint8_t of_length : source.bits) count += of_length;
      at += 17;
      const std::size_t there = std::min({count, sizeof source.values, segment.end - at});
      std::copy_n(file.data() + at, there, source.values);
      at += count;
      for (const std::uint32_t table : {0u, 1u, 2u, 3u}) compare.add(source, table, name);
    }
  }
}

TEST(JpegCodes, OfAnyTablesAreRight) {
  Random random({.seed = 3});
  Compare compare;
  for (int i = 0; i < 1500; ++i) {
    JpegCodeSource source;
    const bool dc = i % 2 == 0;
    for (std::uint8_t& value : source.values)
      value = static_cast<std::uint8_t>(random.below(dc && i % 8 != 0 ? 16 : 256));
    // Usually as many codes of each length as possible, or fewer.
    std::uint32_t room = 1, values = 256;
    for (std::uint8_t& count : source.bits) {
      room *= 2;
      const std::uint32_t most = std::min({room - 1, values, 255u});
      const std::uint32_t some = random.below(i % 3 + 2) == 0 ? random.below(most + 1) : 0;
      count = static_cast<std::uint8_t>(random.below(9) == 0 ? most : some);
      room -= count;
      values -= count;
    }
    if (i % 5 == 0) source.bits[random.below(16)] = static_cast<std::uint8_t>(random.below(256));
    if (i % 50 == 1) source = {};
    compare.add(source, (dc ? 0u : 2u) + random.below(2), std::to_string(i));
  }
  compare.run();
  EXPECT_GT(compare.legal, 900u);
  EXPECT_GT(compare.refused, 200u);
}

TEST_F(JpegCodesOfFiles, AreRight) {
  Compare compare;
  for (const File& file : photos()) add_tables(file, "a photograph", compare);
  for (const Entry& entry : entries_) add_tables(read(entry), entry.at("path"), compare);
  compare.run();
  EXPECT_GT(compare.legal, 1000u / static_cast<unsigned>(part()));
  EXPECT_GT(compare.refused, 50u / static_cast<unsigned>(part()));
  std::printf("%zu tables are right, %zu refused\n", compare.legal, compare.refused);
}

// Each hash distinguishes two contents that differ in one byte.
TEST(JpegCodes, HashesDiffer) {
  JpegCodeSource sources[4] = {};
  const std::uint64_t before = hash_of(sources);
  EXPECT_EQ(hash_of(sources), before);
  for (JpegCodeSource& source : sources) {
    for (std::uint8_t* byte : {source.bits, source.bits + 15, source.values, source.values + 255}) {
      *byte = 1;
      EXPECT_NE(hash_of(sources), before);
      *byte = 0;
    }
  }
}

}  // namespace codes_test
}  // namespace sluice::device
