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

// Returns an entry as a pair.
constexpr std::uint64_t alone(std::uint32_t entry) {
  const std::uint64_t total = entry & 255, step = entry >> 8 & 255, size = entry >> 16 & 63;
  const std::uint64_t code = entry >> 24 & 63;
  return total | step << 8 | step << 16 | (63 - size) << 24 | code << 32 | total << 40;
}

// Returns what `entry` adds to the first symbol of a pair, as the second symbol.
constexpr std::uint64_t as_second(std::uint32_t entry) {
  const std::uint64_t total = entry & 255, step = entry >> 8 & 255, size = entry >> 16 & 63;
  const std::uint64_t code = entry >> 24 & 63;
  return total | step << 16 | (63 - size) << 24 | code << 32;
}

// Returns `entry` as the first symbol of a pair; its extra bits are `extra`.
constexpr std::uint64_t as_first(std::uint32_t entry, std::uint32_t extra) {
  const std::uint64_t total = entry & 255, step = entry >> 8 & 255;
  const std::uint32_t size = entry >> 16 & 63;
  const bool negative = size > 0 && extra >> (size - 1) == 0;
  const std::uint32_t value = negative ? extra + 1 - (1U << size) : extra;
  return total | step << 8 | step << 16 | total << 32 | total << 40 | std::uint64_t{value} << 48;
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
  if (kind == Kind::ac) build_pairs();
}

void HuffmanLookup::build_pairs() {
  // For each symbol whose code fits in kBits bits: what it adds as the second symbol. 0 for all
  // others.
  std::uint64_t seconds[1 << kBits];
  for (std::uint32_t i = 0; i < std::size(entries); ++i) {
    const std::uint32_t entry = entries[i];
    seconds[i] = entry == 0 || entry >> 31 != 0 ? 0 : as_second(entry);
  }
  std::fill(std::begin(pairs), std::end(pairs), kLongCode);
  for (std::uint32_t at = 0; at < std::size(entries);) {
    const std::uint32_t entry = entries[at];
    const std::uint32_t code = entry >> 24 & 63, size = entry >> 16 & 63, step = entry >> 8 & 255;
    const std::uint32_t begin = at << (kPairBits - kBits);
    if (entry == 0) {
      ++at;
      continue;
    }
    at += 1U << (kBits - code);
    const std::uint32_t end = at << (kPairBits - kBits);
    std::fill(pairs + begin, pairs + end, alone(entry));
    const int spare = kPairBits - static_cast<int>(code + size);
    if (spare < 1 || step > 16) continue;
    for (std::uint32_t extra = 0; extra < 1U << size; ++extra) {
      const std::uint64_t first = as_first(entry, extra);
      std::uint64_t* const to = pairs + begin + (extra << spare);
      for (std::uint32_t rest = 0; rest < 1U << spare; ++rest) {
        const std::uint64_t second = seconds[rest << kBits >> spare];
        if (second != 0 && (second >> 32) <= static_cast<std::uint64_t>(spare))
          to[rest] = first + second;
      }
    }
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

std::uint64_t HuffmanLookup::find_long_alone(std::uint64_t buffer) const noexcept {
  return alone(find_long(buffer));
}

}  // namespace sluice
