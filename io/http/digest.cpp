#include <sluice/io/http/digest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace sluice::detail {
namespace {

using Block = std::span<const std::uint8_t, 64>;

// Calls compress(block) for each 64 bytes of the message with its padding: a 1 bit, zeros, and the
// number of bits in 8 bytes.
template <class Compress>
void for_each_block(std::span<const std::uint8_t> bytes, std::endian order,
                    const Compress& compress) {
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (; bytes.size() >= 64; bytes = bytes.subspan(64)) compress(bytes.first<64>());
  std::array<std::uint8_t, 128> last{};
  if (!bytes.empty()) std::memcpy(last.data(), bytes.data(), bytes.size());
  last[bytes.size()] = 0x80;
  const std::size_t end = bytes.size() < 56 ? 64 : 128;
  for (std::size_t i = 0; i < 8; ++i) {
    const std::size_t shift = 8 * (order == std::endian::big ? 7 - i : i);
    last[end - 8 + i] = static_cast<std::uint8_t>(bits >> shift);
  }
  const std::span<const std::uint8_t, 128> both(last);
  compress(both.first<64>());
  if (end == 128) compress(both.last<64>());
}

std::uint32_t word_at(Block block, std::size_t i, std::endian order) {
  std::uint32_t word = 0;
  for (std::size_t k = 0; k < 4; ++k)
    word = word << 8 | block[4 * i + (order == std::endian::big ? k : 3 - k)];
  return word;
}

template <std::size_t Words>
std::array<std::uint8_t, 4 * Words> bytes_of(const std::array<std::uint32_t, Words>& words,
                                             std::endian order) {
  std::array<std::uint8_t, 4 * Words> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t k = i % 4;
    bytes[i] =
        static_cast<std::uint8_t>(words[i / 4] >> (8 * (order == std::endian::big ? 3 - k : k)));
  }
  return bytes;
}

// The first 32 bits of what is behind the point of the cube roots of the first 64 primes. Doubles
// have 50 bits there, and none of these lies closer to a whole number of the 32.
std::array<std::uint32_t, 64> make_sha256_round() {
  std::array<std::uint32_t, 64> round{};
  std::size_t count = 0;
  for (std::uint32_t p = 2; count < round.size(); ++p) {
    bool is_prime = true;
    for (std::uint32_t d = 2; d * d <= p; ++d) is_prime = is_prime && p % d != 0;
    if (!is_prime) continue;
    const double root = std::cbrt(static_cast<double>(p));
    round[count++] = static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0);
  }
  return round;
}

// floor(2^32 * |sin(i + 1)|): far from a whole number for all 64, so that doubles do.
std::array<std::uint32_t, 64> make_md5_round() {
  std::array<std::uint32_t, 64> round{};
  for (std::size_t i = 0; i < round.size(); ++i) {
    round[i] = static_cast<std::uint32_t>(
        std::floor(std::abs(std::sin(static_cast<double>(i + 1))) * 4294967296.0));
  }
  return round;
}

using CrcTable = std::array<std::uint32_t, 256>;

constexpr CrcTable crc_table(std::uint32_t polynomial) {
  CrcTable table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t sum = i;
    for (int bit = 0; bit < 8; ++bit) sum = (sum & 1) != 0 ? sum >> 1 ^ polynomial : sum >> 1;
    table[i] = sum;
  }
  return table;
}

std::array<std::uint8_t, 4> crc(const CrcTable& table, std::span<const std::uint8_t> bytes) {
  std::uint32_t sum = ~std::uint32_t{0};
  for (const std::uint8_t byte : bytes) sum = table[(sum ^ byte) & 255] ^ sum >> 8;
  return bytes_of<1>({~sum}, std::endian::big);
}

}  // namespace

std::array<std::uint8_t, 32> sha256_of(std::span<const std::uint8_t> bytes) {
  static const std::array<std::uint32_t, 64> kRound = make_sha256_round();
  std::array<std::uint32_t, 8> state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for_each_block(bytes, std::endian::big, [&](Block block) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i) w[i] = word_at(block, i, std::endian::big);
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = w[i - 15];
      const std::uint32_t b = w[i - 2];
      w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) +
             (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                ((e & f) ^ (~e & g)) + kRound[i] + w[i];
      const std::uint32_t two =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + one;
      d = c;
      c = b;
      b = a;
      a = one + two;
    }
    const std::array<std::uint32_t, 8> sum{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state[i] += sum[i];
  });
  return bytes_of(state, std::endian::big);
}

std::array<std::uint8_t, 16> md5_of(std::span<const std::uint8_t> bytes) {
  static const std::array<std::uint32_t, 64> kRound = make_md5_round();
  static constexpr int kTurns[4][4] = {
      {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  static constexpr std::size_t kStep[] = {1, 5, 3, 7};
  static constexpr std::size_t kBegin[] = {0, 1, 5, 0};
  std::array<std::uint32_t, 4> state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for_each_block(bytes, std::endian::little, [&](Block block) {
    auto [a, b, c, d] = state;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::size_t round = i / 16;
      const std::uint32_t mixed = round == 0   ? (b & c) | (~b & d)
                                  : round == 1 ? (d & b) | (~d & c)
                                  : round == 2 ? b ^ c ^ d
                                               : c ^ (b | ~d);
      const std::uint32_t word =
          word_at(block, (kStep[round] * i + kBegin[round]) % 16, std::endian::little);
      const std::uint32_t turned = std::rotl(a + mixed + kRound[i] + word, kTurns[round][i % 4]);
      a = d;
      d = c;
      c = b;
      b += turned;
    }
    const std::array<std::uint32_t, 4> sum{a, b, c, d};
    for (std::size_t i = 0; i < 4; ++i) state[i] += sum[i];
  });
  return bytes_of(state, std::endian::little);
}

std::array<std::uint8_t, 4> crc32_of(std::span<const std::uint8_t> bytes) {
  static constexpr CrcTable kTable = crc_table(0xedb88320);
  return crc(kTable, bytes);
}

std::array<std::uint8_t, 4> crc32c_of(std::span<const std::uint8_t> bytes) {
  static constexpr CrcTable kTable = crc_table(0x82f63b78);
  return crc(kTable, bytes);
}

}  // namespace sluice::detail
