// SHA-256 (FIPS 180-4), MD5 (RFC 1321), CRC-32 (ISO-HDLC) and CRC-32C (Castagnoli) of bytes.
// Internal: no user includes it. For finding damage, not for keeping secrets.
//
// The bytes of a sum come in the order in which people write it. Threads: any; no state. Errors:
// BuildError in a build without URLs, Error for a sum that the system's OpenSSL refuses (some allow
// no MD5).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace sluice::detail {

std::array<std::uint8_t, 32> sha256_of(std::span<const std::uint8_t> bytes);
std::array<std::uint8_t, 16> md5_of(std::span<const std::uint8_t> bytes);
std::array<std::uint8_t, 4> crc32_of(std::span<const std::uint8_t> bytes);
std::array<std::uint8_t, 4> crc32c_of(std::span<const std::uint8_t> bytes);

// In hexadecimal, small letters.
std::string hex_of(std::span<const std::uint8_t> bytes);

}  // namespace sluice::detail
