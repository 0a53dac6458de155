// ImageCodec: the interface of the decoder of one format, as decode_image uses it. Internal: users
// do not include it.
//
// Each codec has its own source file, which is compiled if its library is found. peek() returns
// what the header says. decode() is called after the size has been checked against the limit, and
// makes an image of this size and number of channels. decode_ids() makes one channel, as
// ImageOptions::ids says; it is called for files with a palette or gray pixels. decode_numbers()
// makes the tensor that spec_of_numbers() describes, as decode_tensor_file() says. Threads: any
// number at once. Errors: ImageError, std::bad_alloc.
#pragma once

#include <sluice/io/images/decode_image.h>

#include <cstdint>
#include <span>

namespace sluice {

struct ImageCodec {
  struct Header {
    int height = 0;
    int width = 0;
    int channels = 0;  // 1 or 3
    bool has_palette = false;
    int stored_bytes = 0;  // of each pixel while it is decoded, if more than the channels
  };
  Header (*peek)(std::span<const std::uint8_t> file);
  void (*decode)(std::span<const std::uint8_t> file, Image& out);
  void (*decode_ids)(std::span<const std::uint8_t> file, Image& out);  // null: no masks
  ValueSpec (*spec_of_numbers)(std::span<const std::uint8_t> file);    // null: no tensors
  void (*decode_numbers)(std::span<const std::uint8_t> file, Tensor& out);
};

extern const ImageCodec kPngCodec;
extern const ImageCodec kWebpCodec;
extern const ImageCodec kGifCodec;
extern const ImageCodec kTiffCodec;

}  // namespace sluice
