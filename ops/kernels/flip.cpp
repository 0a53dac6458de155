#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/flip.h>
#include <sluice/ops/kernels/flip_row.h>

#include <cstring>

namespace sluice::kernels {

void flip(const Image& in, bool horizontal, bool vertical, Image& out) {
  check_pixels("flip", in);
  out.create(in.height(), in.width(), in.channels());
  for (int y = 0; y < in.height(); ++y) {
    const std::uint8_t* from = in.row(vertical ? in.height() - 1 - y : y);
    if (horizontal) {
      flip_row(from, in.width(), in.channels(), out.row(y));
    } else {
      std::memcpy(out.row(y), from, in.row_bytes());
    }
  }
}

}  // namespace sluice::kernels
