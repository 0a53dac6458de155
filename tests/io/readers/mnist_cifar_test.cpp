#include "tests/io/readers/scratch.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/readers/mnist_cifar.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace mnist_cifar_test {

class SmallImagesTest : public ScratchTest {};

std::string big_endian(std::uint32_t number) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(number >> shift);
  return text;
}

std::string idx(const std::vector<std::uint32_t>& sizes, const std::string& bytes) {
  std::string text = big_endian(0x800 + static_cast<std::uint32_t>(sizes.size()));
  for (const std::uint32_t size : sizes) text += big_endian(size);
  return text + bytes;
}

TEST_F(SmallImagesTest, MnistIsImagesAndLabels) {
  const auto mnist = mnist_in(write("images", idx({2, 2, 3}, "abcdefghijkl")),
                              write("labels", idx({2}, "\x07\xff")));
  ASSERT_EQ(mnist.size(), 2);
  EXPECT_EQ(mnist.name(1), path("images:1"));
  const auto [image, label] = mnist.read(1);
  ASSERT_EQ(image.height(), 2);
  ASSERT_EQ(image.width(), 3);
  ASSERT_EQ(image.channels(), 1);
  EXPECT_EQ(std::string(image.data(), image.data() + 6), "ghijkl");
  EXPECT_EQ(label, 255);
  EXPECT_THROW((void)mnist.read(2), std::out_of_range);
}

TEST_F(SmallImagesTest, FilesThatAreNotMnistAreRefused) {
  const std::string images = idx({2, 2, 3}, "abcdefghijkl");
  const std::string labels = idx({2}, "12");
  struct Case {
    std::string images;
    std::string labels;
    const char* error;
  };
  const Case cases[] = {
      {"", labels,
       "'images' is not a file of images: it does not begin with 00 00 08 03 and 3 numbers"},
      {labels, labels,
       "'images' is not a file of images: it does not begin with 00 00 08 03 and 3 numbers"},
      {images, images,
       "'labels' is not a file of labels: it does not begin with 00 00 08 01 and 1 numbers"},
      {"\x1f\x8b", labels, "'images' is compressed: decompress it with gunzip"},
      {images.substr(0, 27), labels,
       "'images' has 11 bytes behind its header, which says 2 x 2 x 3"},
      {images + "x", labels, "'images' has 13 bytes behind its header, which says 2 x 2 x 3"},
      {idx({0x80000000, 0x80000000, 4}, ""), labels,
       "'images' has 0 bytes behind its header, which says 2147483648 x 2147483648 x 4"},
      {idx({2, 0, 3}, ""), labels, "'images' is empty: one of its sizes is 0"},
      {idx({1, 65536, 1}, std::string(65536, 'x')), labels,
       "'images' has images that are larger than 65535 pixels"},
      {images, idx({3}, "123"), "'images' has 2 images, but 'labels' has 3 labels"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(error_of([&] { mnist_in(write("images", c.images), write("labels", c.labels)); }),
              c.error);
  }
}

// Labels, then a plane for each color, which is a ramp from `red`, `red` + 1, `red` + 2.
std::string record(const std::string& labels, int red) {
  std::string text = labels;
  for (int c = 0; c < 3; ++c) {
    for (int i = 0; i < 1024; ++i) text += static_cast<char>(red + c + i);
  }
  return text;
}

TEST_F(SmallImagesTest, CifarIsImagesAndLabels) {
  const std::string a = write("a.bin", record("\x03", 10) + record("\x09", 20));
  const std::string b = write("b.bin", record(std::string(1, '\0'), 30));
  const auto cifar = cifar10_in({a, b});
  ASSERT_EQ(cifar.size(), 3);
  const std::int64_t labels[] = {3, 9, 0};
  const char* const names[] = {"a.bin:0", "a.bin:1", "b.bin:0"};
  for (const std::int64_t i : {0, 1, 2}) {
    const auto [image, label] = cifar.read(i);
    EXPECT_EQ(label, labels[i]);
    EXPECT_EQ(cifar.name(i), path(names[i]));
    ASSERT_EQ(image.height() * 1000 + image.width(), 32032);
    for (int c = 0; c < 3; ++c) {
      EXPECT_EQ(image.at(0, 0, c), 10 * (i + 1) + c);
      EXPECT_EQ(image.at(2, 1, c), 10 * (i + 1) + c + 65);
      EXPECT_EQ(image.at(31, 31, c), static_cast<std::uint8_t>(10 * (i + 1) + c + 1023));
    }
  }
  EXPECT_THROW((void)cifar.read(3), std::out_of_range);
  const auto fine = cifar100_in({write("c.bin", record("\x13\x63", 1))});
  const auto [image, label, coarse] = fine.read(0);
  EXPECT_EQ(image.at(0, 0, 0), 1);
  EXPECT_EQ(label, 99);
  EXPECT_EQ(coarse, 19);
}

TEST_F(SmallImagesTest, FilesThatAreNotCifarAreRefused) {
  const std::string good = record("\x03", 1);
  struct Case {
    std::string content;
    const char* error;
  };
  const Case cases[] = {
      {"", "'x.bin' has 0 bytes, which are not records of 3073"},
      {good.substr(1), "'x.bin' has 3072 bytes, which are not records of 3073"},
      {good + "x", "'x.bin' has 3074 bytes, which are not records of 3073"},
      {good + record("\x0a", 1), "'x.bin' has the label 10 in record 1, where it is below 10"},
      {"\x1f\x8b", "'x.bin' is compressed: decompress it with gunzip"},
  };
  for (const Case& c : cases)
    EXPECT_EQ(error_of([&] { cifar10_in({write("x.bin", c.content)}); }), c.error);
  EXPECT_EQ(error_of([&] { cifar100_in({write("x.bin", record("\x14\x01", 1))}); }),
            "'x.bin' has the label 20 in record 0, where it is below 20");
  EXPECT_EQ(error_of([&] { cifar10_in({}); }), "cifar: no files are named");
}

TEST_F(SmallImagesTest, APipelineReadsThem) {
  const std::string a = write("a.bin", record("\x03", 10) + record("\x09", 20));
  auto pipeline =
      make_pipeline({.batch_size = 2}, [&](Graph& g) { return g.read(cifar10_in({a})); });
  const auto batch = pipeline.epoch().next();
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(batch->get<1>()[1], 9);
}

}  // namespace mnist_cifar_test
}  // namespace sluice
