#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/filter.h>
#include <sluice/ops/kernels/blur.h>
#include <sluice/ops/kernels/filter.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice {
namespace {

// window_size comes after the input.
void check_box(const detail::Arguments& arguments) {
  const auto* window = detail::constant_of<std::int32_t>(arguments.at(1));
  if (window != nullptr) kernels::check_window("box_blur", *window);
}

}  // namespace

const detail::OperatorPtr& detail::box_blur_operator() {
  static const OperatorPtr op =
      declare_operator("box_blur")
          .family("filter")
          .summary("Replaces each pixel value with the mean of a square window; reflects borders.")
          .in_cpp("box_blur(image, {.window_size = 5})")
          .input<Image>("image")
          .parameter<std::int32_t>("window_size", {.value = 3,
                                                   .low = 1,
                                                   .high = kernels::kLargestWindow,
                                                   .help = "side of the window, in pixels; odd"})
          .output<Image>("image")
          .checks(check_box)
          .runs([](const Image& in, std::int32_t window, Image& out) {
            kernels::box_blur(in, window, out);
          });
  return op;
}

Value<Image> box_blur(Value<Image> image, const BoxBlurOptions& options) {
  return apply_operator<Image>(detail::box_blur_operator(), image, options.window_size);
}

const detail::OperatorPtr& detail::defocus_operator() {
  static const OperatorPtr op =
      declare_operator("defocus")
          .family("filter")
          .summary("Blurs the image like a lens that is out of focus; reflects borders.")
          .in_cpp("defocus(image, {.radius = randint(g, 3, 11), .alias_blur = 0.5f})")
          .input<Image>("image")
          .parameter<std::int32_t>("radius", {.value = 3,
                                              .low = 1,
                                              .high = kernels::kLargestDefocus,
                                              .help = "radius of the disk that a point becomes, "
                                                      "in pixels"})
          .parameter<float>("alias_blur", {.value = 0.1f,
                                           .low = 0,
                                           .high = double{kernels::kLargestAliasBlur},
                                           .help = "sigma of the Gaussian that smooths the edge "
                                                   "of the disk, in pixels"})
          .output<Image>("image")
          .runs([](const Image& in, std::int32_t radius, float alias_blur, Image& out) {
            kernels::defocus(in, radius, alias_blur, out);
          });
  return op;
}

Value<Image> defocus(Value<Image> image, const DefocusOptions& options) {
  return apply_operator<Image>(detail::defocus_operator(), image, options.radius,
                               options.alias_blur);
}

const detail::OperatorPtr& detail::downscale_operator() {
  static const OperatorPtr op =
      declare_operator("downscale")
          .family("filter")
          .summary("Shrinks the image and enlarges it back to its size, which loses detail.")
          .in_cpp("downscale(image, g.uniform(0.25f, 0.5f))")
          .in_cpp("downscale(image, 0.25f, {.interpolation = Interpolation::box})")
          .input<Image>("image")
          .parameter<float>("scale", {.low = 0,
                                      .high = 1,
                                      .low_open = true,
                                      .help = "size of the small image / size of the image"})
          .choice("interpolation", Interpolation::nearest,
                  {Interpolation::nearest, Interpolation::box},
                  "how the image is shrunk: box averages all pixels; it is enlarged by nearest")
          .output<Image>("image")
          .runs([](const Image& in, float scale, Interpolation interpolation, Image& out) {
            kernels::downscale(in, scale, interpolation, out);
          });
  return op;
}

Value<Image> downscale(Value<Image> image, Param<float> scale, const DownscaleOptions& options) {
  return apply_operator<Image>(detail::downscale_operator(), image, scale, options.interpolation);
}

namespace {

using FilterNumbers = decltype(kernels::FilterWeights::weights);

// rows and columns come after the input.
void check_sides(const detail::Arguments& arguments) {
  const auto side = [&](std::size_t i) {
    return *detail::constant_of<std::int32_t>(arguments.at(i));
  };
  kernels::check_filter({.rows = side(1), .columns = side(2), .weights = {}});
}

ParameterOptions<std::int32_t> side_option(const char* help) {
  return {.value = 3, .low = 1, .high = kernels::kLargestFilter, .help = help};
}

}  // namespace

const detail::OperatorPtr& detail::filter_2d_operator() {
  static const OperatorPtr op =
      declare_operator("filter_2d")
          .family("filter")
          .summary("Replaces each pixel value with a weighted sum of a window; reflects borders.")
          .in_cpp("filter_2d(image, {{0, -1, 0}, {-1, 5, -1}, {0, -1, 0}})")
          .input<Image>("image")
          .constant("rows", side_option("rows of the window; odd"))
          .constant("columns", side_option("columns of the window; odd"))
          .constant<FilterNumbers>("weights",
                                   {.low = -double{kernels::kLargestWeight},
                                    .high = double{kernels::kLargestWeight},
                                    .help = "row by row; the first rows * columns are used"})
          .output<Image>("image")
          .checks(check_sides)
          .runs([](const Image& in, std::int32_t rows, std::int32_t columns,
                   const FilterNumbers& weights, Image& out) {
            kernels::filter_2d(in, {rows, columns, weights}, out);
          });
  return op;
}

Value<Image> filter_2d(Value<Image> image, const FilterRows& weights) {
  constexpr std::size_t kMost = kernels::kLargestFilter;
  const std::size_t rows = weights.size();
  const std::size_t columns = rows == 0 ? 0 : weights[0].size();
  FilterNumbers numbers{};
  auto* next = numbers.begin();
  for (const std::vector<float>& row : weights) {
    if (row.size() != columns || rows > kMost || columns > kMost) {
      throw BuildError("filter_2d: the weights must be at most " + std::to_string(kMost) +
                       " rows of one length, at most " + std::to_string(kMost));
    }
    next = std::copy(row.begin(), row.end(), next);
  }
  return apply_operator<Image>(detail::filter_2d_operator(), image, static_cast<std::int32_t>(rows),
                               static_cast<std::int32_t>(columns), numbers);
}

namespace {

// sigma, sigma_y and window_size come after the input.
void check_sigma_and_window(const detail::Arguments& arguments) {
  const auto* sigma = detail::constant_of<float>(arguments.at(1));
  const auto* window = detail::constant_of<std::int32_t>(arguments.at(3));
  if (window == nullptr) return;
  if (sigma != nullptr && *sigma == 0 && *window == 0)
    throw BuildError("gaussian_blur: give sigma, window_size or both");
  if (*window != 0) kernels::check_window("gaussian_blur", *window);
}

ParameterOptions<float> sigma_option(const char* help) {
  return {.value = 0.f,
          .optional = true,
          .low = 0,
          .high = kernels::kLargestSigma,
          .low_open = true,
          .help = help};
}

}  // namespace

const detail::OperatorPtr& detail::gaussian_blur_operator() {
  static const OperatorPtr op =
      declare_operator("gaussian_blur")
          .family("filter")
          .summary("Blurs the image with a Gaussian; reflects borders.")
          .in_cpp("gaussian_blur(image, {.sigma = g.uniform(0.1f, 2.f)})")
          .in_cpp("gaussian_blur(image, {.sigma = 2.f, .window_size = 9})")
          .input<Image>("image")
          .parameter("sigma", sigma_option("in pixels; default: 0.15 window_size + 0.35"))
          .parameter("sigma_y", sigma_option("along the columns, in pixels; default: sigma"))
          .parameter<std::int32_t>("window_size",
                                   {.value = 0,
                                    .optional = true,
                                    .low = 1,
                                    .high = kernels::kLargestWindow,
                                    .help = "in pixels, odd; default: 2 ceil(3 sigma) + 1"})
          .output<Image>("image")
          .checks(check_sigma_and_window)
          .runs([](const Image& in, float sigma, float sigma_y, std::int32_t window, Image& out) {
            kernels::gaussian_blur(in, {sigma, sigma_y, window}, out);
          });
  return op;
}

Value<Image> gaussian_blur(Value<Image> image, const GaussianBlurOptions& options) {
  return apply_operator<Image>(detail::gaussian_blur_operator(), image, options.sigma,
                               options.sigma_y, options.window_size);
}

namespace {

// window_size comes after the input.
void check_laplacian(const detail::Arguments& arguments) {
  if (const auto* window = detail::constant_of<std::int32_t>(arguments.at(1)))
    (void)kernels::laplacian_weights(*window, 1);
}

}  // namespace

const detail::OperatorPtr& detail::laplacian_operator() {
  static const OperatorPtr op =
      declare_operator("laplacian")
          .family("filter")
          .summary(
              "Finds edges by the sum of second derivatives, clipped to 0 .. 255; reflects "
              "borders.")
          .in_cpp("laplacian(image, {.window_size = 5, .scale = 0.1f})")
          .input<Image>("image")
          .parameter<std::int32_t>("window_size",
                                   {.value = 3, .low = 1, .high = 7, .help = "1, 3, 5 or 7"})
          .parameter<float>("scale", {.value = 1.f,
                                      .low = -double{kernels::kLargestLaplacianScale},
                                      .high = double{kernels::kLargestLaplacianScale},
                                      .help = "multiplies the sum"})
          .output<Image>("image")
          .checks(check_laplacian)
          .runs([](const Image& in, std::int32_t window, float scale, Image& out) {
            kernels::laplacian(in, window, scale, out);
          });
  return op;
}

Value<Image> laplacian(Value<Image> image, const LaplacianOptions& options) {
  return apply_operator<Image>(detail::laplacian_operator(), image, options.window_size,
                               options.scale);
}

namespace {

// window_size comes after the input.
void check_median(const detail::Arguments& arguments) {
  const auto* window = detail::constant_of<std::int32_t>(arguments.at(1));
  if (window != nullptr) kernels::check_median_window(*window);
}

}  // namespace

const detail::OperatorPtr& detail::median_blur_operator() {
  static const OperatorPtr op =
      declare_operator("median_blur")
          .family("filter")
          .summary("Replaces each pixel value with the median of a square window; repeats borders.")
          .in_cpp("median_blur(image, {.window_size = 5})")
          .input<Image>("image")
          .parameter<std::int32_t>(
              "window_size",
              {.value = 3, .low = 3, .high = 5, .help = "side of the window, in pixels: 3 or 5"})
          .output<Image>("image")
          .checks(check_median)
          .runs([](const Image& in, std::int32_t window, Image& out) {
            kernels::median_blur(in, window, out);
          });
  return op;
}

Value<Image> median_blur(Value<Image> image, const MedianBlurOptions& options) {
  return apply_operator<Image>(detail::median_blur_operator(), image, options.window_size);
}

namespace {

OperatorDeclaration with_window(OperatorDeclaration declaration) {
  const ParameterOptions<std::int32_t> side{.value = 3,
                                            .low = 1,
                                            .high = kernels::kLargestMorphologyWindow,
                                            .help = "side of the window, in pixels"};
  declaration.family("filter")
      .input<Image>("image")
      .parameter("window_height", side)
      .parameter("window_width", side)
      .output<Image>("image");
  return declaration;
}

}  // namespace

namespace detail {

const OperatorPtr& dilate_operator() {
  static const OperatorPtr op =
      with_window(
          declare_operator("dilate")
              .summary("Takes the largest pixel value in a window, so that bright areas grow.")
              .in_cpp("dilate(image, {.window_height = 5, .window_width = 5})"))
          .runs([](const Image& in, std::int32_t height, std::int32_t width, Image& out) {
            kernels::dilate(in, {height, width}, out);
          });
  return op;
}

const OperatorPtr& erode_operator() {
  static const OperatorPtr op =
      with_window(
          declare_operator("erode")
              .summary("Takes the smallest pixel value in a window, so that dark areas grow.")
              .in_cpp("erode(image)"))
          .runs([](const Image& in, std::int32_t height, std::int32_t width, Image& out) {
            kernels::erode(in, {height, width}, out);
          });
  return op;
}

}  // namespace detail

Value<Image> dilate(Value<Image> image, const MorphologyOptions& options) {
  return apply_operator<Image>(detail::dilate_operator(), image, options.window_height,
                               options.window_width);
}

Value<Image> erode(Value<Image> image, const MorphologyOptions& options) {
  return apply_operator<Image>(detail::erode_operator(), image, options.window_height,
                               options.window_width);
}

const detail::OperatorPtr& detail::motion_blur_operator() {
  static const OperatorPtr op =
      declare_operator("motion_blur")
          .family("filter")
          .summary("Blurs the image along a line; reflects borders.")
          .in_cpp("motion_blur(image, {.length = 15, .degrees = g.uniform(0.f, 180.f)})")
          .input<Image>("image")
          .parameter<std::int32_t>("length", {.value = 9,
                                              .low = 1,
                                              .high = kernels::kLongestMotion,
                                              .help = "length of the motion, in pixels"})
          .parameter<float>("degrees",
                            {.value = 0.f, .help = "counter-clockwise; 0 is along the rows"})
          .output<Image>("image")
          .runs([](const Image& in, std::int32_t length, float degrees, Image& out) {
            kernels::motion_blur(in, length, degrees, out);
          });
  return op;
}

Value<Image> motion_blur(Value<Image> image, const MotionBlurOptions& options) {
  return apply_operator<Image>(detail::motion_blur_operator(), image, options.length,
                               options.degrees);
}

const detail::OperatorPtr& detail::sharpness_operator() {
  static const OperatorPtr op =
      declare_operator("sharpness")
          .family("filter")
          .summary("Sharpens or smooths the image; border pixels stay unchanged.")
          .in_cpp("sharpness(image, g.uniform(0.1f, 1.9f))")
          .input<Image>("image")
          .parameter<float>("factor", {.low = 0,
                                       .high = kernels::kLargestSharpness,
                                       .help = "0 smooths, 1 changes nothing, 2 sharpens"})
          .output<Image>("image")
          .runs([](const Image& in, float factor, Image& out) {
            kernels::sharpness(in, factor, out);
          });
  return op;
}

Value<Image> sharpness(Value<Image> image, Param<float> factor) {
  return apply_operator<Image>(detail::sharpness_operator(), image, factor);
}

const detail::OperatorPtr& detail::zoom_blur_operator() {
  static const OperatorPtr op =
      declare_operator("zoom_blur")
          .family("filter")
          .summary("Takes the mean of the image and of copies that are enlarged about its center.")
          .in_cpp("zoom_blur(image, {.max_factor = g.uniform(1.f, 1.3f), .step_factor = 0.02f})")
          .input<Image>("image")
          .parameter<float>("max_factor", {.value = 1.11f,
                                           .low = 1,
                                           .high = double{kernels::kLargestZoom},
                                           .help = "no copy is enlarged by this factor or more"})
          .parameter<float>("step_factor", {.value = 0.01f,
                                            .low = 0,
                                            .high = double{kernels::kLargestZoom},
                                            .low_open = true,
                                            .help = "difference between the factors of two copies"})
          .output<Image>("image")
          .runs([](const Image& in, float max_factor, float step_factor, Image& out) {
            kernels::zoom_blur(in, max_factor, step_factor, out);
          });
  return op;
}

Value<Image> zoom_blur(Value<Image> image, const ZoomBlurOptions& options) {
  return apply_operator<Image>(detail::zoom_blur_operator(), image, options.max_factor,
                               options.step_factor);
}

}  // namespace sluice
