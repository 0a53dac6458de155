#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/translate.h>
#include <sluice/ops/kernels/warp_affine.h>

namespace sluice::kernels {

void translate(const Image& in, double x, double y, bool relative, const WarpOptions& options,
               Image& out) {
  check_pixels("translate", in);
  const double right = relative ? x * in.width() : x, down = relative ? y * in.height() : y;
  warp_affine("translate", in, {1, 0, -right, 0, 1, -down}, in.height(), in.width(), options, out);
}

}  // namespace sluice::kernels
