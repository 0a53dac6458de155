// Encoding pictures as JPEG, by libjpeg-turbo.
//
// A plain function without state: any thread may call it on its own picture. It returns the whole
// file in pooled memory. Errors: JpegError that names the value which cannot be encoded,
// std::bad_alloc.
#pragma once

#include <sluice/io/jpeg/header.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

#include <cstdint>

namespace sluice {

// How many pixels share a sample of colour: none; 2 of a row; 2 x 2; 2 of a column.
enum class Subsampling : std::uint8_t { s444, s422, s420, s440 };

struct JpegEncodeOptions {
  int quality = 90;  // 1 to 100, the scale of the Independent JPEG Group
  Subsampling subsampling = Subsampling::s420;
  bool progressive = false;
  bool optimize = false;  // Huffman tables made for this picture: smaller, slower to write
  int orientation = 1;    // 1 to 8; written as an EXIF segment when it is not 1
  int restart_rows = 0;   // a restart marker after so many rows of blocks; 0 for none
};

// `image` has 1 (gray) or 3 (RGB) channels and at most 65500 pixels a side.
Bytes encode_jpeg(const Image& image, const JpegEncodeOptions& options = {});

}  // namespace sluice
