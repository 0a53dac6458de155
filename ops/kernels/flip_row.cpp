#include <sluice/ops/kernels/flip_row.h>

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/flip_row.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <std::size_t channels>
HWY_INLINE void flip(const std::uint8_t* HWY_RESTRICT in, std::size_t width,
                     std::uint8_t* HWY_RESTRICT out) {
  const std::size_t bytes = width * channels;
  std::size_t done = 0;
#if HWY_TARGET != HWY_SCALAR
  // Moves as many pixels as fit in 16 bytes, from the end of the row. If bytes are left over, it
  // also reads bytes before the pixels, and writes bytes after them that the next pixels overwrite.
  constexpr std::size_t kPixels = 16 / channels, kOver = 16 - kPixels * channels;
  const hn::FixedTag<std::uint8_t, 16> d;
  alignas(16) std::uint8_t order[16] = {};
  for (std::size_t i = 0; i < kPixels * channels; ++i)
    order[i] =
        static_cast<std::uint8_t>(kOver + (kPixels - 1 - i / channels) * channels + i % channels);
  const auto index = hn::Load(d, order);
  constexpr std::size_t kBytes = kPixels * channels;
  const auto flip_at = [&](std::size_t at) HWY_ATTR {
    const auto pixels = hn::LoadU(d, in + (bytes - at - 16));
    hn::StoreU(hn::TableLookupBytes(pixels, index), d, out + at);
  };
  for (; done + 64 <= bytes; done += 4 * kBytes) {
    flip_at(done);
    flip_at(done + kBytes);
    flip_at(done + 2 * kBytes);
    flip_at(done + 3 * kBytes);
  }
  for (; done + 16 <= bytes; done += kBytes) flip_at(done);
#endif
  for (; done < bytes; done += channels) {
    for (std::size_t c = 0; c < channels; ++c) out[done + c] = in[bytes - done - channels + c];
  }
}

void FlipRow(const std::uint8_t* in, std::size_t width, int channels, std::uint8_t* out) {
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

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(FlipRow);

void flip_row(const std::uint8_t* in, int width, int channels, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(FlipRow)(in, static_cast<std::size_t>(width), channels, out);
}

}  // namespace sluice::kernels
#endif
