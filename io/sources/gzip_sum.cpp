#include <sluice/io/sources/gzip_sum.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace sluice {
namespace {

static_assert(std::endian::native == std::endian::little);

// Eight bytes at once: table[k][b] is the CRC of byte b with k zero bytes after it.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320U : 0U);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}
constexpr Tables kTables = make_tables();

std::uint32_t word_at(const std::uint8_t* at) {
  std::uint32_t word = 0;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

}  // namespace

void GzipSum::read(std::span<const std::uint8_t> in) {
  const std::size_t kept = tail_.size() - std::min(in.size(), tail_.size());
  std::copy(tail_.end() - static_cast<std::ptrdiff_t>(kept), tail_.end(), tail_.begin());
  const std::size_t added = tail_.size() - kept;
  std::copy(in.end() - static_cast<std::ptrdiff_t>(added), in.end(),
            tail_.begin() + static_cast<std::ptrdiff_t>(kept));
}

void GzipSum::gave(std::span<const std::uint8_t> out) {
  size_ += static_cast<std::uint32_t>(out.size());
  std::uint32_t crc = crc_;
  const std::uint8_t* at = out.data();
  std::size_t left = out.size();
  for (; left >= 8; left -= 8, at += 8) {
    const std::uint32_t low = crc ^ word_at(at);
    const std::uint32_t high = word_at(at + 4);
    crc = kTables[7][low & 0xff] ^ kTables[6][low >> 8 & 0xff] ^ kTables[5][low >> 16 & 0xff] ^
          kTables[4][low >> 24] ^ kTables[3][high & 0xff] ^ kTables[2][high >> 8 & 0xff] ^
          kTables[1][high >> 16 & 0xff] ^ kTables[0][high >> 24];
  }
  for (; left > 0; --left, ++at) crc = (crc >> 8) ^ kTables[0][(crc ^ *at) & 0xff];
  crc_ = crc;
}

bool GzipSum::is_wrong() const {
  return word_at(tail_.data() + 4) == size_ && word_at(tail_.data()) != ~crc_;
}

}  // namespace sluice
