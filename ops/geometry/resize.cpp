#include <sluice/graph/builder/apply_operator.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/geometry/resize.h>
#include <sluice/ops/kernels/crop_regions.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sluice {
namespace {

bool given(const Param<int>& size) { return !size.is_constant() || size.constant() != 0; }

int follow(int length, int from, int to) {
  const double exact = static_cast<double>(length) * to / from;
  return static_cast<int>(std::round(std::clamp(exact, 1.0, double{INT32_MAX})));
}

const ParameterOptions<std::int32_t> kSide{.low = 1, .high = 65535, .help = "in pixels"};

OperatorDeclaration declare_resize(const char* name, const char* summary) {
  OperatorDeclaration declaration(name);
  declaration.family("geometry").summary(summary).input<Image>("image");
  return declaration;
}

OperatorDeclaration& add_interpolation(OperatorDeclaration& declaration) {
  return declaration
      .choice("interpolation", Interpolation::bilinear,
              {Interpolation::nearest, Interpolation::box, Interpolation::bilinear,
               Interpolation::hamming, Interpolation::bicubic, Interpolation::lanczos},
              "of pixels")
      .output<Image>("image");
}

}  // namespace

const detail::OperatorPtr& detail::resize_operator() {
  static const OperatorPtr op =
      add_interpolation(declare_resize("resize", "In another size, antialiased.")
                            .parameter("height", kSide)
                            .parameter("width", kSide))
          .runs([](const Image& in, std::int32_t height, std::int32_t width,
                   Interpolation interpolation,
                   Image& out) { kernels::resize(in, height, width, interpolation, out); });
  return op;
}

const detail::OperatorPtr& detail::resize_to_height_operator() {
  static const OperatorPtr op =
      add_interpolation(
          declare_resize("resize_to_height", "To this height; the width follows, rounded.")
              .parameter("height", kSide))
          .runs([](const Image& in, std::int32_t height, Interpolation interpolation, Image& out) {
            kernels::resize(in, height, follow(in.width(), in.height(), height), interpolation,
                            out);
          });
  return op;
}

const detail::OperatorPtr& detail::resize_to_width_operator() {
  static const OperatorPtr op =
      add_interpolation(
          declare_resize("resize_to_width", "To this width; the height follows, rounded.")
              .parameter("width", kSide))
          .runs([](const Image& in, std::int32_t width, Interpolation interpolation, Image& out) {
            kernels::resize(in, follow(in.height(), in.width(), width), width, interpolation, out);
          });
  return op;
}

const detail::OperatorPtr& detail::resize_shorter_operator() {
  static const OperatorPtr op =
      add_interpolation(
          declare_resize("resize_shorter",
                         "To this length of the shorter side; the longer one follows, cut off.")
              .parameter("shorter", kSide))
          .runs([](const Image& in, std::int32_t side, Interpolation interpolation, Image& out) {
            const kernels::ImageSize size =
                kernels::resize_shorter_size(in.height(), in.width(), side);
            kernels::resize(in, size.height, size.width, interpolation, out);
          });
  return op;
}

Value<Image> resize(Value<Image> image, const ResizeOptions& options) {
  const bool height = given(options.height), width = given(options.width),
             shorter = given(options.shorter);
  if (!height && !width && !shorter)
    throw BuildError("resize: give height and width, one of them, or shorter");
  if (shorter && (height || width))
    throw BuildError("resize: give either shorter, or height and width, not both");
  const auto step = [&](const detail::OperatorPtr& op, const auto&... sizes) {
    return detail::apply_as<Image>(detail::require_recorder("resize", image), "resize", op, image,
                                   sizes..., options.interpolation);
  };
  if (shorter) return step(detail::resize_shorter_operator(), options.shorter);
  if (!width) return step(detail::resize_to_height_operator(), options.height);
  if (!height) return step(detail::resize_to_width_operator(), options.width);
  return step(detail::resize_operator(), options.height, options.width);
}

}  // namespace sluice
