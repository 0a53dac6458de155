#include <sluice/ops/geometry/flip.h>
#include <sluice/ops/kernels/flip.h>
#include <sluice/ops/operator.h>

namespace sluice {

Value<Image> flip(Value<Image> image, const FlipOptions& options) {
  return detail::graph_of(image, "flip")
      .map_into<Image>(
          "flip",
          [](const Image& in, bool horizontal, bool vertical, Image& out) {
            kernels::flip(in, horizontal, vertical, out);
          },
          image, options.horizontal, options.vertical);
}

}  // namespace sluice
