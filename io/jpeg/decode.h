// Decodes JPEG files, or a region of them, into 8-bit RGB or gray pixels, at full size or shrunk.
// learn_jpeg reads a file only to fill an index.
//
// Supported are baseline, extended (8 bits), progressive and arithmetic files with 1 (gray), 3
// (YCbCr or RGB) or 4 (CMYK or YCCK) components. libjpeg-turbo decodes them, with exact integer
// inverse DCT and "fancy" upsampling. Pixels equal those of its djpeg program, of Pillow and of
// OpenCV. Files with four components are taken to be stored inverted, as Adobe's programs write
// them and other decoders assume: R = C * K / 255, rounded.
//
// A region costs entropy decoding of the rows down to its lower edge, but inverse DCT, upsampling
// and color conversion of the region only. Its pixels equal those cut from the whole image. An
// ordinary file is read only up to the region's last row, so damage below is not noticed unless
// `verify` is set. Progressive files are always read to their end. If some of their passes are
// missing, the whole image is decoded and then cut.
//
// A shrunk image has one pixel for every 2 x 2, 4 x 4 or 8 x 8 pixels, counted from the upper left
// corner as stored. The last pixels of a row or column may reach beyond the edge, into the padding
// of the encoder's last blocks. Pixels come from the inverse DCT of each block's low frequencies:
// close to the mean of the full pixels, but not equal to it. Entropy decoding is not saved. Pixels
// equal those of `djpeg -scale 1/2`, 1/4 and 1/8, and a region's pixels equal those cut from the
// whole.
//
// Packed JPEGs (io/packs/packed_jpeg.h) are taken wherever JPEG files are, with the same pixels. Of
// a region, only its rows are read. `entropy` and an index have no effect on them.
//
// Threads: any number at once. Each thread keeps one row of pixels for its next image and nothing
// else: earlier files do not affect later ones. Errors: JpegError with the reason, std::bad_alloc,
// or what the source of Bytes on demand throws; `out` is then empty. Libraries report most kinds of
// damage as warnings. `strict` turns warnings that mean lost pixels into errors. `tolerant` keeps
// the image (lost areas are gray or smeared) and reports them. No policy detects damage that is
// still valid code: only a checksum of the file does. These do not count as damage: an unknown JFIF
// version or Adobe transform, unusual scan parameters, and stray bytes in the header.
#pragma once

#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace sluice {

enum class ColorSpace : std::uint8_t { rgb, gray };
enum class DamagePolicy : std::uint8_t { strict, tolerant };
// The decoder of Huffman codes in ordinary files: Sluice's own (fast), or libjpeg's.
enum class JpegEntropyDecoder : std::uint8_t { fast, library };
inline const char* name_of(ColorSpace color) { return color == ColorSpace::rgb ? "rgb" : "gray"; }
inline const char* name_of(DamagePolicy policy) {
  return policy == DamagePolicy::strict ? "strict" : "tolerant";
}
inline const char* name_of(JpegEntropyDecoder decoder) {
  return decoder == JpegEntropyDecoder::fast ? "fast" : "library";
}

struct JpegOptions {
  // rgb: 3 channels, gray files by repetition. gray: 1 channel, the luma of ITU-R BT.601.
  ColorSpace color = ColorSpace::rgb;
  // Applies the EXIF orientation; regions then refer to the oriented image.
  bool apply_orientation = true;
  DamagePolicy damage = DamagePolicy::strict;
  // Reads to the end of the file even for a region.
  bool verify = false;
  JpegEntropyDecoder entropy = JpegEntropyDecoder::fast;
  // The most passes that a progressive or multi-scan file may have; usual files have about 10.
  int max_scans = 100;
  // The most bytes that the pixels of the whole image may take, also when only a region is wanted.
  // The same limit applies separately to the coefficients that the library must hold for a
  // progressive or multi-scan file (2 bytes each). Both are checked before any of it is allocated.
  std::int64_t max_output_bytes = std::int64_t{1} << 29;
};

// The decoder that read the codes of an image.
enum class JpegPath : std::uint8_t {
  library,    // by libjpeg: requested, or Sluice's decoder is not usable here
  fast,       // by Sluice
  indexed,    // by Sluice, with the help of an index
  fell_back,  // by libjpeg: the file is of another kind, or not in order
  packed,     // by Sluice, from a packed JPEG (io/packs/packed_jpeg.h)
};

inline constexpr JpegPath kJpegPaths[] = {JpegPath::library, JpegPath::fast, JpegPath::indexed,
                                          JpegPath::fell_back, JpegPath::packed};
const char* name_of(JpegPath path);  // "fast"

struct JpegReport {
  JpegPath path = JpegPath::library;
  bool damaged = false;  // only under DamagePolicy::tolerant
  std::string warning;   // what is damaged and where; empty if not damaged
  // If the given index is broken, the reason; the file was then decoded without it. Otherwise
  // empty.
  std::string index_damage;
  // The area that `out` shows, in pixels of the full image after orientation. It may reach beyond
  // an edge of the image by less than one shrunk pixel (also at the upper or left edge, if the
  // image was turned).
  Rectangle covered;
};

// Decodes the whole image. An index learns what it does not know about the file. Here and below,
// the overload for Bytes uses the index and the content hash that the Bytes carry, and reads no
// more than is needed of Bytes on demand. The other overload computes the hash if it needs it and
// the caller has not passed it as `content_hash`.
JpegReport decode_jpeg_image(const Bytes& file, const JpegOptions& options, Image& out);
JpegReport decode_jpeg_image(std::span<const std::uint8_t> file, const JpegOptions& options,
                             Image& out, JpegIndex* index = nullptr,
                             std::optional<std::uint64_t> content_hash = {});

// Decodes a region, which must lie inside the image. With an index that knows the file, only the
// parts that belong to the region are read. Rows of `out` may have gaps between them.
JpegReport decode_jpeg_region(const Bytes& file, const Rectangle& region,
                              const JpegOptions& options, Image& out);
JpegReport decode_jpeg_region(std::span<const std::uint8_t> file, const Rectangle& region,
                              const JpegOptions& options, Image& out, JpegIndex* index = nullptr,
                              std::optional<std::uint64_t> content_hash = {});

// Decodes the whole image or a region of it, shrunk by 1, 2, 4 or 8. The region is in pixels of the
// full image. It is widened to whole shrunk pixels, and `covered` in the report is the result.
// `out` has covered.height / shrink x covered.width / shrink pixels. A region of an image with
// colors sampled in fours (4:1:1 and the like) costs as much as the whole image. The limits apply
// to the image at full size.
JpegReport decode_jpeg_shrunk(const Bytes& file, const std::optional<Rectangle>& region, int shrink,
                              const JpegOptions& options, Image& out);
JpegReport decode_jpeg_shrunk(std::span<const std::uint8_t> file,
                              const std::optional<Rectangle>& region, int shrink,
                              const JpegOptions& options, Image& out, JpegIndex* index = nullptr,
                              std::optional<std::uint64_t> content_hash = {});

// Returns a region at full size: rows y .. y + height - 1 and columns x .. x + width - 1.
Image decode_and_crop(std::span<const std::uint8_t> file, int y, int x, int height, int width,
                      const JpegOptions& options = {});

// learn_jpeg: teaches an index about a file without decoding its image.
//
// It reads all codes of the file but makes no pixels, which takes about half the time of decoding.
// The index then knows the same as after decoding the whole image.
//
// Ownership: only the index keeps anything. Threads: any number at once, also with one index.
// Errors: no errors about the file are thrown; the report contains them.

enum class JpegLearnt : std::uint8_t {
  known,       // the index knows the whole file
  unsuitable,  // an index cannot help with its kind, such as progressive
  unusable,    // cannot be decoded without damage
  no_room,     // the index has used up its budget, or was opened from a file
};

struct JpegLearnReport {
  JpegLearnt result = JpegLearnt::known;
  std::string reason;  // empty if the file is known
};

// Does not read a file again that the index already knows. Of `options`, only those count that
// decide which files can be decoded: `damage`, `max_scans` and `max_output_bytes`.
JpegLearnReport learn_jpeg(std::span<const std::uint8_t> file, JpegIndex& index,
                           const JpegOptions& options = {});

}  // namespace sluice
