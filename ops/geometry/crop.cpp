#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/deferral.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/geometry/fill_numbers.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/crop.h>

namespace sluice {

namespace {

// Throws the sample's error for a region that must lie inside but does not.
Rectangle region_of(const Rectangle& region, OutOfBounds what, int height, int width) {
  if (what == OutOfBounds::trim) return kernels::trimmed(region, height, width);
  kernels::check_region("crop", region, height, width);
  return region;
}

}  // namespace

const detail::OperatorPtr& detail::crop_operator() {
  static const OperatorPtr op =
      declare_operator("crop")
          .family("geometry")
          .summary("A rectangle of the picture.")
          .in_cpp("crop(image, region)")
          .input<Image>("image")
          .parameter<Rectangle>("region", {.help = "inside the picture"})
          .choice("out_of_bounds", OutOfBounds::error, {OutOfBounds::error, OutOfBounds::trim},
                  "of a region that is not inside: the sample fails, or it is cut to the picture")
          .output<Image>("image")
          .sees_rectangle(
              [](const Image& in, const Rectangle& region, OutOfBounds what) {
                return region_of(region, what, in.height(), in.width());
              },
              true)
          .defers(defers_by(
              [](kernels::DeferredImage& picture, const Rectangle& region, OutOfBounds what) {
                picture.check("crop");
                picture.crop("crop", region_of(region, what, picture.height(), picture.width()));
              },
              true))
          .runs([](const Image& in, const Rectangle& region, OutOfBounds what, Image& out) {
            kernels::check_pixels("crop", in);
            kernels::crop(in, region_of(region, what, in.height(), in.width()), out);
          });
  return op;
}

const detail::OperatorPtr& detail::crop_padded_operator() {
  static const OperatorPtr op =
      declare_operator("crop_padded")
          .family("geometry")
          .summary("A rectangle of the picture; what lies outside of the picture is filled.")
          .in_cpp("crop(image, region, {.out_of_bounds = OutOfBounds::pad, .fill = 128})")
          .input<Image>("image")
          .parameter<Rectangle>("region", {.help = "anywhere"})
          .parameter("fill", fill_option("the colour of what lies outside, for each channel"))
          .output<Image>("image")
          .runs([](const Image& in, const Rectangle& region, const FillNumbers& fill, Image& out) {
            kernels::crop_padded(in, region, fill_of(fill), out);
          });
  return op;
}

const detail::OperatorPtr& detail::center_crop_operator() {
  static const OperatorPtr op =
      declare_operator("center_crop")
          .family("geometry")
          .summary("The middle of the picture.")
          .in_cpp("center_crop(image, {.width = 224, .height = 224})")
          .input<Image>("image")
          .parameter<std::int32_t>(
              "height", {.low = 1, .help = "of the middle", .hint = "give height and width"})
          .parameter<std::int32_t>(
              "width", {.low = 1, .help = "of the middle", .hint = "give height and width"})
          .output<Image>("image")
          .sees_rectangle(
              [](const Image& in, std::int32_t height, std::int32_t width) {
                return kernels::center_crop_region(in.height(), in.width(), height, width);
              },
              true)
          .defers(defers_by(
              [](kernels::DeferredImage& picture, std::int32_t height, std::int32_t width) {
                picture.crop("crop", kernels::center_crop_region(picture.height(), picture.width(),
                                                                 height, width));
              },
              true))
          .runs([](const Image& in, std::int32_t height, std::int32_t width, Image& out) {
            kernels::crop(in, kernels::center_crop_region(in.height(), in.width(), height, width),
                          out);
          });
  return op;
}

Value<Image> crop(Value<Image> image, Param<Rectangle> region, const CropOptions& options) {
  if (options.out_of_bounds == OutOfBounds::pad) {
    return apply_operator<Image>(detail::crop_padded_operator(), image, region,
                                 detail::numbers_of_fill(options.fill));
  }
  return apply_operator<Image>(detail::crop_operator(), image, region, options.out_of_bounds);
}

Value<Image> center_crop(Value<Image> image, const CenterCropOptions& options) {
  return apply_operator<Image>(detail::center_crop_operator(), image, options.height,
                               options.width);
}

}  // namespace sluice
