#include <sluice/ops/geometry/crop.h>
#include <sluice/ops/kernels/crop.h>
#include <sluice/ops/kernels/crop_windows.h>
#include <sluice/ops/picture_steps.h>
#include <sluice/runtime/error.h>

#include <string>

namespace sluice {

Value<Image> crop(Value<Image> image, Param<Rectangle> window) {
  return detail::window_step<Image>(
      {.name = "crop", .is_part = true}, image,
      [](const Image&, const Rectangle& part) { return part; },
      [](const Image& in, const Rectangle& part, const Rectangle&, Image& out) {
        kernels::crop(in, part, out);
      },
      window);
}

Value<Image> center_crop(Value<Image> image, const CenterCropOptions& options) {
  for (const Param<int>* size : {&options.width, &options.height}) {
    if (size->is_constant() && size->constant() < 1) {
      throw BuildError(
          "center_crop: give a width and a height of at least 1 pixel; one of them is " +
          std::to_string(size->constant()));
    }
  }
  return detail::window_step<Image>(
      {.name = "center_crop", .is_part = true}, image,
      [](const Image& in, int height, int width) {
        return kernels::center_crop_window(in.height(), in.width(), height, width);
      },
      [](const Image& in, const Rectangle& part, int, int, Image& out) {
        kernels::crop(in, part, out);
      },
      options.height, options.width);
}

}  // namespace sluice
