// The inner loops that find the nonzero coefficients of blocks, and make symbols of them.
//
// Idea: no branch depends on the coefficients. A block is brought into zigzag order. The nonzero
// coefficients are moved together by a vector's compress operation, with their places beside them.
// Runs are the differences of neighboring places.
#include <sluice/io/packs/block_symbols.h>

#include <bit>
#include <cstddef>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/io/packs/block_symbols.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef SLUICE_PACK_BLOCK_SYMBOLS_ONCE
#define SLUICE_PACK_BLOCK_SYMBOLS_ONCE
#include <sluice/io/jpeg/zigzag.h>
#include <sluice/io/packs/block_shuffle.h>

namespace sluice {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr BlockShuffle kToZigzag(JpegNaturalOrder().at);

// A coefficient that is not zero: bits 0 to 15 have its magnitude, 16 to 22 its place in zigzag
// order plus 1, and bit 31 is set if it is negative.
struct Nonzero {
  static constexpr std::uint32_t kNegative = std::uint32_t{1} << 31;

  static std::uint32_t magnitude(std::uint32_t nonzero) { return nonzero & 0xffff; }
  static std::uint32_t end(std::uint32_t nonzero) { return nonzero >> 16 & 127; }
};
// A zero, the nonzero coefficients of a block, and room behind them.
using NonzeroList = std::uint32_t[1 + 64 + 16];

// Where the symbols of a segment are written.
struct SymbolOutput {
  std::uint16_t* HWY_RESTRICT first;
  std::uint8_t* HWY_RESTRICT later;
  std::uint16_t* HWY_RESTRICT more;
  std::uint64_t* HWY_RESTRICT negative;
};

}  // namespace
}  // namespace sluice
#endif

HWY_BEFORE_NAMESPACE();
namespace sluice {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SSE2 || HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR

HWY_INLINE std::size_t ListOf(const std::int16_t* HWY_RESTRICT block, std::int16_t dc,
                              std::uint32_t* HWY_RESTRICT list) {
  std::size_t count = 0;
  for (std::uint32_t k = 0; k < 64; ++k) {
    const std::int32_t value = k == 0 ? dc : block[kToZigzag.from[k]];
    const auto magnitude = static_cast<std::uint32_t>(value < 0 ? -value : value);
    list[count] = magnitude | (k + 1) << 16 | (value < 0 ? Nonzero::kNegative : 0);
    count += value != 0 ? 1 : 0;
  }
  return count;
}

// Writes the codes of the listed coefficients. list[-1] is 0. Returns a bit for each negative one.
HWY_INLINE std::uint64_t WriteCodes(const std::uint32_t* HWY_RESTRICT list, std::size_t count,
                                    std::uint16_t* HWY_RESTRICT first,
                                    std::uint8_t* HWY_RESTRICT later,
                                    std::uint16_t* HWY_RESTRICT more) {
  std::uint64_t negative = 0;
  std::uint32_t behind = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t magnitude = Nonzero::magnitude(list[i]), end = Nonzero::end(list[i]);
    const std::uint32_t run = end - behind - 1;
    behind = end;
    negative |= std::uint64_t{list[i] >> 31} << i;
    std::uint32_t type = magnitude, rest = 0;
    for (std::uint32_t octave = 0; octave < 3; ++octave) {
      if (magnitude < 32u << octave) continue;
      type = 28 + 4 * octave + (magnitude >> (3 + octave));
      rest = magnitude & ((8u << octave) - 1);
    }
    if (magnitude >= 256) {
      const bool all = magnitude >= 255 + (1u << 11);
      type = MagnitudeClasses::kAll - (all ? 0 : 1);
      rest = all ? magnitude : magnitude - 255;
    }
    first[i] = PackSymbols::first_code(run, type);
    later[i] = run < PackSymbols::kNearRuns && magnitude < MagnitudeClasses::kExact
                   ? PackSymbols::later_code(run, magnitude)
                   : PackSymbols::kFar;
    more[i] = static_cast<std::uint16_t>(rest);
  }
  return negative;
}

// Writes the listed coefficients as Huffman symbols. list[-1] is 0. Returns false if one of AC has
// more than 10 bits.
HWY_INLINE bool WriteHuffman(const std::uint32_t* HWY_RESTRICT list, std::size_t count,
                             std::uint32_t* HWY_RESTRICT symbols) {
  bool fits = true;
  std::uint32_t behind = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t magnitude = Nonzero::magnitude(list[i]), end = Nonzero::end(list[i]);
    const auto size = static_cast<std::uint32_t>(std::bit_width(magnitude));
    fits = fits && (end == 1 || size <= 10);
    const std::uint32_t flips = (list[i] & Nonzero::kNegative) != 0 ? (1u << size) - 1 : 0;
    symbols[i] = (end - behind - 1) << 20 | size << 16 | (magnitude ^ flips);
    behind = end;
  }
  return fits;
}

#else

#if HWY_TARGET <= HWY_AVX3

HWY_INLINE void ToZigzagOrder(const std::int16_t* HWY_RESTRICT natural, std::int16_t dc,
                              std::int16_t* HWY_RESTRICT zigzag) {
  const __m512i upper = _mm512_loadu_si512(natural), lower = _mm512_loadu_si512(natural + 32);
  const __m512i first = _mm512_permutex2var_epi16(upper, _mm512_load_si512(kToZigzag.from), lower);
  _mm512_store_si512(zigzag, _mm512_mask_set1_epi16(first, 1, dc));
  _mm512_store_si512(
      zigzag + 32, _mm512_permutex2var_epi16(upper, _mm512_load_si512(kToZigzag.from + 32), lower));
}

#else

// Returns 8 coefficients in zigzag order, which are in these rows.
template <int kPart, int... kRows>
HWY_INLINE hn::Vec<hn::FixedTag<std::int16_t, 8> > Part(const std::int16_t* natural) {
  const hn::FixedTag<std::uint8_t, 16> d;
  const auto row = [&](int i) HWY_ATTR {
    const auto bytes = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(natural + 8 * i));
    return hn::TableLookupBytesOr0(bytes, hn::Load(d, kToZigzag.bytes[kPart][i]));
  };
  auto part = hn::Zero(d);
  ((part = hn::Or(part, row(kRows))), ...);
  return hn::BitCast(hn::FixedTag<std::int16_t, 8>(), part);
}

HWY_INLINE void ToZigzagOrder(const std::int16_t* HWY_RESTRICT natural, std::int16_t dc,
                              std::int16_t* HWY_RESTRICT zigzag) {
  const hn::FixedTag<std::int16_t, 8> d;
  hn::Store(hn::IfThenElse(hn::FirstN(d, 1), hn::Set(d, dc), Part<0, 0, 1, 2>(natural)), d, zigzag);
  hn::Store(Part<1, 0, 1, 2, 3, 4>(natural), d, zigzag + 8);
  hn::Store(Part<2, 1, 2, 3, 4, 5, 6>(natural), d, zigzag + 16);
  hn::Store(Part<3, 0, 1, 2, 3>(natural), d, zigzag + 24);
  hn::Store(Part<4, 4, 5, 6, 7>(natural), d, zigzag + 32);
  hn::Store(Part<5, 1, 2, 3, 4, 5, 6>(natural), d, zigzag + 40);
  hn::Store(Part<6, 3, 4, 5, 6, 7>(natural), d, zigzag + 48);
  hn::Store(Part<7, 5, 6, 7>(natural), d, zigzag + 56);
}

#endif

using Words = hn::CappedTag<std::int32_t, 16>;

HWY_INLINE std::size_t ListOf(const std::int16_t* HWY_RESTRICT block, std::int16_t dc,
                              std::uint32_t* HWY_RESTRICT list) {
  const Words d;
  const hn::Rebind<std::int16_t, Words> d16;
  const hn::RebindToUnsigned<Words> du;
  alignas(64) std::int16_t zigzag[64];
  ToZigzagOrder(block, dc, zigzag);
  const auto negative = hn::Set(d, static_cast<std::int32_t>(Nonzero::kNegative));
  const auto step = hn::Set(d, static_cast<std::int32_t>(hn::Lanes(d) << 16));
  auto place = hn::ShiftLeft<16>(hn::Iota(d, 1));
  std::size_t count = 0;
  for (std::size_t i = 0; i < 64; i += hn::Lanes(d)) {
    const auto value = hn::PromoteTo(d, hn::Load(d16, zigzag + i));
    const auto word = hn::Or(hn::Or(hn::Abs(value), place), hn::And(value, negative));
    const auto chosen = hn::Ne(value, hn::Zero(d));
    hn::StoreU(hn::BitCast(du, hn::Compress(word, chosen)), du, list + count);
    count += hn::CountTrue(d, chosen);
    place = hn::Add(place, step);
  }
  return count;
}

// Writes the codes of the listed coefficients. list[-1] is 0. Returns a bit for each negative one.
HWY_INLINE std::uint64_t WriteCodes(const std::uint32_t* HWY_RESTRICT list, std::size_t count,
                                    std::uint16_t* HWY_RESTRICT first,
                                    std::uint8_t* HWY_RESTRICT later,
                                    std::uint16_t* HWY_RESTRICT more) {
  const Words d;
  const hn::Rebind<std::uint16_t, Words> d16;
  const hn::Rebind<std::uint8_t, Words> d8;
  const hn::RebindToUnsigned<Words> du;
  const auto set = [&d](std::size_t value)
                       HWY_ATTR { return hn::Set(d, static_cast<std::int32_t>(value)); };
  std::uint64_t negative = 0;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto word = hn::BitCast(d, hn::LoadU(du, list + i));
    const auto before = hn::BitCast(d, hn::LoadU(du, list + i - 1));
    const auto end_of = [&](auto of) HWY_ATTR { return hn::And(hn::ShiftRight<16>(of), set(127)); };
    const auto run = hn::Sub(hn::Sub(end_of(word), end_of(before)), set(1));
    const auto magnitude = hn::And(word, set(0xffff));
    const auto exact = hn::Lt(magnitude, set(MagnitudeClasses::kExact));

    auto type = magnitude, rest = hn::Zero(d);
    const auto use = [&](auto larger, auto its_type, auto its_rest) HWY_ATTR {
      type = hn::IfThenElse(larger, its_type, type);
      rest = hn::IfThenElse(larger, its_rest, rest);
    };
    use(hn::Gt(magnitude, set(31)), hn::Add(hn::ShiftRight<3>(magnitude), set(28)),
        hn::And(magnitude, set(7)));
    use(hn::Gt(magnitude, set(63)), hn::Add(hn::ShiftRight<4>(magnitude), set(32)),
        hn::And(magnitude, set(15)));
    use(hn::Gt(magnitude, set(127)), hn::Add(hn::ShiftRight<5>(magnitude), set(36)),
        hn::And(magnitude, set(31)));
    use(hn::Gt(magnitude, set(255)), set(MagnitudeClasses::kAll - 1), hn::Sub(magnitude, set(255)));
    use(hn::Gt(magnitude, set(254 + (1 << 11))), set(MagnitudeClasses::kAll), magnitude);

    hn::StoreU(hn::DemoteTo(d16, hn::Or(hn::ShiftLeft<6>(run), type)), d16, first + i);
    hn::StoreU(hn::DemoteTo(d16, rest), d16, more + i);
    const auto near = hn::And(exact, hn::Lt(run, set(PackSymbols::kNearRuns)));
    const auto code = hn::Or(hn::ShiftLeft<5>(run), magnitude);
    hn::StoreU(hn::DemoteTo(d8, hn::IfThenElse(near, code, set(PackSymbols::kFar))), d8, later + i);

    std::uint64_t bits = 0;
    hn::StoreMaskBits(d, hn::Lt(word, hn::Zero(d)), reinterpret_cast<std::uint8_t*>(&bits));
    negative |= bits << i;
  }
  return count < 64 ? negative & ((std::uint64_t{1} << count) - 1) : negative;
}

// Writes the listed coefficients as Huffman symbols. list[-1] is 0. Returns false if one of AC has
// more than 10 bits.
HWY_INLINE bool WriteHuffman(const std::uint32_t* HWY_RESTRICT list, std::size_t count,
                             std::uint32_t* HWY_RESTRICT symbols) {
  const Words d;
  const hn::RebindToUnsigned<Words> du;
  const hn::RebindToFloat<Words> df;
  bool fits = true;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto word = hn::BitCast(d, hn::LoadU(du, list + i));
    const auto before = hn::BitCast(d, hn::LoadU(du, list + i - 1));
    const auto end_of = [&](auto of)
                            HWY_ATTR { return hn::And(hn::ShiftRight<16>(of), hn::Set(d, 127)); };
    const auto end = end_of(word), one = hn::Set(d, 1);
    const auto run = hn::Sub(hn::Sub(end, end_of(before)), one);
    const auto magnitude = hn::And(word, hn::Set(d, 0xffff));
    // The exponents of floating-point numbers are the number of bits, and the power of two above.
    const auto size =
        hn::Sub(hn::ShiftRight<23>(hn::BitCast(d, hn::ConvertTo(df, magnitude))), hn::Set(d, 126));
    const auto power =
        hn::ConvertTo(d, hn::BitCast(df, hn::ShiftLeft<23>(hn::Add(size, hn::Set(d, 127)))));
    const auto flips = hn::And(hn::BroadcastSignBit(word), hn::Sub(power, one));
    const auto symbol =
        hn::Or(hn::Or(hn::ShiftLeft<20>(run), hn::ShiftLeft<16>(size)), hn::Xor(magnitude, flips));
    hn::StoreU(hn::BitCast(du, symbol), du, symbols + i);
    // Lanes behind the last one hold anything.
    const auto valid = hn::FirstN(d, count - i);
    const auto large = hn::Gt(magnitude, hn::Set(d, 1023));
    fits = fits && hn::AllFalse(d, hn::And(large, hn::And(valid, hn::Gt(end, one))));
  }
  return fits;
}

#endif

bool PutBlock(const PackBlock& block, std::int32_t difference, const HuffmanCodes& dc,
              const HuffmanCodes& ac, HuffmanBits& all) {
  constexpr std::uint32_t kSixteenZeros = 0xf0, kEndOfBlock = 0;
  if (difference <= -2048 || difference >= 2048) return false;
  NonzeroList list;
  list[0] = 0;
  // Room for a vector behind the last one. Bits 0 to 15: the bits that follow the code. From bit 16
  // on: their number, plus 16 times the zeros before.
  std::uint32_t symbols[64 + 16];
  const std::size_t count = ListOf(block.data(), static_cast<std::int16_t>(difference), list + 1);
  if (!WriteHuffman(list + 1, count, symbols)) return false;
  HuffmanBits bits = all;  // a copy, which stays in registers
  bool all_known = true;
  const auto put = [&](const HuffmanCodes& of, std::uint32_t symbol, std::uint32_t value) HWY_ATTR {
    const std::uint32_t code = of.codes[symbol];
    all_known &= code != 0;
    bits.put(code >> 5 | value, code & 31);
  };
  std::size_t k = 0;
  if (difference != 0) {
    put(dc, symbols[0] >> 16, symbols[0] & 0xffff);
    ++k;
  } else {
    put(dc, 0, 0);
    symbols[0] -= 1u << 20;  // DC counts as a zero before the next coefficient
  }
  for (; k < count; ++k) {
    std::uint32_t symbol = symbols[k] >> 16;
    for (; symbol >= 256; symbol -= 256) put(ac, kSixteenZeros, 0);
    put(ac, symbol, symbols[k] & 0xffff);
  }
  if (Nonzero::end(list[count]) < 64) put(ac, kEndOfBlock, 0);
  all = bits;
  return all_known;
}

// Returns the number of symbols.
std::size_t ReadSymbols(std::span<const PackBlock> blocks, const PackLayout& layout,
                        const SymbolOutput& out) {
  std::int16_t predictors[4] = {};
  NonzeroList list = {};  // what is behind the last coefficient becomes codes, too
  int in_group = 0;
  std::size_t at = 0;
  out.negative[0] = 0;
  for (const PackBlock& block : blocks) {
    std::int16_t& predictor = predictors[layout.block[in_group].component & 3];
    const std::size_t count =
        ListOf(block.data(), static_cast<std::int16_t>(block[0] - predictor), list + 1);
    predictor = block[0];
    if (++in_group == layout.blocks) in_group = 0;

    const std::uint64_t negative =
        WriteCodes(list + 1, count, out.first + at, out.later + at, out.more + at);
    out.negative[at / 64] |= negative << at % 64;
    out.negative[at / 64 + 1] = negative >> 1 >> (63 - at % 64);
    const std::size_t end = at + count;
    out.first[end] = 0;
    out.later[end] = PackSymbols::kEnd;
    out.more[end] = 0;
    out.later[at] = PackSymbols::kBegins;
    at = end + (Nonzero::end(list[count]) == 64 ? 0 : 1);
  }
  return at;
}

}  // namespace HWY_NAMESPACE
}  // namespace sluice
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice {

HWY_EXPORT(PutBlock);
HWY_EXPORT(ReadSymbols);

bool put_block(const PackBlock& block, std::int32_t difference, const HuffmanCodes& dc,
               const HuffmanCodes& ac, HuffmanBits& bits) {
  return HWY_DYNAMIC_DISPATCH(PutBlock)(block, difference, dc, ac, bits);
}

void PackSymbols::read(std::span<const PackBlock> blocks, const PackLayout& layout) {
  // A block has at most 64 symbols. A vector may be stored behind the last one.
  const std::size_t most = 64 * blocks.size() + kMostLanes + kBehind;
  if (first.size() < most) {
    first.resize(most);
    later.resize(most);
    more.resize(most);
    negative.resize(most / 64 + 2);
  }
  count = HWY_DYNAMIC_DISPATCH(ReadSymbols)(
      blocks, layout, {first.data(), later.data(), more.data(), negative.data()});
  std::memset(later.data() + count, kBegins, kLongest);
}

}  // namespace sluice
#endif
