#include <sluice/io/jpeg/decompressor.h>
#include <sluice/io/jpeg/entropy.h>
#include <sluice/io/jpeg/pixels.h>

#include <algorithm>
#include <cstring>

namespace sluice {
namespace {

// Groups that are decoded before they are transformed. Their blocks fit in the L1 cache.
constexpr int kChunk = 4;
static_assert(kChunk % kJpegBlocksAtOnce == 0);
constexpr int kMostBlocksInGroup = 6;  // of the images that we take

template <class T>
T round_up(T value, T multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

bool JpegPixels::takes(const jpeg_decompress_struct& info) {
  if (info.data_precision != 8 || info.progressive_mode != FALSE ||
      info.scale_num != info.scale_denom || info.comps_in_scan != info.num_components ||
      info.dct_method != JDCT_ISLOW || info.do_fancy_upsampling == FALSE ||
      info.quantize_colors != FALSE)
    return false;
  for (int c = 0; c < info.num_components; ++c)
    if (info.cur_comp_info[c] != &info.comp_info[c] || info.comp_info[c].quant_table == nullptr)
      return false;
  const bool gray_out = info.out_color_space == JCS_GRAYSCALE;
  // libjpeg decodes a gray image with a vertical sampling factor by as many rows of blocks at once,
  // and so may find damage below a region.
  if (info.num_components == 1)
    return info.jpeg_color_space == JCS_GRAYSCALE && info.max_v_samp_factor == 1 &&
           (gray_out || info.out_color_space == JCS_RGB);
  if (info.num_components != 3 || info.jpeg_color_space != JCS_YCbCr ||
      !(gray_out || info.out_color_space == JCS_RGB))
    return false;
  const jpeg_component_info* const c = info.comp_info;
  const bool known = c[0].h_samp_factor <= 2 && c[0].v_samp_factor <= c[0].h_samp_factor;
  for (int i = 1; i < 3; ++i) {
    if (c[i].h_samp_factor != 1 || c[i].v_samp_factor != 1) return false;
    // libjpeg repeats the samples of narrower planes.
    if (c[0].h_samp_factor == 2 && c[i].downsampled_width <= 2) return false;
  }
  return known;
}

void JpegPixels::begin(jpeg_decompress_struct& info, const JpegRowJob& job, bool zeroes) {
  info_ = &info;
  job_ = &job;
  zeroes_ = zeroes;
  made_ = 0;
  const bool color = info.num_components == 3;
  planes_ = color && info.out_color_space == JCS_RGB ? 3 : 1;
  const int across = color ? info.comp_info[0].h_samp_factor : 1;
  const int down = color ? info.comp_info[0].v_samp_factor : 1;
  stretch_ = across == 1 ? Stretch::none : down == 1 ? Stretch::across : Stretch::both;
  group_width_ = static_cast<JDIMENSION>(DCTSIZE * across);
  group_height_ = static_cast<JDIMENSION>(DCTSIZE * down);

  // Upsampling reads one sample to each side, so the region grows by one pixel.
  const auto x = static_cast<JDIMENSION>(job.region.x), y = static_cast<JDIMENSION>(job.region.y);
  const auto right = x + static_cast<JDIMENSION>(job.region.width);
  const JDIMENSION margin = planes_ == 3 && stretch_ != Stretch::none ? 1 : 0;
  first_group_ = (x - std::min(x, margin)) / group_width_;
  last_group_ = std::min((right - 1 + margin) / group_width_, info.MCUs_per_row - 1);
  const JDIMENSION above = planes_ == 3 && stretch_ == Stretch::both ? 1 : 0;
  first_row_ = (y - std::min(y, above)) / group_height_;
  next_row_ = 0;

  // The memory: the blocks of a chunk, two rows of chroma, and the planes.
  const std::size_t groups =
      round_up<std::size_t>(last_group_ - first_group_ + std::size_t{1}, kChunk);
  const std::size_t row_bytes = groups * group_width_;
  std::size_t bytes = sizeof(std::int16_t[DCTSIZE2]) * kChunk * kMostBlocksInGroup;
  const std::size_t stretched_at = bytes;
  const std::size_t stretched_bytes = row_bytes + 2 * kJpegRowSlack;
  bytes += 2 * stretched_bytes;
  std::size_t plane_at[3] = {};
  int blocks = 0;
  for (int i = 0; i < planes_; ++i) {
    const jpeg_component_info& from = info.comp_info[i];
    Plane& plane = plane_[i];
    plane.across = i == 0 ? across : 1;
    plane.down = i == 0 ? down : 1;
    plane.blocks = blocks;
    plane.left = first_group_ * static_cast<JDIMENSION>(DCTSIZE * plane.across);
    plane.columns = from.downsampled_width;
    plane.last_row = from.downsampled_height - 1;
    for (int k = 0; k < DCTSIZE2; ++k)
      plane.quantizers[k] = static_cast<std::int16_t>(from.quant_table->quantval[k]);
    plane.stride = static_cast<std::ptrdiff_t>(
        groups * DCTSIZE * static_cast<std::size_t>(plane.across) + 2 * kJpegRowSlack);
    plane_at[i] = bytes + kJpegRowSlack;
    bytes += static_cast<std::size_t>(plane.stride) * static_cast<std::size_t>(16 * plane.down);
    blocks += kChunk * plane.across * plane.down;
  }
  if (memory_.size() < bytes + kJpegRowSlack) {
    memory_.clear();  // so that nothing is copied
    memory_.resize(bytes + kJpegRowSlack);
  }
  const auto misaligned = reinterpret_cast<std::uintptr_t>(memory_.data()) % kJpegRowSlack;
  std::uint8_t* const base = memory_.data() + (misaligned == 0 ? 0 : kJpegRowSlack - misaligned);
  chunk_ = reinterpret_cast<std::int16_t(*)[DCTSIZE2]>(base);
  for (std::size_t i = 0; i < 2; ++i)
    stretched_[i] = base + stretched_at + i * stretched_bytes + kJpegRowSlack;
  for (int i = 0; i < planes_; ++i) plane_[i].at = base + plane_at[i];
}

void JpegPixels::read_rows(int end) {
  const Rectangle& region = job_->region;
  for (; made_ < end; ++made_) {
    const auto y = static_cast<JDIMENSION>(region.y + made_);
    // The two rows at the end of a group both wait for the next group, as in libjpeg, so that the
    // same damage is found.
    JDIMENSION last = y;
    if (planes_ == 3 && stretch_ == Stretch::both)
      last = std::min((y | 1) + 1, 2 * plane_[1].last_row);
    while (next_row_ <= last / group_height_) read_group_row();
    write_row(y, job_->out + made_ % job_->rows * job_->out_stride);
  }
}

void JpegPixels::skip_groups(JDIMENSION groups) {
  const auto decode = reinterpret_cast<LibraryEntropy*>(info_->entropy)->decode_mcu;
  for (; groups > 0; --groups) static_cast<void>(decode(info_, nullptr));
}

void JpegPixels::read_group_row() {
  // For messages about errors.
  info_->output_scanline = std::min(next_row_ * group_height_, info_->output_height);
  if (next_row_++ < first_row_) {
    skip_groups(info_->MCUs_per_row);
    return;
  }
  skip_groups(first_group_);
  const auto decode = reinterpret_cast<LibraryEntropy*>(info_->entropy)->decode_mcu;
  for (JDIMENSION group = first_group_; group <= last_group_; group += kChunk) {
    const int count = static_cast<int>(std::min<JDIMENSION>(kChunk, last_group_ - group + 1));
    if (zeroes_) std::memset(chunk_, 0, sizeof(*chunk_) * kChunk * kMostBlocksInGroup);
    for (int i = 0; i < count; ++i) {
      JBLOCKROW blocks[kMostBlocksInGroup];
      int n = 0;
      for (int c = 0; c < planes_; ++c) {
        const Plane& plane = plane_[c];
        for (int y = 0; y < plane.down; ++y)
          for (int x = 0; x < plane.across; ++x)
            blocks[n++] = reinterpret_cast<JBLOCKROW>(chunk_ + plane.blocks +
                                                      (y * kChunk + i) * plane.across + x);
      }
      // Blocks that are not needed all go to the same place.
      while (n < info_->blocks_in_MCU)
        blocks[n++] = reinterpret_cast<JBLOCKROW>(chunk_ + kChunk * kMostBlocksInGroup - 1);
      static_cast<void>(decode(info_, blocks));
    }
    transform_chunk(group);
  }
  skip_groups(info_->MCUs_per_row - 1 - last_group_);
  repeat_edges();
}

void JpegPixels::transform_chunk(JDIMENSION group) {
  for (int c = 0; c < planes_; ++c) {
    const Plane& plane = plane_[c];
    const int count = kChunk * plane.across;
    const std::ptrdiff_t column =
        static_cast<std::ptrdiff_t>(group - first_group_) * DCTSIZE * plane.across;
    for (int y = 0; y < plane.down; ++y) {
      const JDIMENSION row =
          ((next_row_ - 1) * static_cast<JDIMENSION>(plane.down) + static_cast<JDIMENSION>(y)) *
          DCTSIZE;
      inverse_dct(chunk_ + plane.blocks + y * count, count, plane.quantizers,
                  plane.row(row) + column, plane.stride);
    }
  }
}

// Repeats the samples at the edges of the image, because upsampling reads one beyond each edge.
void JpegPixels::repeat_edges() {
  if (stretch_ == Stretch::none) return;
  for (int c = 1; c < planes_; ++c) {
    const Plane& plane = plane_[c];
    for (JDIMENSION y = 0; y < DCTSIZE; ++y) {
      std::uint8_t* const row = plane.row((next_row_ - 1) * DCTSIZE + y);
      if (plane.left == 0) row[-1] = row[0];
      if (last_group_ == info_->MCUs_per_row - 1)
        row[plane.columns - plane.left] = row[plane.columns - plane.left - 1];
    }
  }
}

void JpegPixels::write_row(JDIMENSION y, std::uint8_t* out) {
  const auto x = static_cast<JDIMENSION>(job_->region.x);
  const auto width = static_cast<std::size_t>(job_->region.width);
  const std::uint8_t* const luma = plane_[0].sample(y, x);
  if (planes_ == 1) {
    if (info_->out_color_space == JCS_GRAYSCALE) {
      std::memcpy(out, luma, width);
    } else {
      write_gray_as_rgb(luma, width, out);
    }
    return;
  }
  if (stretch_ == Stretch::none) {
    write_rgb(luma, plane_[1].sample(y, x), plane_[2].sample(y, x), width, out);
    return;
  }
  const JDIMENSION first = x / 2;
  const std::size_t count = (x + width - 1) / 2 - first + 1;
  for (int c = 1; c < 3; ++c) {
    const Plane& plane = plane_[c];
    std::uint8_t* const to = stretched_[c - 1];
    if (stretch_ == Stretch::across) {
      stretch_across(plane.sample(y, first), count, to);
      continue;
    }
    const JDIMENSION near = y / 2;
    const JDIMENSION far =
        y % 2 == 0 ? near - std::min<JDIMENSION>(near, 1) : std::min(near + 1, plane.last_row);
    stretch_both(plane.sample(near, first), plane.sample(far, first), count, to);
  }
  write_rgb(luma, stretched_[0] + x % 2, stretched_[1] + x % 2, width, out);
}

}  // namespace sluice
