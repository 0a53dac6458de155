#include <sluice/ops/automatic.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/error.h>

#include <fmt/format.h>

namespace sluice {

DetectionSample detection_augment(Graph& g, Value<Bytes> jpeg, Value<Tensor> boxes,
                                  Value<Tensor> labels, const DetectionOptions& options) {
  if (options.width < 1 || options.height < 1) {
    throw BuildError(
        fmt::format("detection_augment: width and height must be at least 1, but are {} and {}",
                    options.width, options.height));
  }
  if (!(options.max_zoom >= 1)) {
    throw BuildError(
        fmt::format("detection_augment: max_zoom must be at least 1, but is {}", options.max_zoom));
  }
  const Value<bool> zoomed = g.coin_flip(options.zoom_probability);
  const Value<float> ratio = g.if_else(
      zoomed, [&] { return g.uniform(1.f, options.max_zoom); }, [&] { return g.constant(1.f); },
      {.name = "zoom"});
  const CanvasSize whole = canvas_size(decode_jpeg(jpeg, options.jpeg));
  const Value<Rectangle> canvas =
      expanded_region(whole, {.ratio = ratio, .y = g.uniform(0.f, 1.f), .x = g.uniform(0.f, 1.f)});

  // One statement per step: compilers differ in the order in which they evaluate the arguments of a
  // call, and the graph must not depend on it.
  const CanvasSize shown = canvas_size(canvas);
  const BboxCrop part = random_bbox_crop(crop_boxes(boxes, canvas), labels, shown);
  const Value<Rectangle> region = nested_region(canvas, part.region);
  const CropOptions beyond{.out_of_bounds = OutOfBounds::pad, .fill = options.fill};
  Value<Image> image = g.if_else(
      zoomed, [&] { return crop(decode_jpeg(jpeg, options.jpeg), region, beyond); },
      [&] { return decode_jpeg(jpeg, region, options.jpeg); }, {.name = "canvas"});

  const CanvasSize size{.width = options.width, .height = options.height};
  image = resize(image, {.width = options.width, .height = options.height});
  boxes = resize_boxes(part.boxes, canvas_size(part.region), size);

  const FlipOptions mirror{.horizontal = g.coin_flip(options.mirror_probability)};
  image = flip(image, mirror);
  boxes = flip_boxes(boxes, size, mirror);

  const LabelledBoxes left =
      filter_boxes(boxes, part.labels, size, {.min_width = 1.f, .min_height = 1.f});
  return {photometric_distort(g, image, options.colour_probability), left.boxes, left.labels};
}

}  // namespace sluice
