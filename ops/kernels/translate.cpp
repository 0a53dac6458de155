#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/translate.h>
#include <sluice/ops/kernels/warp_affine.h>

namespace sluice::kernels {

AffineMap translate_map(int height, int width, double x, double y, bool relative) {
  const double right = relative ? x * width : x, down = relative ? y * height : y;
  return {1, 0, -right, 0, 1, -down};
}

void translate(const Image& in, double x, double y, bool relative, const WarpOptions& options,
               Image& out) {
  check_pixels("translate", in);
  warp_affine("translate", in, translate_map(in.height(), in.width(), x, y, relative), in.height(),
              in.width(), options, out);
}

}  // namespace sluice::kernels
