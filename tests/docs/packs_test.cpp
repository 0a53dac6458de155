// The fragments of docs/packs.md.
#include "setup.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace sluice::docs {
namespace packs_test {

void write_packs() {
  const Files files = files_in("photos");
  PackWriter writer("packed", {"name", "label"});
  for (std::int64_t i = 0; i < files.size(); ++i)
    writer.add(read_file(files.name(i)), {files.name(i), std::to_string(files.label(i))});
  writer.finish();
}

TEST(Packs, CropsAreThoseOfTheFiles) {
  const PhotosFolder photos;
  write_packs();
  const auto crops_of = [](auto&& describe) {
    auto pipeline = make_pipeline({.batch_size = 10, .seed = 5}, describe);
    std::vector<Image> crops;
    for (const auto& [images, labels] : pipeline.epoch()) {
      for (std::size_t i = 0; i < images.size(); ++i) {
        EXPECT_EQ(labels[i], 0);
        crops.push_back(images[i].clone());
      }
    }
    return crops;
  };
  const std::vector<Image> crops = crops_of([](Graph& g) {
    auto [file, label] = g.read(pack_in("packed"), {.shuffle = true});
    auto image = random_resized_crop(file, {.height = 224, .width = 224});
    return std::tuple{image, label};
  });
  EXPECT_EQ(crops.size(), static_cast<std::size_t>(kSamples));
  EXPECT_TRUE(crops == crops_of([](Graph& g) {
                auto [file, label] = g.read(files_in("photos"), {.shuffle = true});
                return std::tuple{random_resized_crop(file, {.height = 224, .width = 224}), label};
              }));
}

TEST(Packs, Columns) {
  const PhotosFolder photos;
  write_packs();
  auto pipeline = make_pipeline({.batch_size = kSamples}, [](Graph& g) {
    auto [file, name, label] =
        g.read(pack_in<std::string, std::int64_t>("packed", {.columns = {"name", "label"}}));
    return std::tuple{mean(decode_jpeg(file)), name, label};
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->get<1>()[0], files_in("photos").name(0));
  EXPECT_EQ(batch->get<2>()[0], 0);
}

TEST(Packs, UnpacksTheFile) {
  const PhotosFolder photos;
  write_packs();
  const auto packs = pack_in("packed");
  std::vector<std::uint8_t> original = unpack_jpeg(packs.read_whole(0));
  const Bytes file = read_file(files_in("photos").name(0));
  EXPECT_EQ(original, std::vector<std::uint8_t>(file.begin(), file.end()));
}

}  // namespace packs_test
}  // namespace sluice::docs
