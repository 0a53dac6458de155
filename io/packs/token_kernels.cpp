// The inner loops that read tokens. tokens.cpp has the format of segments.
//
// Idea: no branch depends on the data, except the one that ends a group. All blocks of a group are
// decoded as one sequence, in zigzag order. `at` is the place of the next coefficient in it. A
// token stores its 8 magnitudes with their signs at once, also if it has fewer. What is too much is
// zero, and the next token overwrites it. The end of a block is arithmetic, too: at + step, rounded
// down to a multiple of 64, where step has 64 in addition.
//
// Example: `at` is 70, the seventh coefficient of the second block. The token has a run of 2, the
// magnitudes 1 0 3, and ends the block. The raw bits begin with 1 0. So -1 0 3 0 0 0 0 0 is stored
// at 72, two raw bits are consumed, and `at` becomes (70 + 2 + 3 + 64) & -64 = 128.
//
// At the end of a group, the DC coefficients are added to the predictors, and each block is brought
// from zigzag order into its natural order.
//
// Why nothing is read outside a segment: tokens are read from its end downwards, raw bits from its
// begin upwards. A token is read only if its two bytes, at `low`, are not below the byte `raw` that
// holds the next raw bit: so no token is read below the begin. For the first four tokens, `raw` is
// at most 9, because a token has at most 24 raw bits. So 8 bytes at `raw` lie within the smallest
// segment, of 20 bytes. From the fifth token on, `low` is at least 8 bytes before the end, and
// `raw` is not above it.
#include <sluice/io/packs/tokens.h>

#include <bit>
#include <cstddef>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/io/packs/token_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef SLUICE_PACK_TOKEN_KERNELS_ONCE
#define SLUICE_PACK_TOKEN_KERNELS_ONCE
#include <sluice/io/jpeg/zigzag.h>
#include <sluice/io/packs/block_shuffle.h>

namespace sluice {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr BlockShuffle kToNatural(JpegZigzag().at);

// Room for a group, and for what a forged token stores behind it.
constexpr std::size_t kGroupRoom = 64 * PackLayout::kMostBlocks + 64 + 16;

}  // namespace
}  // namespace sluice
#endif

HWY_BEFORE_NAMESPACE();
namespace sluice {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SSE2 || HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR

HWY_INLINE void ToNaturalOrder(const std::int16_t* HWY_RESTRICT zigzag,
                               std::int16_t* HWY_RESTRICT natural, std::int16_t dc) {
  for (int i = 0; i < 64; ++i) natural[i] = zigzag[kToNatural.from[i]];
  natural[0] = dc;
}

#elif HWY_TARGET <= HWY_AVX3

HWY_INLINE void ToNaturalOrder(const std::int16_t* HWY_RESTRICT zigzag,
                               std::int16_t* HWY_RESTRICT natural, std::int16_t dc) {
  const __m512i first = _mm512_load_si512(zigzag), second = _mm512_load_si512(zigzag + 32);
  const __m512i upper =
      _mm512_permutex2var_epi16(first, _mm512_load_si512(kToNatural.from), second);
  _mm512_storeu_si512(natural, _mm512_mask_set1_epi16(upper, 1, dc));
  _mm512_storeu_si512(natural + 32, _mm512_permutex2var_epi16(
                                        first, _mm512_load_si512(kToNatural.from + 32), second));
}

#else

// Returns a row in natural order: its coefficients in these parts of a block in zigzag order.
template <int kRow, int... kParts>
HWY_INLINE hn::Vec<hn::FixedTag<std::uint8_t, 16> > Row(const std::int16_t* zigzag) {
  const hn::FixedTag<std::uint8_t, 16> d;
  const auto part = [&](int i) HWY_ATTR {
    const auto bytes = hn::Load(d, reinterpret_cast<const std::uint8_t*>(zigzag + 8 * i));
    return hn::TableLookupBytesOr0(bytes, hn::Load(d, kToNatural.bytes[kRow][i]));
  };
  auto row = hn::Zero(d);
  ((row = hn::Or(row, part(kParts))), ...);
  return row;
}

HWY_INLINE void ToNaturalOrder(const std::int16_t* HWY_RESTRICT zigzag,
                               std::int16_t* HWY_RESTRICT natural, std::int16_t dc) {
  const hn::FixedTag<std::uint8_t, 16> d;
  auto* const bytes = reinterpret_cast<std::uint8_t*>(natural);
  hn::StoreU(Row<0, 0, 1, 3>(zigzag), d, bytes);
  hn::StoreU(Row<1, 0, 1, 2, 3, 5>(zigzag), d, bytes + 16);
  hn::StoreU(Row<2, 0, 1, 2, 3, 5>(zigzag), d, bytes + 32);
  hn::StoreU(Row<3, 1, 2, 3, 5, 6>(zigzag), d, bytes + 48);
  hn::StoreU(Row<4, 1, 2, 4, 5, 6>(zigzag), d, bytes + 64);
  hn::StoreU(Row<5, 2, 4, 5, 6, 7>(zigzag), d, bytes + 80);
  hn::StoreU(Row<6, 2, 4, 5, 6, 7>(zigzag), d, bytes + 96);
  hn::StoreU(Row<7, 4, 6, 7>(zigzag), d, bytes + 112);
  natural[0] = dc;
}

#endif

// Stores the coefficients of a token. `raw` begins with its raw bits.
HWY_INLINE void StoreToken(const PackTokens::Entry& entry, std::uint64_t raw, std::int16_t* out) {
#if HWY_TARGET == HWY_SCALAR
  const auto signs = static_cast<std::uint32_t>(raw >> entry.extra);
  for (int i = 0; i < 8; ++i) {
    int value = entry.magnitude[i];
    if (i == 0) value += static_cast<int>(raw & entry.extra_mask);
    if ((signs & entry.sign[i]) != 0) value = -value;
    out[i] = static_cast<std::int16_t>(value);
  }
#else
  const hn::FixedTag<std::uint8_t, 8> d8;
  const hn::FixedTag<std::int16_t, 8> d16;
  const auto magnitude = hn::PromoteTo(d16, hn::Load(d8, entry.magnitude));
#if HWY_TARGET <= HWY_AVX3
  const __m128i extra = _mm_cvtsi32_si128(static_cast<int>(raw & entry.extra_mask));
  const __m128i value = _mm_add_epi16(magnitude.raw, extra);
  const auto negative = static_cast<__mmask8>(
      _pdep_u32(static_cast<std::uint32_t>(raw >> entry.extra), entry.signed_lanes));
  const __m128i result = _mm_mask_sub_epi16(value, negative, _mm_setzero_si128(), value);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), result);
#else
  const hn::FixedTag<std::int8_t, 8> di8;
  alignas(16) static constexpr std::int16_t kFirst[8] = {-1};
  const auto sign = hn::Load(d8, entry.sign);
  const auto signs = hn::Set(d8, static_cast<std::uint8_t>(raw >> entry.extra));
  // -1 where the sign bit is set, and where there is none.
  const auto negative =
      hn::PromoteTo(d16, hn::BitCast(di8, hn::VecFromMask(d8, hn::Eq(hn::And(signs, sign), sign))));
  const auto extra = hn::And(hn::Set(d16, static_cast<std::int16_t>(raw & entry.extra_mask)),
                             hn::Load(d16, kFirst));
  const auto value = hn::Add(magnitude, extra);
  hn::StoreU(hn::Sub(hn::Xor(value, negative), negative), d16, out);
#endif
#endif
}

// The tokens of one group, in zigzag order and without prediction.
class GroupReader {
 public:
  HWY_INLINE GroupReader(const PackTokens::Entry* entries, const PackTokenReader& reader,
                         std::size_t blocks, std::int16_t* group)
      : entries_(entries),
        begin_(reader.begin),
        last_(reader.end - reader.begin - 2),
        raw_(reader.raw),
        tokens_(reader.tokens),
        stop_(64 * blocks),
        group_(group) {
    const hn::ScalableTag<std::int16_t> d;
    for (std::size_t i = 0; i < stop_; i += hn::Lanes(d)) hn::Store(hn::Zero(d), d, group + i);
  }

  // Returns false in doubt.
  HWY_INLINE bool Read(PackTokenReader& reader) {
    if (!ReadFast() && !ReadCarefully()) return false;
    reader.raw = raw_;
    reader.tokens = tokens_;
    return crossed_ < 64;
  }

 private:
  // Bytes between the streams in which four tokens can be read without looking: they have at most 6
  // bytes, and 12 bytes of raw bits, and up to 8 bytes are read at once.
  static constexpr std::ptrdiff_t kFour = 24;

  HWY_INLINE std::ptrdiff_t Low() const {
    return last_ - static_cast<std::ptrdiff_t>(tokens_ >> 3);
  }
  HWY_INLINE std::ptrdiff_t Next() const { return static_cast<std::ptrdiff_t>(raw_ >> 3); }
  // Returns at least 57 raw bits, or what is there.
  HWY_INLINE std::uint64_t Raw() const {
    std::uint64_t raw;
    std::memcpy(&raw, begin_ + Next(), sizeof raw);
    return raw >> (raw_ & 7);
  }

  // Returns true if the group is complete.
  HWY_INLINE bool Take(const PackTokens::Entry& entry, std::uint64_t raw) {
    StoreToken(entry, raw, group_ + at_ + entry.run);
    raw_ += entry.bits;
    tokens_ += PackToken::kBits;
    const std::size_t behind = (at_ + entry.step) & static_cast<std::size_t>(entry.mask);
    crossed_ |= (behind - 1) ^ at_;
    at_ = behind;
    return at_ >= stop_;
  }

  // Four tokens at a time. Returns false if the streams come close to each other before the group
  // is complete.
  HWY_INLINE bool ReadFast() {
    while (true) {
      const std::ptrdiff_t low = Low();
      if (HWY_UNLIKELY(low - Next() < kFour)) return false;
      std::uint64_t word;  // begins with four tokens, at its upper end
      std::memcpy(&word, begin_ + low - 6, sizeof word);
      word <<= tokens_ & 7;
      const auto entry = [&]() HWY_ATTR -> const PackTokens::Entry& {
        const std::uint64_t token = word >> (64 - PackToken::kBits);
        word <<= PackToken::kBits;
        return entries_[token];
      };
      for (int two = 0; two < 2; ++two) {
        const std::uint64_t raw = Raw();
        const PackTokens::Entry& first = entry();
        if (Take(first, raw)) return true;
        if (Take(entry(), raw >> first.bits)) return true;
      }
    }
  }

  // One token at a time. Returns false if the streams meet.
  HWY_INLINE bool ReadCarefully() {
    while (at_ < stop_) {
      const std::ptrdiff_t low = Low();
      if (HWY_UNLIKELY(Next() > low)) return false;
      std::uint16_t token;
      std::memcpy(&token, begin_ + low, sizeof token);
      Take(entries_[(token >> (4 - (tokens_ & 4))) & (PackToken::kCount - 1)], Raw());
    }
    return true;
  }

  const PackTokens::Entry* HWY_RESTRICT entries_;
  const std::uint8_t* begin_;
  std::ptrdiff_t last_;
  std::size_t raw_, tokens_;
  std::size_t stop_;
  std::int16_t* HWY_RESTRICT group_;
  std::size_t at_ = 0;
  std::size_t crossed_ = 0;  // at least 64 if a token goes beyond the end of its block
};

template <bool kStore>
HWY_INLINE bool UnpackOne(const PackTokens::Entry* HWY_RESTRICT entries, PackTokenReader& reader,
                          const PackLayout& layout, std::int16_t (*const* blocks)[64]) {
  alignas(64) std::int16_t group[kGroupRoom];
  if (!GroupReader(entries, reader, static_cast<std::size_t>(layout.blocks), group).Read(reader))
    return false;
  for (int i = 0; i < layout.blocks; ++i) {
    const PackLayout::Block& block = layout.block[i];
    std::int16_t* const zigzag = group + 64 * i;
    std::int16_t& predictor = reader.predictors[block.component & 3];
    predictor = static_cast<std::int16_t>(predictor + zigzag[0]);
    if constexpr (kStore) {
      if (!block.needed) continue;
      ToNaturalOrder(zigzag, *blocks[i], predictor);
    }
  }
  return true;
}

bool UnpackGroup(const PackTokens& tokens, PackTokenReader& reader, const PackLayout& layout,
                 std::int16_t (*const* blocks)[64]) {
  return UnpackOne<true>(tokens.entries(), reader, layout, blocks);
}

bool SkipGroups(const PackTokens& tokens, PackTokenReader& reader, const PackLayout& layout,
                std::uint32_t groups) {
  for (; groups > 0; --groups)
    if (!UnpackOne<false>(tokens.entries(), reader, layout, nullptr)) return false;
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace sluice
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice {

HWY_EXPORT(UnpackGroup);
HWY_EXPORT(SkipGroups);

void unpack_group(const PackTokens& tokens, PackTokenReader& reader, const PackLayout& layout,
                  std::int16_t (*const* blocks)[64]) noexcept {
  if (reader.doubt) return;
  reader.doubt = !HWY_DYNAMIC_DISPATCH(UnpackGroup)(tokens, reader, layout, blocks);
}

void skip_groups(const PackTokens& tokens, PackTokenReader& reader, const PackLayout& layout,
                 std::uint32_t groups) noexcept {
  if (reader.doubt) return;
  reader.doubt = !HWY_DYNAMIC_DISPATCH(SkipGroups)(tokens, reader, layout, groups);
}

}  // namespace sluice
#endif
