#include <sluice/ops/geometry/rotate.h>
#include <sluice/ops/operator.h>

namespace sluice {

Value<Image> rotate(Value<Image> image, Param<float> degrees, const RotateOptions& options) {
  return detail::graph_of(image, "rotate")
      .map_into<Image>(
          "rotate",
          [options](const Image& in, float angle, Image& out) {
            kernels::rotate(in, angle, options, out);
          },
          image, degrees);
}

}  // namespace sluice
