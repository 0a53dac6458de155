// Operators on displacement fields, by which an image, its mask, boxes and points move together.
//
//   auto field = elastic_field(g, canvas_size(image), {.alpha = 100.f, .sigma = 6.f});
//   image = remap(image, field);
//   mask = remap(mask, field, {.interpolation = Interpolation::nearest, .fill = 255});
//   boxes = remap_boxes(boxes, field);
//
// Ownership: an operator is created once and lives until the program ends. Threads: several threads
// may call these functions at once, each on its own graph. Errors: BuildError for invalid
// arguments; a failure in one sample is the error of that sample.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/boxes.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <vector>

namespace sluice {

// elastic_field and grid_field: draw a displacement field for images of one size.
//
// | operator      | takes      | returns                                          |
// |---------------|------------|--------------------------------------------------|
// | elastic_field | CanvasSize | Tensor, f32, height x width x 2, as of elastic   |
// | grid_field    | CanvasSize | the same, as of grid_distortion                  |
//
// Pixel (x, y) of the result shows the input at (x + 0.5 + field[y][x][0],
// y + 0.5 + field[y][x][1]), in pixels. You can make such a tensor yourself, too. For how fields
// are drawn see ops/kernels/warp_fields.h. Fields are drawn on the CPU.
struct ElasticFieldOptions {
  Param<float> alpha = 50.f;  // 0 to 1e5: twice the largest shift before smoothing, in pixels
  Param<float> sigma = 5.f;   // 0 to 64: of the Gaussian that smooths the shifts, in pixels
};
Value<Tensor> elastic_field(Graph& g, const CanvasSize& size,
                            const ElasticFieldOptions& options = {});

struct GridFieldOptions {
  Param<int> steps = 5;       // 1 to 1000: cells along each side
  Param<float> limit = 0.3f;  // 0 to 0.9: largest change of a cell's width and height, as a share
};
Value<Tensor> grid_field(Graph& g, const CanvasSize& size, const GridFieldOptions& options = {});

// remap: deforms an image or a mask by a displacement field.
//
// | takes        | layout, type | channels | returns           |
// |--------------|--------------|----------|-------------------|
// | Image, field | HWC, 8 bit   | 1 to 4   | Image, same size  |
//
// On a GPU, image and field both lie there: call field.gpu(). Errors of a sample: a tensor that is
// no field, and a field of another size than the image.
struct RemapOptions {
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
  Border border = Border::constant;                       // or edge
  Param<Fill> fill = 0;
};
Value<Image> remap(Value<Image> image, Value<Tensor> field, const RemapOptions& options = {});

// grid_distortion: deforms an image by cells of random widths and heights, like remap() with a
// grid_field().
//
// | takes | layout, type | channels | returns           |
// |-------|--------------|----------|-------------------|
// | Image | HWC, 8 bit   | 1 to 4   | Image, same size  |
//
// The cells are those of albumentations' GridDistortion, which keep within the image.
struct GridDistortionOptions {
  Param<int> steps = 5;
  Param<float> limit = 0.3f;
  Interpolation interpolation = Interpolation::bilinear;  // or nearest, or bicubic
};
Value<Image> grid_distortion(Value<Image> image, const GridDistortionOptions& options = {});

// remap_boxes and remap_points: move boxes and points as remap moves their image.
//
// | takes         | type, shape | returns        |
// |---------------|-------------|----------------|
// | boxes, field  | f32, n x 4  | boxes, n x 4   |
// | points, field | f32, n x 2  | points, n x 2  |
//
// The field leads from the result to the input, so these solve for its inverse: the input position
// of each result is within 0.001 pixels of the one asked for. A box becomes the bounding box of
// positions along its edges, a pixel apart. Where the field folds the image, which then shows some
// positions several times, points and edges follow one of them. Errors of a sample: tensors that
// are not boxes, points or a field, and a field that is not finite.
Value<Tensor> remap_boxes(Value<Tensor> boxes, Value<Tensor> field);
Value<Tensor> remap_points(Value<Tensor> points, Value<Tensor> field);

namespace detail {
const OperatorPtr& elastic_field_operator();
const OperatorPtr& grid_field_operator();
const OperatorPtr& remap_operator();
const OperatorPtr& grid_distortion_operator();
const OperatorPtr& remap_boxes_operator();
const OperatorPtr& remap_points_operator();
}  // namespace detail

}  // namespace sluice
