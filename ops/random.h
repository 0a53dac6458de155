// Operators that make random choices.
//
// Ownership: an operator is created once and lives until the program ends. Threads: several threads
// may call these functions at once, each on its own graph. Errors: BuildError for invalid
// arguments; a failure in one sample is the error of that sample.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/value.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/option_types.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <vector>

namespace sluice {

// choice, beta and randint: random numbers beyond those that a Graph provides.
//
// | takes               | returns                                        |
// |---------------------|------------------------------------------------|
// | low, high           | a whole number from low to high - 1            |
// | numbers, weights    | one of the numbers                             |
// | weights             | the place of one of them, counted from 0       |
// | alpha, other_alpha  | a number of the Beta distribution, in 0 to 1   |
//
// Random numbers come from the sample's key.

// Returns one of up to 64 numbers, with probabilities proportional to the weights, or uniformly
// without weights. Throws BuildError for other counts, weights below 0, and weights that are all 0.
Value<float> choice(Graph& g, const std::vector<float>& numbers,
                    const std::vector<float>& weights = {});
// Returns the index of the choice, as Graph::select() takes it.
Value<int> choice_index(Graph& g, const std::vector<float>& weights);

// Draws uniformly from low to high - 1. A high that is not above low fails the sample, or throws
// BuildError if both are constants.
Value<std::int32_t> randint(Graph& g, Param<int> low, Param<int> high);

// alpha and other_alpha: 1e-6 to 1000. Beta(alpha, alpha) is symmetric; 1 is uniform.
Value<float> beta(Graph& g, Param<float> alpha, Param<float> other_alpha);

// random_crop: cuts out a window of a fixed size at a random position.
//
//   image = random_crop(image, {.height = 32, .width = 32, .top = 4, .left = 4, .bottom = 4,
//                               .right = 4});
//
// | takes              | layout, type | channels | returns                                 |
// |--------------------|--------------|----------|-----------------------------------------|
// | Image, the options | HWC, 8 bit   | 1 to 4   | Image of height x width                 |
//
// As in torchvision's RandomCrop: the image is padded first, and all positions of the window are
// equally likely. Without padding, the decoder before it decodes only the window. Errors of a
// sample: a window that does not fit into the padded image.
struct RandomCropOptions {
  Param<int> height = 224, width = 224;  // 1 to 65535
  int padding = 0;                       // pixels added on all sides, 0 to 65535
  // Pixels added on one side, besides `padding`.
  Param<int> top = 0, left = 0, bottom = 0, right = 0;  // added pixels, 0 to 65535
  // If a side is shorter than the window by n pixels, adds n pixels at both ends.
  bool pad_if_needed = false;
  Border border = Border::constant;
  Param<Fill> fill = 0;
};

// Throws BuildError for pad_if_needed with another border than `constant`.
Value<Image> random_crop(Value<Image> image, const RandomCropOptions& options = {});

namespace detail {
const OperatorPtr& randint_operator();
const OperatorPtr& random_crop_region_operator();
OperatorSchema random_crop_schema();
const OperatorPtr& choice_operator();
const OperatorPtr& choice_index_operator();
const OperatorPtr& beta_operator();
}  // namespace detail

}  // namespace sluice
