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

namespace sluice {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr JpegZigzag kPackZigzag;

// For each row in natural order and each 8 coefficients in zigzag order: which bytes go where. 0x80
// selects a zero.
struct ZigzagShuffles {
  alignas(16) std::uint8_t of[8][8][16];
  constexpr ZigzagShuffles() : of{} {
    for (auto& row : of)
      for (auto& part : row)
        for (auto& byte : part) byte = 0x80;
    for (int i = 0; i < 64; ++i) {
      const int k = kPackZigzag.at[i];
      of[i / 8][k / 8][2 * (i % 8)] = static_cast<std::uint8_t>(2 * (k % 8));
      of[i / 8][k / 8][2 * (i % 8) + 1] = static_cast<std::uint8_t>(2 * (k % 8) + 1);
    }
  }
};
constexpr ZigzagShuffles kShuffles;

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
                               std::int16_t* HWY_RESTRICT natural) {
  for (int i = 0; i < 64; ++i) natural[i] = zigzag[kPackZigzag.at[i]];
}

#else

// Returns a row in natural order: its coefficients in these parts of a block in zigzag order.
template <int kRow, int... kParts>
HWY_INLINE hn::Vec<hn::FixedTag<std::uint8_t, 16> > Row(const std::int16_t* zigzag) {
  const hn::FixedTag<std::uint8_t, 16> d;
  const auto part = [&](int i) HWY_ATTR {
    const auto bytes = hn::Load(d, reinterpret_cast<const std::uint8_t*>(zigzag + 8 * i));
    return hn::TableLookupBytesOr0(bytes, hn::Load(d, kShuffles.of[kRow][i]));
  };
  auto row = hn::Zero(d);
  ((row = hn::Or(row, part(kParts))), ...);
  return row;
}

HWY_INLINE void ToNaturalOrder(const std::int16_t* HWY_RESTRICT zigzag,
                               std::int16_t* HWY_RESTRICT natural) {
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
  const hn::FixedTag<std::int8_t, 8> di8;
  const hn::FixedTag<std::int16_t, 8> d16;
  alignas(16) static constexpr std::int16_t kFirst[8] = {-1};
  const auto sign = hn::Load(d8, entry.sign);
  const auto signs = hn::Set(d8, static_cast<std::uint8_t>(raw >> entry.extra));
  // -1 where the sign bit is set, and where there is none.
  const auto negative =
      hn::PromoteTo(d16, hn::BitCast(di8, hn::VecFromMask(d8, hn::Eq(hn::And(signs, sign), sign))));
  const auto extra = hn::And(hn::Set(d16, static_cast<std::int16_t>(raw & entry.extra_mask)),
                             hn::Load(d16, kFirst));
  const auto value = hn::Add(hn::PromoteTo(d16, hn::Load(d8, entry.magnitude)), extra);
  hn::StoreU(hn::Sub(hn::Xor(value, negative), negative), d16, out);
#endif
}

// Decodes a group, in zigzag order and without prediction. Returns false in doubt.
HWY_INLINE bool ReadGroup(const PackTokens::Entry* HWY_RESTRICT entries, PackTokenReader& reader,
                          std::size_t blocks, std::int16_t* HWY_RESTRICT group) {
  std::memset(group, 0, blocks * sizeof(std::int16_t[64]));
  const std::uint8_t* const begin = reader.begin;
  const std::ptrdiff_t last = reader.end - begin - 2;
  std::size_t raw_bits = reader.raw;
  std::size_t token_bits = reader.tokens;
  const std::size_t stop = 64 * blocks;
  std::size_t at = 0;
  std::size_t crossed = 0;  // at least 64 if a token goes beyond the end of its block
  while (at < stop) {
    const std::ptrdiff_t low = last - static_cast<std::ptrdiff_t>(token_bits >> 3);
    const auto next = static_cast<std::ptrdiff_t>(raw_bits >> 3);
    if (HWY_UNLIKELY(next > low)) return false;
    std::uint16_t token;
    std::memcpy(&token, begin + low, sizeof token);
    const PackTokens::Entry& entry =
        entries[(token >> (4 - (token_bits & 4))) & (PackToken::kCount - 1)];
    std::uint64_t raw;
    std::memcpy(&raw, begin + next, sizeof raw);
    StoreToken(entry, raw >> (raw_bits & 7), group + at + entry.run);
    raw_bits += entry.bits;
    token_bits += PackToken::kBits;
    const std::size_t behind = (at + entry.step) & static_cast<std::size_t>(entry.mask);
    crossed |= (behind - 1) ^ at;
    at = behind;
  }
  reader.raw = raw_bits;
  reader.tokens = token_bits;
  return crossed < 64;
}

template <bool kStore>
HWY_INLINE bool UnpackOne(const PackTokens::Entry* HWY_RESTRICT entries, PackTokenReader& reader,
                          const PackLayout& layout, std::int16_t (*const* blocks)[64]) {
  alignas(64) std::int16_t group[kGroupRoom];
  if (!ReadGroup(entries, reader, static_cast<std::size_t>(layout.blocks), group)) return false;
  for (int i = 0; i < layout.blocks; ++i) {
    const PackLayout::Block& block = layout.block[i];
    std::int16_t* const zigzag = group + 64 * i;
    std::int16_t& predictor = reader.predictors[block.component & 3];
    predictor = static_cast<std::int16_t>(predictor + zigzag[0]);
    if constexpr (kStore) {
      if (!block.needed) continue;
      zigzag[0] = predictor;
      ToNaturalOrder(zigzag, *blocks[i]);
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
