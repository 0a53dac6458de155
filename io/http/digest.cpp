#include <sluice/io/http/digest.h>
#include <sluice/runtime/error.h>

#ifdef SLUICE_HAS_HTTP
#include <openssl/evp.h>
#include <zlib.h>
#endif

namespace sluice::detail {

#ifdef SLUICE_HAS_HTTP

namespace {

template <std::size_t Size>
std::array<std::uint8_t, Size> digest(const EVP_MD* kind, std::span<const std::uint8_t> bytes) {
  std::array<std::uint8_t, Size> sum{};
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), sum.data(), &size, kind, nullptr) != 1 || size != Size)
    throw Error("OpenSSL does not compute this kind of checksum here");
  return sum;
}

std::array<std::uint8_t, 4> as_written(std::uint32_t sum) {
  return {static_cast<std::uint8_t>(sum >> 24), static_cast<std::uint8_t>(sum >> 16),
          static_cast<std::uint8_t>(sum >> 8), static_cast<std::uint8_t>(sum)};
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

}  // namespace

std::array<std::uint8_t, 32> sha256_of(std::span<const std::uint8_t> bytes) {
  return digest<32>(EVP_sha256(), bytes);
}

std::array<std::uint8_t, 16> md5_of(std::span<const std::uint8_t> bytes) {
  return digest<16>(EVP_md5(), bytes);
}

std::array<std::uint8_t, 4> crc32_of(std::span<const std::uint8_t> bytes) {
  return as_written(static_cast<std::uint32_t>(crc32_z(0, bytes.data(), bytes.size())));
}

// zlib only supports the polynomial of CRC-32.
std::array<std::uint8_t, 4> crc32c_of(std::span<const std::uint8_t> bytes) {
  static constexpr CrcTable kTable = crc_table(0x82f63b78);
  std::uint32_t sum = ~std::uint32_t{0};
  for (const std::uint8_t byte : bytes) sum = kTable[(sum ^ byte) & 255] ^ sum >> 8;
  return as_written(~sum);
}

#else

namespace {
[[noreturn]] void refuse() {
  throw BuildError("this build of sluice computes no checksums: it was made without libcurl");
}
}  // namespace

std::array<std::uint8_t, 32> sha256_of(std::span<const std::uint8_t> /*bytes*/) { refuse(); }
std::array<std::uint8_t, 16> md5_of(std::span<const std::uint8_t> /*bytes*/) { refuse(); }
std::array<std::uint8_t, 4> crc32_of(std::span<const std::uint8_t> /*bytes*/) { refuse(); }
std::array<std::uint8_t, 4> crc32c_of(std::span<const std::uint8_t> /*bytes*/) { refuse(); }

#endif

std::string hex_of(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes)
    text += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
  return text;
}

}  // namespace sluice::detail
