#include <sluice/io/jpeg/huffman.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace sluice {
namespace {

constexpr std::uint32_t entry(std::uint32_t step, std::uint32_t size, std::uint32_t doubtful) {
  return size | step << 8 | size << 16 | doubtful << 31;
}

constexpr std::uint32_t with_code(std::uint32_t symbol, std::uint32_t length) {
  return symbol + (length << 24 | length);
}

std::uint32_t symbol_entry(std::uint8_t value, HuffmanLookup::Kind kind) {
  const std::uint32_t size = value & 15;
  if (kind == HuffmanLookup::Kind::dc) {
    return value <= 11 ? entry(1, size, 0) : entry(1, 0, 1);
  }
  const std::uint32_t run = value >> 4;
  if (size > 10) return entry(HuffmanLookup::kDoubtful, 0, 1);
  if (size == 0 && run != 15) return entry(HuffmanLookup::kEndOfBlock, 0, 0);
  return entry(run + 1, size, 0);
}

}  // namespace

void HuffmanLookup::build(const JHUFF_TBL& table, Kind kind) {
  std::fill(std::begin(entries), std::end(entries), 0);
  std::fill(std::begin(symbols), std::end(symbols), symbol_entry(kind == Kind::dc ? 15 : 11, kind));
  std::uint32_t code = 0;
  std::uint32_t index = 0;
  for (std::uint32_t length = 1; length <= 16; ++length) {
    offset[length] = static_cast<std::int32_t>(index) - static_cast<std::int32_t>(code);
    const std::uint32_t count = table.bits[length];
    for (std::uint32_t i = 0; i < count && index < 256; ++i, ++code, ++index) {
      symbols[index] = symbol_entry(table.huffval[index], kind);
      if (length > kBits) continue;
      const std::uint32_t spare = kBits - length;
      std::fill_n(entries + (code << spare), std::size_t{1} << spare,
                  with_code(symbols[index], length));
    }
    max_code[length] = code << (16 - length);
    code <<= 1;
  }
}

std::uint32_t HuffmanLookup::find_long(std::uint64_t buffer) const noexcept {
  const auto next = static_cast<std::uint32_t>(buffer >> 48);
  for (std::uint32_t length = kBits + 1; length <= 16; ++length) {
    if (next >= max_code[length]) continue;
    const auto code = static_cast<std::int32_t>(next >> (16 - length));
    return with_code(symbols[(code + offset[length]) & 255], length);
  }
  return entry(kDoubtful, 0, 1);
}

}  // namespace sluice
