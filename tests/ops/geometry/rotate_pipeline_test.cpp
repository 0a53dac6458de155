// The pipeline of the README on real JPEG files: it equals the same program written for one sample
// at a time, for any number of threads, in-flight window or batch size.
#include "tests/io/images.h"
#include "tests/io/sha256.h"
#include "tests/one_in.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/ops/normalize.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace rotate_pipeline_test {

// Images of many sizes, as JPEG files of several kinds. With `damage`, every ninth is damaged.
std::vector<std::vector<std::uint8_t>> make_files(int count, bool damage = false) {
  std::vector<std::vector<std::uint8_t>> files;
  for (int i = 0; i < count; ++i) {
    const Image image = draw_image(40 + i * 7 % 61, 50 + i * 13 % 47, i % 5 == 4 ? 1 : 3,
                                   static_cast<std::uint64_t>(i));
    const Bytes jpeg =
        encode_jpeg(image, {.quality = 70 + i % 30,
                            .subsampling = i % 2 == 0 ? Subsampling::s420 : Subsampling::s444,
                            .progressive = i % 7 == 6,
                            .orientation = i % 11 == 10 ? 6 : 1});
    std::vector<std::uint8_t> file(jpeg.begin(), jpeg.end());
    if (damage && i % 9 == 5) file.resize(file.size() / 2);
    files.push_back(std::move(file));
  }
  return files;
}

using Bytes8 = std::vector<std::uint8_t>;
constexpr std::uint64_t kSeed = 42;

auto rotate_some(const std::vector<Bytes8>& files) {
  return [&files](Graph& g) {
    auto jpeg = g.source(static_cast<std::int64_t>(files.size()), [&files](const SampleInfo& info) {
      return ByteSpan(files[static_cast<std::size_t>(info.index_in_epoch)]);
    });
    auto image = decode_jpeg(jpeg);
    auto angle = g.uniform(10.f, 30.f);
    auto turned = g.if_else(
        g.coin_flip(0.25), [&] { return rotate(image, angle, {.fill = 0}); },
        [&] { return image; });
    return std::tuple{resize(turned, {.height = 40, .width = 48}), angle};
  };
}

// The same program for one sample, in plain C++. The generators are numbered in the order of the
// description.
Image rotate_some_plain(const Bytes8& file, std::uint32_t sample, std::uint32_t epoch) {
  Image image, turned, out;
  decode_jpeg_image(file, {}, image);
  const float angle =
      Random({.seed = kSeed, .epoch = epoch, .sample = sample, .generator = 0}).uniform(10.f, 30.f);
  const bool turn =
      Random({.seed = kSeed, .epoch = epoch, .sample = sample, .generator = 1}).unit() < 0.25f;
  if (turn) {
    kernels::rotate(image, angle, {.fill = 0}, turned);
  } else {
    turned = std::move(image);
  }
  kernels::resize(turned, 40, 48, Interpolation::bilinear, out);
  return out;
}

TEST(RotatePipeline, EqualsTheSameProgramForOneSample) {
  const auto files = make_files(120);
  for (const int threads : {1, 2, 8}) {
    auto pipeline =
        make_pipeline({.batch_size = 16, .seed = kSeed, .threads = threads}, rotate_some(files));
    for (std::uint32_t epoch = 0; epoch < 2; ++epoch) {
      std::uint32_t sample = 0;
      for (const auto& [images, angles] : pipeline.epoch()) {
        EXPECT_TRUE(images.dense());
        for (const Image& image : images) {
          EXPECT_EQ(image, rotate_some_plain(files[sample], sample, epoch)) << "sample " << sample;
          ++sample;
        }
      }
      EXPECT_EQ(sample, 120u);
    }
  }
}

std::vector<std::string> hashes(const std::vector<Bytes8>& files, const PipelineOptions& options) {
  auto pipeline = make_pipeline(options, rotate_some(files));
  std::vector<std::string> first, again;
  for (auto* all : {&first, &again}) {
    pipeline.reset();
    for (int epoch = 0; epoch < 2; ++epoch) {
      for (const auto& batch : pipeline.epoch()) {
        for (const Image& image : batch.get<0>()) {
          Sha256 hash;
          hash.update({image.data(), image.row_bytes() * static_cast<std::size_t>(image.height())});
          all->push_back(hash.finish());
        }
      }
      const Ledger ledger = pipeline.stats().epoch;
      EXPECT_TRUE(ledger.balanced());
    }
  }
  EXPECT_EQ(first, again) << "after reset";
  return first;
}

TEST(RotatePipeline, IsTheSameForAllThreadsWindowsAndBatchSizes) {
  for (const bool damage : {false, true}) {
    const auto files = make_files(100, damage);
    const std::vector<std::string> expected =
        hashes(files, {.batch_size = 1, .seed = kSeed, .threads = 1, .on_error = OnError::skip});
    EXPECT_EQ(expected.size(), damage ? 2 * 89u : 200u);
    int run = 0;
    for (const int threads : {1, 2, 8}) {
      for (const int batch_size : {1, 7, 64}) {
        for (const int window : {0, batch_size}) {
          if (run++ % testing::one_in(1, 5) != 0) continue;
          EXPECT_EQ(hashes(files, {.batch_size = batch_size,
                                   .seed = kSeed,
                                   .threads = threads,
                                   .window = window,
                                   .on_error = OnError::skip}),
                    expected)
              << threads << " threads, batch " << batch_size << ", window " << window;
        }
      }
    }
  }
}

TEST(RotatePipeline, ADamagedFileIsReplacedByTheSameStandIn) {
  const auto files = make_files(50, true);
  std::vector<std::string> expected;
  for (const int threads : {1, 2, 8}) {
    const auto all = hashes(
        files, {.batch_size = 8, .seed = kSeed, .threads = threads, .on_error = OnError::replace});
    EXPECT_EQ(all.size(), 100u);
    if (expected.empty()) expected = all;
    EXPECT_EQ(all, expected);
  }
}

// The crop reaches the decoder: the pixels equal those of decoding all, cropping and resizing.
TEST(TrainPipeline, EqualsDecodeCutResizeFlipNormalize) {
  const auto files = make_files(60);
  auto pipeline = make_pipeline({.batch_size = 8, .seed = kSeed, .threads = 2}, [&](Graph& g) {
    auto jpeg = g.source(60, [&](const SampleInfo& info) {
      return ByteSpan(files[static_cast<std::size_t>(info.index_in_epoch)]);
    });
    auto region = random_region(jpeg);
    auto mirror = g.coin_flip(0.5);
    auto tensor = resize_mirror_normalize(
        decode_jpeg(jpeg, region),
        {.height = 32, .width = 32, .mirror = mirror, .mean = kImageNetMean, .std = kImageNetStd});
    auto image = crop(decode_jpeg(jpeg), region);
    auto slow = crop_mirror_normalize(
        flip(resize(image, {.height = 32, .width = 32}), {.horizontal = mirror}),
        {.mean = kImageNetMean, .std = kImageNetStd});
    return std::tuple{tensor, slow, region};
  });
  std::size_t sample = 0;
  for (const auto& [fast, slow, regions] : pipeline.epoch()) {
    EXPECT_EQ(fast.shape(), (Shape{static_cast<std::int64_t>(fast.size()), 3, 32, 32}));
    for (std::size_t k = 0; k < fast.size(); ++k, ++sample) {
      EXPECT_EQ(fast[k], slow[k]) << sample;
      const JpegHeader header = peek_jpeg(files[sample]);
      EXPECT_LE(regions[k].y + regions[k].height, header.oriented_height());
      EXPECT_LE(regions[k].x + regions[k].width, header.oriented_width());
    }
  }
  EXPECT_EQ(sample, 60u);
}

TEST(Operators, RefuseWhatCannotBe) {
  const auto error_of = [](auto describe) -> std::string {
    try {
      (void)make_pipeline({}, [&](Graph& g) {
        auto jpeg = g.source(1, [](const SampleInfo&) { return ByteSpan(); });
        return describe(g, decode_jpeg(jpeg));
      });
    } catch (const BuildError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(error_of([](Graph&, Value<Image> image) { return resize(image, {}); }),
            "resize: give height and width, one of them, or shorter");
  EXPECT_EQ(error_of([](Graph&, Value<Image> image) {
              return resize(image, {.height = 3, .shorter = 4});
            }),
            "resize: give either shorter, or height and width, not both");
  EXPECT_EQ(error_of([](Graph&, Value<Image> image) { return resize(image, {.height = -3}); }),
            "resize: height must lie between 1 and 65535, not -3");
  EXPECT_EQ(
      error_of([](Graph&, Value<Image>) { return resize(Value<Image>(), {.height = 3}); }),
      "'resize' is given a default-constructed Value; use one that a Graph or an operator has "
      "made");
  EXPECT_EQ(error_of([](Graph&, Value<Image> image) {
              return random_resized_crop(image, {.min_area = 2});
            }),
            "random_region: min_area must be above 0 and at most 1, not 2");
  EXPECT_EQ(error_of([](Graph& g, Value<Image> image) {
              (void)g.coin_flip(1.5);
              return image;
            }),
            "coin_flip: probability must lie between 0 and 1, not 1.5");
}

TEST(Operators, SizesMayDifferFromSampleToSample) {
  const auto files = make_files(20);
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [&](Graph& g) {
    auto jpeg = g.source(20, [&](const SampleInfo& info) {
      return ByteSpan(files[static_cast<std::size_t>(info.index_in_epoch)]);
    });
    auto side =
        g.random("side", [](Random& random) { return static_cast<int>(10 + random.below(20)); });
    auto header = peek_jpeg(jpeg);
    return std::tuple{resize(decode_jpeg(jpeg), {.shorter = side}),
                      resize(decode_jpeg(jpeg), {.width = side}), side, header};
  });
  for (const auto& [by_shorter, by_width, sides, headers] : pipeline.epoch()) {
    for (std::size_t k = 0; k < sides.size(); ++k) {
      const Image a = by_shorter[k], b = by_width[k];
      const int h = headers[k].oriented_height(), w = headers[k].oriented_width();
      EXPECT_EQ(std::min(a.height(), a.width()), sides[k]);
      EXPECT_EQ(std::max(a.height(), a.width()), sides[k] * std::max(h, w) / std::min(h, w));
      EXPECT_EQ(b.width(), sides[k]);
      EXPECT_NEAR(b.height(), static_cast<double>(h) * sides[k] / w, 0.5);
    }
  }
}

}  // namespace rotate_pipeline_test
}  // namespace sluice
