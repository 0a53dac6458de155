#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/box_blur.h>
#include <sluice/ops/kernels/separable_blur.h>

namespace sluice::kernels {

void box_blur(const Image& in, int window_size, Image& out) {
  check_pixels("box_blur", in);
  check_window("box_blur", window_size);
  const auto same = [](int) { return 1.0; };
  separable_blur(in, window_size, same, window_size, same, out);
}

}  // namespace sluice::kernels
