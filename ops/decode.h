// Operators that decode image files.
//
// Ownership: an operator is made once and lives as long as the program. Threads: any number may
// call these functions at once, each for a graph of its own. Errors: BuildError for arguments that
// cannot be; what fails for one sample is the error of that sample.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/io/images/decode_image.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <span>

namespace sluice {

// Decoding as steps of a pipeline: whole pictures, regions of them, headers.
//
// clang-format off
// | operator                | takes                      | gives      | layout, type | shapes
// |-------------------------|----------------------------|------------|--------------|-----------------
// | peek_jpeg               | Bytes or span of bytes     | JpegHeader |              |
// | decode_jpeg             | Bytes or span of bytes     | Image      | HWC, 8 bit   | as the file says
// | decode_jpeg with region | the same, and a Rectangle     | Image      | HWC, 8 bit   | the region's
// clang-format on
//
// A file that cannot be decoded is the error of its sample; io/jpeg/decode.h says what is an error.
// With a region only that part of the picture is computed, and its pixels are exactly those of the
// whole picture. A std::span source must keep its bytes alive for as long as the pipeline.
using ByteSpan = std::span<const std::uint8_t>;

Value<JpegHeader> peek_jpeg(Value<Bytes> jpeg);
Value<JpegHeader> peek_jpeg(Value<ByteSpan> jpeg);

Value<Image> decode_jpeg(Value<Bytes> jpeg, const JpegOptions& options = {});
Value<Image> decode_jpeg(Value<ByteSpan> jpeg, const JpegOptions& options = {});

// The region counts in the picture as it is seen: turned as its EXIF orientation says, if options
// say so.
Value<Image> decode_jpeg(Value<Bytes> jpeg, Param<Rectangle> region,
                         const JpegOptions& options = {});
Value<Image> decode_jpeg(Value<ByteSpan> jpeg, Param<Rectangle> region,
                         const JpegOptions& options = {});

namespace detail {
const OperatorPtr& peek_jpeg_operator();
const OperatorPtr& decode_jpeg_operator();
const OperatorPtr& decode_jpeg_region_operator();
const OperatorPtr& decode_jpeg_size_operator();
}  // namespace detail

// decode_image: the picture in a file of any format that this build decodes, told by its content.
//
// clang-format off
// | operator                 | takes                         | gives | layout, type | shapes
// |--------------------------|-------------------------------|-------|--------------|-----------------
// | decode_image             | Bytes or span of bytes        | Image | HWC, 8 bit   | as the file says
// | decode_image with region | the same, and a Rectangle     | Image | HWC, 8 bit   | the region's
// clang-format on
//
// io/images/decode_image.h says what becomes of each format. JPEG files take the way of
// decode_jpeg: crops reach into the decoder, and an index is used. Others are decoded whole, also
// for a region. The host decodes in any case. A file that cannot be decoded is the error of its
// sample.
Value<Image> decode_image(Value<Bytes> file, const ImageOptions& options = {});
Value<Image> decode_image(Value<ByteSpan> file, const ImageOptions& options = {});

// The region counts in the picture as it is seen.
Value<Image> decode_image(Value<Bytes> file, Param<Rectangle> region,
                          const ImageOptions& options = {});
Value<Image> decode_image(Value<ByteSpan> file, Param<Rectangle> region,
                          const ImageOptions& options = {});

namespace detail {
const OperatorPtr& decode_image_operator();
const OperatorPtr& decode_image_region_operator();
const OperatorPtr& decode_image_size_operator();
}  // namespace detail

}  // namespace sluice
