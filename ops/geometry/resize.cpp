#include <sluice/graph/builder/apply_operator.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/deferral.h>
#include <sluice/ops/geometry/resize.h>
#include <sluice/ops/kernels/crop_regions.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sluice {
namespace {

int follow(int length, int from, int to) {
  const double exact = static_cast<double>(length) * to / from;
  return static_cast<int>(std::round(std::clamp(exact, 1.0, double{INT32_MAX})));
}

// height, width and shorter, after the input.
void check_sizes(const detail::Arguments& arguments) {
  const auto given = [&](std::size_t i) {
    const auto* constant = detail::constant_of<std::int32_t>(arguments.at(i));
    return constant == nullptr || *constant != 0;
  };
  const bool side = given(1) || given(2), shorter = given(3);
  if (!side && !shorter) throw BuildError("resize: give height and width, one of them, or shorter");
  if (side && shorter)
    throw BuildError("resize: give either shorter, or height and width, not both");
}

ParameterOptions<std::int32_t> size_option(const char* help) {
  return {.value = 0, .optional = true, .low = 1, .high = 65535, .help = help};
}

}  // namespace

kernels::ImageSize detail::resized_size(int height, int width, int to_height, int to_width,
                                        int shorter) {
  if (shorter > 0) return kernels::resize_shorter_size(height, width, shorter);
  return {to_height > 0 ? to_height : follow(height, width, to_width),
          to_width > 0 ? to_width : follow(width, height, to_height)};
}

const detail::OperatorPtr& detail::resize_operator() {
  static const OperatorPtr op =
      declare_operator("resize")
          .family("geometry")
          .summary("In another size, antialiased.")
          .in_cpp("resize(image, {.width = 224, .height = 224})")
          .in_cpp("resize(image, {.width = 224})")
          .in_cpp("resize(image, {.shorter = 256})")
          .input<Image>("image")
          .parameter("height", size_option("in pixels; without it, it follows the width, rounded"))
          .parameter("width", size_option("in pixels; without it, it follows the height, rounded"))
          .parameter("shorter", size_option("the shorter side, in place of height and width; the "
                                            "longer one follows, cut off"))
          .choice("interpolation", Interpolation::bilinear,
                  {Interpolation::nearest, Interpolation::box, Interpolation::bilinear,
                   Interpolation::hamming, Interpolation::bicubic, Interpolation::lanczos},
                  "of pixels")
          .output<Image>("image")
          .checks(check_sizes)
          .defers(defers_by(
              [](kernels::DeferredImage& picture, std::int32_t height, std::int32_t width,
                 std::int32_t shorter, Interpolation interpolation) {
                const kernels::ImageSize size =
                    resized_size(picture.height(), picture.width(), height, width, shorter);
                picture.resize("resize", size.height, size.width, interpolation);
              },
              false, true))
          .runs([](const Image& in, std::int32_t height, std::int32_t width, std::int32_t shorter,
                   Interpolation interpolation, Image& out) {
            const kernels::ImageSize size =
                resized_size(in.height(), in.width(), height, width, shorter);
            kernels::resize(in, size.height, size.width, interpolation, out);
          });
  return op;
}

Value<Image> resize(Value<Image> image, const ResizeOptions& options) {
  return apply_operator<Image>(detail::resize_operator(), image, options.height, options.width,
                               options.shorter, options.interpolation);
}

}  // namespace sluice
