#include <sluice/io/jpeg/decompressor.h>
#include <sluice/io/jpeg/header.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>

#include <fmt/format.h>

namespace sluice {
namespace {

std::uint8_t times_over_255(int a, int b) {
  return static_cast<std::uint8_t>((2 * a * b + 255) / 510);
}

void convert_cmyk(const std::uint8_t* in, int width, int channels, std::uint8_t* out) {
  for (int x = 0; x < width; ++x, in += 4, out += channels) {
    const std::uint8_t r = times_over_255(in[0], in[3]);
    const std::uint8_t g = times_over_255(in[1], in[3]);
    const std::uint8_t b = times_over_255(in[2], in[3]);
    if (channels == 3) {
      out[0] = r;
      out[1] = g;
      out[2] = b;
    } else {
      // BT.601 luma in 16-bit fixed point, the weights that libjpeg uses.
      out[0] = static_cast<std::uint8_t>((19595 * r + 38470 * g + 7471 * b + 32768) >> 16);
    }
  }
}

}  // namespace

void JpegDecompressor::open(std::span<const std::uint8_t> file, const JpegOptions& options) {
  discard();
  packed_ = is_packed_jpeg(file) ? &pack_entropy_.open(file) : nullptr;
  file_ = packed_ != nullptr ? packed_->header() : file;
  max_scans_ = options.max_scans;
  ours_ = false;
  wants_own_pixels_ = own_pixels_ = false;
  errors_.start_image(options.damage == DamagePolicy::strict);
  run([](void* self) noexcept { static_cast<JpegDecompressor*>(self)->read_header(); });
}

void JpegDecompressor::start() {
  run([](void* self) noexcept {
    static_cast<void>(jpeg_start_decompress(&static_cast<JpegDecompressor*>(self)->info_));
  });
}

bool JpegDecompressor::use_own_entropy(std::span<const std::uint8_t> file,
                                       const JpegIndexEntry* index,
                                       std::span<const ByteRange> parts) {
  ours_ = entropy_.attach(info_, file, errors_, index, parts);
  return ours_;
}

void JpegDecompressor::use_packed(std::span<const std::uint8_t> file, std::uint32_t first,
                                  std::uint32_t last, bool verify) {
  pack_entropy_.attach(info_, errors_, file, first, last, verify);
}

JpegDecompressor::Columns JpegDecompressor::columns(const Rectangle& region) const {
  const int full = static_cast<int>(info_.output_width);
  if (region.width == full) return {0, full};
  // Upsampling uses one pixel to either side, hence one more than the region. If fewer than 3 color
  // samples of a row are left, the library switches to plain repetition, hence never fewer.
  const int least = 3 * info_.max_h_samp_factor;
  const int right = std::min(std::max(region.x + region.width + 1, region.x - 1 + least), full);
  const int left = std::max(std::min(region.x - 1, right - least), 0);
  // The library begins at a whole group of blocks.
  const int group = jpeg_group_width(info_);
  return {left / group * group, right - left / group * group};
}

bool JpegDecompressor::can_use_own_pixels(const JpegRowJob& job) const {
  if (!wants_own_pixels_ || !(ours_ || packed_ != nullptr)) return false;
  const bool whole = job.region.height == static_cast<int>(info_.output_height) &&
                     job.region.width == static_cast<int>(info_.output_width);
  if (!whole && !job.cut) return false;
  // To verify the tokens of a packed JPEG, all groups must be decoded.
  if (!whole && job.to_end && packed_ != nullptr) return false;
  return JpegPixels::takes(info_);
}

bool JpegDecompressor::begin_rows(const JpegRowJob& job) {
  own_pixels_ = can_use_own_pixels(job);
  if (own_pixels_) {
    job_ = &job;
    pixels_.begin(info_, job, packed_ == nullptr);
    if (ours_) entropy_.set_columns(pixels_.left(), pixels_.width());
    if (packed_ != nullptr) pack_entropy_.set_columns(pixels_.left(), pixels_.width());
    return true;
  }
  scratch_.resize(static_cast<std::size_t>(info_.output_width) *
                  static_cast<std::size_t>(info_.output_components));
  job_ = &job;
  left_ = 0;
  if (!job.cut) return true;
  return run([](void* self) noexcept { static_cast<JpegDecompressor*>(self)->go_to_region(); });
}

bool JpegDecompressor::read_rows(int end) {
  if (own_pixels_) {
    end_ = static_cast<JDIMENSION>(end);
    return run([](void* self) noexcept {
      auto& me = *static_cast<JpegDecompressor*>(self);
      me.pixels_.read_rows(static_cast<int>(me.end_));
    });
  }
  end_ = static_cast<JDIMENSION>(job_->region.y + end);
  return run([](void* self) noexcept { static_cast<JpegDecompressor*>(self)->deliver(); });
}

bool JpegDecompressor::end_rows() {
  if (own_pixels_)
    return run([](void* self) noexcept { static_cast<JpegDecompressor*>(self)->end_own_pixels(); });
  return run([](void* self) noexcept { static_cast<JpegDecompressor*>(self)->end(); });
}

void JpegDecompressor::discard() noexcept {
  jpeg_destroy_decompress(&info_);
  info_ = {};
}

std::string JpegDecompressor::describe_damage() const {
  return errors_.row > 0
             ? fmt::format("{}, after row {} of {}", errors_.text, errors_.row, info_.output_height)
         : errors_.scan > 1 ? fmt::format("{}, in scan {}", errors_.text, errors_.scan)
                            : fmt::format("{}, before the first row", errors_.text);
}

bool JpegDecompressor::run(JpegStep step) {
  if (jpeg_guarded(errors_, step, this)) return true;
  if (errors_.out_of_memory) throw std::bad_alloc();
  if (ours_ && entropy_.fell_back()) return false;
  const char* const hint = errors_.row > 0 ? " (DamagePolicy::tolerant keeps what is left)" : "";
  throw JpegError(errors_.fatal_is_damage
                      ? fmt::format("damaged: {}{}", describe_damage(), hint)
                      : fmt::format("cannot be decoded: {}", errors_.row > 0
                                                                 ? describe_damage()
                                                                 : std::string(errors_.text)));
}

void JpegDecompressor::read_header() {
  errors_.install();
  info_.err = &errors_.manager;
  jpeg_create_decompress(&info_);
  jpeg_mem_src(&info_, file_.data(), static_cast<unsigned long>(file_.size()));
  jpeg_read_header(&info_, TRUE);
  errors_.header_read = true;
  if (jpeg_has_multiple_scans(&info_) != FALSE) {
    progress_ = {};
    progress_.manager.progress_monitor = check_scans;
    progress_.owner = this;
    info_.progress = &progress_.manager;
  }
}

void JpegDecompressor::check_scans(j_common_ptr object) {
  JpegDecompressor& self = *reinterpret_cast<Progress*>(object->progress)->owner;
  if (self.info_.input_scan_number <= self.max_scans_) return;
  char message[JMSG_LENGTH_MAX];
  std::snprintf(message, sizeof message, "it has more than %d scans, the limit; raise max_scans",
                self.max_scans_);
  self.errors_.fail(object, message);
}

void JpegDecompressor::go_to_region() {
  const Rectangle& region = job_->region;
  const Columns wanted = columns(region);
  if (wanted.width < static_cast<int>(info_.output_width)) {
    JDIMENSION left = static_cast<JDIMENSION>(wanted.left);
    JDIMENSION width = static_cast<JDIMENSION>(wanted.width);
    jpeg_crop_scanline(&info_, &left, &width);
    if (ours_) entropy_.set_columns(left, width);
    if (packed_ != nullptr) pack_entropy_.set_columns(left, width);
    left_ = static_cast<int>(left);
  }
  if (region.y > 0) jpeg_skip_scanlines(&info_, static_cast<JDIMENSION>(region.y));
}

void JpegDecompressor::deliver() {
  const JpegRowJob& job = *job_;
  const Rectangle& w = job.region;
  const std::size_t components = static_cast<std::size_t>(info_.output_components);
  const std::size_t before = static_cast<std::size_t>(w.x - left_) * components;
  const bool straight =
      !job.cmyk && (job.margins || w.width == static_cast<int>(info_.output_width));
  while (info_.output_scanline < end_) {
    const int y = static_cast<int>(info_.output_scanline) - w.y;
    const bool inside = y >= 0 && y < w.height;
    std::uint8_t* target = inside ? job.out + (y % job.rows) * job.out_stride : nullptr;
    JSAMPROW row = inside && straight ? target - before : scratch_.data();
    jpeg_read_scanlines(&info_, &row, 1);
    if (!inside || straight) continue;
    if (job.cmyk) {
      convert_cmyk(scratch_.data() + before, w.width, job.channels, target);
    } else {
      std::memcpy(target, scratch_.data() + before, static_cast<std::size_t>(w.width) * components);
    }
  }
}

// The end marker must follow the scan. Otherwise libjpeg decodes the file again.
void JpegDecompressor::end_own_pixels() {
  const Rectangle& region = job_->region;
  const bool to_bottom = region.y + region.height == static_cast<int>(info_.output_height);
  if (ours_ && (job_->to_end || (to_bottom && !job_->sound))) {
    entropy_.finish();
    entropy_.require_end_of_image();
  }
  jpeg_abort_decompress(&info_);
}

void JpegDecompressor::end() {
  if (job_->to_end) {
    end_ = info_.output_height;
    deliver();
  }
  if (info_.output_scanline == info_.output_height && !(job_->sound && !job_->to_end)) {
    if (ours_) entropy_.finish();
    jpeg_finish_decompress(&info_);
  } else {
    jpeg_abort_decompress(&info_);
  }
}

}  // namespace sluice
