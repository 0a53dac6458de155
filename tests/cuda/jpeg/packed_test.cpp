// Packed JPEGs that the device decodes: the pixels are those of their files.
#include "tests/cuda/jpeg/exact_decode.h"
#include "tests/cuda/jpeg/packed_files.h"
#include "tests/failing_allocations.h"
#include "tests/io/corpus.h"
#include "tests/io/readers/scratch.h"
#include <sluice/cuda/jpeg/token_tables.h>
#include <sluice/io/packs/pack_in.h>
#include <sluice/io/packs/pack_writer.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace packed_test {

TEST(PackedOnDevice, SmallImagesOfAllSizesAreExact) {
  ExactDecode decode(std::make_unique<HeapDevice>());
  for (const Sampling& sampling : kSamplings) {
    for (int height = 1; height <= 37; height += height < 4 ? 1 : 5) {
      for (int width = 1; width <= 41; width += width < 7 ? 1 : 4) {
        const File file = encode_test_jpeg(sampling, height, width, 80, 0, 3, false);
        decode.compare(file, {.wide = 3, .narrow = 3, .dictionary = &dictionary(0)},
                       std::string(sampling.name) + ", " + std::to_string(height) + " x " +
                           std::to_string(width));
      }
    }
  }
  EXPECT_EQ(decode.tally.refused, 0);
  EXPECT_GT(decode.tally.files, 500);
  EXPECT_GT(decode.tally.fetched, decode.tally.images / 4);
}

TEST(PackedOnDevice, AllKindsAreExact) {
  struct Kind {
    const char* name;
    std::function<void(jpeg_compress_struct&)> set_up;
  };
  const Kind kinds[] = {
      {"baseline", [](auto&) {}},
      {"restarts", [](auto& info) { info.restart_interval = 5; }},
      {"optimized", [](auto& info) { info.optimize_coding = TRUE; }},
      {"progressive", [](auto& info) { jpeg_simple_progression(&info); }},
      {"arithmetic", [](auto& info) { info.arith_code = TRUE; }},
  };
  ExactDecode decode;
  int seed = 0;
  for (const Sampling& sampling : kSamplings) {
    for (const Kind& kind : kinds) {
      for (const int quality : {100, 80, 25}) {
        ++seed;
        const bool gray = sampling.across == 0;
        const File file = reference_encode(
            draw_image(70 + seed % 50, 90 + 3 * (seed % 37), gray ? 1 : 3,
                       static_cast<std::uint64_t>(seed)),
            gray ? JCS_GRAYSCALE : JCS_RGB, quality, [&](jpeg_compress_struct& info) {
              // A gray image may say anything; its groups are single blocks.
              info.comp_info[0].h_samp_factor = gray ? 1 + seed % 2 : sampling.across;
              info.comp_info[0].v_samp_factor = gray ? 1 + seed % 2 : sampling.down;
              kind.set_up(info);
            });
        Wanted wanted{.wide = 4, .narrow = 4};
        wanted.dictionary = &dictionary(static_cast<std::size_t>(seed));
        wanted.options.color = seed % 5 == 0 ? ColorSpace::gray : ColorSpace::rgb;
        wanted.options.apply_orientation = seed % 7 != 0;
        wanted.options.verify = seed % 4 == 0;
        decode.compare(turned(file, 1 + seed % 8), wanted,
                       std::string(sampling.name) + ", " + kind.name + ", orientation " +
                           std::to_string(1 + seed % 8));
      }
    }
  }
  EXPECT_EQ(decode.tally.files, 75);
  EXPECT_EQ(decode.tally.refused, 0);
}

TEST(PackedOnDevice, WhatFilesCannotBeOnTheDeviceIsRefused) {
  const auto coded = [](const std::function<void(jpeg_compress_struct&)>& set_up) {
    return reference_encode(draw_image(80, 90, 3), JCS_RGB, 80, set_up);
  };
  JpegOptions small;
  small.max_output_bytes = 80 * 90 * 3 - 1;
  const struct {
    const char* says;
    File file;
    std::optional<Rectangle> region;
    JpegOptions options;
  } cases[] = {
      {"not YCbCr", coded([](auto& info) { jpeg_set_colorspace(&info, JCS_RGB); }), {}, {}},
      {"sampling", coded([](auto& info) { info.comp_info[0].h_samp_factor = 4; }), {}, {}},
      {"max_output_bytes", coded([](auto&) {}), {}, small},
      {"does not lie inside", coded([](auto&) {}), Rectangle{0, 1, 80, 90}, {}},
  };
  for (const auto& c : cases) {
    const File pack = packed(c.file, dictionary(0));
    JpegPlan plan;
    EXPECT_FALSE(plan.make(pack, peek_jpeg(pack), nullptr, c.region, c.options)) << c.says;
    EXPECT_NE(plan.refusal().find(c.says), std::string::npos) << plan.refusal();
  }
}

using PackedFilesOnDevice = JpegCorpus;

TEST_F(PackedFilesOnDevice, SomePhotographsAreExact) {
  ExactDecode decode;
  const std::vector<File> files = photos();
  const File words = dictionary_of({files.begin(), files.begin() + 6});
  // On the stand-in, decoding all photographs takes half a minute.
  const std::size_t step = on_gpu() ? 1 : 8;
  for (std::size_t i = 0; i < files.size(); i += step)
    decode.compare(files[i], {.dictionary = &words}, "photograph " + std::to_string(i));
  EXPECT_EQ(decode.tally.refused, 0);
  EXPECT_EQ(decode.tally.files, static_cast<int>((files.size() + step - 1) / step));
  EXPECT_LT(decode.tally.region_bytes, decode.tally.whole_bytes / 2);
}

// Packed JPEGs of two dictionaries, files that an index knows, and others.
struct Mixed {
  explicit Mixed(std::size_t count) : plans(count) {
    for (std::size_t i = 0; i < count; ++i) {
      const int n = static_cast<int>(i);
      const File file = encode_test_jpeg(kSamplings[i % 5], 40 + 7 * n, 190 - 5 * n, 50 + n, 0,
                                         static_cast<std::uint64_t>(n), n % 3 == 0);
      entries.push_back(i % 4 == 2 ? learnt(file, 4) : std::nullopt);
      expected.emplace_back();
      decode_jpeg_image(file, {}, expected.back());
      files.push_back(Bytes::copy_of(i % 4 < 2 ? packed(file, dictionary(i)) : file));
    }
  }
  std::vector<Bytes> files;
  std::vector<std::optional<JpegIndexEntry>> entries;
  std::vector<Image> expected;
  std::deque<JpegPlan> plans;
};

TEST(PackedOnDevice, BatchesMixAllKinds) {
  const auto device = test_device();
  BufferPool pinned(device->pinned());
  const BufferPoolScope scope(pinned);
  Mixed all(24);
  JpegBatch batch;
  for (const std::size_t size : {std::size_t{24}, std::size_t{1}, std::size_t{5}}) {
    for (std::size_t first = 0; first < all.files.size(); first += size) {
      const std::size_t end = std::min(first + size, all.files.size());
      std::vector<DeviceWork> work;
      for (std::size_t i = first; i < end; ++i) {
        JpegPlan& plan = all.plans[i];
        const Bytes& file = all.files[i];
        const JpegIndexEntry* const entry = all.entries[i] ? &*all.entries[i] : nullptr;
        ASSERT_TRUE(plan.make(file, peek_jpeg(file), entry, {})) << plan.refusal();
        EXPECT_EQ(plan.tokens() != nullptr, i % 4 < 2);
        EXPECT_EQ(i % 3 == 0 && plan.fetch(file, *device), i % 3 == 0);
        work.push_back({&plan, file});
      }
      const auto images = decode_on(*device, work, batch, 3);
      for (std::size_t i = first; i < end; ++i) {
        const Image& expected = all.expected[i];
        EXPECT_FALSE(images[i - first].damaged) << i;
        EXPECT_EQ(difference(images[i - first].image, expected,
                             {0, 0, expected.height(), expected.width()}),
                  "")
            << i << ", batches of " << size;
      }
      if (size != 24) continue;
      const JpegLaunch launch = batch.arguments({});
      EXPECT_EQ(launch.dictionaries, 2u);
      EXPECT_GT(launch.codes, 0u);
    }
  }
}

TEST(PackedOnDevice, AllocatesNothingOnceWarm) {
  std::vector<File> files;
  for (std::size_t i = 0; i < 6; ++i)
    files.push_back(
        packed(encode_test_jpeg(kSamplings[i % 5], 60, 90, 80, 0, i, false), dictionary(i)));
  std::vector<JpegPlan> plans(files.size());
  JpegBatch batch;
  std::vector<std::byte> upload;
  const auto round = [&] {
    batch.clear();
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (!plans[i].make(files[i], peek_jpeg(files[i]), nullptr, {}) ||
          !batch.add(plans[i], files[i], {nullptr, 0}))
        return false;
    }
    upload.resize(batch.upload_bytes());
    batch.fill(upload.data());
    return true;
  };
  ASSERT_TRUE(round());
  const std::uint64_t before = testing::allocations();
  ASSERT_TRUE(round());
  EXPECT_EQ(testing::allocations(), before);
}

TEST(JpegTokenTables, AreMadeOnceForEachDictionaryAndOnlyAFewAreKept) {
  const File plain = encode_test_jpeg(kSamplings[0], 16, 16, 80, 0, 1, false);
  JpegTokenTables tables;
  const auto table_of = [&tables](const File& pack) {
    PackedJpeg head;
    head.open(pack);
    return tables.find(head);
  };
  std::vector<File> packs;
  std::vector<std::shared_ptr<const JpegTokenTable>> found;
  for (std::size_t i = 0; i < JpegTokenTables::kMost + 4; ++i) {
    // Dictionaries that differ in one magnitude.
    std::vector<PackToken> tokens = detail::read_pack_dictionary(dictionary(0));
    std::find_if(tokens.begin(), tokens.end(), [](const PackToken& token) {
      return token.length > 1;
    })->magnitude[0] = static_cast<std::uint8_t>(100 + i);
    Parts parts(packed(plain, dictionary(0)));
    parts.set_dictionary(detail::write_pack_dictionary(tokens));
    packs.push_back(parts.bytes);
    found.push_back(table_of(packs.back()));
    EXPECT_EQ(table_of(packs.back()), found.back());
    EXPECT_EQ(found.back()->tokens().size(), JpegToken::kCount);
    EXPECT_LE(tables.size(), JpegTokenTables::kMost);
    // The first one is used all the time, so it stays.
    EXPECT_EQ(table_of(packs[0]), found[0]);
  }
  EXPECT_EQ(tables.size(), JpegTokenTables::kMost);
  EXPECT_EQ(table_of(packs.back()), found.back());
  EXPECT_NE(table_of(packs[1]), found[1]);
  EXPECT_TRUE(std::equal(
      found[1]->tokens().begin(), found[1]->tokens().end(), table_of(packs[1])->tokens().begin(),
      [](const JpegToken& a, const JpegToken& b) { return std::memcmp(&a, &b, sizeof a) == 0; }));
  // The checksum of a table that is known, but other bytes.
  File other = packs[0];
  other[PackedJpegParts::kPrefixBytes + 3] ^= 1;
  EXPECT_THROW(table_of(other), PackError);
}

class PackedPipelineInFolder : public ScratchTest {};

// Files of two packs with a dictionary each, and one that cannot be packed.
TEST_F(PackedPipelineInFolder, DecodesPacksAsTheHostDoes) {
  constexpr std::size_t kFiles = 25;
  for (const char* folder : {"a", "b"}) {
    PackWriter writer(path(folder), {"label"});
    for (std::size_t i = *folder == 'a' ? 0 : kFiles / 2;
         i < (*folder == 'a' ? kFiles / 2 : kFiles); ++i) {
      const int n = static_cast<int>(i);
      writer.add(Bytes::copy_of(encode_test_jpeg(kSamplings[i % 5], 60 + 9 * n, 300 - 7 * n,
                                                 *folder == 'a' ? 95 : 60, 0, i, false)),
                 {std::to_string(n)});
    }
    if (*folder == 'b') {
      writer.add(
          Bytes::copy_of(reference_encode(draw_image(120, 120, 4), JCS_CMYK, 80, [](auto&) {})),
          {"0"});
    }
    writer.finish();
  }
  constexpr Rectangle kRegion{20, 10, 30, 80};
  for (const ReadParts parts : {ReadParts::never, ReadParts::always}) {
    const auto packs = pack_in({path("a"), path("b")}, {.parts = parts});
    const auto read = [&packs](Graph& g) {
      const auto [file, label] = g.read(packs);
      return file;
    };
    for (const std::optional<Rectangle>& region :
         {std::optional<Rectangle>(), std::optional(kRegion)}) {
      const auto count = static_cast<std::size_t>(packs.size());
      const Outcomes expected = decode_all(count, false, read, region);
      EXPECT_EQ(expected.packed, static_cast<std::int64_t>(kFiles));
      EXPECT_EQ(expected.errors, std::vector<std::string>());
      for (const int batch_size : {1, 8, 64}) {
        const SourceReads before = packs.reads();
        const Outcomes found = decode_all(count, true, read, region, batch_size);
        expect_equal(found, expected);
        EXPECT_EQ(found.on_device, static_cast<std::int64_t>(kFiles));
        EXPECT_EQ(found.packed, 0);
        const SourceReads reads = packs.reads() - before;
        const bool few = reads.bytes_read < reads.file_bytes * 3 / 4;
        EXPECT_EQ(few, parts == ReadParts::always && region);
      }
    }
  }
}

}  // namespace packed_test
}  // namespace sluice::device
