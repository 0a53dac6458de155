#include "apps/images.h"

#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/header.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <gtest/gtest.h>

namespace sluice::app {
namespace images_test {

TEST(DemoImages, AreTheSameEveryTime) {
  const std::vector<DemoImage> once = demo_images();
  const std::vector<DemoImage> again = demo_images();
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].name, again[i].name);
    EXPECT_TRUE(std::equal(once[i].file.begin(), once[i].file.end(), again[i].file.begin(),
                           again[i].file.end()));
  }
}

TEST(DemoImages, HoldEveryKindOfFile) {
  int gray = 0, progressive = 0, turned = 0, damaged = 0;
  std::set<std::string> names;
  std::set<std::pair<int, int>> sizes;
  for (const DemoImage& demo : demo_images()) {
    const JpegHeader header = peek_jpeg(demo.file);
    gray += header.components == 1;
    progressive += header.progressive;
    turned += header.orientation == 6;
    damaged += demo.damaged;
    names.insert(demo.name);
    sizes.insert({header.width, header.height});
  }
  EXPECT_GE(names.size(), 12u);
  EXPECT_GE(sizes.size(), 12u);
  EXPECT_GE(gray, 1);
  EXPECT_EQ(progressive, 1);
  EXPECT_EQ(turned, 1);
  EXPECT_EQ(damaged, 1);
}

TEST(DemoImages, OnlyTheDamagedOneIsRefused) {
  for (const DemoImage& demo : demo_images()) {
    Image image;
    if (demo.damaged) {
      EXPECT_THROW(decode_jpeg_image(demo.file, {}, image), JpegError) << demo.name;
      EXPECT_TRUE(decode_jpeg_image(demo.file, {.damage = DamagePolicy::tolerant}, image).damaged);
    } else {
      EXPECT_NO_THROW(decode_jpeg_image(demo.file, {}, image)) << demo.name;
    }
  }
}

// Red and green above, yellow and blue below: also in the file that is stored lying on its side.
TEST(DemoImages, StandUpright) {
  const auto check = [](const DemoImage& demo, const Image& image, bool left, bool top,
                        std::array<int, 3> rgb) {
    const int y = top ? 4 : image.height() - 5;
    const int x = left ? 4 : image.width() - 5;
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(image.at(y, x, c), rgb[static_cast<std::size_t>(c)], 16)
          << demo.name << (top ? " top " : " bottom ") << (left ? "left" : "right");
    }
  };
  for (const DemoImage& demo : demo_images()) {
    if (demo.damaged || peek_jpeg(demo.file).components == 1) continue;
    Image image;
    decode_jpeg_image(demo.file, {}, image);
    check(demo, image, true, true, {230, 51, 56});
    check(demo, image, false, true, {46, 166, 82});
    check(demo, image, true, false, {250, 204, 38});
    check(demo, image, false, false, {41, 97, 217});
  }
}

}  // namespace images_test
}  // namespace sluice::app
