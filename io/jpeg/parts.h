// find_jpeg_parts: which bytes of a file the decoding of a region reads, as an index tells.
// Internal: no user includes it.
//
// Plain functions without state. Errors: std::bad_alloc.
#pragma once

#include <sluice/io/jpeg/decompressor.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

#include <cstddef>
#include <vector>

namespace sluice {

// Of a picture on which jpeg_start_decompress has been called, in a file of `file_bytes`. `region`
// is of the stored picture, at the scale that it is decoded at; the library will cut it out. A part
// for each row of groups, in order; none when the index does not know all these rows, or does not
// fit the picture.
std::vector<ByteRange> find_jpeg_parts(const JpegDecompressor& picture, const Rectangle& region,
                                       const JpegIndexEntry& known, std::size_t file_bytes);

}  // namespace sluice
