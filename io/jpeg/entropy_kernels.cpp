#include <sluice/io/jpeg/entropy.h>

#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/io/jpeg/entropy_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef SLUICE_JPEG_ENTROPY_KERNELS_ONCE
#define SLUICE_JPEG_ENTROPY_KERNELS_ONCE
#include <sluice/io/jpeg/zigzag.h>

namespace sluice {
namespace {

// The place of coefficient k (in zigzag order) in a block, row by row. Entries beyond 63 are for
// the end of a block, which stores a zero there, and for invalid data.
struct ZigzagOrder {
  std::uint8_t at[64 + HuffmanLookup::kFarthest];
  constexpr ZigzagOrder() : at{} {
    const JpegNaturalOrder natural;
    for (int k = 0; k < 64; ++k) at[k] = natural.at[k];
    for (auto* rest = at + 64; rest != at + sizeof(at); ++rest) *rest = 63;
  }
};
constexpr ZigzagOrder kZigzag;

}  // namespace
}  // namespace sluice
#endif

HWY_BEFORE_NAMESPACE();
namespace sluice {
namespace HWY_NAMESPACE {

struct Bits {
  std::uint64_t buffer;
  std::uint32_t count;
  const std::uint8_t* next;

  // Ensures at least 56 valid bits. Bits that were already loaded are loaded again, to the same
  // place.
  HWY_INLINE void refill() {
    std::uint64_t word;
    std::memcpy(&word, next, sizeof(word));
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
    buffer |= word >> count;
    next += (63 - count) >> 3;
    count |= 56;
  }

  HWY_INLINE std::uint32_t look_up(const HuffmanLookup& table) const {
    const std::uint32_t entry = table.entries[buffer >> (64 - HuffmanLookup::kBits)];
    if (HWY_LIKELY(entry != 0)) return entry;
    return table.find_long(buffer);
  }

  // Removes the bits of an entry or a pair.
  HWY_INLINE void consume(std::uint64_t entry) {
    buffer <<= entry & 63;
    count -= static_cast<std::uint32_t>(entry & 255);
  }

  // Returns the number that the extra bits of `entry` encode (ITU-T T.81, F.2.2.1, EXTEND),
  // computed without a branch: its first bit is 1 if it is positive.
  HWY_INLINE std::int32_t value(std::uint32_t entry) const {
    const std::uint64_t extra = buffer << ((entry >> 24) & 63);
    const std::uint32_t size = (entry >> 16) & 63;
    const auto magnitude = static_cast<std::int32_t>((extra >> 1) >> (63 - size));
    const auto negative = static_cast<std::int32_t>(~(static_cast<std::int64_t>(extra) >> 63));
    return magnitude + (negative & (1 - (1 << size)));
  }
  HWY_INLINE std::int64_t second_value(std::uint64_t pair) const {
    const std::uint64_t extra = buffer << (pair >> 32 & 63);
    const std::uint32_t spare = static_cast<std::uint32_t>(pair >> 24) & 63;
    const auto largest = static_cast<std::int64_t>(~std::uint64_t{0} >> 1 >> spare);
    const auto positive = static_cast<std::int64_t>(extra) >> 63;
    return static_cast<std::int64_t>(extra >> 1 >> spare) - (largest & ~positive);
  }
};

template <bool kStore>
HWY_INLINE std::uint32_t DecodeBlock(Bits& bits, const EntropyState::Block& block,
                                     std::int32_t& predictor, std::int16_t* out) {
  bits.refill();
  const std::uint32_t dc = bits.look_up(*block.dc);
  predictor += bits.value(dc);
  bits.consume(dc);
  if constexpr (kStore) out[0] = static_cast<std::int16_t>(predictor);

  const std::uint64_t* HWY_RESTRICT pairs = block.ac->pairs;
  const std::uint8_t* place = kZigzag.at;  // of the last coefficient
  std::uint64_t pair = 0;
  const std::uint8_t* after = nullptr;
  // Decodes the next pair. Returns true if the block goes on after it.
  const auto step = [&]() HWY_ATTR {
    pair = pairs[bits.buffer >> (64 - HuffmanLookup::kPairBits)];
    after = place + (pair >> 16 & 255);
    if constexpr (kStore) {
      out[place[pair >> 8 & 255]] = static_cast<std::int16_t>(pair >> 48);
      out[*after] = static_cast<std::int16_t>(bits.second_value(pair));
    }
    if (after >= kZigzag.at + 63) return false;
    bits.consume(pair);
    place = after;
    return true;
  };
  // DC takes at most 27 of the 56 bits, and a pair 26.
  bool goes_on = step();
  for (;;) {
    while (goes_on) {
      bits.refill();
      goes_on = step() && step();
    }
    if (HWY_LIKELY(pair != HuffmanLookup::kLongCode)) break;
    bits.refill();
    pair = block.ac->find_long_alone(bits.buffer);
    after = place + (pair >> 16 & 255);
    if constexpr (kStore) out[*after] = static_cast<std::int16_t>(bits.second_value(pair));
    if (after >= kZigzag.at + 63) break;
    bits.consume(pair);
    place = after;
    goes_on = true;
  }
  const std::uint8_t* const first = place + (pair >> 8 & 255);
  if (HWY_UNLIKELY(first >= kZigzag.at + 63 && first != after)) {
    // The block ends with the first symbol of the pair. What was stored at its end belongs to the
    // next block.
    after = first;
    if constexpr (kStore) out[63] = static_cast<std::int16_t>(pair >> 48);
    pair >>= 40;
  }
  bits.consume(pair);
  const std::uint32_t beyond = static_cast<std::uint32_t>(after - kZigzag.at) - 64 < 64 ? 1 : 0;
  return (dc >> 31) | beyond | (static_cast<std::uint32_t>(predictor + 32768) >> 16);
}

void DecodeGroup(EntropyState& state, Coefficients* const* blocks) {
  Bits bits{state.buffer, state.count, state.next};
  std::uint32_t doubt = 0;
  for (int i = 0; i < state.blocks; ++i) {
    const EntropyState::Block& block = state.block[i];
    std::int32_t& predictor = state.predictors[block.component];
    doubt |= block.needed ? DecodeBlock<true>(bits, block, predictor, *blocks[i])
                          : DecodeBlock<false>(bits, block, predictor, nullptr);
  }
  state.doubt |= doubt;
  state.buffer = bits.buffer;
  state.count = bits.count;
  state.next = bits.next;
}

std::uint32_t SkipGroups(EntropyState& state, std::uint32_t groups) {
  Bits bits{state.buffer, state.count, state.next};
  std::uint32_t doubt = 0;
  std::uint32_t done = 0;
  for (; done < groups && bits.next < state.stop; ++done) {
    for (int i = 0; i < state.blocks; ++i) {
      const EntropyState::Block& block = state.block[i];
      doubt |= DecodeBlock<false>(bits, block, state.predictors[block.component], nullptr);
    }
  }
  state.doubt |= doubt;
  state.buffer = bits.buffer;
  state.count = bits.count;
  state.next = bits.next;
  return done;
}

}  // namespace HWY_NAMESPACE
}  // namespace sluice
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice {

HWY_EXPORT(DecodeGroup);
HWY_EXPORT(SkipGroups);

void decode_group(EntropyState& state, Coefficients* const* blocks) {
  HWY_DYNAMIC_DISPATCH(DecodeGroup)(state, blocks);
}

std::uint32_t skip_groups(EntropyState& state, std::uint32_t groups) {
  return HWY_DYNAMIC_DISPATCH(SkipGroups)(state, groups);
}

}  // namespace sluice
#endif
