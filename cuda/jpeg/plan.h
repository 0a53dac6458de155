// JpegPlan: whether a device can decode a JPEG file, or a region of it; and what it has to be told
// for that.
//
// Taken are baseline and extended files of 8 bits in one scan, gray or YCbCr in 4:4:4, 4:2:2, 4:2:0
// or 4:4:0. Of files of which an index knows the rows that are wanted these alone are uploaded and
// read; of others the whole scan, which must be all that follows the header. Pixels equal those of
// decode_jpeg_image() and decode_jpeg_region(). Everything else is for those: `refusal` says why.
//
// Ownership: owns what it says; the file is only read by make(). A plan may be used for one file
// after another, and then allocates nothing but what libjpeg does for a header. Threads: one.
// Errors: std::bad_alloc. What is wrong with a file or an index is a refusal.
#pragma once

#include <sluice/cuda/jpeg/codes.h>
#include <sluice/cuda/jpeg/file_header.h>
#include <sluice/cuda/jpeg/job.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>
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
    std::size_t at = 0;  // in what is uploaded of the file
  };

  // Whether the file is taken. `header`: what peek_jpeg() says of it; `entry`: what the index knows
  // of it, or null. Of `options` count `color`, `apply_orientation`, `verify` and
  // `max_output_bytes`; `region` counts in the picture as it is seen, and is refused where it does
  // not lie inside. No region is the whole picture.
  bool make(std::span<const std::uint8_t> file, const JpegHeader& header,
            const JpegIndexEntry* entry, const std::optional<Rectangle>& region,
            const JpegOptions& options = {});
  const std::string& refusal() const { return refusal_; }
  // Whether the device fetches what it needs of the file from where it lies: in memory that it
  // reads, at a multiple of JpegPiece::kLine. The file must then stay there until the device is
  // through. Otherwise the host copies it.
  bool fetch(std::span<const std::uint8_t> file, const Device& device);
  // For tests: 1 to 4096. The pixels are the same.
  void set_subsequence_bytes(std::uint32_t bytes) { subsequence_bytes_ = bytes; }

  // Of one that was taken. The whole picture's size in the file:
  int stored_height() const { return stored_height_; }
  int stored_width() const { return stored_width_; }
  // The size of the pixels, 3 channels or 1:
  int out_height() const { return sample_.out_height(); }
  int out_width() const { return sample_.out_width(); }
  int channels() const { return sample_.channels; }
  // What is uploaded of the file.
  const std::vector<Piece>& pieces() const { return pieces_; }
  std::size_t bytes() const { return bytes_; }
  // Where in the file what is fetched begins, of one that no index knows.
  std::size_t fetched_from() const { return fetched_from_; }
  // The device's work, with blocks counted from this sample's first, and without what depends on
  // where things lie.
  const JpegSample& sample() const { return sample_; }
  const std::vector<JpegSegment>& segments() const { return segments_; }
  const std::vector<JpegInterval>& intervals() const { return intervals_; }
  // The file's Huffman tables, which are legal.
  using Sources = JpegCodeSource[4];
  const Sources& sources() const { return sources_; }
  std::uint64_t sources_hash() const { return sources_hash_; }
  // What it takes of a batch's memory at the most (see JpegBatch).
  std::size_t upload_bytes() const;
  std::size_t scratch_bytes() const;

 private:
  // MCUs, rows and columns, from the first to before the end.
  struct Groups {
    std::uint32_t top = 0, bottom = 0, left = 0, right = 0;
    std::uint32_t rows = 0, columns = 0;  // of the picture
  };

  // Each gives the reason why not, or null.
  const char* plan(std::span<const std::uint8_t> file, const JpegHeader& header,
                   const JpegIndexEntry* entry, const std::optional<Rectangle>& region,
                   const JpegOptions& options);
  const char* take_components(const JpegFileHeader& from);
  const char* take_codes(const JpegFileHeader& from);
  Groups lay_out(const Rectangle& stored);
  // Where the index knows too little it finds intervals instead.
  const char* find_segments(std::span<const std::uint8_t> file, const JpegIndexEntry& entry,
                            const Groups& groups, std::size_t first_byte);
  const char* find_intervals(std::span<const std::uint8_t> file, const Groups& groups,
                             std::size_t first_byte);

  std::string refusal_;
  int stored_height_ = 0, stored_width_ = 0;
  JpegSample sample_;
  std::vector<JpegSegment> segments_;
  std::vector<JpegInterval> intervals_;
  std::uint32_t subsequence_bytes_ = kJpegSubsequenceBytes;
  std::vector<Piece> pieces_;
  std::size_t bytes_ = 0, fetched_from_ = 0;
  Sources sources_ = {};
  std::uint64_t sources_hash_ = 0;
};

}  // namespace sluice::device
