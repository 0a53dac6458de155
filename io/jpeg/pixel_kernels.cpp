// The inner loops of JpegPixels. pixels.h has the contract; pixel_math.h has the formulas, in plain
// code.
//
// Idea: each 128-bit part of a vector holds one row of one block, so a vector of 512 bits
// transforms four blocks at once. A pass works across the eight row vectors. Then the blocks are
// transposed in place, and the second pass is the same code.
#include <sluice/io/jpeg/pixel_math.h>
#include <sluice/io/jpeg/pixels.h>

#include <cstring>

// The compiler must know the vector length, because vectors are stored in arrays.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/io/jpeg/pixel_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

void InverseDct(const std::int16_t (*blocks)[64], int count, const std::int16_t* quantizers,
                std::uint8_t* out, std::ptrdiff_t stride) {
  for (; count > 0; --count, ++blocks, out += 8) {
    const auto value = [&](int y, int x) {
      return wrap_to_16(static_cast<std::uint32_t>((*blocks)[8 * y + x]) *
                        static_cast<std::uint16_t>(quantizers[8 * y + x]));
    };
    int below = 0;
    for (int i = 8; i < 64; ++i) below |= (*blocks)[i];
    std::int32_t work[8][8];
    for (int x = 0; x < 8; ++x) {
      std::int32_t in[8], column[8];
      for (int y = 0; y < 8; ++y) in[y] = value(y, x);
      inverse_dct_8<11>(in, column);
      for (int y = 0; y < 8; ++y) {
        // libjpeg-turbo has a shortcut for such blocks, which wraps.
        work[y][x] = below == 0 ? wrap_to_16(static_cast<std::uint32_t>(in[0]) << 2)
                                : clamp_to(column[y], -32768, 32767);
      }
    }
    for (int y = 0; y < 8; ++y) {
      std::int32_t row[8];
      inverse_dct_8<18>(work[y], row);
      for (int x = 0; x < 8; ++x) out[y * stride + x] = to_sample(row[x] + 128);
    }
  }
}

void StretchAcross(const std::uint8_t* row, std::size_t count, std::uint8_t* out) {
  for (const std::uint8_t* const end = row + count; row < end; ++row)
    for (const int second : {0, 1})
      *out++ = static_cast<std::uint8_t>(stretch_one_way(row[0], row[2 * second - 1], second));
}

void StretchBoth(const std::uint8_t* near, const std::uint8_t* far, std::size_t count,
                 std::uint8_t* out) {
  for (const std::uint8_t* const end = near + count; near < end; ++near, ++far) {
    const auto column = [&](int x) { return 3 * near[x] + far[x]; };
    for (const int second : {0, 1})
      *out++ =
          static_cast<std::uint8_t>(stretch_both_ways(column(0), column(2 * second - 1), second));
  }
}

void WriteRgb(const std::uint8_t* luma, const std::uint8_t* blue, const std::uint8_t* red,
              std::size_t count, std::uint8_t* out) {
  for (std::size_t x = 0; x < count; ++x) write_jpeg_color(luma[x], blue[x], red[x], out + 3 * x);
}

void WriteGrayAsRgb(const std::uint8_t* luma, std::size_t count, std::uint8_t* out) {
  for (std::size_t x = 0; x < count; ++x) std::memset(out + 3 * x, luma[x], 3);
}

#else

#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
using D16 = hn::ScalableTag<std::int16_t>;
#else
using D16 = hn::FixedTag<std::int16_t, 8>;
#endif
using D32 = hn::RepartitionToWide<D16>;
using D8 = hn::Repartition<std::uint8_t, D16>;
using V16 = hn::Vec<D16>;
using V32 = hn::Vec<D32>;
using V8 = hn::Vec<D8>;
constexpr D16 d16;
constexpr D32 d32;
constexpr D8 d8;

// The 32-bit values of the lanes of a V16: those of the lower and of the upper halves of all
// 128-bit parts.
struct Wide {
  V32 lower, upper;
};
HWY_INLINE Wide Plus(const Wide& a, const Wide& b) {
  return {hn::Add(a.lower, b.lower), hn::Add(a.upper, b.upper)};
}
HWY_INLINE Wide Minus(const Wide& a, const Wide& b) {
  return {hn::Sub(a.lower, b.lower), hn::Sub(a.upper, b.upper)};
}

#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128

// Two vectors, ready to be multiplied.
struct Pair {
  V16 lower, upper;
};
HWY_INLINE Pair MakePair(V16 a, V16 b) {
  return {hn::InterleaveLower(d16, a, b), hn::InterleaveUpper(d16, a, b)};
}
#if HWY_TARGET <= HWY_AVX3
HWY_INLINE V32 MultiplyPairs(V16 a, V16 b) { return V32{_mm512_madd_epi16(a.raw, b.raw)}; }
HWY_INLINE V8 PackBytes(V16 a, V16 b) { return V8{_mm512_packus_epi16(a.raw, b.raw)}; }
#elif HWY_TARGET <= HWY_AVX2
HWY_INLINE V32 MultiplyPairs(V16 a, V16 b) { return V32{_mm256_madd_epi16(a.raw, b.raw)}; }
HWY_INLINE V8 PackBytes(V16 a, V16 b) { return V8{_mm256_packus_epi16(a.raw, b.raw)}; }
#else
HWY_INLINE V32 MultiplyPairs(V16 a, V16 b) { return V32{_mm_madd_epi16(a.raw, b.raw)}; }
HWY_INLINE V8 PackBytes(V16 a, V16 b) { return V8{_mm_packus_epi16(a.raw, b.raw)}; }
#endif
// Returns a * ka + b * kb.
HWY_INLINE Wide SumOfProducts(const Pair& pair, int ka, int kb) {
  const auto factors = hn::BitCast(
      d16, hn::Set(d32, static_cast<std::int32_t>(static_cast<std::uint32_t>(kb) << 16 |
                                                  (static_cast<std::uint32_t>(ka) & 0xffff))));
  return {MultiplyPairs(pair.lower, factors), MultiplyPairs(pair.upper, factors)};
}
HWY_INLINE V16 Saturate(const Wide& wide) {
  return hn::ReorderDemote2To(d16, wide.lower, wide.upper);
}

#else

struct Pair {
  Wide a, b;
};
HWY_INLINE Wide Widen(V16 v) {
  return {hn::PromoteTo(d32, hn::LowerHalf(v)),
          hn::PromoteTo(d32, hn::UpperHalf(hn::Half<D16>(), v))};
}
HWY_INLINE Pair MakePair(V16 a, V16 b) { return {Widen(a), Widen(b)}; }
HWY_INLINE Wide SumOfProducts(const Pair& pair, int ka, int kb) {
  const auto a = hn::Set(d32, ka), b = hn::Set(d32, kb);
  return {hn::Add(hn::Mul(pair.a.lower, a), hn::Mul(pair.b.lower, b)),
          hn::Add(hn::Mul(pair.a.upper, a), hn::Mul(pair.b.upper, b))};
}
HWY_INLINE V16 Saturate(const Wide& wide) {
  const hn::Half<D16> half;
  return hn::Combine(d16, hn::DemoteTo(half, wide.upper), hn::DemoteTo(half, wide.lower));
}
HWY_INLINE V8 PackBytes(V16 a, V16 b) {
  const hn::Half<D8> half;
  return hn::Combine(d8, hn::DemoteTo(half, b), hn::DemoteTo(half, a));
}

#endif

// Returns the 16-bit values times 2 to the 13.
HWY_INLINE Wide Times8192(V16 v) {
  const auto zero = hn::Zero(d16);
  return {hn::ShiftRight<3>(hn::BitCast(d32, hn::InterleaveLower(d16, zero, v))),
          hn::ShiftRight<3>(hn::BitCast(d32, hn::InterleaveUpper(d16, zero, v)))};
}

template <int kShift>
HWY_INLINE V16 Scale(const Wide& v) {
  return Saturate({hn::ShiftRight<kShift>(v.lower), hn::ShiftRight<kShift>(v.upper)});
}

// Transforms all columns: `v` are the rows. The results are divided by 2 to the kShift, rounded and
// saturated.
template <int kShift>
HWY_INLINE void Transform(V16 (&v)[8]) {
  using namespace jpeg_dct;
  const Pair p26 = MakePair(v[2], v[6]);
  const Wide even2 = SumOfProducts(p26, k0541, k0541 - k1847);
  const Wide even3 = SumOfProducts(p26, k0541 + k0765, k0541);
  const auto half = hn::Set(d32, 1 << (kShift - 1));
  const auto rounded = [&](V16 a) HWY_ATTR {
    const Wide wide = Times8192(a);
    return Wide{hn::Add(wide.lower, half), hn::Add(wide.upper, half)};
  };
  const Wide even0 = rounded(hn::Add(v[0], v[4]));
  const Wide even1 = rounded(hn::Sub(v[0], v[4]));
  const Pair p34 = MakePair(hn::Add(v[7], v[3]), hn::Add(v[5], v[1]));
  const Wide with3 = SumOfProducts(p34, k1175 - k1961, k1175);
  const Wide with4 = SumOfProducts(p34, k1175, k1175 - k0390);
  const Pair p71 = MakePair(v[7], v[1]);
  const Pair p53 = MakePair(v[5], v[3]);
  const auto put = [&](int i, const Wide& even, const Wide& odd) HWY_ATTR {
    v[i] = Scale<kShift>(Plus(even, odd));
    v[7 - i] = Scale<kShift>(Minus(even, odd));
  };
  put(0, Plus(even0, even3), Plus(SumOfProducts(p71, -k0899, k1501 - k0899), with4));
  put(1, Plus(even1, even2), Plus(SumOfProducts(p53, -k2562, k3072 - k2562), with3));
  put(2, Minus(even1, even2), Plus(SumOfProducts(p53, k2053 - k2562, -k2562), with4));
  put(3, Minus(even0, even3), Plus(SumOfProducts(p71, k0298 - k0899, -k0899), with3));
}

// Transposes each block, by three perfect shuffles.
HWY_INLINE void Transpose(V16 (&v)[8]) {
  for (int pass = 0; pass < 3; ++pass) {
    V16 next[8];
    for (int i = 0; i < 4; ++i) {
      next[2 * i] = hn::InterleaveLower(d16, v[i], v[i + 4]);
      next[2 * i + 1] = hn::InterleaveUpper(d16, v[i], v[i + 4]);
    }
    for (int i = 0; i < 8; ++i) v[i] = next[i];
  }
}

// Returns one row of as many blocks as a vector holds.
template <class D>
HWY_INLINE hn::Vec<D> LoadRow(D d, const std::int16_t* from) {
  if constexpr (hn::MaxLanes(D()) <= 8) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, LoadRow(half, from + 64 * (hn::MaxLanes(hn::Half<D>()) / 8)),
                       LoadRow(half, from));
  }
}

// libjpeg-turbo has a shortcut for blocks with nothing below the first row. It wraps where the
// first pass saturates. Puts its results in place.
HWY_NOINLINE void TakeShortcut(const std::int16_t (*blocks)[64], V16 first, V16 (&v)[8]) {
  constexpr std::size_t kLanes = hn::MaxLanes(D16());
  alignas(64) std::int16_t row[kLanes], rows[8][kLanes];
  hn::Store(first, d16, row);
  for (int y = 0; y < 8; ++y) hn::Store(v[y], d16, rows[y]);
  for (std::size_t b = 0; b < kLanes / 8; ++b) {
    int below = 0;
    for (int i = 8; i < 64; ++i) below |= blocks[b][i];
    if (below != 0) continue;
    for (std::size_t x = 8 * b; x < 8 * b + 8; ++x) {
      const auto value = static_cast<std::int16_t>(static_cast<std::uint16_t>(row[x] * 4));
      for (auto& out : rows) out[x] = value;
    }
  }
  for (int y = 0; y < 8; ++y) v[y] = hn::Load(d16, rows[y]);
}

void InverseDct(const std::int16_t (*blocks)[64], int count, const std::int16_t* quantizers,
                std::uint8_t* out, std::ptrdiff_t stride) {
  constexpr int kBlocks = static_cast<int>(hn::MaxLanes(D16()) / 8);
  static_assert(kJpegBlocksAtOnce % kBlocks == 0);
  V16 factors[8];
  for (int y = 0; y < 8; ++y) factors[y] = hn::LoadDup128(d16, quantizers + 8 * y);
  for (int b = 0; b < count; b += kBlocks, blocks += kBlocks, out += 8 * kBlocks) {
    V16 v[8];
    for (int y = 0; y < 8; ++y) v[y] = hn::Mul(LoadRow(d16, *blocks + 8 * y), factors[y]);
    const V16 first = v[0];
    Transform<11>(v);
    const bool fits = hn::AllTrue(d16, hn::Eq(hn::ShiftRight<2>(hn::ShiftLeft<2>(first)), first));
    if (HWY_UNLIKELY(!fits)) TakeShortcut(blocks, first, v);
    Transpose(v);
    Transform<18>(v);
    // Now v[x] is a column. Add 128, and transpose as bytes.
    const auto offset = hn::Set(d16, 128);
    V8 packed[4];
    for (int i = 0; i < 4; ++i) {
      packed[i] = PackBytes(hn::SaturatedAdd(v[i], offset), hn::SaturatedAdd(v[i + 4], offset));
    }
    const V8 a0 = hn::InterleaveLower(d8, packed[0], packed[2]);  // columns 0 and 2
    const V8 a1 = hn::InterleaveLower(d8, packed[1], packed[3]);  // 1 and 3
    const V8 a2 = hn::InterleaveUpper(d8, packed[0], packed[2]);  // 4 and 6
    const V8 a3 = hn::InterleaveUpper(d8, packed[1], packed[3]);  // 5 and 7
    const V8 left0 = hn::InterleaveLower(d8, a0, a1);             // columns 0 to 3 of rows 0 to 3
    const V8 left4 = hn::InterleaveUpper(d8, a0, a1);             // of rows 4 to 7
    const V8 right0 = hn::InterleaveLower(d8, a2, a3);
    const V8 right4 = hn::InterleaveUpper(d8, a2, a3);
    const hn::Repartition<std::uint32_t, D8> du32;
    const hn::Repartition<std::uint64_t, D8> du64;
    const auto two_rows = [&](V8 left, V8 right, bool upper) HWY_ATTR {
      const auto l = hn::BitCast(du32, left), r = hn::BitCast(du32, right);
      return hn::BitCast(du64,
                         upper ? hn::InterleaveUpper(du32, l, r) : hn::InterleaveLower(du32, l, r));
    };
    // Stores rows y, y + 1, y + 2 and y + 3 of all blocks.
    const auto store = [&](int y, V8 left, V8 right) HWY_ATTR {
      const auto rows01 = two_rows(left, right, false), rows23 = two_rows(left, right, true);
      const auto rows02 = hn::BitCast(d8, hn::ConcatEven(du64, rows23, rows01));
      const auto rows13 = hn::BitCast(d8, hn::ConcatOdd(du64, rows23, rows01));
      const hn::Half<D8> half;
      std::uint8_t* const to = out + y * stride;
      hn::StoreU(hn::LowerHalf(half, rows02), half, to);
      hn::StoreU(hn::LowerHalf(half, rows13), half, to + stride);
      hn::StoreU(hn::UpperHalf(half, rows02), half, to + 2 * stride);
      hn::StoreU(hn::UpperHalf(half, rows13), half, to + 3 * stride);
    };
    store(0, left0, right0);
    store(4, left4, right4);
  }
}

// Vectors of pixels: as many bytes as 16-bit lanes.
using DBytes = hn::Rebind<std::uint8_t, D16>;
constexpr DBytes dbytes;

HWY_INLINE V16 LoadWide(const std::uint8_t* from) {
  return hn::PromoteTo(d16, hn::LoadU(dbytes, from));
}

// Stores the even and the odd columns of an enlarged row.
HWY_INLINE void StoreTwice(V16 even, V16 odd, std::uint8_t* out) {
  const auto both = hn::Or(even, hn::ShiftLeft<8>(odd));
  hn::StoreU(hn::BitCast(d8, both), d8, out);
}

void StretchAcross(const std::uint8_t* row, std::size_t count, std::uint8_t* out) {
  const auto one = hn::Set(d16, 1), two = hn::Set(d16, 2);
  for (std::size_t x = 0; x < count; x += hn::Lanes(d16)) {
    const auto here = LoadWide(row + x);
    const auto thrice = hn::Add(here, hn::Add(here, here));
    const auto before = hn::Add(hn::Add(thrice, LoadWide(row + x - 1)), one);
    const auto after = hn::Add(hn::Add(thrice, LoadWide(row + x + 1)), two);
    StoreTwice(hn::ShiftRight<2>(before), hn::ShiftRight<2>(after), out + 2 * x);
  }
}

void StretchBoth(const std::uint8_t* near, const std::uint8_t* far, std::size_t count,
                 std::uint8_t* out) {
  const auto seven = hn::Set(d16, 7), eight = hn::Set(d16, 8);
  const auto column = [&](std::ptrdiff_t x) HWY_ATTR {
    const auto a = LoadWide(near + x);
    return hn::Add(hn::Add(a, hn::Add(a, a)), LoadWide(far + x));
  };
  const auto end = static_cast<std::ptrdiff_t>(count);
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d16));
  for (std::ptrdiff_t x = 0; x < end; x += lanes) {
    const auto here = column(x);
    const auto thrice = hn::Add(here, hn::Add(here, here));
    const auto before = hn::Add(hn::Add(thrice, column(x - 1)), eight);
    const auto after = hn::Add(hn::Add(thrice, column(x + 1)), seven);
    StoreTwice(hn::ShiftRight<4>(before), hn::ShiftRight<4>(after), out + 2 * x);
  }
}

// Calls write(x, to) for each vector of pixels. A partial last vector goes through a buffer, so
// that nothing is written behind the row.
template <class Write>
HWY_INLINE void ForPixels(std::size_t count, std::uint8_t* out, const Write& write) {
  const std::size_t lanes = hn::Lanes(dbytes);
  std::size_t x = 0;
  for (; x + lanes <= count; x += lanes) write(x, out + 3 * x);
  if (x == count) return;
  alignas(64) std::uint8_t rest[3 * hn::MaxLanes(DBytes())];
  write(x, rest);
  std::memcpy(out + 3 * x, rest, 3 * (count - x));
}

void WriteRgb(const std::uint8_t* luma, const std::uint8_t* blue, const std::uint8_t* red,
              std::size_t count, std::uint8_t* out) {
  // In units of 1/65536: 1.402 is 65536 + 26345, 1.772 is 2 * 65536 - 14942, -0.34414 is -22554 and
  // -0.71414 is 18734 - 65536. times() doubles a number, multiplies, and halves with rounding.
  const auto to_red = hn::Set(d16, 26345), to_blue = hn::Set(d16, -14942);
  const auto one = hn::Set(d16, 1), middle = hn::Set(d16, 128);
  const auto half = hn::Set(d32, 32768);
  const auto times = [&](V16 v, V16 factor) HWY_ATTR {
    return hn::ShiftRight<1>(hn::Add(hn::MulHigh(hn::Add(v, v), factor), one));
  };
  ForPixels(count, out, [&](std::size_t x, std::uint8_t* to) HWY_ATTR {
    const auto y = LoadWide(luma + x);
    const auto b = hn::Sub(LoadWide(blue + x), middle);
    const auto r = hn::Sub(LoadWide(red + x), middle);
    Wide green = SumOfProducts(MakePair(b, r), -22554, 18734);
    green = {hn::ShiftRight<16>(hn::Add(green.lower, half)),
             hn::ShiftRight<16>(hn::Add(green.upper, half))};
    hn::StoreInterleaved3(
        hn::DemoteTo(dbytes, hn::Add(hn::Add(y, r), times(r, to_red))),
        hn::DemoteTo(dbytes, hn::Add(hn::Sub(y, r), Saturate(green))),
        hn::DemoteTo(dbytes, hn::Add(hn::Add(y, hn::Add(b, b)), times(b, to_blue))), dbytes, to);
  });
}

void WriteGrayAsRgb(const std::uint8_t* luma, std::size_t count, std::uint8_t* out) {
  ForPixels(count, out, [&](std::size_t x, std::uint8_t* to) HWY_ATTR {
    const auto y = hn::LoadU(dbytes, luma + x);
    hn::StoreInterleaved3(y, y, y, dbytes, to);
  });
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sluice
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice {

HWY_EXPORT(InverseDct);
HWY_EXPORT(StretchAcross);
HWY_EXPORT(StretchBoth);
HWY_EXPORT(WriteRgb);
HWY_EXPORT(WriteGrayAsRgb);

void inverse_dct(const std::int16_t (*blocks)[64], int count, const std::int16_t* quantizers,
                 std::uint8_t* out, std::ptrdiff_t stride) noexcept {
  HWY_DYNAMIC_DISPATCH(InverseDct)(blocks, count, quantizers, out, stride);
}
void stretch_across(const std::uint8_t* row, std::size_t count, std::uint8_t* out) noexcept {
  HWY_DYNAMIC_DISPATCH(StretchAcross)(row, count, out);
}
void stretch_both(const std::uint8_t* near, const std::uint8_t* far, std::size_t count,
                  std::uint8_t* out) noexcept {
  HWY_DYNAMIC_DISPATCH(StretchBoth)(near, far, count, out);
}
void write_rgb(const std::uint8_t* luma, const std::uint8_t* blue, const std::uint8_t* red,
               std::size_t count, std::uint8_t* out) noexcept {
  HWY_DYNAMIC_DISPATCH(WriteRgb)(luma, blue, red, count, out);
}
void write_gray_as_rgb(const std::uint8_t* luma, std::size_t count, std::uint8_t* out) noexcept {
  HWY_DYNAMIC_DISPATCH(WriteGrayAsRgb)(luma, count, out);
}

}  // namespace sluice
#endif
