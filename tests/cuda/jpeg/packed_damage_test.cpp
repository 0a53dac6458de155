// Damaged and forged packed JPEGs: the device finds them as the host does, and they do no harm.
#include "tests/cuda/jpeg/device_decode.h"
#include "tests/cuda/jpeg/packed_files.h"
#include "tests/io/decode_outcome.h"
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace packed_damage_test {

struct DamageCase {
  const char* name;
  const char* refusal;  // of the plan; null if the device decodes it
  bool flagged;         // by the device
  std::optional<Rectangle> region;
  bool verify;
  void (*change)(Parts& parts);
};
constexpr std::optional<Rectangle> kWhole;
constexpr Rectangle kBelow{60, 30, 30, 50};  // far below the first rows
const DamageCase kDamageCases[] = {
    {"sound", nullptr, false, kWhole, true, [](Parts&) {}},
    {"a byte of a row", "another checksum", false, kWhole, false,
     [](Parts& parts) { parts.bytes[parts.ranges[2].begin + 30] ^= 4; }},
    {"a byte above the region", nullptr, false, kBelow, false,
     [](Parts& parts) { parts.bytes[parts.ranges[0].begin + 30] ^= 4; }},
    {"a byte above the region, verified", "another checksum", false, kBelow, true,
     [](Parts& parts) { parts.bytes[parts.ranges[0].begin + 30] ^= 4; }},
    {"forged tokens", nullptr, true, kWhole, false,
     [](Parts& parts) {
       for (std::size_t i = 0; i < 60; ++i)
         parts.bytes[parts.ranges[2].end - 1 - i] = static_cast<std::uint8_t>(37 * i);
       parts.seal();
     }},
    {"forged raw bits that reach into the tokens", nullptr, true, kWhole, false,
     [](Parts& parts) {
       // All tokens are one that takes many raw bits.
       const auto tokens = detail::read_pack_dictionary(
           Span(parts.bytes).subspan(parts.dictionary.begin, parts.dictionary.size()));
       const auto most = std::max_element(
           tokens.begin(), tokens.end(),
           [](const PackToken& a, const PackToken& b) { return a.extra < b.extra; });
       const auto number = static_cast<std::uint32_t>(most - tokens.begin());
       const std::size_t end = parts.ranges[1].begin + parts.segment_bytes(1, 0);
       for (std::size_t at = parts.ranges[1].begin; at < end; ++at) {
         const std::uint8_t three[] = {static_cast<std::uint8_t>(number >> 4),
                                       static_cast<std::uint8_t>(number << 4 | number >> 8),
                                       static_cast<std::uint8_t>(number)};
         parts.bytes[at] = three[(end - 1 - at) % 3];
       }
       parts.seal();
     }},
    {"forged sizes of segments", nullptr, true, kWhole, false,
     [](Parts& parts) {
       const std::size_t first = parts.segment_bytes(1, 0), second = parts.segment_bytes(1, 1);
       parts.set_segment_bytes(1, 0, first + 2);
       parts.set_segment_bytes(1, 1, second - 2);
       parts.seal();
     }},
    {"a segment too short", nullptr, true, kWhole, false,
     [](Parts& parts) {
       const std::size_t both = parts.segment_bytes(1, 0) + parts.segment_bytes(1, 1);
       parts.set_segment_bytes(1, 0, 1);
       parts.set_segment_bytes(1, 1, both - 1);
       parts.seal();
     }},
    {"an empty segment", "is empty", false, kWhole, false,
     [](Parts& parts) {
       const std::size_t both = parts.segment_bytes(1, 0) + parts.segment_bytes(1, 1);
       parts.set_segment_bytes(1, 0, 0);
       parts.set_segment_bytes(1, 1, both);
       parts.seal();
     }},
    {"cut in its last row", "another checksum", false, kWhole, false,
     [](Parts& parts) { parts.bytes.resize(parts.data.end - 1); }},
    {"cut in its rows, below the region", nullptr, false, Rectangle{0, 0, 20, 20}, false,
     [](Parts& parts) { parts.bytes.resize(parts.ranges.back().begin); }},
    {"cut in its restoring part", nullptr, false, kWhole, false,
     [](Parts& parts) { parts.bytes.resize(parts.data.end); }},
    {"another size", "another size", false, kWhole, false,
     [](Parts& parts) {
       // The height in the frame header.
       const Span header = Span(parts.bytes).subspan(parts.header, parts.table - parts.header);
       const std::uint8_t marker[] = {0xff, 0xc1};
       const auto frame = std::search(header.begin(), header.end(), marker, marker + 2);
       parts.bytes[parts.header + static_cast<std::size_t>(frame - header.begin()) + 6] += 30;
       parts.seal();
     }},
    {"another dictionary", "its dictionary has another checksum", false, kWhole, false,
     [](Parts& parts) { parts.bytes[parts.dictionary.begin + 3] ^= 1; }},
};

File damage_test_file() { return encode_test_jpeg(kSamplings[2], 100, 150, 85, 0, 5, false); }

TEST(PackedOnDevice, DamageIsFoundAndStaysInItsSample) {
  const File plain = damage_test_file(), sound = packed(plain, dictionary(0));
  Image whole;
  decode_jpeg_image(plain, {}, whole);
  const auto device = test_device();
  JpegBatch batch;
  for (const DamageCase& c : kDamageCases) {
    SCOPED_TRACE(c.name);
    Parts parts(sound);
    c.change(parts);
    const JpegOptions options{.verify = c.verify};
    JpegPlan before, plan, behind;
    ASSERT_TRUE(before.make(sound, peek_jpeg(sound), nullptr, {}));
    ASSERT_TRUE(behind.make(sound, peek_jpeg(sound), nullptr, c.region));
    const bool taken = plan.make(parts.bytes, peek_jpeg(parts.bytes), nullptr, c.region, options);
    EXPECT_EQ(taken, c.refusal == nullptr) << plan.refusal();
    EXPECT_TRUE(taken || plan.refusal().find(c.refusal) != std::string::npos) << plan.refusal();
    std::vector<DeviceWork> work{{&before, sound}};
    if (taken) work.push_back({&plan, parts.bytes});
    work.push_back({&behind, sound});
    const auto images = decode_on(*device, work, batch);
    const Rectangle all{0, 0, whole.height(), whole.width()};
    EXPECT_FALSE(images.front().damaged);
    EXPECT_EQ(difference(images.front().image, whole, all), "");
    EXPECT_FALSE(images.back().damaged);
    EXPECT_EQ(difference(images.back().image, whole, c.region.value_or(all)), "");
    if (!taken) continue;
    EXPECT_EQ(images[1].damaged, c.flagged);
    if (c.flagged) continue;
    EXPECT_EQ(difference(images[1].image, whole, c.region.value_or(all)), "");
  }
}

TEST(PackedPipeline, DamagedSamplesHaveTheErrorsOfTheHost) {
  std::vector<File> packs;
  const File sound = packed(damage_test_file(), dictionary(0));
  for (const DamageCase& c : kDamageCases) {
    packs.push_back(sound);
    Parts parts(sound);
    c.change(parts);
    packs.push_back(parts.bytes);
  }
  const auto read = [&packs](Graph& g) {
    return g.source(static_cast<std::int64_t>(packs.size()), [&packs](const SampleInfo& info) {
      return Bytes::copy_of(packs[static_cast<std::size_t>(info.index)]);
    });
  };
  for (const std::optional<Rectangle>& region : {kWhole, std::optional(kBelow)}) {
    const Outcomes expected = decode_all(packs.size(), false, read, region);
    EXPECT_EQ(expected.on_device, 0);
    EXPECT_GT(expected.errors.size(), region ? 1u : 5u);
    for (const int batch_size : {1, 4, 32}) {
      const Outcomes found = decode_all(packs.size(), true, read, region, batch_size);
      expect_equal(found, expected);
      EXPECT_GE(found.on_device, static_cast<std::int64_t>(std::size(kDamageCases)));
    }
  }
}

// Bytes with valid checksums can still be anything. The device decodes them exactly if the host
// does, and flags or refuses all others. In ordinary memory, where sanitizers would see a wrong
// access.
class Forgery {
 public:
  void compare(const File& forged, const std::optional<Rectangle>& region, std::uint32_t number) {
    const JpegOptions options{.max_output_bytes = 1 << 22};
    const DecodeOutcome expected = outcome_of(forged, region, options, kFast);
    JpegPlan plan;
    const bool planned = plan.make(forged, peek_jpeg(forged), nullptr, region, options);
    DeviceImage found{{}, true};
    if (planned) found = std::move(decode_on(device_, {{&plan, forged}}, batch_, 3)[0]);
    refused_ += planned ? 0 : 1;
    flagged_ += planned && found.damaged ? 1 : 0;
    exact_ += found.damaged ? 0 : 1;
    // For a region, the host may read other rows than the device.
    EXPECT_TRUE(region || found.damaged == !expected.error.empty()) << number << expected.error;
    if (found.damaged || !expected.error.empty()) return;
    EXPECT_TRUE(found.image == expected.image) << number;
  }
  int refused() const { return refused_; }
  int flagged() const { return flagged_; }
  int exact() const { return exact_; }

 private:
  HeapDevice device_;
  JpegBatch batch_;
  int refused_ = 0, flagged_ = 0, exact_ = 0;
};

TEST(PackedOnDevice, ForgedRowsAndDictionariesAreDecodedAsOnTheHost) {
  const File pack =
      packed(encode_test_jpeg(kSamplings[2], 50, 300, 80, 0, 1, false), dictionary(1));
  Forgery forgery;
  for (std::uint32_t i = 0; i < 400; ++i) {
    Random random({.seed = 3, .sample = i});
    Parts parts(pack);
    const ByteRange part = i % 3 == 0   ? parts.dictionary
                           : i % 3 == 1 ? parts.data
                                        : ByteRange{parts.table, parts.data.begin};
    for (std::uint32_t changes = 1 + random.below(6); changes > 0; --changes) {
      const std::size_t at = part.begin + random.below(static_cast<std::uint32_t>(part.size()));
      parts.bytes[at] = static_cast<std::uint8_t>(random.below(256));
    }
    parts.seal();
    forgery.compare(parts.bytes, {}, i);
    forgery.compare(parts.bytes, Rectangle{10, 100, 20, 60}, i);
  }
  EXPECT_GT(forgery.refused(), 50);
  EXPECT_GT(forgery.flagged(), 100);
  EXPECT_GT(forgery.exact(), 50);
}

PackToken any_token(Random& random) {
  PackToken token;
  token.ends = random.below(3) == 0 ? 1 : 0;
  token.length = static_cast<std::uint8_t>(random.below(9));
  token.run = static_cast<std::uint8_t>(random.below(random.below(2) == 0 ? 4 : 64 - token.length));
  if (token.length == 0) {
    token.run = token.ends != 0 ? 0 : static_cast<std::uint8_t>(1 + random.below(63));
    return token;
  }
  if (random.below(3) == 0) token.extra = static_cast<std::uint8_t>(random.below(17));
  for (std::size_t i = 0; i < token.length; ++i)
    token.magnitude[i] = static_cast<std::uint8_t>(random.below(random.below(2) == 0 ? 3 : 256));
  if (!token.has_sign(0)) token.magnitude[0] = 1;
  if (!token.has_sign(token.length - 1u)) token.magnitude[token.length - 1u] = 1;
  return token;
}

// Tokens and segments are both any bytes. Small segments are likely to be decoded.
TEST(PackedOnDevice, AnyTokensAreDecodedAsOnTheHost) {
  Forgery forgery;
  for (std::uint32_t i = 0; i < 300; ++i) {
    Random random({.seed = 4, .sample = i});
    std::vector<PackToken> tokens;
    for (std::size_t k = 0; k < PackToken::kCount; ++k) tokens.push_back(any_token(random));
    const File words = detail::write_pack_dictionary(tokens);
    const bool gray = i % 4 != 0;
    const File plain = reference_encode(filled(8, 8, gray ? 1 : 3, 90),
                                        gray ? JCS_GRAYSCALE : JCS_RGB, 80, [](auto&) {});
    Parts parts(packed(plain, dictionary(0)));
    parts.set_dictionary(words);
    for (std::size_t at = parts.data.begin; at < parts.data.end; ++at)
      parts.bytes[at] = static_cast<std::uint8_t>(random.below(256));
    parts.seal();
    forgery.compare(parts.bytes, {}, i);
  }
  EXPECT_GT(forgery.flagged(), 30);
  EXPECT_GT(forgery.exact(), 30);
}

}  // namespace packed_damage_test
}  // namespace sluice::device
