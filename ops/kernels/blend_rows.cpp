// Compiled without contraction to fused multiply-add (CMakeLists.txt), which not all instruction
// sets have.
#include <sluice/ops/kernels/blend_rows.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/blend_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Values with 7 fractional bits just fit into 16 bits, and so does their saturated sum.
constexpr int kPoint = 7;

void sum_plainly(std::span<const std::uint8_t* const> rows, const std::int16_t* weights,
                 std::size_t begin, std::size_t end, std::uint8_t* out) {
  for (std::size_t i = begin; i < end; ++i) {
    int sum = 1 << (kPoint - 1);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const int level = rows[k][i] * (1 << kPoint);
      sum = std::min(sum + ((level * weights[k] + (1 << 14)) >> 15), int{INT16_MAX});
    }
    out[i] = static_cast<std::uint8_t>(sum >> kPoint);
  }
}

#if HWY_TARGET == HWY_SCALAR

void SumRows(std::span<const std::uint8_t* const> rows, const std::int16_t* weights,
             std::size_t size, std::uint8_t* out) {
  sum_plainly(rows, weights, 0, size, out);
}

#else

void SumRows(std::span<const std::uint8_t* const> rows, const std::int16_t* weights,
             std::size_t size, std::uint8_t* out) {
  const hn::ScalableTag<std::int16_t> d16;
  const hn::Rebind<std::uint8_t, decltype(d16)> d8;
  const std::size_t lanes = hn::Lanes(d16);
  std::size_t at = 0;
  for (; at + lanes <= size; at += lanes) {
    auto sum = hn::Set(d16, 1 << (kPoint - 1));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto level = hn::ShiftLeft<kPoint>(hn::PromoteTo(d16, hn::LoadU(d8, rows[k] + at)));
      sum = hn::SaturatedAdd(sum, hn::MulFixedPoint15(level, hn::Set(d16, weights[k])));
    }
    hn::StoreU(hn::DemoteTo(d8, hn::ShiftRight<kPoint>(sum)), d8, out + at);
  }
  // The last lanes must not be computed twice: `out` may be one of the rows.
  sum_plainly(rows, weights, at, size, out);
}

#endif  // HWY_TARGET == HWY_SCALAR

void mix_plainly(const Half* from, float own, float other, std::size_t begin, std::size_t end,
                 Half* to) {
  for (std::size_t i = begin; i < end; ++i)
    to[i] = Half(own * static_cast<float>(to[i]) + other * static_cast<float>(from[i]));
}

// Only these targets convert in hardware, and so round like Half.
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || HWY_TARGET == HWY_NEON

void MixHalves(const Half* from, float own, float other, std::size_t count, Half* to) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> d16;
  const hn::RebindToUnsigned<decltype(d16)> du16;
  const std::size_t lanes = hn::Lanes(d);
  const auto load = [&](const Half* at) HWY_ATTR {
    const auto bits = hn::LoadU(du16, reinterpret_cast<const std::uint16_t*>(at));
    return hn::PromoteTo(d, hn::BitCast(d16, bits));
  };
  std::size_t at = 0;
  for (; at + lanes <= count; at += lanes) {
    const auto mixed = hn::Add(hn::Mul(hn::Set(d, own), load(to + at)),
                               hn::Mul(hn::Set(d, other), load(from + at)));
    hn::StoreU(hn::BitCast(du16, hn::DemoteTo(d16, mixed)), du16,
               reinterpret_cast<std::uint16_t*>(to + at));
  }
  mix_plainly(from, own, other, at, count, to);
}

#else

void MixHalves(const Half* from, float own, float other, std::size_t count, Half* to) {
  mix_plainly(from, own, other, 0, count, to);
}

#endif

// Computes `vectors` vectors of sums, from column x on.
template <int vectors, class D>
HWY_INLINE void sum_columns(D d, const float* const* rows, const float* weights, int count, int x,
                            float* out) {
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto zero = hn::Zero(d);
  auto a = zero, b = zero, c = zero, e = zero;
  for (int k = 0; k < count; ++k) {
    const float* const from = rows[k] + x;
    const auto weight = hn::Set(d, weights[k]);
    a = hn::Add(a, hn::Mul(weight, hn::LoadU(d, from)));
    if constexpr (vectors == 4) {
      b = hn::Add(b, hn::Mul(weight, hn::LoadU(d, from + lanes)));
      c = hn::Add(c, hn::Mul(weight, hn::LoadU(d, from + 2 * lanes)));
      e = hn::Add(e, hn::Mul(weight, hn::LoadU(d, from + 3 * lanes)));
    }
  }
  hn::StoreU(a, d, out + x);
  if constexpr (vectors == 4) {
    hn::StoreU(b, d, out + x + lanes);
    hn::StoreU(c, d, out + x + 2 * lanes);
    hn::StoreU(e, d, out + x + 3 * lanes);
  }
}

void WeightedRows(const float* const* rows, const float* weights, int count, int width,
                  float* out) {
  const hn::ScalableTag<float> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  int x = 0;
  for (; x + 4 * lanes <= width; x += 4 * lanes) sum_columns<4>(d, rows, weights, count, x, out);
  for (; x + lanes <= width; x += lanes) sum_columns<1>(d, rows, weights, count, x, out);
  const hn::CappedTag<float, 1> one;
  for (; x < width; ++x) sum_columns<1>(one, rows, weights, count, x, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(SumRows);
HWY_EXPORT(MixHalves);
HWY_EXPORT(WeightedRows);

std::int16_t fixed_weight(double weight) {
  return static_cast<std::int16_t>(std::min<long>(std::lround(weight * 32768), INT16_MAX));
}

void sum_rows(std::span<const std::uint8_t* const> rows, const std::int16_t* weights,
              std::size_t size, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(SumRows)(rows, weights, size, out);
}

void mix_halves(const Half* from, float own, float other, std::size_t count, Half* to) {
  HWY_DYNAMIC_DISPATCH(MixHalves)(from, own, other, count, to);
}

void weighted_rows(const float* const* rows, const float* weights, int count, int width,
                   float* out) {
  HWY_DYNAMIC_DISPATCH(WeightedRows)(rows, weights, count, width, out);
}

}  // namespace sluice::kernels
#endif
