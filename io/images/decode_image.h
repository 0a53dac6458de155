// Decoding pictures of several formats, each told by its content: JPEG, PNG, WebP and GIF, into
// 8-bit RGB or gray pixels.
//
// JPEG files decode as decode_jpeg_image has them, and EXIF orientation is a matter of theirs
// alone. Of all others:
//   - Alpha is dropped: a pixel has its colour, however transparent it is.
//   - PNG: palettes and samples of fewer bits become 8 bits, and 16 bits the upper 8 of them. Gamma
//     and colour profiles are not applied. The file must be whole. An index beyond the palette is
//     damage.
//   - WebP: lossy and lossless; animations are refused.
//   - GIF: the first frame, on a canvas that is filled with the background color. If the frame
//     reaches beyond the canvas, the canvas grows.
//   - Gray of a coloured picture is the luma of ITU-R BT.601.
// With `ids` a file is a mask, and the result has one channel of ids: the indices of a PNG or GIF
// file with a palette, also those beyond the palette, or the values of gray pixels. Gray samples of
// fewer than 8 bits are scaled to 0..255, as PNG defines it. PNG files with colors, WebP files and
// ids above 255 are errors. A JPEG file gives its gray pixels, which compression has changed.
//
// Pixels equal those of Pillow, converted to RGB, with two exceptions. Pillow clips gray samples of
// 16 bits at 255, and fills the area around a small first frame of a GIF file with color 0.
//
// PNG, WebP and GIF are there where their libraries were found when Sluice was built; without them
// the error says which package it wants.
//
// Threads: any number at once; no state. Errors: ImageError (JpegError for JPEG files) with the
// reason, or std::bad_alloc; `out` is then empty. The limit is checked before memory is taken.
#pragma once

#include <sluice/io/jpeg/decode.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sluice {

// A file that cannot be decoded. what() says the reason, but not the name of the file.
class ImageError : public Error {
 public:
  using Error::Error;
};

enum class ImageFormat : std::uint8_t { unknown, jpeg, png, webp, gif };
const char* name_of(ImageFormat format);  // "PNG"
// By the first bytes alone.
ImageFormat image_format(std::span<const std::uint8_t> file);
// Whether this build of Sluice decodes it.
bool can_decode(ImageFormat format);

struct ImageOptions {
  // rgb: 3 channels, gray files by repetition. gray: 1 channel.
  ColorSpace color = ColorSpace::rgb;
  // Turns a JPEG file as its EXIF orientation says.
  bool apply_orientation = true;
  // Bytes that the whole picture may take as pixels.
  std::int64_t max_output_bytes = std::int64_t{1} << 29;
  // The file is a mask: 1 channel of ids, whatever `color` is.
  bool ids = false;
};

// A warning if the result may not hold the intended ids; empty if there is no doubt. It warns of
// gray pixels of a file with a palette, and of a JPEG file that is read as a mask.
std::string_view doubt_about_ids(const Bytes& file, const ImageOptions& options);

// The same for a JPEG file.
JpegOptions jpeg_options(const ImageOptions& options);

struct PictureSize {
  int height = 0;
  int width = 0;
};
// The size of the decoded picture, from its header. Here and below: of Bytes their own index is
// used, and of JPEG files on demand no more is read than is needed.
PictureSize peek_image(const Bytes& file, const ImageOptions& options = {});
PictureSize peek_image(std::span<const std::uint8_t> file, const ImageOptions& options = {});

// Gives a report of JPEG files only. For index and content_hash see decode_jpeg_image.
std::optional<JpegReport> decode_image_file(const Bytes& file, const ImageOptions& options,
                                            Image& out);
std::optional<JpegReport> decode_image_file(std::span<const std::uint8_t> file,
                                            const ImageOptions& options, Image& out,
                                            JpegIndex* index = nullptr,
                                            std::optional<std::uint64_t> content_hash = {});

// A region of it, which must lie inside the picture. Of a JPEG file no more is computed; others are
// decoded whole.
std::optional<JpegReport> decode_image_region(const Bytes& file, const Rectangle& region,
                                              const ImageOptions& options, Image& out);
std::optional<JpegReport> decode_image_region(std::span<const std::uint8_t> file,
                                              const Rectangle& region, const ImageOptions& options,
                                              Image& out, JpegIndex* index = nullptr,
                                              std::optional<std::uint64_t> content_hash = {});

}  // namespace sluice
