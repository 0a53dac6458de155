// Boxes and points that move as their picture moves: for flip, crop, resize, pad_image, transpose,
// rotate, shear, translate and warp_affine, one operator on boxes and one on points, which takes
// the same options.
//
//   const CanvasSize size = canvas_size(image);
//   auto moved = rotate(image, angle, {.keep_size = true});
//   auto moved_boxes = rotate_boxes(boxes, size, angle, {.keep_size = true});
//
// | takes  | type, shape             | gives                   |
// |--------|-------------------------|-------------------------|
// | boxes  | f32, n x 4: x0 y0 x1 y1 | boxes, n x 4            |
// | points | f32, n x 2: x y         | points, n x 2           |
//
// Boxes are edges in pixels of the picture, as torchvision's XYXY: see ops/kernels/boxes.h, and
// box_formats.h for others. Of a box that is turned the result is the box around its corners. None
// is cut at the border of the picture or left out, so that it can still be told how much of a box
// is left: filter_boxes() and clip_boxes() do that, at the end.
//
// `size` is that of the picture before it moves: see canvas_size.h. Options that concern pixels
// say nothing here. Errors of a sample: tensors that are no boxes or points, and those of the
// operator on pictures.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/boxes/canvas_size.h>
#include <sluice/ops/geometry/flip.h>
#include <sluice/ops/geometry/pad_image.h>
#include <sluice/ops/geometry/rotate.h>
#include <sluice/ops/geometry/shear.h>
#include <sluice/ops/geometry/translate.h>
#include <sluice/ops/geometry/warp_affine.h>
#include <sluice/runtime/tensor.h>

#include <vector>

namespace sluice {

Value<Tensor> flip_boxes(Value<Tensor> boxes, const CanvasSize& size,
                         const FlipOptions& options = {});
Value<Tensor> flip_points(Value<Tensor> points, const CanvasSize& size,
                          const FlipOptions& options = {});

// Counted from the corner of the region, as crop()'s picture is, but with OutOfBounds::trim, where
// the region reaches beyond the picture.
Value<Tensor> crop_boxes(Value<Tensor> boxes, Param<Rectangle> region);
Value<Tensor> crop_points(Value<Tensor> points, Param<Rectangle> region);

// `to` is the size of the resized picture.
Value<Tensor> resize_boxes(Value<Tensor> boxes, const CanvasSize& size, const CanvasSize& to);
Value<Tensor> resize_points(Value<Tensor> points, const CanvasSize& size, const CanvasSize& to);

Value<Tensor> pad_boxes(Value<Tensor> boxes, const PadImageOptions& options);
Value<Tensor> pad_points(Value<Tensor> points, const PadImageOptions& options);

Value<Tensor> transpose_boxes(Value<Tensor> boxes);
Value<Tensor> transpose_points(Value<Tensor> points);

Value<Tensor> rotate_boxes(Value<Tensor> boxes, const CanvasSize& size, Param<float> degrees,
                           const RotateOptions& options = {});
Value<Tensor> rotate_points(Value<Tensor> points, const CanvasSize& size, Param<float> degrees,
                            const RotateOptions& options = {});

Value<Tensor> shear_boxes(Value<Tensor> boxes, const CanvasSize& size, const ShearOptions& options);
Value<Tensor> shear_points(Value<Tensor> points, const CanvasSize& size,
                           const ShearOptions& options);

Value<Tensor> translate_boxes(Value<Tensor> boxes, const CanvasSize& size,
                              const TranslateOptions& options);
Value<Tensor> translate_points(Value<Tensor> points, const CanvasSize& size,
                               const TranslateOptions& options);

Value<Tensor> warp_affine_boxes(Value<Tensor> boxes, const AffineMatrix& matrix,
                                const WarpAffineOptions& options = {});
Value<Tensor> warp_affine_points(Value<Tensor> points, const AffineMatrix& matrix,
                                 const WarpAffineOptions& options = {});

namespace detail {
// All of the above.
const std::vector<OperatorPtr>& move_operators();
}  // namespace detail

}  // namespace sluice
