#include <sluice/graph/builder/apply_operator.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/deferral.h>
#include <sluice/ops/geometry/crop.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/crop.h>
#include <sluice/ops/kernels/crop_regions.h>

namespace sluice {

const detail::OperatorPtr& detail::crop_operator() {
  static const OperatorPtr op =
      declare_operator("crop")
          .family("geometry")
          .summary("A rectangle of the picture.")
          .in_cpp("crop(image, region)")
          .input<Image>("image")
          .parameter<Rectangle>("region", {.help = "inside the picture"})
          .output<Image>("image")
          .sees_rectangle(
              [](const Image& in, const Rectangle& region) {
                kernels::check_region("crop", region, in);
                return region;
              },
              true)
          .defers(defers_by([](kernels::DeferredImage& picture,
                               const Rectangle& region) { picture.crop("crop", region); },
                            true))
          .runs([](const Image& in, const Rectangle& region, Image& out) {
            kernels::crop(in, region, out);
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

Value<Image> crop(Value<Image> image, Param<Rectangle> region) {
  return apply_operator<Image>(detail::crop_operator(), image, region);
}

Value<Image> center_crop(Value<Image> image, const CenterCropOptions& options) {
  return apply_operator<Image>(detail::center_crop_operator(), image, options.height,
                               options.width);
}

}  // namespace sluice
