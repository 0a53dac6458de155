// Compiled without contraction of products and sums to fused operations (CMakeLists.txt): not all
// instruction sets have those, and all shall give the same bytes.
#include <sluice/ops/kernels/colour_matrix.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/colour_matrix_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

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

HWY_INLINE Floats sum_of(const std::array<float, 4>& row, Floats r, Floats g, Floats b) {
  const DFloat d;
  const auto sum = hn::Add(hn::Mul(hn::Set(d, row[0]), r), hn::Mul(hn::Set(d, row[1]), g));
  return hn::Add(hn::Add(sum, hn::Mul(hn::Set(d, row[2]), b)), hn::Set(d, row[3]));
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

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(ColourMatrixOfPlanes);

void colour_matrix_of_planes(const FloatMatrix& matrix, std::size_t count, Planes& planes) {
  HWY_DYNAMIC_DISPATCH(ColourMatrixOfPlanes)(matrix, count, planes);
}

}  // namespace sluice::kernels
#endif
