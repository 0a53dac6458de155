// JpegHeader, read from a JPEG file without decoding it, and JpegError, for files that cannot be
// decoded. Also the markers of JPEG files.
#pragma once

#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>

#include <cstdint>
#include <span>
#include <string>

namespace sluice {

// JpegError: a file that cannot be decoded, or an image that cannot be encoded. what() contains the
// reason with numbers, but not the name of the file: the caller adds it.

class JpegError : public Error {
 public:
  using Error::Error;
};

// The header of a JPEG file: its size and kind, without decoding anything.
//
// Plain functions without state, so any thread may call them. They read only the given bytes, only
// move forward, and take about a microsecond. They look at nothing after the first scan's marker.
// Errors: JpegError with the reason.

// The content of a header. It may name kinds that the decoder refuses (lossless, 12 bits a sample).
struct JpegHeader {
  int width = 0;   // pixels, as stored
  int height = 0;  // pixels, as stored
  int components = 0;
  int bits = 8;              // of a sample
  bool progressive = false;  // several passes, from coarse to fine
  bool arithmetic = false;   // arithmetic coding in place of Huffman's
  bool lossless = false;
  int orientation = 1;  // from the EXIF segment, 1 to 8; 1 if there is none

  // The size of the image after `orientation` is applied.
  int oriented_width() const { return orientation >= 5 ? height : width; }
  int oriented_height() const { return orientation >= 5 ? width : height; }
};

// Throws JpegError for a file that is not JPEG (and names its format if it is well known), that
// ends before its first scan, or whose image has no pixels. The decoder fails for all of these,
// too.
JpegHeader peek_jpeg(std::span<const std::uint8_t> file);
// The same for Bytes, for use in a step's function: the operator of this name takes a Value<Bytes>.
// For Bytes on demand it reads only the prefix if that contains the header.
JpegHeader peek_jpeg(const Bytes& file);

// Returns the orientation alone, 1 to 8; 1 also if the header is broken.
int peek_jpeg_orientation(std::span<const std::uint8_t> file) noexcept;

// Returns "starts with 49 49 2a 00 (TIFF)", or "it is empty".
std::string how_it_starts(std::span<const std::uint8_t> file);

}  // namespace sluice

namespace sluice::jpeg_marker {

// The markers of JPEG files (ITU-T T.81, table B.1): the byte that follows 0xff. Internal: for the
// decoders.
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
inline constexpr std::uint8_t kQuantizers = 0xdb;
inline constexpr std::uint8_t kDefineLines = 0xdc;
inline constexpr std::uint8_t kRestartInterval = 0xdd;
inline constexpr std::uint8_t kApp0 = 0xe0;
inline constexpr std::uint8_t kApp1 = 0xe1;
inline constexpr std::uint8_t kApp14 = 0xee;
inline constexpr std::uint8_t kApp15 = 0xef;
inline constexpr std::uint8_t kComment = 0xfe;

}  // namespace sluice::jpeg_marker
