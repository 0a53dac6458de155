// The fragments of docs/boxes-and-masks.md.
#include "setup.h"
#include "tests/io/images/png_writer.h"

#include <algorithm>
#include <array>
#include <set>

namespace sluice::docs {
namespace boxes_and_masks_test {

// Beside the images, their masks, whose left half is 1 and right half 2, and a list of both with
// two boxes of each: its left part, and its middle.
class BoxesAndMasks : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream list("train.jsonl");
    for (std::int64_t i = 0; i < kSamples; ++i) {
      const Image shown = image_of(i);
      const int w = shown.width(), h = shown.height();
      const std::string name = "photos/gray/" + std::to_string(i);
      std::ofstream(name + ".png", std::ios::binary)
          << png_file({.width = w, .height = h, .color = 0, .level = [w](int, int x, int) {
                         return x < w / 2 ? 1U : 2U;
                       }});
      list << R"({"path":")" << name << R"(.jpg","mask":")" << name << R"(.png","boxes":[[0,0,)"
           << w / 2 << "," << h << "],[" << w / 4 << "," << h / 4 << "," << w / 2 << "," << h / 2
           << "]],\"labels\":[1,2]}\n";
    }
  }
  PhotosFolder folder;
};

TEST_F(BoxesAndMasks, AllOfDetectionAndMosaics) {
  auto pipeline = make_pipeline({.batch_size = 8, .seed = 42, .threads = 2}, [](Graph& g) {
    auto [file, numbers, classes] = g.read(list_in<std::vector<float>, std::vector<std::int64_t>>(
        "train.jsonl", {.columns = {"boxes", "labels"}}));
    auto [image, boxes, labels] = detection_augment(
        g, file, rows_of(numbers, 4), labels_of(classes), {.height = 300, .width = 300});
    return std::tuple{image, boxes, labels};
  });
  // clang-format off
    pipeline.batch_step([](auto& batch, const BatchKey& key) {
      auto& [images, boxes, labels] = batch;
      mosaic(images, boxes, labels, key, {.min_visibility = 0.2f});
    });
  // clang-format on
  std::int64_t seen = 0;
  for (const auto& [images, boxes, labels] : pipeline.epoch()) {
    for (std::size_t i = 0; i < images.size(); ++i) {
      EXPECT_EQ(images[i].width(), 300);
      const std::int64_t count = labels[i].shape()[0];
      ASSERT_EQ(boxes[i].shape(), (Shape{count, 4}));
      seen += count;
      for (std::int64_t k = 0; k < 4 * count; ++k) {
        EXPECT_GE(boxes[i].data<float>()[k], 0.f);
        EXPECT_LE(boxes[i].data<float>()[k], 300.f);
      }
    }
  }
  EXPECT_GT(seen, 0);
}

TEST_F(BoxesAndMasks, Detection) {
  auto pipeline = make_pipeline({.batch_size = 8, .seed = 42, .threads = 2}, [](Graph& g) {
    auto [file, numbers, classes] = g.read(list_in<std::vector<float>, std::vector<std::int64_t>>(
        "train.jsonl", {.columns = {"boxes", "labels"}}));
    auto image = decode_jpeg(file);
    auto all = convert_boxes(rows_of(numbers, 4), {.from = BoxFormat::xywh});

    auto [region, boxes, labels] = random_bbox_crop(all, labels_of(classes), canvas_size(image));
    const CanvasSize size{.height = 300, .width = 300};
    image = resize(crop(image, region), {.height = 300, .width = 300});
    boxes = resize_boxes(boxes, canvas_size(region), size);

    const FlipOptions mirror{.horizontal = g.coin_flip(0.5f)};
    image = flip(image, mirror);
    boxes = flip_boxes(boxes, size, mirror);

    auto [left, left_labels] = filter_boxes(boxes, labels, size, {.min_area = 16.f});
    return std::tuple{image, left, left_labels};
  });
  std::set<std::int64_t> counts;
  for (const auto& [images, boxes, labels] : pipeline.epoch()) {
    ASSERT_EQ(images.size(), 8u);
    for (std::size_t i = 0; i < images.size(); ++i) {
      EXPECT_EQ(images[i].width(), 300);
      const std::int64_t count = labels[i].shape()[0];
      ASSERT_EQ(boxes[i].shape(), (Shape{count, 4}));
      for (std::int64_t k = 0; k < 4 * count; ++k) {
        EXPECT_GE(boxes[i].data<float>()[k], 0.f);
        EXPECT_LE(boxes[i].data<float>()[k], 300.f);
      }
      counts.insert(count);
    }
  }
  EXPECT_EQ(counts, (std::set<std::int64_t>{1, 2}));
}

TEST_F(BoxesAndMasks, Segmentation) {
  if (!can_decode(ImageFormat::png)) GTEST_SKIP() << "this build has no PNG";
  auto pipeline = make_pipeline({.batch_size = 8, .seed = 42, .threads = 2}, [](Graph& g) {
    auto [file, mask_file] = g.read(list_in<Bytes>("train.jsonl", {.columns = {"mask"}}));
    auto image = decode_image(file);
    auto mask = decode_image(mask_file, {.ids = true});

    auto region = random_region(image, {.min_area = 0.25f});
    image = resize(crop(image, region), {.height = 256, .width = 256});
    mask = resize(crop(mask, region),
                  {.height = 256, .width = 256, .interpolation = Interpolation::nearest});

    auto angle = g.uniform(-10.f, 10.f);
    image = rotate(image, angle, {.keep_size = true});
    mask = rotate(mask, angle,
                  {.keep_size = true, .fill = 255, .interpolation = Interpolation::nearest});
    return std::tuple{image, mask};
  });
  std::set<int> ids;
  for (const auto& [images, masks] : pipeline.epoch()) {
    ASSERT_EQ(masks.size(), 8u);
    for (const Image& mask : masks) {
      ASSERT_EQ(mask.channels(), 1);
      for (int y = 0; y < 256; ++y) ids.insert(mask.row(y), mask.row(y) + 256);
    }
  }
  EXPECT_EQ(ids, (std::set<int>{1, 2, 255}));
}

TEST_F(BoxesAndMasks, Fields) {
  if (!can_decode(ImageFormat::png)) GTEST_SKIP() << "this build has no PNG";
  auto pipeline = make_pipeline({.batch_size = 8, .seed = 42, .threads = 2}, [](Graph& g) {
    auto [file, numbers, mask_file] =
        g.read(list_in<std::vector<float>, Bytes>("train.jsonl", {.columns = {"boxes", "mask"}}));
    auto image = decode_image(file);
    auto mask = decode_image(mask_file, {.ids = true});

    auto field = elastic_field(g, canvas_size(image), {.alpha = 100.f, .sigma = 6.f});
    image = remap(image, field);
    mask = remap(mask, field, {.interpolation = Interpolation::nearest, .fill = 255});
    auto boxes = remap_boxes(convert_boxes(rows_of(numbers, 4), {.from = BoxFormat::xywh}), field);
    return std::tuple{image, mask, boxes};
  });
  for (const auto& [images, masks, boxes] : pipeline.epoch()) {
    ASSERT_EQ(masks.size(), 8u);
    for (std::size_t i = 0; i < masks.size(); ++i) {
      ASSERT_EQ(masks[i].width(), images[i].width());
      int right = 0;  // of the left half
      for (int y = 0; y < masks[i].height(); ++y) {
        for (int x = 0; x < masks[i].width(); ++x) {
          if (masks[i].row(y)[x] == 1) right = std::max(right, x + 1);
        }
      }
      EXPECT_NEAR(boxes[i].data<float>()[2], static_cast<float>(right), 1.5f);
    }
  }
}

TEST_F(BoxesAndMasks, Anchors) {
  const std::vector<std::array<float, 4>> anchors = {
      {0.f, 0.f, 0.5f, 1.f}, {0.25f, 0.25f, 0.75f, 0.75f}, {0.9f, 0.9f, 1.f, 1.f}};
  auto pipeline = make_pipeline({.batch_size = 8, .seed = 42, .threads = 2}, [&](Graph& g) {
    auto [file, numbers, classes] = g.read(list_in<std::vector<float>, std::vector<std::int64_t>>(
        "train.jsonl", {.columns = {"boxes", "labels"}}));
    auto labels = labels_of(classes);
    auto boxes = convert_boxes(rows_of(numbers, 4), {.from = BoxFormat::xywh});
    boxes = relative_boxes(boxes, canvas_size(decode_jpeg(file)));
    auto targets = encode_anchors(boxes, labels, anchor_boxes(g, anchors), {.iou = 0.5f});
    return std::tuple{targets.offsets, targets.labels};
  });
  for (const auto& [offsets, labels] : pipeline.epoch()) {
    ASSERT_TRUE(offsets.dense());
    for (const Tensor& of : labels) {
      const auto* numbers = of.data<std::int64_t>();
      EXPECT_EQ(std::vector<std::int64_t>(numbers, numbers + 3),
                (std::vector<std::int64_t>{1, 2, 0}));
    }
  }
}

}  // namespace boxes_and_masks_test
}  // namespace sluice::docs
