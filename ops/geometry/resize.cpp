#include <sluice/ops/geometry/resize.h>
#include <sluice/ops/kernels/crop_windows.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/operator.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sluice {
namespace {

bool given(const Param<int>& size) { return !size.is_constant() || size.constant() != 0; }

int follow(int length, int from, int to) {
  const double exact = static_cast<double>(length) * to / from;
  return static_cast<int>(std::round(std::clamp(exact, 1.0, double{INT32_MAX})));
}

}  // namespace

Value<Image> resize(Value<Image> image, const ResizeOptions& options) {
  const bool height = given(options.height), width = given(options.width),
             shorter = given(options.shorter);
  if (!height && !width && !shorter)
    throw BuildError("resize: give height and width, one of them, or shorter");
  if (shorter && (height || width))
    throw BuildError("resize: give either shorter, or height and width, not both");
  for (const Param<int>* size : {&options.height, &options.width, &options.shorter}) {
    if (size->is_constant() && size->constant() < 0) {
      throw BuildError("resize: a size of " + std::to_string(size->constant()) +
                       " pixels is not possible");
    }
  }
  Graph g = detail::graph_of(image, "resize");
  const Interpolation interpolation = options.interpolation;
  if (shorter) {
    return g.map_into<Image>(
        "resize",
        [interpolation](const Image& in, int side, Image& out) {
          const kernels::ImageSize size =
              kernels::resize_shorter_size(in.height(), in.width(), side);
          kernels::resize(in, size.height, size.width, interpolation, out);
        },
        image, options.shorter);
  }
  return g.map_into<Image>(
      "resize",
      [interpolation, height, width](const Image& in, int h, int w, Image& out) {
        if (!height) h = follow(in.height(), in.width(), w);
        if (!width) w = follow(in.width(), in.height(), h);
        kernels::resize(in, h, w, interpolation, out);
      },
      image, options.height, options.width);
}

}  // namespace sluice
