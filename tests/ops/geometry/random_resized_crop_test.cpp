// random_resized_crop with `shrink`: how far the decoder may shrink, and how close the results come
// to the exact ones.
#include "tests/io/corpus.h"
#include "tests/io/images.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace random_resized_crop_test {

// Returns the result of `describe(jpeg)` for each file. Random numbers use the same seed each time.
template <class Describe>
auto results_of(const std::vector<File>& files, const Describe& describe) {
  const auto samples = static_cast<std::int64_t>(files.size());
  auto pipeline = make_pipeline({.batch_size = 8, .seed = 9, .threads = 2}, [&](Graph& g) {
    return describe(g.source(samples, [&files](const SampleInfo& info) {
      return ByteSpan(files[static_cast<std::size_t>(info.index_in_epoch)]);
    }));
  });
  using Results = std::decay_t<decltype((*pipeline.epoch().next()).template get<0>()[0])>;
  std::vector<Results> all;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t k = 0; k < batch.size(); ++k) {
      if constexpr (std::is_same_v<Results, Image>) {
        all.push_back(batch.template get<0>()[k].clone());
      } else {
        all.push_back(batch.template get<0>()[k]);
      }
    }
  }
  EXPECT_EQ(all.size(), files.size());
  return all;
}

std::vector<Image> crops_of(const std::vector<File>& files, int height, int width, bool shrink) {
  return results_of(files, [&](Value<ByteSpan> jpeg) {
    return random_resized_crop(jpeg, {.height = height, .width = width, .shrink = shrink});
  });
}

std::vector<Rectangle> regions_of(const std::vector<File>& files) {
  return results_of(files, [](Value<ByteSpan> jpeg) { return random_region(jpeg); });
}

// Images of all orientations and samplings.
std::vector<File> drawn_files(int count, int height, int width) {
  std::vector<File> files;
  for (int i = 0; i < count; ++i) {
    const Bytes file = encode_jpeg(
        draw_image(height + 7 * i, width - 3 * i, i % 5 == 4 ? 1 : 3, static_cast<unsigned>(i)),
        {.subsampling = i % 2 == 0 ? Subsampling::s444 : Subsampling::s420,
         .progressive = i % 7 == 6,
         .orientation = i % 8 + 1});
    files.emplace_back(file.begin(), file.end());
  }
  return files;
}

double mean_difference(const Image& a, const Image& b) {
  double sum = 0;
  for (int y = 0; y < a.height(); ++y) {
    for (std::size_t x = 0; x < a.row_bytes(); ++x) sum += std::abs(a.row(y)[x] - b.row(y)[x]);
  }
  return sum / static_cast<double>(a.row_bytes()) / a.height();
}

TEST(RandomResizedCrop, ShrinkLeavesRegionsAloneThatAreNotLarge) {
  const auto files = drawn_files(16, 60, 120);
  const auto exact = crops_of(files, 85, 40, false);
  const auto shrunk = crops_of(files, 85, 40, true);
  for (std::size_t i = 0; i < files.size(); ++i) EXPECT_EQ(exact[i], shrunk[i]) << i;
}

// Shrinks by the largest of 8, 4 and 2 that leaves at least twice the requested pixels.
TEST(RandomResizedCrop, ShrinksByAsMuchAsTheSizeAllows) {
  const auto files = drawn_files(48, 150, 500);
  constexpr int kHeight = 12;
  constexpr int kWidth = 17;
  const auto crops = crops_of(files, kHeight, kWidth, true);
  const auto regions = regions_of(files);
  int times[9] = {};
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Rectangle& w = regions[i];
    int shrink = 1;
    for (const int s : {2, 4, 8}) {
      if (w.height >= 2 * kHeight * s && w.width >= 2 * kWidth * s) shrink = s;
    }
    ++times[shrink];
    Image part;
    const Rectangle c = decode_jpeg_shrunk(files[i], w, shrink, {}, part).covered;
    const double s = shrink;
    Image expected;
    kernels::resize(part, {(w.y - c.y) / s, (w.x - c.x) / s, w.height / s, w.width / s}, kHeight,
                    kWidth, Interpolation::bilinear, expected);
    EXPECT_EQ(crops[i], expected) << i << ", shrunk by " << shrink;
  }
  for (const int shrink : {2, 4, 8}) EXPECT_GT(times[shrink], 3) << shrink;
}

void expect_close(const std::vector<File>& files, int side, double mean_of_one, double mean_of_all,
                  int least) {
  const auto exact = crops_of(files, side, side, false);
  const auto shrunk = crops_of(files, side, side, true);
  const auto regions = regions_of(files);
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (std::min(regions[i].height, regions[i].width) < 4 * side) continue;
    const double mean = mean_difference(exact[i], shrunk[i]);
    EXPECT_LT(mean, mean_of_one) << i;
    sum += mean;
    ++count;
  }
  ASSERT_GE(count, least);
  EXPECT_LT(sum / count, mean_of_all);
}

TEST(RandomResizedCrop, ShrunkDrawingsAreCloseToExactOnes) {
  expect_close(drawn_files(48, 150, 500), 16, 3, 1.5, 30);
}

class RandomResizedCropCorpus : public JpegCorpus {};

TEST_F(RandomResizedCropCorpus, ShrunkPhotographsAreCloseToExactOnes) {
  const auto files = photos();
  // So many of all photographs; a build with a sanitizer reads one in eight.
  const int least = 50 / testing::one_in(1, 10);
  for (const int side : {32, 64}) expect_close(files, side, 3, 1, least);
}

}  // namespace random_resized_crop_test
}  // namespace sluice
