// Decoding JPEG, a whole picture or a region of one, into 8-bit RGB or gray pixels, at full size or
// shrunk; and learn_jpeg, which reads a file for an index alone.
//
// Baseline, extended (8 bits), progressive and arithmetic files with 1 (gray), 3 (YCbCr or RGB) or
// 4 (CMYK or YCCK) components, by libjpeg-turbo: exact integer inverse DCT, "fancy" upsampling.
// Pixels equal those of its djpeg program, of Pillow and of OpenCV. Four-component files are taken
// to be stored inverted, as Adobe's programs do and everybody follows: R = C * K / 255, rounded.
//
// A region costs the entropy decoding of the rows down to its lower edge, but inverse DCT,
// upsampling and colour conversion of the region alone, and gives exactly the pixels that cutting
// the whole picture gives. Of an ordinary file only what precedes the region's last row is read, so
// damage below it is not seen unless `verify` asks for that. Progressive files are read to their
// end in any case; of those which lack passes the whole picture is decoded and then cut.
//
// A shrunk picture has a pixel for every 2 x 2, 4 x 4 or 8 x 8 of the full one, counted from the
// upper left corner as stored; the last ones of a row or column may reach beyond the edge, where
// the file has what its encoder filled up its last blocks with. It comes from the inverse DCT of
// each block's low frequencies, so nothing is computed that is thrown away: much like the mean of
// those pixels, but not the same. Entropy decoding is not saved. Pixels equal those of
// `djpeg -scale 1/2`, 1/4 and 1/8, and a region of them those that cutting the whole gives.
//
// Threads: any number at once. Each keeps one row of pixels for its next picture, and nothing else:
// no file decodes differently for what was decoded before. Errors: JpegError with the reason,
// std::bad_alloc, or what the source of Bytes on demand throws; `out` is then empty. Libraries say
// "warning" to most kinds of damage: `strict` makes those that mean lost pixels errors, `tolerant`
// keeps the picture (lost areas are gray or smeared) and reports them. No policy finds damage that
// happens to be valid code: only a checksum of the file does. What is no damage: an unknown JFIF
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
// Who reads the Huffman codes of ordinary files: Sluice, or libjpeg as it comes.
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
  // Turns the picture as its EXIF orientation says; regions then count in the turned picture.
  bool apply_orientation = true;
  DamagePolicy damage = DamagePolicy::strict;
  // Reads to the end of the file even for a region.
  bool verify = false;
  JpegEntropyDecoder entropy = JpegEntropyDecoder::fast;
  // Passes that a progressive or multi-scan file may have; the usual ones have about 10.
  int max_scans = 100;
  // Bytes that the whole picture may take as pixels (also when a region of it is asked for), and,
  // counted for itself, what the library must hold of a progressive or multi-scan file (2 bytes per
  // coefficient). Checked before any of it is allocated.
  std::int64_t max_output_bytes = std::int64_t{1} << 29;
};

// How the codes of a picture were read.
enum class JpegPath : std::uint8_t {
  library,    // by libjpeg, as was asked for
  fast,       // by Sluice
  indexed,    // by Sluice, with what an index knows of the file
  fell_back,  // by libjpeg, because the file is of another kind or not in order
};

inline constexpr JpegPath kJpegPaths[] = {JpegPath::library, JpegPath::fast, JpegPath::indexed,
                                          JpegPath::fell_back};
const char* name_of(JpegPath path);  // "fast"

struct JpegReport {
  JpegPath path = JpegPath::library;
  bool damaged = false;  // only under DamagePolicy::tolerant
  std::string warning;   // what and where; empty when not damaged
  // What is wrong with the index that was given, which is why the file was decoded without it;
  // empty when nothing is.
  std::string index_damage;
  // What `out` shows, in pixels of the full picture as it is seen. Less than a shrunk pixel of it
  // may lie beyond an edge of the picture (at its upper or left edge, too, when the picture is
  // turned).
  Rectangle covered;
};

// The whole picture. An index learns what it does not know of the file. Here and below: of Bytes
// their own index is used, and of Bytes on demand no more is read than is needed; otherwise
// `content_hash` is what Bytes carry, or nothing, and then it is computed where it is needed.
JpegReport decode_jpeg_image(const Bytes& file, const JpegOptions& options, Image& out);
JpegReport decode_jpeg_image(std::span<const std::uint8_t> file, const JpegOptions& options,
                             Image& out, JpegIndex* index = nullptr,
                             std::optional<std::uint64_t> content_hash = {});

// A region of it, which must lie inside the picture. With an index that knows the file only what
// belongs to the region is read. Rows of `out` need not follow each other without gaps.
JpegReport decode_jpeg_region(const Bytes& file, const Rectangle& region,
                              const JpegOptions& options, Image& out);
JpegReport decode_jpeg_region(std::span<const std::uint8_t> file, const Rectangle& region,
                              const JpegOptions& options, Image& out, JpegIndex* index = nullptr,
                              std::optional<std::uint64_t> content_hash = {});

// The whole picture, or a region of it, shrunk by 1, 2, 4 or 8. The region counts in pixels of the
// full picture; it is widened to whole shrunk pixels, and the report's `covered` tells to which.
// `out` has covered.height / shrink x covered.width / shrink pixels. A picture whose colours are
// sampled in fours (4:1:1 and the like) costs as much as the whole of it. The limits count the
// picture at its full size.
JpegReport decode_jpeg_shrunk(const Bytes& file, const std::optional<Rectangle>& region, int shrink,
                              const JpegOptions& options, Image& out);
JpegReport decode_jpeg_shrunk(std::span<const std::uint8_t> file,
                              const std::optional<Rectangle>& region, int shrink,
                              const JpegOptions& options, Image& out, JpegIndex* index = nullptr,
                              std::optional<std::uint64_t> content_hash = {});

// A region at full size, for those who want just that: rows y .. y + height - 1 and columns x .. x
// + width - 1.
Image decode_and_crop(std::span<const std::uint8_t> file, int y, int x, int height, int width,
                      const JpegOptions& options = {});

// learn_jpeg: teaches an index about a file without decoding its picture.
//
// All codes of the file are read, but no pixel is made of them, which takes about half the time of
// decoding. The index then knows the same as after decoding the whole picture.
//
// Ownership: nothing is kept but what the index keeps. Threads: any number at once, also with one
// index. Errors: none that concern the file: they are its result.

enum class JpegLearnt : std::uint8_t {
  known,       // the index knows all of the file
  unsuitable,  // of a kind that an index cannot help with: progressive, for example
  unusable,    // cannot be decoded, or not without damage
  no_room,     // the index has used up its budget, or is a file, which only answers
};

struct JpegLearnReport {
  JpegLearnt result = JpegLearnt::known;
  std::string reason;  // in words; empty when the file is known
};

// A file that the index knows already is not read again. Of `options` those count that say which
// files can be decoded: `damage`, `max_scans` and `max_output_bytes`.
JpegLearnReport learn_jpeg(std::span<const std::uint8_t> file, JpegIndex& index,
                           const JpegOptions& options = {});

}  // namespace sluice
