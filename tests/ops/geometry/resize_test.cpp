// The side that follows from the other one.
#include <sluice/graph/pipeline.h>
#include <sluice/ops/geometry/resize.h>

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace {

// `size` of the side that is given, of a picture of height x 1 pixels.
std::string outcome_of(int height, int size) {
  auto pipeline =
      make_pipeline({.batch_size = 1, .threads = 1, .on_error = OnError::skip}, [&](Graph& g) {
        auto image = g.source(1, [&](const SampleInfo&) { return Image(height, 1, 1); });
        return resize(image, {.width = size});
      });
  const auto batch = pipeline.epoch().next();
  if (!batch->errors().empty()) return batch->errors()[0].what;
  const Image image = batch->get<0>()[0];
  return std::to_string(image.height()) + " x " + std::to_string(image.width());
}

TEST(Resize, ASideThatFollowsMayBeTooLarge) {
  EXPECT_EQ(outcome_of(3, 2), "6 x 2");
  EXPECT_EQ(outcome_of(60000, 60000),
            "resize: a size of 2147483647 x 60000 (height x width) is not possible; each must lie "
            "in 1 .. 65535");
}

// A constant 0 is a size that is not given; a sample's 0 is a size that is wrong.
TEST(Resize, ASamplesSizeIsGivenAndMustBeLegal) {
  auto pipeline = make_pipeline({.batch_size = 3, .on_error = OnError::skip}, [](Graph& g) {
    auto size =
        g.source(3, [](const SampleInfo& info) { return static_cast<int>(info.index_in_epoch); });
    auto image = g.map(
        "image", [](int) { return Image(4, 2, 1); }, size);
    return resize(image, {.width = 0, .height = size, .shorter = 0});
  });
  const auto batch = pipeline.epoch().next();
  ASSERT_EQ(batch->size(), 2u);
  EXPECT_EQ(batch->get<0>()[0].width(), 1);
  EXPECT_EQ(batch->get<0>()[1].height(), 2);
  ASSERT_EQ(batch->errors().size(), 1u);
  EXPECT_EQ(batch->errors()[0].what, "resize: height must lie between 1 and 65535, not 0");
}

}  // namespace
}  // namespace sluice
