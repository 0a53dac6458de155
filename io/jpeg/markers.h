// The markers of JPEG files (ITU-T T.81, table B.1): the byte that follows 0xff. Internal: users do
// not include it. Constants only.
#pragma once

#include <cstdint>

namespace sluice::jpeg_marker {

inline constexpr std::uint8_t kTemporary = 0x01;
inline constexpr std::uint8_t kStartOfFrame0 = 0xc0;  // baseline
inline constexpr std::uint8_t kStartOfFrame1 = 0xc1;  // extended
inline constexpr std::uint8_t kHuffmanTables = 0xc4;
inline constexpr std::uint8_t kReservedFrame = 0xc8;
inline constexpr std::uint8_t kArithmeticConditioning = 0xcc;
inline constexpr std::uint8_t kStartOfFrame15 = 0xcf;
inline constexpr std::uint8_t kRestart0 = 0xd0;
inline constexpr std::uint8_t kRestart7 = 0xd7;
inline constexpr std::uint8_t kStartOfImage = 0xd8;
inline constexpr std::uint8_t kEndOfImage = 0xd9;
inline constexpr std::uint8_t kStartOfScan = 0xda;
inline constexpr std::uint8_t kQuantisers = 0xdb;
inline constexpr std::uint8_t kDefineLines = 0xdc;
inline constexpr std::uint8_t kRestartInterval = 0xdd;
inline constexpr std::uint8_t kApp0 = 0xe0;
inline constexpr std::uint8_t kApp1 = 0xe1;
inline constexpr std::uint8_t kApp14 = 0xee;
inline constexpr std::uint8_t kApp15 = 0xef;
inline constexpr std::uint8_t kComment = 0xfe;

}  // namespace sluice::jpeg_marker
