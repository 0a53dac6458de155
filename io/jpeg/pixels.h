// JpegPixels: makes pixels from the coefficients of a JPEG image, in place of libjpeg: inverse DCT,
// upsampling of colors, conversion to RGB. The pixels are equal to libjpeg's, and it is faster,
// because it transforms several blocks at once and only touches the columns of the region.
//
// It takes nearly all files: one sequential scan, gray or YCbCr with 4:4:4, 4:2:2 or 4:2:0
// sampling, at full scale. libjpeg makes the pixels of the others.
//
// The coefficients come from the decode_mcu function of `info`, as libjpeg asks for them: group by
// group (an MCU is a group of blocks), with a null pointer for groups that are not needed. The
// planes of the components are rings of two rows of groups: upsampling uses one row of samples
// above and below, so the last rows of pixels of a group wait for the next group.
//
// Ownership: refers to the libjpeg object and the job, which must outlive the image; keeps its
// memory for the next one, at most 4 MB. Threads: one. Errors: begin() throws std::bad_alloc. Call
// read_rows() within jpeg_guarded(): on an error, decode_mcu jumps out of it.
#pragma once

#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <jpeglib.h>

namespace sluice {

struct JpegRowJob;

class JpegPixels {
 public:
  // True if it can make this image. Call after jpeg_start_decompress.
  static bool takes(const jpeg_decompress_struct& info);

  // Begins with the region of the job. `zeroes` says that decode_mcu expects zeroed blocks.
  void begin(jpeg_decompress_struct& info, const JpegRowJob& job, bool zeroes);
  // The pixel columns that the groups must cover, for the entropy decoders.
  JDIMENSION left() const { return first_group_ * group_width_; }
  JDIMENSION width() const { return (last_group_ - first_group_ + 1) * group_width_; }
  // Writes the region's rows up to `end` - 1. For a step of jpeg_guarded().
  void read_rows(int end);

 private:
  // How the chroma planes are enlarged.
  enum class Stretch : std::uint8_t { none, across, both };

  struct Plane {
    std::uint8_t* at = nullptr;  // the sample in column `left` of the first row of the ring
    std::ptrdiff_t stride = 0;
    JDIMENSION left = 0;       // the column of the image's plane where it begins
    JDIMENSION columns = 0;    // of the image's plane
    JDIMENSION last_row = 0;   // of the image's plane
    int across = 1, down = 1;  // blocks in a group
    int blocks = 0;            // the place of its blocks in a chunk
    alignas(64) std::int16_t quantizers[DCTSIZE2] = {};

    std::uint8_t* row(JDIMENSION y) const {
      return at + static_cast<std::ptrdiff_t>(y % static_cast<JDIMENSION>(16 * down)) * stride;
    }
    const std::uint8_t* sample(JDIMENSION y, JDIMENSION x) const {
      return row(y) + (static_cast<std::ptrdiff_t>(x) - static_cast<std::ptrdiff_t>(left));
    }
  };

  void read_group_row();
  void skip_groups(JDIMENSION groups);
  void transform_chunk(JDIMENSION group);
  void repeat_edges();
  void write_row(JDIMENSION y, std::uint8_t* out);

  jpeg_decompress_struct* info_ = nullptr;
  const JpegRowJob* job_ = nullptr;
  bool zeroes_ = true;
  int planes_ = 0;  // number of planes that are computed
  Plane plane_[3];
  Stretch stretch_ = Stretch::none;
  JDIMENSION group_width_ = 0, group_height_ = 0;  // pixels
  JDIMENSION first_group_ = 0, last_group_ = 0;    // of each row
  JDIMENSION first_row_ = 0;                       // of groups
  JDIMENSION next_row_ = 0;                        // of groups, to be read
  int made_ = 0;                                   // rows of the region, written so far
  std::vector<std::uint8_t> memory_;
  std::int16_t (*chunk_)[DCTSIZE2] = nullptr;
  std::uint8_t* stretched_[2] = {};  // a row of chroma, enlarged
};

// The inner loops, compiled for several processors (pixel_kernels.cpp). All rows need kJpegRowSlack
// bytes behind their ends, which may be read and overwritten. But write_rgb() and
// write_gray_as_rgb() write exactly 3 * `count` bytes.
inline constexpr std::size_t kJpegRowSlack = 64;
// inverse_dct() takes a multiple of this many blocks.
inline constexpr int kJpegBlocksAtOnce = 4;

// Transforms blocks that stand side by side. `out`: the first sample of the first block.
void inverse_dct(const std::int16_t (*blocks)[64], int count, const std::int16_t* quantizers,
                 std::uint8_t* out, std::ptrdiff_t stride) noexcept;
// Enlarges a row of `count` chroma samples to twice the columns. row[-1] and row[count] must exist.
void stretch_across(const std::uint8_t* row, std::size_t count, std::uint8_t* out) noexcept;
// The same for planes that also have half the rows. `near` has weight 3/4, `far` 1/4.
void stretch_both(const std::uint8_t* near, const std::uint8_t* far, std::size_t count,
                  std::uint8_t* out) noexcept;
// Converts a row from YCbCr to RGB.
void write_rgb(const std::uint8_t* luma, const std::uint8_t* blue, const std::uint8_t* red,
               std::size_t count, std::uint8_t* out) noexcept;
// Writes a gray row as RGB.
void write_gray_as_rgb(const std::uint8_t* luma, std::size_t count, std::uint8_t* out) noexcept;

}  // namespace sluice
