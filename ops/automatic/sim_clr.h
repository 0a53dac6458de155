// sim_clr: two views of a picture for contrastive learning, of one decode.
//
//   auto [first, second] = sim_clr(g, jpeg);
//
// Each view is a random region of the picture, resized; mirrored with probability 0.5; with 0.8 its
// brightness, contrast, saturation and hue are changed; with 0.2 it is gray; with 0.5 it is
// blurred. The rectangle around both regions is decoded once, and each view is cut out of that: the
// same pixels as by itself. What the two draw has nothing to do with each other.
//
// Colours change by color_twist, whose hue is turned in YIQ; torchvision's ColorJitter turns it in
// HSV, in an order of its own for each picture.
//
// Chen et al., "A simple framework for contrastive learning of visual representations", 2020.
// Called while a pipeline is described. Errors: BuildError for numbers out of range.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/ops/decode/decode.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/rectangle.h>

#include <utility>

namespace sluice {

struct SimClrOptions {
  int width = 224;
  int height = 224;
  float min_area = 0.08f;       // of the picture
  float colour_strength = 1.f;  // 0 to 1: colours change by up to 0.8 of it, hues by 72 degrees
  float colour_probability = 0.8f;
  float gray_probability = 0.2f;
  float blur_probability = 0.5f;
  JpegOptions jpeg = {};
};
std::pair<Value<Image>, Value<Image>> sim_clr(Graph& g, Value<Bytes> jpeg,
                                              const SimClrOptions& options = {});

// The smallest rectangle around two, and where each lies in it.
struct JoinedRegions {
  Value<Rectangle> around, first, second;
};
JoinedRegions join_regions(Value<Rectangle> first, Value<Rectangle> second);

namespace detail {
const OperatorPtr& join_regions_operator();
}  // namespace detail

}  // namespace sluice
