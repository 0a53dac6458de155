// Crops that reach into the decoder: their errors have the messages of the whole decode. Also
// warnings and counts of a decoder.
#include "tests/ops/push_crops.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace push_crops_errors_test {

// Returns the position of the scan's marker.
std::size_t scan_of(const File& file) {
  const std::uint8_t marker[] = {0xff, 0xda};
  return static_cast<std::size_t>(
      std::search(file.begin(), file.end(), std::begin(marker), std::end(marker)) - file.begin());
}

// Errors have the same message, and name the same step.
TEST(PushCrops, ErrorsAreTheSame) {
  struct Wrong {
    const char* name;
    std::function<Value<Digest>(Graph&, Jpeg, const Decode&)> describe;
    std::function<File()> file;
  };
  const auto good = [] { return files()[0]; };
  const auto cut = [](std::size_t bytes) {
    return [bytes] { return File(files()[0].begin(), files()[0].begin() + bytes); };
  };
  const auto corner = [](Graph& g, Jpeg jpeg, const Decode& decode) {
    return digest(g, crop(decode(g, jpeg), kCorner));
  };
  const Wrong wrong[] = {
      {"a region outside",
       [](Graph& g, Jpeg jpeg, const Decode& decode) {
         return digest(g, crop(decode(g, jpeg), Rectangle{50, 0, 20, 20}));
       },
       good},
      {"an empty region",
       [](Graph& g, Jpeg jpeg, const Decode& decode) {
         return digest(g, crop(decode(g, jpeg), Rectangle{}));
       },
       good},
      {"a middle that is too large",
       [](Graph& g, Jpeg jpeg, const Decode& decode) {
         return digest(g, center_crop(decode(g, jpeg), {.height = 5, .width = 500}));
       },
       good},
      {"no image", corner,
       [] {
         return File{'t', 'e', 'x', 't'};
       }},
      {"nothing", corner, [] { return File{}; }},
      {"an image that ends in its first rows", corner, cut(700)},
      {"an image that ends before its scan", corner, cut(scan_of(files()[0]))},
      {"an image that ends in its scan's header", corner, cut(scan_of(files()[0]) + 5)},
  };
  for (const Wrong& which : wrong) {
    SCOPED_TRACE(which.name);
    const std::vector<File> from = {which.file()};
    std::vector<std::string> said;
    for (const bool opaque : {false, true}) {
      auto pipeline = make_pipeline({.on_error = OnError::skip}, [&](Graph& g) {
        auto jpeg = g.source(1, [&](const SampleInfo&) { return ByteSpan(from[0]); });
        return which.describe(g, jpeg, Decode(opaque));
      });
      for (const auto& batch : pipeline.epoch()) {
        for (const SampleError& error : batch.errors()) said.push_back(to_string(error));
      }
    }
    ASSERT_EQ(said.size(), 2u);
    EXPECT_EQ(said[0], said[1]);
  }
}

File half_of(const File& file) {
  return {file.begin(), file.begin() + static_cast<std::ptrdiff_t>(file.size() / 2)};
}

// A region does not see damage below it, unless `verify` asks for that. A tolerant decode delivers
// the image, and reports it.
TEST(PushCrops, DamageIsFoundAsFarAsOneLooks) {
  struct Policy {
    JpegOptions options;
    Rectangle region;
    bool delivered;
    std::size_t warnings;
  };
  const Rectangle top{0, 0, 8, 40}, all{0, 0, 60, 64};
  const Policy policies[] = {
      {{}, top, true, 0},
      {{.verify = true}, top, false, 0},
      {{}, all, false, 0},
      {{.damage = DamagePolicy::tolerant}, top, true, 0},
      {{.damage = DamagePolicy::tolerant}, all, true, 1},
      {{.damage = DamagePolicy::tolerant, .verify = true}, top, true, 1},
  };
  const File file = half_of(files()[0]);
  for (const Policy& policy : policies) {
    SCOPED_TRACE(&policy - policies);
    auto pipeline = make_pipeline({.batch_size = 1, .on_error = OnError::skip}, [&](Graph& g) {
      auto jpeg = g.source(1, [&](const SampleInfo&) { return ByteSpan(file); });
      return crop(decode_jpeg(jpeg, policy.options), policy.region);
    });
    std::size_t delivered = 0;
    std::vector<SampleError> warnings;
    for (const auto& batch : pipeline.epoch()) {
      delivered += batch.size();
      warnings = batch.warnings();
    }
    EXPECT_EQ(delivered, policy.delivered ? 1u : 0u);
    ASSERT_EQ(warnings.size(), policy.warnings);
    for (const SampleError& warning : warnings) {
      EXPECT_EQ(warning.id, 0);
      EXPECT_EQ(warning.step, "decode_jpeg");
      EXPECT_NE(warning.what, "");
    }
  }
}

// If a file ends in the last bytes of its scan's header, a tolerant decoder makes an image. So does
// the decode of a region of it, and its size can be read.
TEST(PushCrops, FilesCutInTheirScansHeaderGiveTheSameImages) {
  const JpegOptions tolerant{.damage = DamagePolicy::tolerant};
  const auto image_of = [&](const File& file, const auto& describe) {
    auto pipeline = make_pipeline({.batch_size = 1}, [&](Graph& g) {
      return describe(g, g.source(1, [&](const SampleInfo&) { return ByteSpan(file); }));
    });
    return pipeline.epoch().next()->template get<0>()[0].clone();
  };
  for (const std::size_t missing : {1u, 2u, 3u}) {
    SCOPED_TRACE(missing);
    const File& whole = files()[0];
    constexpr std::size_t kScanHeader = 2 + 12;  // the marker, and its segment for 3 components
    const File file(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(
                                                       scan_of(whole) + kScanHeader - missing));
    const auto opaque = image_of(
        file, [&](Graph& g, Jpeg jpeg) { return crop(Decode(true)(g, jpeg, tolerant), kCorner); });
    EXPECT_TRUE(opaque == image_of(file, [&](Graph&, Jpeg jpeg) {
                  return crop(decode_jpeg(jpeg, tolerant), kCorner);
                }));
    EXPECT_TRUE(opaque == image_of(file, [&](Graph& g, Jpeg jpeg) {
                  const auto region = g.map(
                      "region",
                      [](const JpegHeader& header) {
                        return header.oriented_width() > 0 ? kCorner : Rectangle{};
                      },
                      peek_jpeg(jpeg));
                  return decode_jpeg(jpeg, region, tolerant);
                }));
  }
}

TEST(PushCrops, StatsCountHowImagesWereRead) {
  auto pipeline = make_pipeline({.batch_size = 4}, [](Graph& g) {
    auto jpeg = g.source(kSamples, [](const SampleInfo& info) {
      return ByteSpan(files()[static_cast<std::size_t>(info.index_in_epoch)]);
    });
    return std::tuple{decode_jpeg(jpeg), crop(decode_jpeg(jpeg), kCorner),
                      decode_jpeg(jpeg, {.entropy = JpegEntropyDecoder::library})};
  });
  for (const auto& batch : pipeline.epoch()) static_cast<void>(batch);
  const std::int64_t progressive = 3;  // samples 6, 13 and 20
  std::vector<std::string> found, wanted;
  for (const EventStats& e : pipeline.stats().events)
    found.push_back(e.step + " " + e.name + " " + std::to_string(e.count));
  for (const std::string step : {"decode_jpeg", "decode_jpeg#2"}) {
    wanted.push_back(step + " fast " + std::to_string(kSamples - progressive));
    wanted.push_back(step + " fell_back " + std::to_string(progressive));
  }
  wanted.push_back("decode_jpeg#3 library " + std::to_string(kSamples));
  std::sort(found.begin(), found.end());
  std::sort(wanted.begin(), wanted.end());
  EXPECT_EQ(found, wanted);
}

// inspect() sees the same as the pipeline, and no other damage.
TEST(PushCrops, InspectEndsAsThePipelineDoes) {
  const File file = half_of(files()[0]);
  for (const Rectangle& region : {Rectangle{0, 0, 8, 40}, Rectangle{0, 0, 60, 64}}) {
    auto pipeline = make_pipeline({.on_error = OnError::skip}, [&](Graph& g) {
      auto jpeg = g.source(1, [&](const SampleInfo&) { return ByteSpan(file); });
      return crop(decode_jpeg(jpeg), region);
    });
    std::size_t failed = 0;
    for (const auto& batch : pipeline.epoch()) failed += batch.errors().size();
    const Inspection sample = pipeline.inspect(0);
    EXPECT_EQ(sample.error() != nullptr, failed == 1);
    EXPECT_EQ(sample.has("crop"), failed == 0);
  }
}

}  // namespace push_crops_errors_test
}  // namespace sluice
