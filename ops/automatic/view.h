// One view of an image, as used for contrastive learning and self-distillation: a region of it,
// resized and, by chance, flipped, recolored, grayed, blurred or solarized. Internal to sim_clr and
// dino.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/ops/automatic.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/kernels/interpolation.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

#include <vector>

namespace sluice::detail {

struct ViewOptions {
  int width = 224, height = 224;
  Interpolation interpolation = Interpolation::bilinear;
  // The maximum deviation of the factors from 1, and the maximum hue rotation in degrees.
  float brightness = 0, contrast = 0, saturation = 0, hue = 0;
  float colour_probability = 0.8f;
  float gray_probability = 0.2f;
  float blur_probability = 0.5f;
  float solarize_probability = 0;  // 0 makes no random draw
};
Value<Image> view_of(Graph& g, Value<Image> image, Value<Rectangle> region,
                     const ViewOptions& options);

// The decoded bounding rectangle of several regions of a file, and the position of each in it.
struct OneDecode {
  Value<Image> image;
  std::vector<Value<Rectangle>> inside;
};
OneDecode decode_around(Value<Bytes> jpeg, const std::vector<Value<Rectangle>>& regions,
                        const JpegOptions& options);

}  // namespace sluice::detail
