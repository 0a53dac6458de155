// Checksums of bytes: SHA-256 (FIPS 180-4), MD5 (RFC 1321), CRC-32 (ISO-HDLC) and CRC-32C
// (Castagnoli). Internal: no user includes it. They detect damage; they are not for security.
//
// The bytes of a checksum come in the order in which it is written. Threads: any; no state. Errors:
// BuildError in a build without URL support, Error for a checksum that the system's OpenSSL refuses
// (some systems forbid MD5).
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

// In lowercase hexadecimal.
std::string hex_of(std::span<const std::uint8_t> bytes);

}  // namespace sluice::detail
