#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/resizer.h>

namespace sluice::kernels {

void resize(const Image& in, int height, int width, const ResizeFilter& filter, Image& out) {
  resize(in, whole_box(in), height, width, filter, out);
}

void resize(const Image& in, const Box& box, int height, int width, const ResizeFilter& filter,
            Image& out) {
  check_pixels("resize", in);
  Resizer& resizer = Resizer::for_this_thread();
  resizer.start(in, {0, 0, in.height(), in.width()}, box, height, width, filter,
                {0, 0, height, width});
  out.create(height, width, in.channels());
  for (int y = 0; y < height; ++y) resizer.make_row(y, out.row(y));
}

}  // namespace sluice::kernels
