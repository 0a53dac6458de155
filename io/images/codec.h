// ImageCodec: the interface of the decoder of one format, as decode_image uses it. Internal: users
// do not include it.
//
// Each codec has its own source file, which is compiled if its library is found. peek() returns
// what the header says. decode() is called after the size has been checked against the limit, and
// makes an image of this size and number of channels. decode_ids() makes one channel, as
// ImageOptions::ids says; it is called for files with a palette or gray pixels. Threads: any number
// at once. Errors: ImageError, std::bad_alloc.
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
  };
  Header (*peek)(std::span<const std::uint8_t> file);
  void (*decode)(std::span<const std::uint8_t> file, Image& out);
  void (*decode_ids)(std::span<const std::uint8_t> file, Image& out);  // null: no masks
};

extern const ImageCodec kPngCodec;
extern const ImageCodec kWebpCodec;
extern const ImageCodec kGifCodec;

}  // namespace sluice
