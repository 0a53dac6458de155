// Products are exact, so fused operations do not change the results.
#include <sluice/ops/kernels/colour_matrix.h>

#include <algorithm>

// The compiler must know the vector length.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/colour_matrix_rows.cpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// Included once per instruction set.
#include <sluice/ops/kernels/pixel_blocks.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DFloat = hn::ScalableTag<float>;
using DInt = hn::Rebind<std::int32_t, DFloat>;
using DByte = hn::Rebind<std::uint8_t, DFloat>;
using Floats = hn::Vec<DFloat>;

HWY_INLINE Floats floats(const std::uint8_t* levels) {
  return hn::ConvertTo(DFloat(), hn::PromoteTo(DInt(), hn::LoadU(DByte(), levels)));
}

HWY_INLINE void store(Floats values, std::uint8_t* levels) {
  hn::StoreU(hn::DemoteTo(DByte(), hn::ConvertTo(DInt(), values)), DByte(), levels);
}

HWY_INLINE Floats sum_of(const std::array<float, 4>& row, Floats r, Floats g, Floats b) {
  const DFloat d;
  const auto one = hn::MulAdd(hn::Set(d, row[0]), r, hn::Set(d, row[3]));
  const auto two = hn::MulAdd(hn::Set(d, row[1]), g, one);
  return hn::MulAdd(hn::Set(d, row[2]), b, two);
}

void ColourMatrixOfPlanes(const FloatMatrix& matrix, std::size_t count, Planes& planes) {
  const FloatMatrix m = matrix;  // a copy that stores to the planes cannot change
  std::uint8_t* const red = planes.channel[0].data();
  std::uint8_t* const green = planes.channel[1].data();
  std::uint8_t* const blue = planes.channel[2].data();
  for (std::size_t i = 0; i < count; i += hn::Lanes(DFloat())) {
    const auto r = floats(red + i), g = floats(green + i), b = floats(blue + i);
    store(sum_of(m[0], r, g, b), red + i);
    store(sum_of(m[1], r, g, b), green + i);
    store(sum_of(m[2], r, g, b), blue + i);
  }
}

#if HWY_TARGET == HWY_SCALAR

template <std::size_t channels>
void map_pixels(const FloatMatrix& m, const std::uint8_t* in, std::size_t count,
                std::uint8_t* out) {
  for (; count != 0; --count, in += channels, out += channels) {
    for (std::size_t c = 0; c < 3; ++c)
      store(sum_of(m[c], floats(in), floats(in + 1), floats(in + 2)), out + c);
    if constexpr (channels == 4) out[3] = in[3];
  }
}

#else

using DInts = hn::Repartition<std::int32_t, DFloat>;
using DBytes = hn::Repartition<std::uint8_t, DFloat>;
using Bytes = hn::Vec<DBytes>;

// Extracts one channel of the four pixels in a block of bytes as integers. 0x80 produces a zero.
template <std::size_t channels>
HWY_INLINE Bytes places_of(std::size_t channel) {
  alignas(16) std::uint8_t places[16];
  for (std::size_t i = 0; i < 16; ++i)
    places[i] = static_cast<std::uint8_t>(i % 4 == 0 ? i / 4 * channels + channel : 0x80);
  return hn::LoadDup128(DBytes(), places);
}

template <std::size_t channels>
HWY_INLINE void map_pixels(const FloatMatrix& matrix, const std::uint8_t* in, std::size_t count,
                           std::uint8_t* out) {
  const DFloat d;
  const DInts d32;
  const DBytes d8;
  const FloatMatrix m = matrix;  // a copy that stores to the pixels cannot change
  const auto red = places_of<channels>(0), green = places_of<channels>(1),
             blue = places_of<channels>(2), fourth = places_of<channels>(channels - 1);
  // Turns rows of four values per channel into pixels.
  alignas(16) std::uint8_t order[16];
  for (std::size_t i = 0; i < 16; ++i)
    order[i] = static_cast<std::uint8_t>(i < 4 * channels ? i % channels * 4 + i / channels : 0x80);
  const auto pixel_by_pixel = hn::LoadDup128(d8, order);
  blocks::for_each<hn::MaxLanes(d), channels, channels>(
      in, count, out, [&](const std::uint8_t* from, std::uint8_t* to) HWY_ATTR {
        const auto pixels = blocks::load(d8, from, 4 * channels);
        const auto levels = [&](Bytes places) HWY_ATTR {
          return hn::BitCast(d32, hn::TableLookupBytesOr0(pixels, places));
        };
        const auto r = hn::ConvertTo(d, levels(red)), g = hn::ConvertTo(d, levels(green)),
                   b = hn::ConvertTo(d, levels(blue));
        const auto row = [&](std::size_t i)
                             HWY_ATTR { return blocks::whole_parts(d32, sum_of(m[i], r, g, b)); };
        const auto third = row(2);
        const auto all =
            blocks::packed(d8, row(0), row(1), third, channels == 4 ? levels(fourth) : third);
        blocks::store(hn::TableLookupBytesOr0(all, pixel_by_pixel), d8, to, 4 * channels);
      });
}

#endif  // HWY_TARGET == HWY_SCALAR

void ColourMatrixOfPixels(const FloatMatrix& matrix, const std::uint8_t* in, std::size_t count,
                          int channels, std::uint8_t* out) {
  channels == 3 ? map_pixels<3>(matrix, in, count, out) : map_pixels<4>(matrix, in, count, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(ColourMatrixOfPlanes);
HWY_EXPORT(ColourMatrixOfPixels);

void colour_matrix_of_planes(const FloatMatrix& matrix, std::size_t count, Planes& planes) {
  HWY_DYNAMIC_DISPATCH(ColourMatrixOfPlanes)(matrix, count, planes);
}
void colour_matrix_of_pixels(const FloatMatrix& matrix, const std::uint8_t* in, std::size_t count,
                             int channels, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(ColourMatrixOfPixels)(matrix, in, count, channels, out);
}

}  // namespace sluice::kernels
#endif
