// find_jpeg_parts: finds the bytes of a file that the decoding of a region reads, with the help of
// an index. Internal: users do not include it.
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

// Returns the parts for a region of `picture`, whose file has `file_bytes`. Call after
// jpeg_start_decompress. `region` is in the stored image, at the decoded scale; the library will
// cut it out. The result has one part for each row of groups, in order. It is empty if the index
// does not know all these rows, or does not fit the image.
std::vector<ByteRange> find_jpeg_parts(const JpegDecompressor& picture, const Rectangle& region,
                                       const JpegIndexEntry& known, std::size_t file_bytes);

}  // namespace sluice
