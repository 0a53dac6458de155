#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/shear.h>
#include <sluice/ops/kernels/warp_affine.h>

#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {

AffineMap shear_map(int height, int width, const Shear& how) {
  if (how.x * how.y == 1.0) {
    throw std::invalid_argument(
        fmt::format("shear: x = {} and y = {} leave no more than a line of the picture; x * y must "
                    "not be 1",
                    how.x, how.y));
  }
  const double x = how.center_x * width, y = how.center_y * height;
  return inverse("shear", {1, how.x, -how.x * y, how.y, 1, -how.y * x});
}

void shear(const Image& in, const Shear& how, const WarpOptions& options, Image& out) {
  check_pixels("shear", in);
  warp_affine("shear", in, shear_map(in.height(), in.width(), how), in.height(), in.width(),
              options, out);
}

}  // namespace sluice::kernels
