// Decodes JPEG, PNG, TIFF, WebP and GIF files into 8-bit RGB or gray pixels, and PNG and TIFF files
// into tensors of all their numbers. The format is detected from the content.
//
// JPEG files decode as with decode_jpeg_image; only they have an EXIF orientation. For all other
// formats:
//   - Alpha is dropped: transparent pixels keep their color.
//   - PNG: palettes and samples of fewer bits become 8 bits, and 16 bits the upper 8 of them. Gamma
//     and color profiles are not applied. The file must be whole. An index beyond the palette is
//     damage.
//   - TIFF: the first image of the file, in gray, RGB or with a palette, of 1 to 16 bits: 16 bits
//     become the upper 8 of them. Channels beyond the colors are dropped. The orientation is not
//     applied. The file must be whole.
//   - WebP: lossy and lossless; animations fail with ImageError.
//   - GIF: the first frame, on a canvas that is filled with the background color. If the frame
//     reaches beyond the canvas, the canvas grows.
//   - Gray pixels of a color image are the luma of ITU-R BT.601.
// With `ids` a file is a mask, and the result has one channel of ids. These are the indices of a
// PNG, TIFF or GIF file with a palette, also those beyond the palette, or the values of gray
// pixels. Gray samples of fewer than 8 bits are scaled to 0..255, as PNG defines it. PNG and TIFF
// files with colors, WebP files and ids above 255 are errors. A JPEG file decodes to its gray
// pixels, which compression has changed.
//
// Pixels equal those of Pillow, converted to RGB, with two exceptions. Pillow clips gray samples of
// 16 bits at 255, and fills the area around a small first frame of a GIF file with color 0.
//
// decode_tensor_file() returns the numbers that a PNG or TIFF file stores, as a tensor of height x
// width x channels (HWC):
//   - Nothing is scaled or converted: 16 bits stay u16, 1 to 8 bits become u8, and palette indices
//     stay indices. All channels are kept, also alpha.
//   - TIFF: the first image of the file, with strips or tiles, channels interleaved or in planes.
//     Also the types i8, i16, i32, i64, f16, f32 and f64. YCbCr of a JPEG-compressed file becomes
//     RGB. White stays 0 in a file that stores it so.
//
// PNG, TIFF, WebP and GIF are available if their libraries were found when Sluice was built.
// Otherwise the error names the missing package.
//
// Threads: any number at once; no state. Errors: ImageError (JpegError for JPEG files) with the
// reason, or std::bad_alloc; `out` is then empty. The limit is checked before memory is taken.
#pragma once

#include <sluice/io/jpeg/decode.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sluice {

// A file that cannot be decoded. what() contains the reason, but not the name of the file.
class ImageError : public Error {
 public:
  using Error::Error;
};

enum class ImageFormat : std::uint8_t { unknown, jpeg, png, webp, gif, tiff };
const char* name_of(ImageFormat format);  // "PNG"
// Detects the format from the first bytes.
ImageFormat image_format(std::span<const std::uint8_t> file);
// True if this build of Sluice decodes the format.
bool can_decode(ImageFormat format);

struct ImageOptions {
  // rgb: 3 channels, gray files by repetition. gray: 1 channel.
  ColorSpace color = ColorSpace::rgb;
  // Applies the EXIF orientation of a JPEG file.
  bool apply_orientation = true;
  // The most bytes that the pixels of the whole image may take.
  std::int64_t max_output_bytes = std::int64_t{1} << 29;
  // The file is a mask: the result has 1 channel of ids, and `color` is ignored.
  bool ids = false;
};

// Returns a warning if the result may not hold the intended ids; empty if there is no doubt. It
// warns about gray pixels of a file with a palette, and about a JPEG file that is read as a mask.
std::string_view doubt_about_ids(const Bytes& file, const ImageOptions& options);

// Returns the same options for a JPEG file.
JpegOptions jpeg_options(const ImageOptions& options);

// Returns the size of the decoded image, from its header. Here and below, the overloads for Bytes
// use the index that the Bytes carry, and read no more than is needed of JPEG files on demand.
ImageSize peek_image(const Bytes& file, const ImageOptions& options = {});
ImageSize peek_image(std::span<const std::uint8_t> file, const ImageOptions& options = {});

// Returns a report for JPEG files only. For index and content_hash see decode_jpeg_image.
std::optional<JpegReport> decode_image_file(const Bytes& file, const ImageOptions& options,
                                            Image& out);
std::optional<JpegReport> decode_image_file(std::span<const std::uint8_t> file,
                                            const ImageOptions& options, Image& out,
                                            JpegIndex* index = nullptr,
                                            std::optional<std::uint64_t> content_hash = {});

// Throws ImageError if the tensor takes more than `max_output_bytes`.
void decode_tensor_file(std::span<const std::uint8_t> file, std::int64_t max_output_bytes,
                        Tensor& out);

// Decodes a region, which must lie inside the image. Only JPEG decoding is limited to the region;
// other files are decoded whole.
std::optional<JpegReport> decode_image_region(const Bytes& file, const Rectangle& region,
                                              const ImageOptions& options, Image& out);
std::optional<JpegReport> decode_image_region(std::span<const std::uint8_t> file,
                                              const Rectangle& region, const ImageOptions& options,
                                              Image& out, JpegIndex* index = nullptr,
                                              std::optional<std::uint64_t> content_hash = {});

}  // namespace sluice
