// Operators on boxes in pipelines: samples without boxes, formats, and errors of samples.
#include <sluice/graph/pipeline.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/random.h>
#include <sluice/ops/warp_fields.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace boxes_boxes_test {

using Numbers = std::vector<float>;
using Change = std::function<Value<Tensor>(Graph& g, Value<Tensor> boxes, Value<Tensor> labels)>;

// Makes a sample of each list of numbers; its labels count from 1.
auto pipeline_of(const std::vector<Numbers>& lists, const Change& change) {
  const auto count = static_cast<std::int64_t>(lists.size());
  return make_pipeline({.batch_size = 8, .seed = 2, .threads = 1, .on_error = OnError::skip},
                       [&](Graph& g) {
                         auto [numbers, classes] = g.source(count, [lists](const SampleInfo& info) {
                           const Numbers& list = lists[static_cast<std::size_t>(info.index)];
                           std::vector<std::int64_t> counted;
                           for (std::size_t i = 0; i < list.size() / 4; ++i)
                             counted.push_back(static_cast<std::int64_t>(i) + 1);
                           return std::tuple{list, counted};
                         });
                         return change(g, rows_of(numbers, 4), labels_of(classes));
                       });
}

Numbers numbers_of(const Tensor& tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.elements()};
}

const CanvasSize kSize{.height = 50, .width = 100};

TEST(BoxOperators, KnownBoxes) {
  struct Case {
    Numbers in, out;
    Change change;
  };
  const auto convert = [](BoxFormat from, BoxFormat to) -> Change {
    return [from, to](Graph&, Value<Tensor> boxes, Value<Tensor>) {
      return convert_boxes(boxes, {.from = from, .to = to});
    };
  };
  const Case cases[] = {
      {{10, 20, 30, 40}, {10, 20, 40, 60}, convert(BoxFormat::xywh, BoxFormat::xyxy)},
      {{10, 20, 40, 60}, {25, 40, 30, 40}, convert(BoxFormat::xyxy, BoxFormat::cxcywh)},
      {{25, 40, 30, 40}, {10, 20, 30, 40}, convert(BoxFormat::cxcywh, BoxFormat::xywh)},
      {{0.1f, 0.2f, 0.5f, 1},
       {10, 10, 50, 50},
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) { return absolute_boxes(boxes, kSize); }},
      {{25, 10, 50, 50},
       {0.25f, 0.2f, 0.5f, 1},
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) { return relative_boxes(boxes, kSize); }},
      {{-5, -5, 10, 60, 200, 10, 300, 20},
       {0, 0, 10, 50, 100, 10, 100, 20},
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) { return clip_boxes(boxes, kSize); }},
      // The first box keeps 10 x 10 of 20 x 20, the second 4 x 4, the third all, and the last
      // nothing.
      {{-10, -10, 10, 10, -6, 0, 4, 4, 8, 8, 28, 12, 200, 0, 300, 9},
       {0, 0, 10, 10, 8, 8, 28, 12},
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) {
         return filter_boxes(boxes, kSize, {.min_area = 17.f, .min_visibility = 0.25f}).boxes;
       }},
      {{-10, -10, 10, 10, -6, 0, 4, 4, 8, 8, 28, 12},
       {0, 0, 4, 4, 8, 8, 28, 12},
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) {
         return filter_boxes(boxes, kSize, {.min_visibility = 0.26f}).boxes;
       }},
      {{0, 0, 3, 9, 0, 0, 4, 9, 0, 0, 9, 4},
       {0, 0, 4, 9},
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) {
         return filter_boxes(boxes, kSize, {.min_height = 5.f, .min_width = 4.f}).boxes;
       }},
      // Counter-clockwise: the upper edge becomes the left one.
      {{10, 20, 30, 25},
       {20, 70, 25, 90},
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) { return rot90_boxes(boxes, kSize, 1); }},
      {{10, 20, 30, 25},
       {25, 10, 30, 30},
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) { return rot90_boxes(boxes, kSize, -1); }},
      {{10, 20, 30, 25},
       {20, 10, 25, 30},
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) { return d4_boxes(boxes, kSize, 5); }},
      {{10, 20, 30, 25},
       {10, 25, 30, 30},
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) { return d4_boxes(boxes, kSize, 6); }},
      // Twice as wide and 3 to the right.
      {{10, 20, 30, 25},
       {23, 20, 63, 25},
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) {
         return perspective_boxes(boxes, {0, 0, 10, 0, 10, 10, 0, 10},
                                  {3, 0, 23, 0, 23, 10, 3, 10});
       }},
      // The output shows (x / w, y / w) with w = 1 - x / 100: x = 50 / (1 + 50 / 100).
      {{50, 30, 50, 30},
       {100.f / 3, 20, 100.f / 3, 20},
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) {
         return warp_perspective_boxes(boxes, {.wx = -0.01f});
       }},
      // Behind the horizon at x = -128.
      {{-384, 40, -256, 40},
       {192, -40, 256, -20},
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) {
         return warp_perspective_boxes(boxes, {.wx = -1 / 128.f});
       }},
      {{10, 20, 30, 25},
       {10, 20, 30, 25},
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) {
         return lens_distortion_boxes(boxes, kSize, {.k1 = 0.f});
       }},
      {{10, 20, 30, 25},
       {10, 20, 30, 25},
       [](Graph& g, Value<Tensor> boxes, Value<Tensor>) {
         return remap_boxes(boxes, grid_field(g, kSize, {.limit = 0.f}));
       }},
  };
  for (const Case& c : cases) {
    auto pipeline = pipeline_of({c.in}, c.change);
    auto epoch = pipeline.epoch();
    const auto batch = epoch.next();
    ASSERT_EQ(batch->size(), 1u);
    const Numbers out = numbers_of(batch->get<0>()[0]);
    ASSERT_EQ(out.size(), c.out.size());
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i], c.out[i], 1e-5) << i;
  }
}

TEST(BoxOperators, SamplesWithoutBoxesGoThroughAll) {
  auto pipeline =
      pipeline_of({{}, {1, 1, 9, 9}, {}}, [](Graph& g, Value<Tensor> boxes, Value<Tensor> labels) {
        boxes = flip_boxes(boxes, kSize);
        auto [region, inside, numbers] = random_bbox_crop(boxes, labels, kSize);
        inside = rotate_boxes(inside, canvas_size(region), g.uniform(-9.f, 9.f));
        inside = convert_boxes(convert_boxes(inside, {.to = BoxFormat::xywh}),
                               {.from = BoxFormat::xywh});
        auto [left, left_labels] = filter_boxes(inside, numbers, kSize);
        auto targets =
            encode_anchors(left, left_labels, anchor_boxes(g, {{0, 0, 20, 20}, {90, 40, 99, 49}}));
        return g.if_else(
            g.coin_flip(1.f), [&left = left] { return left; }, [&] { return targets.offsets; });
      });
  auto epoch = pipeline.epoch();
  const auto batch = epoch.next();
  ASSERT_TRUE(batch->errors().empty()) << batch->errors()[0].what;
  ASSERT_EQ(batch->size(), 3u);
  EXPECT_EQ(batch->get<0>()[0].shape(), (Shape{0, 4}));
  EXPECT_EQ(batch->get<0>()[1].shape(), (Shape{1, 4}));
  EXPECT_EQ(batch->get<0>()[2].shape(), (Shape{0, 4}));
  auto none = pipeline_of(
      {{}, {}}, [](Graph&, Value<Tensor> boxes, Value<Tensor>) { return transpose_boxes(boxes); });
  auto of_none = none.epoch();
  EXPECT_EQ(of_none.next()->get<0>()[1].shape(), (Shape{0, 4}));
}

TEST(BoxOperators, WhatIsWrongIsTheErrorOfItsSample) {
  struct Case {
    Numbers bad;
    std::string error;
    Change change;
  };
  const Case cases[] = {
      {{1, 2, 3},
       "rows_of: 3 numbers do not make rows of 4",
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) { return boxes; }},
      {{9, 0, 1, 1},
       "flip_boxes: box 0 is (9, 0, 1, 1), which ends before it begins",
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) { return flip_boxes(boxes, kSize); }},
      {{1, 1, 2, 2},
       "flip_points: points are a tensor of f32 and the shape (n, 2), not of f32 and",
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) { return flip_points(boxes, kSize); }},
      {{0, 0, 3e38f, 3e38f},
       "resize_boxes: box 0 overflows a float",
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) {
         return resize_boxes(boxes, kSize, {.height = 60000, .width = 60000});
       }},
      {{1, std::numeric_limits<float>::quiet_NaN(), 2, 2},
       "relative_boxes: number 1 of the boxes in row 0 is nan, which is not finite",
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) { return relative_boxes(boxes, kSize); }},
      {{1, std::numeric_limits<float>::infinity(), 2, 2},
       "relative_boxes: number 1 of the boxes in row 0 is inf, which is not finite",
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) { return relative_boxes(boxes, kSize); }},
      {{1, std::numeric_limits<float>::quiet_NaN(), 2, 2},
       "absolute_boxes: number 1 of the boxes in row 0 is nan, which is not finite",
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) { return absolute_boxes(boxes, kSize); }},
      {{1, std::numeric_limits<float>::infinity(), 2, 2},
       "absolute_boxes: number 1 of the boxes in row 0 is inf, which is not finite",
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) { return absolute_boxes(boxes, kSize); }},
      {{1, std::numeric_limits<float>::quiet_NaN(), 2, 2},
       "convert_boxes: number 1 of the boxes in row 0 is nan, which is not finite",
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) {
         return convert_boxes(boxes, {.to = BoxFormat::cxcywh});
       }},
      {{1, std::numeric_limits<float>::infinity(), 2, 2},
       "convert_boxes: number 1 of the boxes in row 0 is inf, which is not finite",
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) {
         return convert_boxes(boxes, {.to = BoxFormat::cxcywh});
       }},
      {{0, 0, 3e38f, 3e38f},
       "absolute_boxes: box 0 overflows a float",
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) { return absolute_boxes(boxes, kSize); }},
      {{3e38f, 1, 3e38f, 1},
       "convert_boxes: box 0 overflows a float",
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) {
         return convert_boxes(boxes, {.from = BoxFormat::xywh, .to = BoxFormat::xyxy});
       }},
      {{1, 1, 2, 2},
       "crop_boxes: a region of 0 x 5 (height x width) is empty",
       [](Graph& g, Value<Tensor> boxes, Value<Tensor>) {
         return crop_boxes(boxes, g.constant(Rectangle{1, 1, 0, 5}));
       }},
      {{1, 1, 2, 2},
       "shear_boxes: x must lie between -1000 and 1000, not 2000",
       [](Graph& g, Value<Tensor> boxes, Value<Tensor>) {
         return shear_boxes(boxes, kSize, {.x = g.uniform(2000.f, 2000.f)});
       }},
      {{1, 1, 1, 2},
       "encode_anchors: box 0 has no area",
       [](Graph& g, Value<Tensor> boxes, Value<Tensor> labels) {
         return encode_anchors(boxes, labels, anchor_boxes(g, {{0, 0, 1, 1}})).offsets;
       }},
      {{1, 1, 2, 2},
       "encode_anchors: labels are i64 or i32, not f32",
       [](Graph& g, Value<Tensor> boxes, Value<Tensor>) {
         auto labels = g.map_into<Tensor>(
             "labels", [](const Tensor&, Tensor& out) { out.create({1}, DType::f32); }, boxes);
         return encode_anchors(boxes, labels, anchor_boxes(g, {{0, 0, 1, 1}})).offsets;
       }},
      {{1, 1, 2, 2},
       "take_rows: there is no row 1; there are 1, from 0",
       [](Graph&, Value<Tensor> boxes, Value<Tensor> labels) {
         return take_rows(labels, boxes, labels);
       }},
      {{1, 1, 2, 2},
       "warp_affine_boxes: ",
       [](Graph& g, Value<Tensor> boxes, Value<Tensor>) {
         return warp_affine_boxes(boxes, {.xx = g.uniform(0.f, 0.f)});
       }},
      {{1, 1, 2, 2},
       "rot90_boxes: height must lie between 1 and 65535, not 0",
       [](Graph& g, Value<Tensor> boxes, Value<Tensor>) {
         return rot90_boxes(boxes, {.height = randint(g, 0, 1), .width = 9}, 1);
       }},
      {{1, 1, 2, 2},
       "d4_boxes: element must lie between 0 and 7, not 8",
       [](Graph& g, Value<Tensor> boxes, Value<Tensor>) {
         return d4_boxes(boxes, kSize, randint(g, 8, 9));
       }},
      {{1, 1, 2, 2},
       "perspective_boxes: three of the points (0, 0) (1, 1) (2, 2) (0, 1) lie on a line",
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) {
         return perspective_boxes(boxes, {0, 0, 1, 1, 2, 2, 0, 1}, {0, 0, 1, 0, 1, 1, 0, 1});
       }},
      {{-120, 1, -80, 2},
       "warp_perspective_boxes: box 0 is (-120, 1, -80, 2), which crosses the horizon of the map",
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) {
         return warp_perspective_boxes(boxes, {.wx = -0.01f});
       }},
      {{1, 1, 2, 2},
       "warp_perspective_boxes: the matrix [1 0 0; 0 1 0; 1 1 0] collapses the image to a line",
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) {
         return warp_perspective_boxes(boxes, {.wx = 1.f, .wy = 1.f, .w0 = 0.f});
       }},
      {{1, 1, 2, 2},
       "lens_distortion_boxes: with k1 = -0.5 and k2 = 0 the image shows some positions twice",
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) {
         return lens_distortion_boxes(boxes, kSize, {.k1 = -0.5f});
       }},
      {{1, 1, 2, 2},
       "remap_boxes: a field is a tensor of f32 and the shape (height, width, 2), not of f32 and "
       "(1, 4); make it with elastic_field() or grid_field()",
       [](Graph&, Value<Tensor> boxes, Value<Tensor>) { return remap_boxes(boxes, boxes); }},
      {{1, 1, 2, 2},
       "resize_boxes: to_width must",
       [](Graph& g, Value<Tensor> boxes, Value<Tensor>) {
         auto zero = g.map(
             "zero", [](float x) { return static_cast<int>(x); }, g.uniform(0.f, 0.f));
         return resize_boxes(boxes, kSize, {.height = 1, .width = zero});
       }},
  };
  for (const Case& c : cases) {
    auto pipeline = pipeline_of({c.bad}, c.change);
    auto epoch = pipeline.epoch();
    const auto batch = epoch.next();
    ASSERT_EQ(batch->errors().size(), 1u) << c.error;
    EXPECT_NE(batch->errors()[0].what.find(c.error), std::string::npos) << batch->errors()[0].what;
  }
  const auto refused = [](const Change& change) {
    try {
      (void)pipeline_of({{}}, change);
    } catch (const BuildError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  // The boxes that filter_boxes returned, moved or not, are not the boxes whose rows it counted.
  const Change mistakes[] = {[](Graph&, Value<Tensor> boxes, Value<Tensor> labels) {
                               const auto left = filter_boxes(boxes, kSize);
                               return take_rows(labels, left.boxes, left.kept);
                             },
                             [](Graph&, Value<Tensor> boxes, Value<Tensor> labels) {
                               const auto left = filter_boxes(boxes, kSize);
                               return take_rows(labels, flip_boxes(left.boxes, kSize), left.kept);
                             },
                             [](Graph& g, Value<Tensor> boxes, Value<Tensor> labels) {
                               const auto left = filter_boxes(boxes, kSize);
                               return g.if_else(
                                   g.coin_flip(0.5f),
                                   [&] { return take_rows(labels, left.boxes, left.kept); },
                                   [&] { return labels; });
                             },
                             [](Graph& g, Value<Tensor> boxes, Value<Tensor> labels) {
                               const auto left = filter_boxes(boxes, kSize);
                               auto moved = g.if_else(
                                   g.coin_flip(0.5f), [&] { return flip_boxes(left.boxes, kSize); },
                                   [&] { return left.boxes; });
                               return take_rows(labels, moved, left.kept);
                             }};
  for (const Change& mistake : mistakes)
    EXPECT_EQ(refused(mistake).find("take_rows: boxes are those after filter_boxes"), 0u);
  EXPECT_EQ(refused([](Graph&, Value<Tensor> boxes, Value<Tensor> labels) {
              const auto first = filter_boxes(boxes, kSize);
              const auto second = filter_boxes(first.boxes, kSize, {.min_area = 1.f});
              return take_rows(take_rows(labels, boxes, first.kept), first.boxes, second.kept);
            }),
            "");
  EXPECT_NE(refused([](Graph&, Value<Tensor> boxes, Value<Tensor>) {
              return flip_boxes(boxes, {});
            }).find("flip_boxes: height must"),
            std::string::npos);
  EXPECT_EQ(
      refused([](Graph&, Value<Tensor> boxes, Value<Tensor> labels) {
        return random_bbox_crop(boxes, labels, kSize, {.min_scale = 0.9f, .max_scale = 0.5f}).boxes;
      }),
      "random_bbox_crop: min_scale is 0.9, above max_scale, which is 0.5");
}

}  // namespace boxes_boxes_test
}  // namespace sluice
