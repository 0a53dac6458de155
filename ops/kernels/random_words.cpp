// The product of two floats is exact in double precision, so a fused sum does not change the
// result.
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/random_words.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>

// The compiler must know the vector length.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/random_words.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

void RandomBlocks(const RandomWords& words, std::uint32_t first, std::size_t count,
                  std::uint32_t* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto block = words.block(first + static_cast<std::uint32_t>(i));
    std::copy(block.begin(), block.end(), out + 4 * i);
  }
}

#else

using D64 = hn::ScalableTag<std::uint64_t>;
using D32 = hn::Repartition<std::uint32_t, D64>;
using V64 = hn::Vec<D64>;

// Like philox4x32(), with one block per 64-bit lane. A word is in the lower half of its lane. The
// upper half does not matter, because products use the lower halves only.
void RandomBlocks(const RandomWords& words, std::uint32_t first, std::size_t count,
                  std::uint32_t* out) {
  constexpr std::uint32_t kMul0 = 0xD2511F53, kMul1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  const D64 d;
  const D32 d32;
  const auto product = [&](V64 a, V64 b) HWY_ATTR {
    return hn::MulEven(hn::BitCast(d32, a), hn::BitCast(d32, b));
  };
  const auto by0 = hn::Set(d, kMul0), by1 = hn::Set(d, kMul1);
  const auto lower = hn::Set(d, 0xFFFFFFFF);
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t at = 0; at < count; at += lanes) {
    // Block numbers wrap around at 2^32.
    auto a = hn::Iota(d, first + static_cast<std::uint32_t>(at));
    auto b = hn::Set(d, words.counter[0]), c = hn::Set(d, words.counter[1]),
         e = hn::Set(d, words.counter[2]);
    std::uint32_t key0 = words.key[0], key1 = words.key[1];
    for (int round = 0; round < 10; ++round, key0 += kWeyl0, key1 += kWeyl1) {
      const auto p0 = product(a, by0), p1 = product(c, by1);
      a = hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), b), hn::Set(d, key0));
      b = p1;
      c = hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), e), hn::Set(d, key1));
      e = p0;
    }
    const auto ab = hn::Or(hn::And(a, lower), hn::ShiftLeft<32>(b));
    const auto ce = hn::Or(hn::And(c, lower), hn::ShiftLeft<32>(e));
    hn::StoreInterleaved2(ab, ce, d, reinterpret_cast<std::uint64_t*>(out + 4 * at));
  }
}

#endif

void add_noise_plainly(const std::uint8_t* from, const std::uint16_t* bits, std::size_t count,
                       double mean, double stddev, const float* quantiles, std::uint8_t* to) {
  for (std::size_t i = 0; i < count; ++i)
    to[i] = to_level(from[i] + mean + stddev * static_cast<double>(quantiles[bits[i]]));
}

#if HWY_TARGET == HWY_SCALAR || !HWY_HAVE_FLOAT64

void AddGaussianNoise(const std::uint8_t* from, const std::uint16_t* bits, std::size_t count,
                      double mean, double stddev, const float* quantiles, std::uint8_t* to) {
  add_noise_plainly(from, bits, count, mean, stddev, quantiles, to);
}

#else

using DFloat = hn::ScalableTag<float>;
using DInt = hn::Rebind<std::int32_t, DFloat>;
using DHalfInt = hn::Half<DInt>;
using DDouble = hn::Rebind<double, hn::Half<DFloat> >;

void AddGaussianNoise(const std::uint8_t* from, const std::uint16_t* bits, std::size_t count,
                      double mean, double stddev, const float* quantiles, std::uint8_t* to) {
  const DFloat df;
  const hn::Half<DFloat> half_floats;
  const DInt di;
  const DHalfInt half_ints;
  const DDouble dd;
  const hn::Rebind<std::uint8_t, DFloat> d8;
  const hn::Rebind<std::uint16_t, DFloat> d16;
  const auto moved = hn::Set(dd, mean), width = hn::Set(dd, stddev), half = hn::Set(dd, 0.5),
             black = hn::Zero(dd), white = hn::Set(dd, 255.0);
  const auto noisy = [&](hn::Vec<DHalfInt> level, hn::Vec<hn::Half<DFloat> > quantile) HWY_ATTR {
    const auto noise = hn::Mul(width, hn::PromoteTo(dd, quantile));
    const auto sum = hn::Add(hn::Add(hn::PromoteTo(dd, level), moved), noise);
    return hn::DemoteTo(half_ints, hn::Min(hn::Max(hn::Add(sum, half), black), white));
  };
  std::size_t i = 0;
  for (; i + hn::Lanes(df) <= count; i += hn::Lanes(df)) {
    const auto places = hn::PromoteTo(di, hn::LoadU(d16, bits + i));
    const auto quantile = hn::GatherIndex(df, quantiles, places);
    const auto level = hn::PromoteTo(di, hn::LoadU(d8, from + i));
    const auto lower = noisy(hn::LowerHalf(half_ints, level), hn::LowerHalf(half_floats, quantile));
    const auto upper = noisy(hn::UpperHalf(half_ints, level), hn::UpperHalf(half_floats, quantile));
    hn::StoreU(hn::DemoteTo(d8, hn::Combine(di, upper, lower)), d8, to + i);
  }
  add_noise_plainly(from + i, bits + i, count - i, mean, stddev, quantiles, to + i);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(RandomBlocks);
HWY_EXPORT(AddGaussianNoise);

void random_blocks(const RandomWords& words, std::uint32_t first, std::size_t count,
                   std::uint32_t* out) {
  HWY_DYNAMIC_DISPATCH(RandomBlocks)(words, first, count, out);
}

void add_gaussian_noise(const std::uint8_t* from, const std::uint16_t* bits, std::size_t count,
                        double mean, double stddev, const float* quantiles, std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(AddGaussianNoise)(from, bits, count, mean, stddev, quantiles, to);
}

namespace {

using Table = std::array<float, kQuantiles>;

// Goes upwards from the middle; each value follows from the previous one by Newton's method.
std::unique_ptr<const Table> make_table() {
  auto table = std::make_unique<Table>();
  constexpr std::size_t kMiddle = kQuantiles / 2;
  double z = 0;
  for (std::size_t i = kMiddle; i < table->size(); ++i) {
    const double above = 1.0 - (static_cast<double>(i) + 0.5) / kQuantiles;
    for (int step = 0; step < 4; ++step) {
      const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
      z += (0.5 * std::erfc(z / std::numbers::sqrt2) - above) / density;
    }
    table->at(i) = static_cast<float>(z);
    table->at(table->size() - 1 - i) = static_cast<float>(-z);
  }
  return table;
}

}  // namespace

const Table& normal_quantiles() {
  static const std::unique_ptr<const Table> table = make_table();
  return *table;
}

}  // namespace sluice::kernels
#endif
