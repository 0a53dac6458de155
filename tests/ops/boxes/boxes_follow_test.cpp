// Squares are drawn into an image and its mask. After each geometric operator, they are found where
// the boxes, the points and the labels say.
#include <sluice/graph/pipeline.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/random.h>
#include <sluice/ops/warp_fields.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace boxes_follow_test {

constexpr int kWays = 19;
constexpr int kTrials = 760;
constexpr int kSquares = 3;

struct Square {
  int x = 0, y = 0, size = 0;
};

struct Drawn {
  Image image, mask;
  Tensor boxes, points, labels;
};

// Draws one square in each third of the image, so that none hides another.
Drawn draw(std::int64_t trial) {
  Random random({.seed = 7, .epoch = 0, .sample = static_cast<std::uint64_t>(trial)});
  const auto below = [&](int n) {
    return static_cast<int>(random.below(static_cast<std::uint32_t>(n)));
  };
  const int third = 26 + below(10), height = 40 + below(30);
  Drawn drawn{Image(height, 3 * third, 1), Image(height, 3 * third, 1),
              Tensor({kSquares, 4}, DType::f32), Tensor({kSquares, 2}, DType::f32),
              Tensor({kSquares}, DType::i64)};
  const auto pixels = static_cast<std::size_t>(height) * static_cast<std::size_t>(3 * third);
  std::fill_n(drawn.image.data(), pixels, std::uint8_t{0});
  std::fill_n(drawn.mask.data(), pixels, std::uint8_t{0});
  for (int k = 0; k < kSquares; ++k) {
    Square square;
    square.size = 10 + below(12);
    square.x = k * third + below(third - square.size);
    square.y = below(height - square.size);
    for (int y = square.y; y < square.y + square.size; ++y) {
      for (int x = square.x; x < square.x + square.size; ++x) {
        drawn.image.row(y)[x] = static_cast<std::uint8_t>(80 * (k + 1));
        drawn.mask.row(y)[x] = static_cast<std::uint8_t>(k + 1);
      }
    }
    const auto x = static_cast<float>(square.x), y = static_cast<float>(square.y);
    const auto size = static_cast<float>(square.size);
    const float box[] = {x, y, x + size, y + size};
    std::copy(box, box + 4, drawn.boxes.data<float>() + k * 4);
    const float point[] = {x + size / 2, y + size / 2};
    std::copy(point, point + 2, drawn.points.data<float>() + k * 2);
    drawn.labels.data<std::int64_t>()[k] = k + 1;
  }
  return drawn;
}

using Moved = std::tuple<Value<Image>, Value<Image>, Value<Tensor>, Value<Tensor>, Value<Tensor>>;

// The code that a user of the library writes, once for each operator.
struct Program {
  Graph& g;
  Value<Image> image, mask;
  Value<Tensor> boxes, points, labels;
  CanvasSize size = canvas_size(image);

  Moved flipped() {
    const FlipOptions how{.horizontal = g.coin_flip(0.5f), .vertical = g.coin_flip(0.5f)};
    return {flip(image, how), flip(mask, how), flip_boxes(boxes, size, how),
            flip_points(points, size, how), labels};
  }
  Moved cropped(Value<Rectangle> region) {
    return {crop(image, region), crop(mask, region), crop_boxes(boxes, region),
            crop_points(points, region), labels};
  }
  Moved resized(const Moved& of, const CanvasSize& from) {
    const auto& [output, ids, edges, places, numbers] = of;
    const CanvasSize to{.height = 70, .width = 90};
    return {resize(output, {.height = 70, .width = 90}),
            resize(ids, {.height = 70, .width = 90, .interpolation = Interpolation::nearest}),
            resize_boxes(edges, from, to), resize_points(places, from, to), numbers};
  }
  Moved padded() {
    const PadImageOptions how{
        .left = 5,
        .top = g.map(
            "top", [](float n) { return static_cast<int>(n); }, g.uniform(0.f, 20.f)),
        .right = 3,
        .width = 120};
    return {pad_image(image, how), pad_image(mask, how), pad_boxes(boxes, how),
            pad_points(points, how), labels};
  }
  Moved transposed() {
    return {transpose(image), transpose(mask), transpose_boxes(boxes), transpose_points(points),
            labels};
  }
  Moved turned(bool keep_size, Value<float> degrees) {
    const RotateOptions how{.keep_size = keep_size};
    const RotateOptions of_mask{.keep_size = keep_size, .interpolation = Interpolation::nearest};
    return {rotate(image, degrees, how), rotate(mask, degrees, of_mask),
            rotate_boxes(boxes, size, degrees, how), rotate_points(points, size, degrees, how),
            labels};
  }
  Moved sheared() {
    ShearOptions how{.y = g.uniform(-0.4f, 0.4f),
                     .x = g.uniform(-0.4f, 0.4f),
                     .center_y = 0.5f,
                     .center_x = 0.5f};
    ShearOptions of_mask = how;
    of_mask.interpolation = Interpolation::nearest;
    return {shear(image, how), shear(mask, of_mask), shear_boxes(boxes, size, how),
            shear_points(points, size, how), labels};
  }
  Moved affined() {
    AffineOptions how{.degrees = g.uniform(-180.f, 180.f),
                      .y = g.uniform(-9.f, 9.f),
                      .x = g.uniform(-9.f, 9.f),
                      .scale = g.uniform(0.7f, 1.3f),
                      .shear_y = g.uniform(-15.f, 15.f),
                      .shear_x = g.uniform(-15.f, 15.f)};
    AffineOptions of_mask = how;
    of_mask.interpolation = Interpolation::nearest;
    return {affine(image, how), affine(mask, of_mask), affine_boxes(boxes, size, how),
            affine_points(points, size, how), labels};
  }
  Moved translated() {
    TranslateOptions how{
        .y = g.uniform(-0.3f, 0.3f), .x = g.uniform(-0.3f, 0.3f), .relative = true};
    TranslateOptions of_mask = how;
    of_mask.interpolation = Interpolation::nearest;
    return {translate(image, how), translate(mask, of_mask), translate_boxes(boxes, size, how),
            translate_points(points, size, how), labels};
  }
  Moved warped(bool inverse_map) {
    const AffineMatrix matrix{.xx = g.uniform(0.8f, 1.2f),
                              .xy = g.uniform(-0.3f, 0.3f),
                              .x0 = g.uniform(-9.f, 9.f),
                              .yx = g.uniform(-0.3f, 0.3f),
                              .yy = g.uniform(0.8f, 1.2f),
                              .y0 = g.uniform(-9.f, 9.f)};
    WarpAffineOptions how{.height = 80, .width = 110, .inverse_map = inverse_map};
    WarpAffineOptions of_mask = how;
    of_mask.interpolation = Interpolation::nearest;
    return {warp_affine(image, matrix, how), warp_affine(mask, matrix, of_mask),
            warp_affine_boxes(boxes, matrix, how), warp_affine_points(points, matrix, how), labels};
  }
  Moved turned_by_quarters() {
    const Value<std::int32_t> turns = randint(g, -4, 5);
    return {rot90(image, turns), rot90(mask, turns), rot90_boxes(boxes, size, turns),
            rot90_points(points, size, turns), labels};
  }
  Moved symmetric() {
    const Value<std::int32_t> element = randint(g, 0, 8);
    return {d4(image, element), d4(mask, element), d4_boxes(boxes, size, element),
            d4_points(points, size, element), labels};
  }
  Moved in_perspective() {
    const auto at = [&](float place) { return g.uniform(place - 6.f, place + 6.f); };
    const Corners from{0, 0, 100, 0, 100, 60, 0, 60};
    const Corners to{at(0), at(0), at(100), at(0), at(100), at(60), at(0), at(60)};
    return {perspective(image, from, to),
            perspective(mask, from, to, {.interpolation = Interpolation::nearest}),
            perspective_boxes(boxes, from, to), perspective_points(points, from, to), labels};
  }
  Moved warped_in_perspective() {
    const PerspectiveMatrix matrix{.xx = g.uniform(0.8f, 1.2f),
                                   .xy = g.uniform(-0.2f, 0.2f),
                                   .x0 = g.uniform(-9.f, 9.f),
                                   .yx = g.uniform(-0.2f, 0.2f),
                                   .yy = g.uniform(0.8f, 1.2f),
                                   .y0 = g.uniform(-9.f, 9.f),
                                   .wx = g.uniform(-0.001f, 0.001f),
                                   .wy = g.uniform(-0.001f, 0.001f)};
    return {warp_perspective(image, matrix, {.height = 80, .width = 110}),
            warp_perspective(mask, matrix,
                             {.height = 80, .width = 110, .interpolation = Interpolation::nearest}),
            warp_perspective_boxes(boxes, matrix), warp_perspective_points(points, matrix), labels};
  }
  Moved distorted_by_lens() {
    LensDistortionOptions how{.k1 = g.uniform(-0.2f, 0.3f), .k2 = g.uniform(-0.05f, 0.05f)};
    LensDistortionOptions of_mask = how;
    of_mask.interpolation = Interpolation::nearest;
    return {lens_distortion(image, how), lens_distortion(mask, of_mask),
            lens_distortion_boxes(boxes, size, how), lens_distortion_points(points, size, how),
            labels};
  }
  Moved remapped(Value<Tensor> field) {
    return {remap(image, field), remap(mask, field, {.interpolation = Interpolation::nearest}),
            remap_boxes(boxes, field), remap_points(points, field), labels};
  }
  Moved random_region_resized() {
    const Value<Rectangle> region = random_region(image, {.min_area = 0.4f});
    return resized(cropped(region), canvas_size(region));
  }
  // Its points are those of the remaining boxes.
  Moved shown() {
    const auto [region, inside, numbers] = random_bbox_crop(boxes, labels, size);
    auto middles = g.map_into<Tensor>(
        "middles",
        [](const Tensor& of, Tensor& out) {
          out.create({of.shape()[0], 2}, DType::f32);
          for (std::int64_t i = 0; i < of.shape()[0]; ++i) {
            const float* box = of.data<float>() + 4 * i;
            out.data<float>()[2 * i] = (box[0] + box[2]) / 2;
            out.data<float>()[2 * i + 1] = (box[1] + box[3]) / 2;
          }
        },
        inside);
    return {crop(image, region), crop(mask, region), inside,
            g.declare(middles, {.dtype = DType::f32, .layout = Layout::none, .rank = 2}), numbers};
  }
  Moved by_way(Value<std::int64_t> way) {
    return g.select(
        way, [&] { return flipped(); },
        [&] {
          return resized({image, mask, boxes, points, labels}, size);
        },
        [&] { return padded(); }, [&] { return transposed(); },
        [&] { return turned(true, g.uniform(-180.f, 180.f)); },
        [&] { return turned(false, g.uniform(-180.f, 180.f)); }, [&] { return sheared(); },
        [&] { return translated(); }, [&] { return affined(); }, [&] { return warped(true); },
        [&] { return warped(false); },
        [&] {
          return g.if_else(
              g.coin_flip(), [&] { return random_region_resized(); }, [&] { return shown(); });
        },
        [&] { return turned_by_quarters(); }, [&] { return symmetric(); },
        [&] { return in_perspective(); }, [&] { return warped_in_perspective(); },
        [&] { return distorted_by_lens(); },
        [&] {
          return remapped(elastic_field(g, size, {.alpha = g.uniform(0.f, 90.f), .sigma = 6.f}));
        },
        [&] { return remapped(grid_field(g, size, {.steps = randint(g, 1, 9)})); });
  }
};

struct Edges {
  double x0 = 1e9, y0 = 1e9, x1 = -1e9, y1 = -1e9;
  bool operator==(const Edges&) const = default;
};
Edges row_of(const Tensor& boxes, std::int64_t i) {
  const float* at = boxes.data<float>() + 4 * i;
  return {at[0], at[1], at[2], at[3]};
}
Edges clip(const Edges& box, const Image& in) {
  const double w = in.width(), h = in.height();
  return {std::clamp(box.x0, 0.0, w), std::clamp(box.y0, 0.0, h), std::clamp(box.x1, 0.0, w),
          std::clamp(box.y1, 0.0, h)};
}
double area(const Edges& box) { return (box.x1 - box.x0) * (box.y1 - box.y0); }

Edges find(const Image& mask, std::int64_t id) {
  Edges found;
  for (int y = 0; y < mask.height(); ++y) {
    for (int x = 0; x < mask.width(); ++x) {
      if (mask.row(y)[x] != id) continue;
      found = {std::min<double>(found.x0, x), std::min<double>(found.y0, y),
               std::max<double>(found.x1, x + 1), std::max<double>(found.y1, y + 1)};
    }
  }
  return found;
}

TEST(BoxesFollow, SquaresAreFoundWhereBoxesPointsAndMasksSay) {
  auto pipeline = make_pipeline({.batch_size = 40, .seed = 3, .threads = 1}, [](Graph& g) {
    auto [way, image, mask, boxes, points, labels] = g.source(kTrials, [](const SampleInfo& info) {
      Drawn drawn = draw(info.index);
      return std::tuple{info.index % kWays,     std::move(drawn.image),  std::move(drawn.mask),
                        std::move(drawn.boxes), std::move(drawn.points), std::move(drawn.labels)};
    });
    const auto typed = [&](Value<Tensor> t, DType type, int rank) {
      return g.declare(t, {.dtype = type, .layout = Layout::none, .rank = rank});
    };
    Program program{g,
                    image,
                    mask,
                    typed(boxes, DType::f32, 2),
                    typed(points, DType::f32, 2),
                    typed(labels, DType::i64, 1)};
    const auto [output, ids, edges, places, numbers] = program.by_way(way);
    const auto seen = filter_boxes(edges, numbers, canvas_size(output), {.min_visibility = 0.5f});
    return std::tuple{output, ids, edges, places, numbers, seen.boxes, seen.labels};
  });
  int whole = 0, cut = 0, points_seen = 0, left_out = 0;
  std::int64_t trial = 0;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t s = 0; s < batch.size(); ++s, ++trial) {
      const auto way = trial % kWays;
      SCOPED_TRACE("way " + std::to_string(way) + ", trial " + std::to_string(trial));
      const Image &image = batch.get<0>()[s], &mask = batch.get<1>()[s];
      const Tensor &boxes = batch.get<2>()[s], &points = batch.get<3>()[s];
      const Tensor &labels = batch.get<4>()[s], &seen = batch.get<5>()[s];
      ASSERT_EQ(boxes.shape()[0], labels.shape()[0]);
      std::int64_t kept = 0;
      for (std::int64_t i = 0; i < labels.shape()[0]; ++i) {
        const std::int64_t id = labels.data<std::int64_t>()[i];
        const Edges box = row_of(boxes, i), visible = clip(box, image), found = find(mask, id);
        const bool turned = (way >= 4 && way <= 10 && way != 7) || (way >= 14 && way <= 17);
        const double slack = turned ? 2 : 1;
        // The drawn square lies within the box,
        EXPECT_GE(found.x0, visible.x0 - 1);
        EXPECT_GE(found.y0, visible.y0 - 1);
        EXPECT_LE(found.x1, visible.x1 + 1);
        EXPECT_LE(found.y1, visible.y1 + 1);
        // and fills it. A turned square fills it if none of it is cut off.
        if (visible == box || (!turned && area(visible) > 16)) {
          EXPECT_NEAR(found.x0, visible.x0, slack);
          EXPECT_NEAR(found.y0, visible.y0, slack);
          EXPECT_NEAR(found.x1, visible.x1, slack);
          EXPECT_NEAR(found.y1, visible.y1, slack);
        }
        ++(visible == box ? whole : cut);
        const float* point = points.data<float>() + 2 * i;
        const int x = static_cast<int>(std::floor(point[0])),
                  y = static_cast<int>(std::floor(point[1]));
        if (x >= 2 && y >= 2 && x < image.width() - 2 && y < image.height() - 2 &&
            area(visible) > 36) {
          EXPECT_EQ(mask.row(y)[x], id);
          EXPECT_NEAR(image.row(y)[x], 80 * static_cast<int>(id), 3);
          ++points_seen;
        }
        if (area(visible) > 0 && area(visible) >= 0.5 * area(box)) {
          ASSERT_LT(kept, seen.shape()[0]);
          EXPECT_EQ(batch.get<6>()[s].data<std::int64_t>()[kept], id);
          const Edges filtered = row_of(seen, kept++);
          EXPECT_NEAR(filtered.x0, visible.x0, 1e-4);
          EXPECT_NEAR(filtered.y1, visible.y1, 1e-4);
        } else {
          ++left_out;
        }
      }
      EXPECT_EQ(kept, seen.shape()[0]);
    }
  }
  EXPECT_EQ(trial, kTrials);
  EXPECT_GT(whole, kTrials);
  EXPECT_GT(cut, kTrials / 4);
  EXPECT_GT(points_seen, kTrials);
  EXPECT_GT(left_out, 10);
}

}  // namespace boxes_follow_test
}  // namespace sluice
