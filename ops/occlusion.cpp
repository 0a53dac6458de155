#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/kernels/occlusion.h>
#include <sluice/ops/occlusion.h>
#include <sluice/ops/parameters.h>

#include <array>
#include <cstdint>
#include <string>

namespace sluice {
namespace detail {
namespace {

OperatorDeclaration& add_fill(OperatorDeclaration& declaration) {
  return declaration.parameter("fill", fill_option("color, for each channel"));
}

OperatorDeclaration& add_noise(OperatorDeclaration& declaration) {
  return declaration.parameter<float>(
      "noise",
      {.value = 0.f,
       .low = 0,
       .help = "standard deviation of the normal noise around the color, in pixel values"});
}

OperatorDeclaration& add_random_options(OperatorDeclaration& declaration) {
  const RandomErasingOptions usual;
  declaration.parameter<float>("probability", {.value = usual.probability.constant(),
                                               .low = 0,
                                               .high = 1,
                                               .help = "probability of a nonempty rectangle"});
  return add_area_and_ratio(declaration, usual, "height / width");
}

}  // namespace

const OperatorPtr& coarse_dropout_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("coarse_dropout");
    const auto side = [](const char* help) {
      return ParameterOptions<float>{.value = 8.f, .low = 0, .help = help};
    };
    declaration.family("occlusion")
        .summary("Fills several rectangles at random positions with a color or with noise.")
        .in_cpp("coarse_dropout(image, {.holes = randint(g, 1, 9)})")
        .in_cpp("coarse_dropout(image, {.height = 0.2f, .width = 0.2f, .normalized = true})")
        .in_cpp("coarse_dropout(image, {.fill = 128, .noise = 64.f})")
        .input<Image>("image")
        .parameter<std::int32_t>("holes", {.value = 8,
                                           .low = 0,
                                           .high = kernels::kMostHoles,
                                           .help = "number of rectangles; they may overlap"})
        .parameter("height", side("height of each rectangle; at most the image's"))
        .parameter("width", side("width of each rectangle; at most the image's"))
        .constant<bool>(
            "normalized",
            {.value = false, .help = "height and width are fractions of the image's, not pixels"});
    return add_noise(add_fill(declaration))
        .output<Image>("image")
        .runs([](Random& random, const Image& in, std::int32_t holes, float height, float width,
                 bool normalized, const FillNumbers& fill, float noise, Image& out) {
          kernels::coarse_dropout(random, in, {holes, height, width, normalized, noise},
                                  fill_of(fill), out);
        });
  }();
  return op;
}

const OperatorPtr& erase_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("erase");
    const auto place = [](const char* help) {
      return ParameterOptions<float>{.value = 0.f, .help = help};
    };
    const auto size = [](const char* help) {
      return ParameterOptions<float>{
          .low = 0, .help = help, .hint = "give height and width, in pixels or normalized"};
    };
    declaration.family("occlusion")
        .summary("Fills a rectangle, given by numbers, with a color.")
        .in_cpp("erase(image, {.y = 0.25f, .height = 0.5f, .width = 1.f, .normalized = true})")
        .input<Image>("image")
        .parameter("y", place("row of the upper left corner"))
        .parameter("x", place("column of the upper left corner"))
        .parameter("height", size("height of the rectangle; clipped to the image"))
        .parameter("width", size("width of the rectangle; clipped to the image"))
        .constant<bool>(
            "normalized",
            {.value = false,
             .help = "y, x, height and width are fractions of the image's size, not pixels"})
        .constant<bool>("centered", {.value = false, .help = "y and x are the rectangle's center"});
    return add_fill(declaration)
        .output<Image>("image")
        .runs([](const Image& in, float y, float x, float height, float width, bool normalized,
                 bool centered, const FillNumbers& fill, Image& out) {
          kernels::erase(in,
                         kernels::erased_region({y, x, height, width, normalized, centered},
                                                in.height(), in.width()),
                         fill_of(fill), out);
        });
  }();
  return op;
}

const OperatorPtr& erase_region_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("erase_region");
    declaration.family("occlusion")
        .summary("Fills a rectangle with a color.")
        .in_cpp("erase(image, region)")
        .input<Image>("image")
        .parameter<Rectangle>("region",
                              {.help = "clipped to the image; an empty one erases nothing"});
    return add_fill(declaration)
        .output<Image>("image")
        .runs([](const Image& in, const Rectangle& region, const FillNumbers& fill, Image& out) {
          kernels::erase(in, region, fill_of(fill), out);
        });
  }();
  return op;
}

const OperatorPtr& erase_with_noise_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("erase_with_noise");
    declaration.family("occlusion")
        .summary("Fills a rectangle with noise around a color.")
        .in_cpp("erase(image, region, {.fill = 128, .noise = 64.f})")
        .input<Image>("image")
        .parameter<Rectangle>("region",
                              {.help = "clipped to the image; an empty one erases nothing"});
    return add_noise(add_fill(declaration))
        .output<Image>("image")
        .runs([](Random& random, const Image& in, const Rectangle& region, const FillNumbers& fill,
                 float noise, Image& out) {
          kernels::erase_with_noise(random, in, region, fill_of(fill), noise, out);
        });
  }();
  return op;
}

const OperatorPtr& random_erasing_region_operator() {
  static const OperatorPtr op = [] {
    OperatorDeclaration declaration("random_erasing_region");
    declaration.family("occlusion")
        .summary("Draws a random rectangle to erase, which may be empty.")
        .in_cpp("random_erasing_region(image, {.probability = 0.25f})")
        .input<Image>("image");
    return add_random_options(declaration)
        .checks([](const Arguments& arguments) {
          check_area_and_ratio("random_erasing_region", arguments, 2);
        })
        .output<Rectangle>("region")
        .sees_size()
        .runs([](Random& random, const Image& in, float probability, float min_area, float max_area,
                 float min_ratio, float max_ratio) {
          return kernels::random_erasing_region(random, in.height(), in.width(),
                                                {.probability = probability,
                                                 .min_area = min_area,
                                                 .max_area = max_area,
                                                 .min_ratio = min_ratio,
                                                 .max_ratio = max_ratio});
        });
  }();
  return op;
}

OperatorSchema random_erasing_schema() {
  OperatorDeclaration declaration("random_erasing");
  declaration.family("occlusion")
      .summary("Fills a random rectangle with a color or with noise, with the given probability.")
      .in_cpp("random_erasing(image, {.probability = 0.25f, .fill = 128})")
      .in_cpp("random_erasing(image, {.fill = 128, .noise = 64.f})")
      .input<Image>("image");
  return add_noise(add_fill(add_random_options(declaration)))
      .output<Image>("image")
      .made_of({"erase_region", "erase_with_noise", "random_erasing_region"});
}

}  // namespace detail

Value<Image> coarse_dropout(Value<Image> image, const CoarseDropoutOptions& o) {
  return apply_operator<Image>(detail::coarse_dropout_operator(), image, o.holes, o.height, o.width,
                               o.normalized, detail::numbers_of_fill(o.fill), o.noise);
}

Value<Image> erase(Value<Image> image, Param<Rectangle> region, const EraseRegionOptions& options) {
  const Param<detail::FillNumbers> fill = detail::numbers_of_fill(options.fill);
  if (options.noise.is_constant() && options.noise.constant() == 0)
    return apply_operator<Image>(detail::erase_region_operator(), image, region, fill);
  return apply_operator<Image>(detail::erase_with_noise_operator(), image, region, fill,
                               options.noise);
}

Value<Image> erase(Value<Image> image, const EraseOptions& o) {
  return apply_operator<Image>(detail::erase_operator(), image, o.y, o.x, o.height, o.width,
                               o.normalized, o.centered, detail::numbers_of_fill(o.fill));
}

Value<Rectangle> random_erasing_region(Value<Image> image, const RandomErasingOptions& o) {
  return apply_operator<Rectangle>(detail::random_erasing_region_operator(), image, o.probability,
                                   o.min_area, o.max_area, o.min_ratio, o.max_ratio);
}

Value<Image> random_erasing(Value<Image> image, const RandomErasingOptions& options) {
  return erase(image, random_erasing_region(image, options),
               {.fill = options.fill, .noise = options.noise});
}

namespace {

ParameterOptions<float> zero_unless_given(const char* help) {
  constexpr double kMost = kernels::kLargestShift;
  return {.value = 0.f, .low = -kMost, .high = kMost, .help = help};
}

}  // namespace

const detail::OperatorPtr& detail::grid_mask_operator() {
  static const OperatorPtr op =
      declare_operator("grid_mask")
          .family("occlusion")
          .summary("Fills the squares of a regular grid with a color.")
          .in_cpp("grid_mask(image, {.tile = 50, .degrees = g.uniform(0.f, 90.f)})")
          .input<Image>("image")
          .parameter<std::int32_t>("tile", {.value = 100,
                                            .low = 1,
                                            .high = kernels::kLargestTile,
                                            .help = "pixels from one square to the next"})
          .parameter<float>(
              "ratio",
              {.value = 0.5f, .low = 0, .high = 1, .help = "side of a square / side of a tile"})
          .parameter("degrees", zero_unless_given("counter-clockwise about the upper left pixel"))
          .parameter("shift_y", zero_unless_given("shift of the grid along its columns, in pixels"))
          .parameter("shift_x", zero_unless_given("shift of the grid along its rows, in pixels"))
          .parameter("fill", fill_option("color, for each channel"))
          .output<Image>("image")
          .runs([](const Image& in, std::int32_t tile, float ratio, float degrees, float shift_y,
                   float shift_x, const FillNumbers& fill, Image& out) {
            kernels::grid_mask(in, {tile, ratio, degrees, shift_x, shift_y, fill_of(fill)}, out);
          });
  return op;
}

Value<Image> grid_mask(Value<Image> image, const GridMaskOptions& o) {
  return apply_operator<Image>(detail::grid_mask_operator(), image, o.tile, o.ratio, o.degrees,
                               o.shift_y, o.shift_x, detail::numbers_of_fill(o.fill));
}

}  // namespace sluice
