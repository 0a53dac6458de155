// JpegPlan: decides whether a device can decode a JPEG file or a region of it, and prepares the
// data that the device needs.
//
// Accepts 8-bit baseline and extended files in one scan, gray or YCbCr in 4:4:4, 4:2:2, 4:2:0 or
// 4:4:0. If a JPEG index knows the needed rows, only these are uploaded and read. Otherwise the
// whole scan is, and nothing else may follow the header. Pixels equal those of decode_jpeg_image()
// and decode_jpeg_region(), which decode all other files; refusal() says why.
//
// Packed JPEGs (io/packs/packed_jpeg.h) of the same kinds of images are accepted, too. Only their
// needed segments are uploaded and read. The plan checks the checksums of the needed rows.
//
// Ownership: owns its data; only make() reads the file. A plan can be reused for one file after
// another, and then allocates nothing except what libjpeg does for a header. Threads: one. Errors:
// std::bad_alloc, and what reading Bytes on demand throws. A fault of the file or of the index is a
// refusal.
#pragma once

#include <sluice/cuda/jpeg/file_header.h>
#include <sluice/cuda/jpeg/huffman.h>
#include <sluice/cuda/jpeg/job.h>
#include <sluice/cuda/jpeg/token_tables.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/io/packs/packed_jpeg.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sluice::device {

class JpegPlan {
 public:
  // A part of the file that is uploaded.
  struct Piece {
    std::size_t begin = 0;  // in the file
    std::size_t bytes = 0;
    std::size_t at = 0;  // in the uploaded bytes of the file
  };

  // True if a device can decode the file. `header`: the result of peek_jpeg(); `entry`: the file's
  // entry in the JPEG index, or null. Uses `color`, `apply_orientation`, `verify` and
  // `max_output_bytes` of `options`. `region` counts in the image after orientation, and is refused
  // unless it lies inside. Without a region, the whole image is decoded. Of a packed JPEG on
  // demand, only the needed rows are read.
  bool make(const Bytes& file, const JpegHeader& header, const JpegIndexEntry* entry,
            const std::optional<Rectangle>& region, const JpegOptions& options = {});
  bool make(std::span<const std::uint8_t> file, const JpegHeader& header,
            const JpegIndexEntry* entry, const std::optional<Rectangle>& region,
            const JpegOptions& options = {}) {
    return make(Bytes::view_of(file), header, entry, region, options);
  }
  const std::string& refusal() const { return refusal_; }
  // True if the device fetches the bytes that it needs from where they are: in memory that it can
  // read, at a multiple of JpegPiece::kLine. The file must then stay there until the device is
  // through. Otherwise the host copies it.
  bool fetch(std::span<const std::uint8_t> file, const Device& device);
  // For tests: 1 to 4096. Does not change the pixels.
  void set_subsequence_bytes(std::uint32_t bytes) { subsequence_bytes_ = bytes; }

  // The rest is valid after make() returned true. The size of the whole image in the file:
  int stored_height() const { return stored_height_; }
  int stored_width() const { return stored_width_; }
  // The size of the pixels, 3 channels or 1:
  int out_height() const { return sample_.out_height(); }
  int out_width() const { return sample_.out_width(); }
  int channels() const { return sample_.channels; }
  // Returns the bytes of this file. Of a packed JPEG on demand, those outside of pieces() are
  // undefined.
  std::span<const std::uint8_t> bytes_of(const Bytes& file) const {
    return file.read_parts({&needed_, 1});
  }
  // The uploaded parts of the file.
  const std::vector<Piece>& pieces() const { return pieces_; }
  std::size_t bytes() const { return bytes_; }
  // For files without a JPEG index: the position in the file from which bytes are fetched.
  std::size_t fetched_from() const { return fetched_from_; }
  // The device's work. Blocks count from this sample's first; fields that depend on addresses are
  // not set.
  const JpegSample& sample() const { return sample_; }
  const std::vector<JpegSegment>& segments() const { return segments_; }
  const std::vector<JpegInterval>& intervals() const { return intervals_; }
  // The file's Huffman tables, all legal.
  using Sources = JpegCodeSource[4];
  const Sources& sources() const { return sources_; }
  std::uint64_t sources_hash() const { return sources_hash_; }
  // The tokens of a packed JPEG; null for other files, which have Huffman tables.
  const std::shared_ptr<const JpegTokenTable>& tokens() const { return tokens_; }
  // The most that it needs of a batch's memory (see JpegBatch).
  std::size_t upload_bytes() const;
  std::size_t scratch_bytes() const;

 private:
  // Rows and columns of MCUs, from the first one to one past the last.
  struct Groups {
    std::uint32_t top = 0, bottom = 0, left = 0, right = 0;
    std::uint32_t rows = 0, columns = 0;  // of the image
  };

  // Each returns the reason for a refusal, or null.
  const char* plan(const Bytes& file, const JpegHeader& header, const JpegIndexEntry* entry,
                   const std::optional<Rectangle>& region, const JpegOptions& options);
  const char* take_components(const JpegFileHeader& from);
  const char* take_codes(const JpegFileHeader& from);
  Groups lay_out(const Rectangle& stored);
  // Falls back to find_intervals() if the index knows too little.
  const char* find_segments(std::span<const std::uint8_t> file, const JpegIndexEntry& entry,
                            const Groups& groups, std::size_t first_byte);
  const char* find_intervals(std::span<const std::uint8_t> file, const Groups& groups,
                             std::size_t first_byte);
  // `all`: check all rows, not only the needed ones.
  const char* find_packed_segments(const Bytes& file, const Groups& groups, bool all);

  std::string refusal_;
  int stored_height_ = 0, stored_width_ = 0;
  JpegSample sample_;
  std::vector<JpegSegment> segments_;
  std::vector<JpegInterval> intervals_;
  std::uint32_t subsequence_bytes_ = kJpegSubsequenceBytes;
  std::vector<Piece> pieces_;
  std::size_t bytes_ = 0, fetched_from_ = 0;
  ByteRange needed_;  // of the file
  Sources sources_ = {};
  std::uint64_t sources_hash_ = 0;
  PackedJpeg packed_;  // for its memory; refers to the file that make() reads
  std::shared_ptr<const JpegTokenTable> tokens_;
};

}  // namespace sluice::device
