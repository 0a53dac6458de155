// photometric_distort: brightness, contrast, saturation and hue changed by chance, each on its own,
// as the detector SSD is trained with.
//
// Each changes with this probability: brightness by a factor of 0.875 to 1.125, contrast and
// saturation of 0.5 to 1.5, hue by up to 18 degrees. The numbers are those of torchvision's
// RandomPhotometricDistort; all four are one color_twist, in its order, and channels stay where
// they are.
//
// Called while a pipeline is described. Errors: BuildError for a probability out of range.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/runtime/image.h>

namespace sluice {

Value<Image> photometric_distort(Graph& g, Value<Image> image, float probability = 0.5f);

}  // namespace sluice
