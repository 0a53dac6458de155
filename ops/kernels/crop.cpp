#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/crop.h>

#include <cstring>

namespace sluice::kernels {

void crop(const Image& in, const Rectangle& region, Image& out) {
  check_pixels("crop", in);
  check_region("crop", region, in);
  out.create(region.height, region.width, in.channels());
  const std::ptrdiff_t left = static_cast<std::ptrdiff_t>(region.x) * in.channels();
  for (int y = 0; y < region.height; ++y) {
    std::memcpy(out.row(y), in.row(region.y + y) + left, out.row_bytes());
  }
}

}  // namespace sluice::kernels
