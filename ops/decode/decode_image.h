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
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/io/images/decode_image.h>
#include <sluice/ops/decode/decode.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/rectangle.h>

namespace sluice {

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
