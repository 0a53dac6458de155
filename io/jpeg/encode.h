// Encodes images as JPEG files with libjpeg-turbo.
//
// A plain function without state: any thread may call it on its own image. Returns the whole file
// in pooled memory. Errors: JpegError that names the value that cannot be encoded, std::bad_alloc.
#pragma once

#include <sluice/io/jpeg/header.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

#include <cstdint>

namespace sluice {

// Chroma subsampling. The pixels that share a color sample: one; 2 in a row; 2 x 2; 2 in a column.
enum class Subsampling : std::uint8_t { s444, s422, s420, s440 };

struct JpegEncodeOptions {
  int quality = 90;  // 1 to 100, the scale of the Independent JPEG Group
  Subsampling subsampling = Subsampling::s420;
  bool progressive = false;
  bool optimize = false;  // Huffman tables for this image: smaller file, slower to write
  int orientation = 1;    // 1 to 8; written as an EXIF segment if not 1
  int restart_rows = 0;   // rows of blocks between restart markers; 0 for no markers
};

// `image` has 1 (gray) or 3 (RGB) channels and at most 65500 pixels a side.
Bytes encode_jpeg(const Image& image, const JpegEncodeOptions& options = {});

}  // namespace sluice
