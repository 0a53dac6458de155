#include <sluice/ops/automatic.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/error.h>

#include <fmt/format.h>

namespace sluice {
namespace {

void check(const SegmentationOptions& o) {
  const char* const op = "segmentation_augment";
  if (o.width < 1 || o.height < 1) {
    throw BuildError(fmt::format("{}: width and height must be at least 1, but are {} and {}", op,
                                 o.width, o.height));
  }
  if (!(o.min_scale > 0 && o.min_scale <= o.max_scale)) {
    throw BuildError(fmt::format(
        "{}: min_scale is {} and max_scale {}; they must be above 0, and the first not above the "
        "second",
        op, o.min_scale, o.max_scale));
  }
  if (o.ignored < 0 || o.ignored > 255)
    throw BuildError(
        fmt::format("{}: ignored must lie between 0 and 255, but is {}", op, o.ignored));
}

}  // namespace

SegmentationSample segmentation_augment(Graph& g, Value<Bytes> jpeg, Value<Image> mask,
                                        const SegmentationOptions& options) {
  check(options);
  Value<Image> image = decode_jpeg(jpeg, options.jpeg);
  // One statement per step: compilers differ in the order in which they evaluate the arguments of a
  // call, and the graph must not depend on it.
  const ScaledRegionOptions scaling{.width = options.width,
                                    .height = options.height,
                                    .scale = g.uniform(options.min_scale, options.max_scale),
                                    .y = g.uniform(0.f, 1.f),
                                    .x = g.uniform(0.f, 1.f)};
  const ScaledRegion shown = scaled_region(canvas_size(image), scaling);
  const FlipOptions mirror{.horizontal = g.coin_flip(options.mirror_probability)};
  const auto moved = [&](Value<Image> picture, Interpolation interpolation) {
    return flip(resize(crop(picture, shown.region), {.width = shown.size.width,
                                                     .height = shown.size.height,
                                                     .interpolation = interpolation}),
                mirror);
  };
  const auto padded = [&](Value<Image> picture, const Fill& fill) {
    return pad_image(picture, {.width = options.width, .height = options.height, .fill = fill});
  };
  image = photometric_distort(g, moved(image, Interpolation::bilinear), options.colour_probability);
  return {padded(image, options.fill),
          padded(moved(mask, Interpolation::nearest), options.ignored)};
}

}  // namespace sluice
