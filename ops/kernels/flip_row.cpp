#include <sluice/ops/kernels/flip_row.h>

#include <cstddef>

namespace sluice::kernels {
namespace {

template <int channels>
void flip(const std::uint8_t* __restrict in, int width, std::uint8_t* __restrict out) {
  for (int x = 0; x < width; ++x) {
    const std::uint8_t* from = in + static_cast<std::ptrdiff_t>(width - 1 - x) * channels;
    for (int c = 0; c < channels; ++c) out[c] = from[c];
    out += channels;
  }
}

}  // namespace

void flip_row(const std::uint8_t* in, int width, int channels, std::uint8_t* out) {
  switch (channels) {
    case 1:
      return flip<1>(in, width, out);
    case 2:
      return flip<2>(in, width, out);
    case 3:
      return flip<3>(in, width, out);
    default:
      return flip<4>(in, width, out);
  }
}

}  // namespace sluice::kernels
