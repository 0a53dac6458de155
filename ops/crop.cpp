#include <sluice/ops/crop.h>
#include <sluice/ops/kernels/crop.h>
#include <sluice/ops/kernels/crop_windows.h>
#include <sluice/ops/operator.h>

namespace sluice {

Value<Image> crop(Value<Image> image, Param<Window> window) {
  return detail::graph_of(image, "crop")
      .map_into<Image>(
          "crop",
          [](const Image& in, const Window& part, Image& out) { kernels::crop(in, part, out); },
          image, window);
}

Value<Image> center_crop(Value<Image> image, const CenterCropOptions& options) {
  return detail::graph_of(image, "center_crop")
      .map_into<Image>(
          "center_crop",
          [](const Image& in, int height, int width, Image& out) {
            kernels::crop(in, kernels::center_crop_window(in.height(), in.width(), height, width),
                          out);
          },
          image, options.height, options.width);
}

}  // namespace sluice
