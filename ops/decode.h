// Operators that decode image files.
//
// Ownership: an operator is created once and lives until the program ends. Threads: several threads
// may call these functions at once, each on its own graph. Errors: BuildError for invalid
// arguments; a failure in one sample is the error of that sample.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/io/images/decode_image.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <span>

namespace sluice {

// Decoding as steps of a pipeline: whole images, regions of them, headers.
//
// clang-format off
// | operator                | takes                     | returns    | layout, type | shapes
// |-------------------------|---------------------------|------------|--------------|------------------
// | peek_jpeg               | Bytes or span of bytes    | JpegHeader |              |
// | decode_jpeg             | Bytes or span of bytes    | Image      | HWC, 8 bit   | as the file says
// | decode_jpeg with region | the same, and a Rectangle | Image      | HWC, 8 bit   | the region's
// clang-format on
//
// A file that cannot be decoded fails its sample; io/jpeg/decode.h lists the errors. With a region,
// only that part of the image is computed, and its pixels equal those of the whole image. The bytes
// of a std::span source must outlive the pipeline.
using ByteSpan = std::span<const std::uint8_t>;

Value<JpegHeader> peek_jpeg(Value<Bytes> jpeg);
Value<JpegHeader> peek_jpeg(Value<ByteSpan> jpeg);

Value<Image> decode_jpeg(Value<Bytes> jpeg, const JpegOptions& options = {});
Value<Image> decode_jpeg(Value<ByteSpan> jpeg, const JpegOptions& options = {});

// The region is in coordinates of the displayed image: after EXIF orientation, if the options apply
// it.
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

// decode_image: decodes a file of any format that this build supports, detected by its content.
//
// clang-format off
// | operator                 | takes                     | returns | layout, type | shapes
// |--------------------------|---------------------------|---------|--------------|------------------
// | decode_image             | Bytes or span of bytes    | Image   | HWC, 8 bit   | as the file says
// | decode_image with region | the same, and a Rectangle | Image   | HWC, 8 bit   | the region's
// clang-format on
//
// For the result of each format see io/images/decode_image.h. JPEG files are decoded as by
// decode_jpeg: crops reach into the decoder, and an index is used. Other formats are decoded whole,
// even with a region. Decoding always runs on the host. A file that cannot be decoded fails its
// sample.
Value<Image> decode_image(Value<Bytes> file, const ImageOptions& options = {});
Value<Image> decode_image(Value<ByteSpan> file, const ImageOptions& options = {});

// The region is in coordinates of the displayed image.
Value<Image> decode_image(Value<Bytes> file, Param<Rectangle> region,
                          const ImageOptions& options = {});
Value<Image> decode_image(Value<ByteSpan> file, Param<Rectangle> region,
                          const ImageOptions& options = {});

// decode_tensor: decodes the numbers that a PNG or TIFF file stores, with all bits and channels.
//
// clang-format off
// | operator      | takes                  | returns | layout, type                      | shapes
// |---------------|------------------------|---------|-----------------------------------|------------------------------
// | decode_tensor | Bytes or span of bytes | Tensor  | HWC; u8, u16, or the file's type  | height x width x channels
// clang-format on
//
// For the result see io/images/decode_image.h. Decoding always runs on the host. A file that cannot
// be decoded fails its sample. crop, flip, resize, rotate and normalize take such tensors.
struct DecodeTensorOptions {
  std::int64_t max_output_bytes = std::int64_t{1} << 29;  // as in ImageOptions
};
Value<Tensor> decode_tensor(Value<Bytes> file, const DecodeTensorOptions& options = {});
Value<Tensor> decode_tensor(Value<ByteSpan> file, const DecodeTensorOptions& options = {});

namespace detail {
const OperatorPtr& decode_image_operator();
const OperatorPtr& decode_image_region_operator();
const OperatorPtr& decode_image_size_operator();
const OperatorPtr& decode_tensor_operator();
}  // namespace detail

}  // namespace sluice
