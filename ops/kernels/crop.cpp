#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/crop.h>

#include <cstring>

namespace sluice::kernels {

void crop(const Image& in, const Rectangle& window, Image& out) {
  check_pixels("crop", in);
  check_window("crop", window, in);
  out.create(window.height, window.width, in.channels());
  const std::ptrdiff_t left = static_cast<std::ptrdiff_t>(window.x) * in.channels();
  for (int y = 0; y < window.height; ++y) {
    std::memcpy(out.row(y), in.row(window.y + y) + left, out.row_bytes());
  }
}

}  // namespace sluice::kernels
