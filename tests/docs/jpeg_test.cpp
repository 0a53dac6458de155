// The fragments of docs/jpeg.md.
#include "setup.h"

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace sluice::docs {
namespace jpeg_test {

TEST(Jpeg, RegionsOfAFile) {
  const PhotosFolder photos;
  auto pipeline = make_pipeline({.batch_size = kSamples}, [](Graph& g) {
    auto [jpeg, label] = g.read(files_in("photos"));
    auto region = random_region(jpeg);
    auto part = decode_jpeg(jpeg, region);
    return std::tuple{part, region};
  });
  for (const auto& [parts, regions] : pipeline.epoch()) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      EXPECT_EQ(parts[i].height(), regions[i].height);
      EXPECT_EQ(parts[i].width(), regions[i].width);
    }
  }
}

TEST(Jpeg, OneFile) {
  const PhotosFolder photos;
  const Bytes file = read_file("photos/gray/3.jpg");
  Image part = decode_and_crop(file, 8, 4, 20, 30);  // y, x, height, width
  EXPECT_EQ(part.height(), 20);
  EXPECT_EQ(part.width(), 30);

  Image image;
  const JpegReport report = decode_jpeg_region(file, {.y = 8, .x = 4, .height = 20, .width = 30},
                                               {.damage = DamagePolicy::tolerant}, image);
  if (report.damaged) std::fprintf(stderr, "%s\n", report.warning.c_str());
  EXPECT_EQ(part, image);
  EXPECT_FALSE(report.damaged);
  EXPECT_TRUE(report.path == JpegPath::fast || report.path == JpegPath::library);
}

TEST(Jpeg, AnIndex) {
  const PhotosFolder photos;
  const Bytes file = read_file("photos/gray/4.jpg");
  const Rectangle region{30, 10, 8, 20};
  Image image;
  auto index = JpegIndex::in_memory({.bytes = 64 << 20});
  decode_jpeg_image(file, {}, image, index.get());  // leaves what it has learnt
  auto report = decode_jpeg_region(file, region, {}, image, index.get());
  // report.path == JpegPath::indexed
  index->save("photos.index");
  auto saved = JpegIndex::open("photos.index");
  EXPECT_TRUE(report.path == JpegPath::indexed || report.path == JpegPath::library);
  EXPECT_EQ(saved->files(), index->files());
  EXPECT_EQ(saved->records(), index->records());
}

TEST(Jpeg, AnIndexOfADatasetKeepsThePixels) {
  const PhotosFolder photos;
  const auto crops_with = [](const std::shared_ptr<JpegIndex>& index) {
    auto pipeline = make_pipeline({.batch_size = 10, .seed = 5}, [&](Graph& g) {
      auto [jpeg, label] = g.read(files_in("photos", {.index = index}));
      return random_resized_crop(jpeg, {.height = 16, .width = 16});
    });
    std::vector<Image> crops;
    for (int epoch = 0; epoch < 2; ++epoch) {
      for (const auto& [images] : pipeline.epoch()) {
        for (const Image& image : images) crops.push_back(image.clone());
      }
    }
    return crops;
  };
  const std::vector<Image> crops = crops_with(JpegIndex::in_memory());
  EXPECT_EQ(crops.size(), static_cast<std::size_t>(2 * kSamples));
  EXPECT_TRUE(crops == crops_with(nullptr));
}

TEST(Jpeg, FilesAreVerified) {
  const PhotosFolder photos;
  const auto index = JpegIndex::in_memory();
  const Files files = files_in("photos");
  for (std::int64_t i = 0; i < files.size(); ++i)
    index->keep_name(files.name_below(i), digest_of(read_file(files.name(i))));
  auto pipeline = make_pipeline({.batch_size = kSamples}, [&](Graph& g) {
    auto [jpeg, label] = g.read(files_in("photos", {.index = index, .verify = Verify::sample}));
    return decode_jpeg(jpeg);
  });
  for (int epoch = 0; epoch < 16; ++epoch)
    for (const auto& [images] : pipeline.epoch())
      EXPECT_EQ(images.size(), static_cast<std::size_t>(kSamples));
  EXPECT_EQ(pipeline.stats().sources.at(0).reads.verified, files.size());
}

TEST(Jpeg, Shrinking) {
  const PhotosFolder photos;
  auto pipeline = make_pipeline({.batch_size = kSamples}, [](Graph& g) {
    auto [jpeg, label] = g.read(files_in("photos"));
    auto small = random_resized_crop(jpeg, {.height = 64, .width = 64, .shrink = true});
    return small;
  });
  EXPECT_EQ((*pipeline.epoch().next()).get<0>().shape(), (Shape{kSamples, 64, 64, 3}));

  const Bytes file = read_file("photos/gray/0.jpg");
  Image image;
  const Rectangle region{3, 5, 20, 30};  // y, x, height, width
  const JpegReport report = decode_jpeg_shrunk(file, region, 4, {}, image);
  // image: 6 x 8 pixels; report.covered: rows 0 to 23, columns 4 to 35 of the full image
  EXPECT_EQ(image.height(), 6);
  EXPECT_EQ(image.width(), 8);
  EXPECT_EQ(report.covered, (Rectangle{0, 4, 24, 32}));
}

TEST(Jpeg, Policies) {
  const auto levels = results_of([](Graph& g, auto, Value<std::int64_t> i) {
    auto jpeg = g.map("file", jpeg_file, i);
    auto image = decode_jpeg(jpeg, {.damage = DamagePolicy::tolerant, .max_scans = 500});
    return mean(image);
  });
  for (std::size_t i = 0; i < levels.size(); ++i)
    EXPECT_NEAR(levels[i], 10.0 * static_cast<double>(i), 1);
}

}  // namespace jpeg_test
}  // namespace sluice::docs
