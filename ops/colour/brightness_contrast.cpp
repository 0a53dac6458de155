#include <sluice/ops/colour/brightness_contrast.h>
#include <sluice/ops/kernels/brightness_contrast.h>
#include <sluice/ops/operator.h>

namespace sluice {

Value<Image> brightness_contrast(Value<Image> image, const BrightnessContrastOptions& options) {
  return detail::graph_of(image, "brightness_contrast")
      .map_into<Image>(
          "brightness_contrast",
          [](const Image& in, float brightness, float contrast, float center, Image& out) {
            kernels::brightness_contrast(in, brightness, contrast, center, out);
          },
          image, options.brightness, options.contrast, options.contrast_center);
}

}  // namespace sluice
