// The fragments of docs/readers.md.
#include "setup.h"
#include "tests/io/readers/tar_writer.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace sluice::docs {
namespace readers_test {

TEST(Readers, Classes) {
  const PhotosFolder photos;
  for (const char* name : {"train/ant", "train/bee", "train/cow", "val/ant", "val/cow"}) {
    std::filesystem::create_directories(name);
    std::filesystem::copy_file("photos/gray/3.jpg", std::string(name) + "/1.jpg");
  }
  const Files train = files_in("train");
  const Files val = files_in("val", {.classes = train.classes()});
  EXPECT_EQ(val.label(1), 2);
  require_same_classes(train, val);
}

TEST(Readers, Lists) {
  const PhotosFolder photos;
  std::ofstream("train.csv") << "file,weight,label\nphotos/gray/3.jpg,0.5,7\n";
  auto pipeline = make_pipeline({.batch_size = 1}, [](Graph& g) {
    auto [file, label, weight] = g.read(list_in<std::int64_t, float>(
        "train.csv", {.path = "file", .columns = {"label", "weight"}}));
    auto image = decode_image(file);
    return std::tuple{mean(image), label, weight};
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_TRUE(batch.has_value());
  EXPECT_NEAR(batch->get<0>()[0], 30, 1);
  EXPECT_EQ(batch->get<1>()[0], 7);
  EXPECT_EQ(batch->get<2>()[0], 0.5f);
}

TEST(Readers, Archives) {
  const PhotosFolder photos;
  for (const char* name : {"a", "b"}) {
    const Bytes file = jpeg_file(2);
    const std::string content(reinterpret_cast<const char*>(file.data()), file.size());
    std::ofstream(std::string(name) + ".tar", std::ios::binary)
        << TarWriter().file("1.jpg", content).file("1.cls", "3").file("1.txt", name).whole();
  }
  auto pipeline = make_pipeline({.batch_size = 2}, [](Graph& g) {
    auto [file, label, text] =
        g.read(tar_in<Bytes, std::int64_t, std::string>(
                   {"a.tar", "b.tar"}, {.columns = {"jpg;jpeg;png", "cls", "txt"}}),
               {.shuffle = true, .window = 1000});
    return std::tuple{mean(decode_image(file)), label, text};
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_TRUE(batch.has_value());
  EXPECT_NEAR(batch->get<0>()[1], 20, 1);
  EXPECT_EQ(batch->get<1>()[0], 3);
  std::string both = std::string(batch->get<2>()[0]) + std::string(batch->get<2>()[1]);
  std::sort(both.begin(), both.end());
  EXPECT_EQ(both, "ab");
}

TEST(Readers, Streams) {
  const PhotosFolder photos;
  // What is compressed is told by its first bytes: here neither is.
  for (const char* name : {"a.tar.gz", "b.tar"}) {
    const Bytes file = jpeg_file(2);
    const std::string content(reinterpret_cast<const char*>(file.data()), file.size());
    std::ofstream(name, std::ios::binary)
        << TarWriter().file("x/1.jpg", content).file("x/1.cls", "3").whole();
  }
  auto pipeline = make_pipeline({.batch_size = 2}, [](Graph& g) {
    auto [key, file, label] = g.read(tar_stream<std::string, Bytes, std::int64_t>(
        {"a.tar.gz", "b.tar"}, {.columns = {"__key__", "jpg;jpeg;png", "cls"},
                                .shuffle = true,
                                .window = 5000,
                                .shard = shard_of_environment(),
                                .threads = 4}));
    return std::tuple{key, mean(decode_image(file)), label};
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_TRUE(batch.has_value());
  ASSERT_EQ(batch->size(), 2u);
  EXPECT_EQ(batch->get<0>()[0], "x/1");
  EXPECT_NEAR(batch->get<1>()[1], 20, 1);
  EXPECT_EQ(batch->get<2>()[1], 3);
}

}  // namespace readers_test
}  // namespace sluice::docs
