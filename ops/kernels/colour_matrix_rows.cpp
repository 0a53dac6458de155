// Compiled without contraction of products and sums to fused operations (CMakeLists.txt): not all
// instruction sets have those, and all shall give the same bytes.
#include <sluice/ops/kernels/colour_matrix.h>

#include <algorithm>

// Vectors shall have a length that the compiler knows.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/colour_matrix_rows.cpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// For each set of instructions again.
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
  const DFloat d;
  const auto inside = hn::Min(hn::Max(values, hn::Zero(d)), hn::Set(d, 255.f));
  const auto whole = hn::ConvertTo(DInt(), hn::Add(inside, hn::Set(d, 0.5f)));
  hn::StoreU(hn::DemoteTo(DByte(), whole), DByte(), levels);
}

template <bool fourth = true>
HWY_INLINE Floats sum_of(const std::array<float, 4>& row, Floats r, Floats g, Floats b) {
  const DFloat d;
  const auto two = hn::Add(hn::Mul(hn::Set(d, row[0]), r), hn::Mul(hn::Set(d, row[1]), g));
  const auto three = hn::Add(two, hn::Mul(hn::Set(d, row[2]), b));
  if constexpr (!fourth) return three;
  return hn::Add(three, hn::Set(d, row[3]));
}

void ColourMatrixOfPlanes(const FloatMatrix& matrix, std::size_t count, Planes& planes) {
  const FloatMatrix m = matrix;  // which no store to the planes can change
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

template <std::size_t channels, bool>
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

// Of four pixels in a block of bytes: one channel of each, as a whole number. 0x80 makes a zero.
template <std::size_t channels>
HWY_INLINE Bytes places_of(std::size_t channel) {
  alignas(16) std::uint8_t places[16];
  for (std::size_t i = 0; i < 16; ++i)
    places[i] = static_cast<std::uint8_t>(i % 4 == 0 ? i / 4 * channels + channel : 0x80);
  return hn::LoadDup128(DBytes(), places);
}

HWY_INLINE Floats level_of(Floats values) {
  const DFloat d;
  const auto inside = hn::Min(hn::Max(values, hn::Zero(d)), hn::Set(d, 255.f));
  return hn::Floor(hn::Add(inside, hn::Set(d, 0.5f)));
}

// Without the fourth numbers where they are zero.
template <std::size_t channels, bool fourths>
HWY_INLINE void map_pixels(const FloatMatrix& matrix, const std::uint8_t* in, std::size_t count,
                           std::uint8_t* out) {
  const DFloat d;
  const DInts d32;
  const DBytes d8;
  const FloatMatrix m = matrix;  // which no store to the pixels can change
  const auto red = places_of<channels>(0), green = places_of<channels>(1),
             blue = places_of<channels>(2);
  alignas(16) std::uint8_t order[16];
  for (std::size_t i = 0; i < 16; ++i)
    order[i] = static_cast<std::uint8_t>(i < 12 ? i / 3 * 4 + i % 3 : 0x80);
  const auto side_by_side = hn::LoadDup128(d8, order);
  const auto fourth = hn::BitCast(d8, hn::Set(d32, static_cast<std::int32_t>(0xFF000000u)));
  // Added to this a whole number stands in the lowest bits, with no need of a conversion.
  const auto power = hn::Set(d, 8388608.f);
  blocks::for_each<hn::MaxLanes(d), channels, channels>(
      in, count, out, [&](const std::uint8_t* from, std::uint8_t* to) HWY_ATTR {
        const auto pixels = blocks::load(d8, from, 4 * channels);
        const auto channel = [&](Bytes places) HWY_ATTR {
          return hn::ConvertTo(d, hn::BitCast(d32, hn::TableLookupBytesOr0(pixels, places)));
        };
        const auto r = channel(red), g = channel(green), b = channel(blue);
        const auto first = sum_of<fourths>(m[0], r, g, b), second = sum_of<fourths>(m[1], r, g, b),
                   third = sum_of<fourths>(m[2], r, g, b);
        const auto two =
            hn::Add(hn::MulAdd(level_of(second), hn::Set(d, 256.f), power), level_of(first));
        const auto one = hn::Add(level_of(third), power);
        const auto all = hn::BitCast(
            d8, hn::Or(hn::BitCast(d32, two), hn::ShiftLeft<16>(hn::BitCast(d32, one))));
        if constexpr (channels == 4) {
          blocks::store(hn::Or(hn::AndNot(fourth, all), hn::And(pixels, fourth)), d8, to, 16);
        } else {
          blocks::store(hn::TableLookupBytesOr0(all, side_by_side), d8, to, 12);
        }
      });
}

#endif  // HWY_TARGET == HWY_SCALAR

void ColourMatrixOfPixels(const FloatMatrix& matrix, const std::uint8_t* in, std::size_t count,
                          int channels, std::uint8_t* out) {
  const bool fourths = matrix[0][3] != 0 || matrix[1][3] != 0 || matrix[2][3] != 0;
  if (channels == 3) {
    fourths ? map_pixels<3, true>(matrix, in, count, out)
            : map_pixels<3, false>(matrix, in, count, out);
  } else {
    fourths ? map_pixels<4, true>(matrix, in, count, out)
            : map_pixels<4, false>(matrix, in, count, out);
  }
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
