#include <sluice/io/http/request.h>
#include <sluice/io/readers/csv_cell.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#ifdef SLUICE_HAS_HTTP
#include <openssl/evp.h>
#include <zlib.h>
#endif

namespace sluice::detail {
namespace {

struct Known {
  Checksum::Kind kind;
  const char* name;
  std::size_t bytes;
};
constexpr Known kKnown[] = {{Checksum::Kind::sha256, "sha256", 32},
                            {Checksum::Kind::md5, "md5", 16},
                            {Checksum::Kind::crc32c, "crc32c", 4},
                            {Checksum::Kind::crc32, "crc32", 4}};

const Known& known(Checksum::Kind kind) {
  return *std::find_if(std::begin(kKnown), std::end(kKnown),
                       [&](const Known& one) { return one.kind == kind; });
}

// The bytes in hexadecimal; empty if the text is not base64.
std::string hex_of_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return {};
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255);
  }
  return hex_of({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

std::optional<Checksum> made(const Known& one, std::string digits) {
  if (digits.size() != 2 * one.bytes) return {};
  return Checksum{one.kind, std::move(digits)};
}

}  // namespace

std::optional<Checksum> Checksum::of_text(std::string_view text) {
  if (text.empty()) return {};
  const std::size_t colon = text.find(':');
  const bool is_named = colon != std::string_view::npos;
  const std::string name = is_named ? lower(text.substr(0, colon)) : std::string();
  std::string digits = lower(is_named ? text.substr(colon + 1) : text);
  const bool is_hex = std::all_of(digits.begin(), digits.end(),
                                  [](unsigned char c) { return std::isxdigit(c) != 0; });
  for (const Known& one : kKnown) {
    const bool is_it = is_named ? name == one.name : one.bytes > 4;
    if (is_it && is_hex && digits.size() == 2 * one.bytes) return made(one, std::move(digits));
  }
  throw CellError(in_quotes(text) +
                  " is not a checksum: expected sha256:, md5:, crc32c: or crc32: with its "
                  "hexadecimal digits, or the 64 digits of a SHA-256 or 32 of an MD5 alone");
}

std::optional<Checksum> Checksum::of_field(std::string_view name, std::string_view value) {
  const std::string field = lower(name);
  std::string_view algorithm;
  if (field == "content-md5") algorithm = "md5";
  if (field.starts_with("x-amz-checksum-")) algorithm = std::string_view(field).substr(15);
  if (field == "x-goog-hash") {  // "crc32c=...", "md5=...", in one field or several
    const std::size_t equals = value.find('=');
    if (equals == std::string_view::npos) return {};
    algorithm = value.substr(0, equals);
    value.remove_prefix(equals + 1);
    value = value.substr(0, value.find(','));
  }
  for (const Known& one : kKnown) {
    if (algorithm == one.name) return made(one, hex_of_base64(value));
  }
  return {};
}

const char* Checksum::name() const { return known(kind).name; }

std::string Checksum::digits_of(std::span<const std::uint8_t> bytes) const {
  switch (kind) {
    case Kind::sha256:
      return hex_of(sha256_of(bytes));
    case Kind::md5:
      return hex_of(md5_of(bytes));
    case Kind::crc32c:
      return hex_of(crc32c_of(bytes));
    case Kind::crc32:
      return hex_of(crc32_of(bytes));
  }
  return {};
}

HttpEpochs::HttpEpochs() : epoch_(std::make_shared<std::atomic<std::int64_t>>(0)) {}

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
  throw BuildError("this build of Sluice cannot compute checksums: it was built without libcurl");
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
