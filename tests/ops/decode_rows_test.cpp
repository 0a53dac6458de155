// A decoder in front of fused operators makes its rows while they are used. The effects on memory,
// batches, warnings, times and counts.
#include "tests/ops/push_crops.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/rows.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/normalize.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace decode_rows_test {

// Every second one is cut somewhere.
const std::vector<File>& damaged_files() {
  static const std::vector<File> all = [] {
    std::vector<File> made = files();
    for (std::size_t i = 0; i < made.size(); i += 2)
      made[i].resize(made[i].size() * (60 + i) / 100);
    return made;
  }();
  return all;
}

struct Found {
  std::map<std::int64_t, std::vector<std::uint8_t>> images;
  std::map<std::int64_t, std::string> warnings;
  std::map<std::string, std::int64_t> events;
  bool operator==(const Found&) const = default;
};

// Batches whose images lie side by side. `tapped`: another step uses the image, too.
Found run(bool tapped, int threads) {
  auto pipeline =
      make_pipeline({.batch_size = 4, .threads = threads, .profile = true}, [&](Graph& g) {
        auto jpeg = g.source(kSamples, [](const SampleInfo& info) {
          return ByteSpan(damaged_files()[std::size_t(info.index_in_epoch)]);
        });
        auto image =
            decode_jpeg(jpeg, {.apply_orientation = false, .damage = DamagePolicy::tolerant});
        if (tapped)
          g.tap(
              "tap", [](const Image&) {}, image);
        return resize(image, {.height = 45, .width = 31});
      });
  Found found;
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::int64_t first = 0;
    for (auto epoch = pipeline.epoch(); auto batch = epoch.next(); first += 4) {
      for (std::size_t k = 0; k < batch->size(); ++k) {
        const Image& image = batch->get<0>()[k];
        std::vector<std::uint8_t>& pixels = found.images[first + std::int64_t(k)];
        pixels.clear();
        for (int y = 0; y < image.height(); ++y)
          pixels.insert(pixels.end(), image.row(y), image.row(y) + image.row_bytes());
      }
      for (const SampleError& warning : batch->warnings())
        found.warnings[warning.key.index] = to_string(warning);
    }
  }
  for (const EventStats& event : pipeline.stats().events)
    found.events[event.step + "/" + event.name] += event.count;
  return found;
}

TEST(DecodeRows, OfDamagedImagesAreThoseOfTheImage) {
  const Found expected = run(true, 1);
  EXPECT_EQ(expected.images.size(), std::size_t(kSamples));
  EXPECT_EQ(expected.warnings.size(), std::size_t(kSamples) / 2);
  for (const int threads : {1, 4}) {
    const Found found = run(false, threads);
    EXPECT_EQ(found.images, expected.images);
    EXPECT_EQ(found.warnings, expected.warnings);
    EXPECT_EQ(found.events, expected.events);
  }
}

// 9 MB as pixels; a quarter of a megabyte of its rows exists at once.
TEST(DecodeRows, AreAllThatIsThereOfALargeImage) {
  const Bytes file = encode_jpeg(draw_image(1500, 2000, 3), {});
  for (const bool tapped : {false, true}) {
    auto pipeline = make_pipeline({.batch_size = 2, .threads = 2}, [&](Graph& g) {
      auto jpeg = g.source(6, [&](const SampleInfo&) { return ByteSpan(file); });
      auto image = decode_jpeg(jpeg);
      if (tapped)
        g.tap(
            "tap", [](const Image&) {}, image);
      return crop_mirror_normalize(resize(image, {.height = 64, .width = 64}));
    });
    for (auto epoch = pipeline.epoch(); auto batch = epoch.next();) EXPECT_EQ(batch->size(), 2u);
    const std::size_t most = pipeline.stats().memory.largest_sample;
    if (tapped) {
      EXPECT_GT(most, 9'000'000u);
    } else {
      EXPECT_LT(most, 100'000u);
    }
  }
}

// A number that is not legal, one that the operator refuses, and a file that cannot be decoded.
// Whatever ends the sample, the decoder's memory is released at once.
TEST(DecodeRows, EndWithTheSample) {
  static const File broken(files()[0].begin(), files()[0].begin() + 400);
  std::atomic<int> looked{0}, open{0};
  auto pipeline =
      make_pipeline({.batch_size = 4, .threads = 1, .on_error = OnError::skip}, [&](Graph& g) {
        auto index =
            g.source(kSamples, [](const SampleInfo& info) { return int(info.index_in_epoch); });
        auto jpeg = g.map(
            "file",
            [&](int i) {
              ++looked;
              open += JpegRows::for_this_thread().is_open() ? 1 : 0;
              return i % 4 == 3 ? ByteSpan(broken) : ByteSpan(files()[std::size_t(i)]);
            },
            index);
        auto image = decode_jpeg(jpeg, {.apply_orientation = false});
        auto width = g.map(
            "width", [](int i) { return i % 4 == 1 ? -7 : 20; }, index);
        auto end = g.map(
            "end", [](int i) { return i % 4 == 2 ? 1e9f : 30.f; }, index);
        return resize(image, {.width = width, .roi_end_y = end});
      });
  std::size_t errors = 0;
  for (auto epoch = pipeline.epoch(); auto batch = epoch.next();) errors += batch->errors().size();
  EXPECT_EQ(errors, std::size_t(kSamples) * 3 / 4);
  EXPECT_EQ(looked, kSamples);
  EXPECT_EQ(open, 0);
  EXPECT_NE(to_string(pipeline.plan()).find("[rows"), std::string::npos);
}

TEST(DecodeRows, TakeTheTimeOfTheDecoder) {
  auto pipeline = make_pipeline({.batch_size = 4, .profile = true}, [](Graph& g) {
    auto jpeg = g.source(kSamples, [](const SampleInfo& info) {
      return ByteSpan(files()[std::size_t(info.index_in_epoch)]);
    });
    return resize(decode_jpeg(jpeg, {.apply_orientation = false}), {.height = 8, .width = 8});
  });
  for (auto epoch = pipeline.epoch(); epoch.next();) {
  }
  std::map<std::string, std::int64_t> times;
  for (const StepStats& s : pipeline.stats().steps) {
    EXPECT_EQ(s.runs, kSamples) << s.name;
    EXPECT_GE(s.total_ns, 0) << s.name;
    times[s.name] = s.total_ns;
  }
  EXPECT_GT(times.at("decode_jpeg (rows)"), 0);
}

}  // namespace decode_rows_test
}  // namespace sluice
