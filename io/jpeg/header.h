// JpegHeader, read from a JPEG file without decoding it, and JpegError, for files that cannot be
// decoded.
#pragma once

#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>

#include <cstdint>
#include <span>

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

}  // namespace sluice
