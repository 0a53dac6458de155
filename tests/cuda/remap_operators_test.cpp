// Operators whose pixels come from arbitrary places, not along straight lines.
#include "tests/cuda/same_operator.h"
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/warp_fields.h>
#include <sluice/runtime/image.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace remap_operators_test {

using Case = OperatorCase;

std::vector<Case> places(Interpolation way, Border border) {
  const Fill fill(9, 80, 200, 255);
  const std::string how = std::string(name_of(way)) + ", " + name_of(border);
  return {
      {"perspective, " + how,
       [=](Graph& g, Value<Image> image) {
         const auto place = [&](float middle) { return g.uniform(middle - 12.f, middle + 12.f); };
         return perspective(
             image, {0, 0, 40, 0, 40, 50, 0, 50},
             {place(0), place(0), place(40), place(0), place(40), place(50), place(0), place(50)},
             {.interpolation = way, .border = border, .fill = fill});
       }},
      {"random_perspective, " + how,
       [=](Graph& g, Value<Image> image) {
         return random_perspective(image, {.distortion_scale = g.uniform(-0.1f, 1.f),
                                           .probability = 0.8f,
                                           .interpolation = way,
                                           .border = border,
                                           .fill = fill});
       }},
      {"warp_perspective, " + how,
       [=](Graph& g, Value<Image> image) {
         return warp_perspective(image,
                                 {.xx = g.uniform(-2.f, 2.f),
                                  .xy = g.uniform(-1.f, 1.f),
                                  .x0 = g.uniform(-9.f, 30.f),
                                  .yx = g.uniform(-1.f, 1.f),
                                  .yy = g.uniform(-2.f, 2.f),
                                  .y0 = g.uniform(-9.f, 30.f),
                                  .wx = g.uniform(-0.02f, 0.02f),
                                  .wy = g.uniform(-0.02f, 0.02f),
                                  .w0 = g.uniform(-1.f, 1.f)},
                                 {.height = whole(g, 1, 40),
                                  .width = whole(g, 1, 50),
                                  .interpolation = way,
                                  .border = border,
                                  .fill = fill});
       }},
      {"lens_distortion, " + how,
       [=](Graph& g, Value<Image> image) {
         return lens_distortion(image, {.k1 = g.uniform(-1.f, 1.f),
                                        .k2 = g.uniform(-1.f, 1.f),
                                        .interpolation = way,
                                        .border = border,
                                        .fill = fill});
       }},
      {"elastic, " + how,
       [=](Graph& g, Value<Image> image) {
         return elastic(image, {.alpha = g.uniform(0.f, 90.f),
                                .sigma = g.uniform(0.1f, 4.f),
                                .interpolation = way,
                                .border = border,
                                .fill = fill});
       }},
      {"grid_distortion, " + how,
       [=](Graph& g, Value<Image> image) {
         return grid_distortion(
             image, {.steps = whole(g, 1, 9), .limit = g.uniform(0.f, 0.9f), .interpolation = way});
       }},
  };
}

TEST(DeviceOperator, LooksUpPlacesAsTheHostDoes) {
  for (const Interpolation way : {Interpolation::nearest, Interpolation::bilinear}) {
    for (const Border border : {Border::constant, Border::edge}) expect_same(places(way, border));
  }
  expect_same(places(Interpolation::bicubic, Border::edge));
}

// The field goes to the device, too.
TEST(DeviceOperator, RemapsAsTheHostDoes) {
  const auto change = [](bool there, const RemapOptions& options) -> Change {
    return [=](Graph& g, Value<Image> image) {
      auto field = g.if_else(
          g.coin_flip(),
          [&] {
            return elastic_field(g, canvas_size(image),
                                 {.alpha = g.uniform(0.f, 90.f), .sigma = g.uniform(0.f, 4.f)});
          },
          [&] { return grid_field(g, canvas_size(image), {.limit = 0.9f}); });
      return remap(image, there ? field.gpu() : field, options);
    };
  };
  for (const Interpolation way :
       {Interpolation::nearest, Interpolation::bilinear, Interpolation::bicubic}) {
    for (const Border border : {Border::constant, Border::edge}) {
      SCOPED_TRACE(std::string(name_of(way)) + ", " + name_of(border));
      const RemapOptions options{way, border, Fill(9, 80, 200, 255)};
      const OperatorRun host = run_operator(change(false, options), false);
      const OperatorRun there = run_operator(change(true, options), true);
      EXPECT_EQ(there.errors, host.errors);  // of fills
      EXPECT_GE(host.images.size(), 10u);
      ASSERT_EQ(there.ids, host.ids);
      EXPECT_EQ(there.images, host.images);
    }
  }
}

// With bicubic interpolation, operators that move along straight lines look up places, too.
TEST(DeviceOperator, MovesBicubicallyAsTheHostDoes) {
  const auto way = Interpolation::bicubic;
  expect_same({
      {"rotate",
       [](Graph& g, Value<Image> image) {
         return rotate(image, g.uniform(-200.f, 200.f), {.fill = 3, .interpolation = way});
       }},
      {"rotate, edge",
       [](Graph& g, Value<Image> image) {
         return rotate(image, g.uniform(-200.f, 200.f),
                       {.interpolation = way, .border = Border::edge});
       }},
      {"rotate by quarters and others",
       [](Graph& g, Value<Image> image) {
         return rotate(image, 45.f * cast<float>(whole(g, -5, 5)),
                       {.fill = 3, .interpolation = way});
       }},
      {"shear",
       [](Graph& g, Value<Image> image) {
         return shear(image, {.x = g.uniform(-1.f, 1.f), .interpolation = way, .fill = 40});
       }},
      {"affine",
       [](Graph& g, Value<Image> image) {
         return affine(image, {.degrees = g.uniform(-90.f, 90.f),
                               .scale = g.uniform(0.5f, 2.f),
                               .interpolation = way,
                               .fill = 40});
       }},
      {"translate",
       [](Graph& g, Value<Image> image) {
         return translate(image, {.y = g.uniform(-20.f, 20.f),
                                  .x = g.uniform(-40.f, 40.f),
                                  .interpolation = way,
                                  .border = Border::edge});
       }},
      {"warp_affine",
       [](Graph& g, Value<Image> image) {
         return warp_affine(image, {.xx = g.uniform(-2.f, 2.f), .xy = g.uniform(-1.f, 1.f)},
                            {.width = whole(g, 1, 50), .interpolation = way});
       }},
  });
}

TEST(DeviceOperator, LooksUpOddPlacesAsTheHostDoes) {
  expect_same({
      {"perspective, three points on a line for some",
       [](Graph& g, Value<Image> image) {
         auto y = cast<float>(whole(g, 0, 3));
         return perspective(image, {0, 0, 9, 0, 9, 9, 0, 9}, {0, 0, 9, 0, 18, y, 0, 9},
                            {.interpolation = Interpolation::bicubic});
       }},
      {"warp_perspective of nowhere",
       [](Graph& g, Value<Image> image) {
         return warp_perspective(image, {.wx = cast<float>(whole(g, -1, 2)), .w0 = 0.f},
                                 {.border = Border::edge, .fill = 7});
       }},
      {"lens_distortion, far too strong",
       [](Graph& g, Value<Image> image) {
         return lens_distortion(
             image, {.k1 = g.uniform(-100.f, 100.f), .interpolation = Interpolation::bicubic});
       }},
      {"elastic that is not smooth",
       [](Graph& g, Value<Image> image) {
         return elastic(image, {.alpha = g.uniform(0.f, 1e5f), .sigma = 0.f});
       }},
      {"elastic, very smooth",
       [](Graph& g, Value<Image> image) {
         return elastic(image, {.alpha = 300.f, .sigma = g.uniform(0.f, 20.f)});
       }},
  });
}

}  // namespace remap_operators_test
}  // namespace sluice::device
