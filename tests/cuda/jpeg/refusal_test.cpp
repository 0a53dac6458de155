// Files that the device does not accept, and files that differ from their index entry.
#include "tests/cuda/jpeg/device_decode.h"
#include "tests/cuda/jpeg/test_files.h"
#include "tests/io/jpeg/mutant.h"
#include <sluice/graph/plan/plan.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/runtime/random.h>

#include <functional>

namespace sluice::device {
namespace refusal_test {

File with_settings(J_COLOR_SPACE space, const std::function<void(jpeg_compress_struct&)>& set_up) {
  const int channels = space == JCS_GRAYSCALE ? 1 : space == JCS_CMYK ? 4 : 3;
  return reference_encode(draw_image(80, 90, channels), space, 80, set_up);
}

std::string refusal_of(const File& file, const JpegIndexEntry* entry,
                       const std::optional<Rectangle>& region = {},
                       const JpegOptions& options = {}) {
  JpegPlan plan;
  return plan.make(file, peek_jpeg(file), entry, region, options) ? "" : plan.refusal();
}

bool says(const std::string& text, const std::string& part) {
  return part.empty() ? text.empty() : text.find(part) != std::string::npos;
}

TEST(JpegForTheHost, KindsAreRefusedWithTheReason) {
  const File plain = with_settings(JCS_RGB, [](jpeg_compress_struct&) {});
  const auto entry = learnt(plain);
  ASSERT_TRUE(entry);
  File twelve = plain;
  for (const auto& segment : segments_of(plain)) {
    if (segment.marker == 0xc0) twelve[segment.begin + 4] = 12;
  }
  const auto sampled = [](int across, int down, int chroma) {
    return [=](jpeg_compress_struct& info) {
      info.comp_info[0].h_samp_factor = across;
      info.comp_info[0].v_samp_factor = down;
      info.comp_info[1].h_samp_factor = chroma;
    };
  };
  const struct {
    const char* says;
    File file;
  } cases[] = {
      {"", plain},
      {"progressive", with_settings(JCS_RGB, [](auto& info) { jpeg_simple_progression(&info); })},
      {"arithmetic", with_settings(JCS_RGB, [](auto& info) { info.arith_code = TRUE; })},
      {"three colors", with_settings(JCS_CMYK, [](auto&) {})},
      {"more than 8 bits", twelve},
      {"not YCbCr",
       with_settings(JCS_RGB, [](auto& info) { jpeg_set_colorspace(&info, JCS_RGB); })},
      {"sampling", with_settings(JCS_RGB, sampled(4, 1, 1))},
      {"sampling", with_settings(JCS_RGB, sampled(2, 2, 2))},
      {"several scans", with_settings(JCS_RGB,
                                      [](auto& info) {
                                        static const jpeg_scan_info kScans[] = {
                                            {1, {0}, 0, 63, 0, 0}, {2, {1, 2}, 0, 63, 0, 0}};
                                        info.scan_info = kScans;
                                        info.num_scans = 2;
                                      })},
      {"does not match", with_settings(JCS_GRAYSCALE, [](auto&) {})},
  };
  for (const auto& c : cases) {
    const std::string refusal = refusal_of(c.file, &*entry);
    EXPECT_TRUE(says(refusal, c.says)) << c.says << ": " << refusal;
  }
}

TEST(JpegForTheHost, WhatDoesNotFitOrIsNotAllowedIsRefused) {
  const File file = with_settings(JCS_RGB, [](jpeg_compress_struct&) {});
  const auto whole = learnt(file);
  ASSERT_TRUE(whole);
  JpegIndexEntry foreign = *whole;
  foreign.per_row += 1;
  JpegOptions verify;
  verify.verify = true;
  JpegOptions small;
  small.max_output_bytes = 80 * 90 * 3 - 1;
  const Rectangle bottom{79, 0, 1, 1};
  const struct {
    const char* says;
    const JpegIndexEntry* entry;
    std::optional<Rectangle> region;
    JpegOptions options;
  } cases[] = {
      {"", &*whole, {}, {}},
      {"", &*whole, bottom, {}},
      {"", &*whole, {}, verify},
      {"does not match", &foreign, {}, {}},
      {"max_output_bytes", &*whole, {}, small},
      {"does not lie inside", &*whole, Rectangle{0, 1, 80, 90}, {}},
      {"does not lie inside", &*whole, Rectangle{0, 0, 0, 1}, {}},
  };
  for (const auto& c : cases) {
    const std::string refusal = refusal_of(file, c.entry, c.region, c.options);
    EXPECT_TRUE(says(refusal, c.says)) << c.says << ": " << refusal;
  }
}

// The index is used as far as it knows a file. Otherwise, the whole scan is read.
TEST(JpegForTheDevice, WhatTheIndexDoesNotKnowIsFoundOut) {
  const File file = with_settings(JCS_RGB, [](jpeg_compress_struct&) {});
  const auto whole = learnt(file);
  ASSERT_TRUE(whole);
  JpegIndexEntry half = *whole;
  half.complete = false;
  half.records = whole->records.first(whole->per_row * 3 + 1);
  JpegIndexEntry nothing = *whole;
  nothing.records = {};
  JpegIndexEntry unfinished = *whole;
  unfinished.complete = false;
  JpegOptions verify;
  verify.verify = true;
  const Rectangle above{0, 0, 40, 90}, bottom{79, 0, 1, 1};
  const struct {
    bool found_out;
    const JpegIndexEntry* entry;
    std::optional<Rectangle> region;
    JpegOptions options;
  } cases[] = {
      {false, &*whole, {}, {}},       {false, &*whole, bottom, {}},    {false, &*whole, {}, verify},
      {true, &*whole, above, verify}, {false, &half, above, {}},       {true, &half, bottom, {}},
      {true, &half, {}, {}},          {false, &unfinished, above, {}}, {true, &unfinished, {}, {}},
      {true, &nothing, {}, {}},       {true, nullptr, above, {}},
  };
  for (const auto& c : cases) {
    const auto number = &c - cases;
    JpegPlan plan;
    ASSERT_TRUE(plan.make(file, peek_jpeg(file), c.entry, c.region, c.options)) << number;
    EXPECT_EQ(plan.segments().empty(), c.found_out) << number;
    EXPECT_EQ(plan.intervals().size(), c.found_out ? 1u : 0u) << number;
  }
}

// Files that have changed since the index learned them, and an index with false records. In
// ordinary memory, where sanitizers would see a wrong access.
TEST(JpegForTheHost, DamageDoesNoHarm) {
  HeapDevice device;
  JpegBatch batch;
  JpegPlan plans[2];
  Random random({.seed = 11});
  int taken = 0, flagged = 0;
  for (int i = 0; i < 600; ++i) {
    const File sound = encode_test_jpeg(kSamplings[i % 5], 90, 120, i % 2 == 0 ? 95 : 60,
                                        i % 3 == 0 ? 5 : 0, 1, i % 4 == 0);
    std::optional<JpegIndexEntry> entry = learnt(sound, i % 7 == 0 ? 0 : 4);
    ASSERT_TRUE(entry);
    std::vector<JpegIndexRecord> records(entry->records.begin(), entry->records.end());
    entry->records = records;
    File file = sound;
    if (i % 6 == 5) {
      JpegIndexRecord& record = records[random.below(static_cast<unsigned>(records.size()))];
      const auto other = records[random.below(static_cast<unsigned>(records.size()))];
      record = i % 12 == 5 ? other : record;
      record.place += static_cast<std::uint32_t>(random.below(40)) - 20;
      record.predictors[0] = static_cast<std::int16_t>(random.below(65536));
    } else {
      JpegMutator mutator(sound, random);
      for (int times = 1 + i % 3; times > 0; --times) mutator.damage();
      file = std::move(mutator).take();
    }
    std::optional<JpegHeader> header;
    try {
      header = peek_jpeg(file);
    } catch (const JpegError&) {
      continue;
    }
    const JpegOptions options{.max_output_bytes = 1 << 22};
    std::vector<DeviceWork> work;
    const Rectangle region{10, 20, 50, 60};
    if (plans[0].make(file, *header, &*entry, {}, options)) work.push_back({&plans[0], file});
    if (plans[1].make(file, *header, &*entry, region, options)) work.push_back({&plans[1], file});
    if (work.empty()) continue;
    for (const DeviceImage& image : decode_on(device, work, batch, 3)) {
      ++taken;
      flagged += image.damaged ? 1 : 0;
    }
  }
  EXPECT_GT(taken, 300);
  EXPECT_GT(flagged, taken / 4);
  std::printf("%d of %d were flagged\n", flagged, taken);
}

}  // namespace refusal_test
}  // namespace sluice::device
