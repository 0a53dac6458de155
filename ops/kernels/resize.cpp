#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/resizer.h>

namespace sluice::kernels {

void resize(const Image& in, int height, int width, Interpolation interpolation, Image& out) {
  Resizer& resizer = Resizer::for_this_thread();
  resizer.start(in, height, width, interpolation, false);
  out.create(height, width, in.channels());
  for (int y = 0; y < height; ++y) resizer.make_row(y, out.row(y));
}

}  // namespace sluice::kernels
