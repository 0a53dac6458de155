// segmentation_augment: a picture and its mask as networks for semantic segmentation are trained
// with.
//
//   auto [image, mask] = segmentation_augment(g, jpeg, decode_image(mask_file, {.ids = true}));
//
// Both are scaled by 0.5 to 2, padded where they are too small, cut to a random window, and
// mirrored with probability 0.5; the picture's colours change (photometric_distort). Levels of
// masks are ids: pixels are taken as they are, never mixed, and what lies outside gets the id that
// losses ignore.
//
// Only what the window shows is decoded and resized. The mask is a picture of one channel and as
// large as the picture: one that is smaller may be the error of its sample, one that is larger is
// not noticed.
//
// Called while a pipeline is described. Errors: BuildError for numbers out of range.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/ops/decode/decode.h>
#include <sluice/ops/kernels/fill.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

namespace sluice {

struct SegmentationOptions {
  int width = 512, height = 512;            // of the result, at least 1
  float min_scale = 0.5f, max_scale = 2.f;  // above 0
  Fill fill = {124, 116, 104};              // beyond the picture: ImageNet's mean
  int ignored = 255;                        // beyond the mask: 0 to 255
  float mirror_probability = 0.5f;
  float colour_probability = 0.5f;  // of each of the four
  JpegOptions jpeg = {};
};
struct SegmentationSample {
  Value<Image> image, mask;
};
SegmentationSample segmentation_augment(Graph& g, Value<Bytes> jpeg, Value<Image> mask,
                                        const SegmentationOptions& options = {});

}  // namespace sluice
