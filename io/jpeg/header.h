// What a JPEG file says of itself before it is decoded, and JpegError, for files that cannot be
// decoded.
#pragma once

#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>

#include <cstdint>
#include <span>

namespace sluice {

// JpegError: a file that cannot be decoded, or a picture that cannot be encoded. what() says the
// reason in words for a person, with numbers, but not the name of the file: that is known to the
// caller only, who adds it.

class JpegError : public Error {
 public:
  using Error::Error;
};

// The header of a JPEG file: its size and kind, without decoding anything.
//
// Plain functions without state, so any thread may call them; they read only inside the bytes they
// are given, walk forward only, and take about a microsecond. They look at no more than what comes
// before the first scan's marker. Errors: JpegError with the reason.

// What the header says. It may name kinds that the decoder refuses (lossless, 12 bits a sample).
struct JpegHeader {
  int width = 0;   // pixels, as stored
  int height = 0;  // pixels, as stored
  int components = 0;
  int bits = 8;              // of a sample
  bool progressive = false;  // several passes, from coarse to fine
  bool arithmetic = false;   // arithmetic coding in place of Huffman's
  bool lossless = false;
  int orientation = 1;  // of the EXIF segment, 1 to 8; 1 when there is none

  // The size of the picture once it has been turned as `orientation` says.
  int oriented_width() const { return orientation >= 5 ? height : width; }
  int oriented_height() const { return orientation >= 5 ? width : height; }
};

// Throws JpegError for what is no JPEG file (and names the format when it is a well-known one), for
// a file that ends before its first scan, and for a picture without pixels. What it throws for, the
// decoder refuses, too.
JpegHeader peek_jpeg(std::span<const std::uint8_t> file);
// The same, in plain sight, for a step's function: the operator of this name takes a Value<Bytes>.
// Of Bytes on demand no more is read than their header, where it is there already.
JpegHeader peek_jpeg(const Bytes& file);

// The orientation alone, 1 to 8; 1 also when the header is broken.
int peek_jpeg_orientation(std::span<const std::uint8_t> file) noexcept;

}  // namespace sluice
