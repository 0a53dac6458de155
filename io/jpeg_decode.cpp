#include <sluice/io/jpeg_decode.h>
#include <sluice/io/jpeg_guard.h>
#include <sluice/io/jpeg_header.h>
#include <sluice/io/orientation.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include <fmt/format.h>

namespace sluice {
namespace {

// What is to be done with the rows of one picture; plain data, so that a step may use it.
struct RowJob {
  Window window;        // of the stored picture
  bool cut = false;     // let the library skip rows and columns
  bool to_end = false;  // read all rows and what follows them
  int channels = 0;     // of the output
  bool cmyk = false;    // convert four channels to them
  std::uint8_t* out = nullptr;
  std::ptrdiff_t out_stride = 0;
  std::uint8_t* scratch = nullptr;  // one whole row of the library's output
};

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

// A thread's libjpeg object. The members that libjpeg refers to must stay where they are. The
// library's part is made anew for each picture: it would keep the tables of the former one, and a
// file that lacks some would decode with those. That costs less than can be measured.
class Decompressor {
 public:
  Decompressor() = default;
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  ~Decompressor() { discard(); }

  // Reads the header of `file` as the start of a new picture.
  void open(std::span<const std::uint8_t> file, const JpegOptions& options) {
    file_ = file;
    max_scans_ = options.max_scans;
    errors_.start_picture(options.damage == DamagePolicy::strict);
    run([](void* self) { static_cast<Decompressor*>(self)->read_header(); });
  }

  void start() {
    run([](void* self) {
      static_cast<void>(jpeg_start_decompress(&static_cast<Decompressor*>(self)->info_));
    });
  }

  void read_rows(RowJob& job) {
    scratch_.resize(static_cast<std::size_t>(info_.output_width) *
                    static_cast<std::size_t>(info_.output_components));
    job.scratch = scratch_.data();
    job_ = &job;
    run([](void* self) { static_cast<Decompressor*>(self)->deliver(); });
  }

  // Frees what the library holds.
  void discard() noexcept {
    jpeg_destroy_decompress(&info_);
    info_ = {};
  }

  jpeg_decompress_struct& info() { return info_; }
  const JpegErrors& errors() const { return errors_; }
  std::string describe_damage() const {
    return errors_.row > 0    ? fmt::format("{}, after row {} of {}", errors_.text, errors_.row,
                                            info_.output_height)
           : errors_.scan > 1 ? fmt::format("{}, in scan {}", errors_.text, errors_.scan)
                              : fmt::format("{}, before the first row", errors_.text);
  }

 private:
  struct Progress {
    jpeg_progress_mgr manager;  // first: libjpeg hands out a pointer to it
    Decompressor* owner;
  };

  void run(void (*step)(void*)) {
    if (jpeg_guarded(errors_, step, this)) return;
    std::string what =
        errors_.fatal_is_damage
            ? fmt::format("damaged: {} (DamagePolicy::tolerant keeps what is left)",
                          describe_damage())
            : fmt::format("cannot be decoded: {}",
                          errors_.row > 0 ? describe_damage() : std::string(errors_.text));
    throw JpegError(what);
  }

  // Steps: no locals with destructors, no exceptions.
  void read_header() {
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

  static void check_scans(j_common_ptr object) {
    Decompressor& self = *reinterpret_cast<Progress*>(object->progress)->owner;
    if (self.info_.input_scan_number <= self.max_scans_) return;
    char message[JMSG_LENGTH_MAX];
    std::snprintf(message, sizeof message, "it has more than %d scans, the limit; raise max_scans",
                  self.max_scans_);
    self.errors_.fail(object, message);
  }

  void deliver() {
    const RowJob& job = *job_;
    const Window& w = job.window;
    JDIMENSION left = 0;
    if (job.cut) {
      if (w.width < static_cast<int>(info_.output_width)) {
        // Upsampling looks one pixel to either side, hence one more than is wanted. And where less
        // than 3 samples of colour are left of a row, the library changes to plain repetition,
        // hence never less than those.
        const int full = static_cast<int>(info_.output_width);
        const int least = 3 * info_.max_h_samp_factor;
        const int right = std::min(std::max(w.x + w.width + 1, w.x - 1 + least), full);
        left = static_cast<JDIMENSION>(std::max(std::min(w.x - 1, right - least), 0));
        JDIMENSION width = static_cast<JDIMENSION>(right) - left;
        jpeg_crop_scanline(&info_, &left, &width);
      }
      if (w.y > 0) jpeg_skip_scanlines(&info_, static_cast<JDIMENSION>(w.y));
    }
    const int first = w.y;
    const int last = w.y + w.height;
    const std::size_t components = static_cast<std::size_t>(info_.output_components);
    const std::uint8_t* wanted = job.scratch + (static_cast<std::size_t>(w.x) - left) * components;
    const bool straight = !job.cmyk && w.width == static_cast<int>(info_.output_width);
    const JDIMENSION end = job.to_end ? info_.output_height : static_cast<JDIMENSION>(last);
    while (info_.output_scanline < end) {
      const int y = static_cast<int>(info_.output_scanline);
      const bool inside = y >= first && y < last;
      std::uint8_t* target = inside ? job.out + (y - first) * job.out_stride : nullptr;
      JSAMPROW row = inside && straight ? target : job.scratch;
      jpeg_read_scanlines(&info_, &row, 1);
      if (!inside || straight) continue;
      if (job.cmyk) {
        convert_cmyk(wanted, w.width, job.channels, target);
      } else {
        std::memcpy(target, wanted, static_cast<std::size_t>(w.width) * components);
      }
    }
    if (end == info_.output_height) {
      jpeg_finish_decompress(&info_);
    } else {
      jpeg_abort_decompress(&info_);
    }
  }

  jpeg_decompress_struct info_{};
  JpegErrors errors_;
  Progress progress_{};
  std::span<const std::uint8_t> file_;
  int max_scans_ = 0;
  RowJob* job_ = nullptr;
  std::vector<std::uint8_t> scratch_;
};

// Ends a picture: frees the library's memory, and the output too unless all went well.
class Attempt {
 public:
  Attempt(Decompressor& decompressor, Image& out) : decompressor_(decompressor), out_(out) {}
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  ~Attempt() {
    decompressor_.discard();
    if (!done_) out_.release();
  }
  void done() { done_ = true; }

 private:
  Decompressor& decompressor_;
  Image& out_;
  bool done_ = false;
};

std::string in_words(std::int64_t bytes) {
  const double value = static_cast<double>(bytes);
  if (bytes >= 1'000'000'000) return fmt::format("{:.1f} GB", value / 1e9);
  if (bytes >= 1'000'000) return fmt::format("{:.1f} MB", value / 1e6);
  return fmt::format("{} bytes", bytes);
}

// All that can be said of a picture from its header; nothing of its size has been allocated yet.
void check_header(const jpeg_decompress_struct& info, int channels, const JpegOptions& options) {
  if (info.num_components != 1 && info.num_components != 3 && info.num_components != 4) {
    throw JpegError(
        fmt::format("{} colour components; only 1 (gray), 3 (colour) and 4 (CMYK) can be decoded",
                    info.num_components));
  }
  const auto check = [&](std::int64_t bytes, const char* what) {
    if (bytes <= options.max_output_bytes) return;
    throw JpegError(
        fmt::format("{} x {} pixels need {}{}, more than the limit of {}; raise max_output_bytes",
                    info.image_width, info.image_height, in_words(bytes), what,
                    in_words(options.max_output_bytes)));
  };
  check(std::int64_t{info.image_width} * info.image_height * channels, "");
  if (jpeg_has_multiple_scans(const_cast<j_decompress_ptr>(&info)) == FALSE) return;
  std::int64_t coefficients = 0;
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& component = info.comp_info[i];
    coefficients += std::int64_t{component.width_in_blocks} * component.height_in_blocks * DCTSIZE2;
  }
  check(coefficients * static_cast<std::int64_t>(sizeof(JCOEF)), " for the passes of the file");
}

// Whether some coefficient of a progressive file is not known to its last bit. The library then
// smooths over block borders, which looks further than the margin of a window.
bool lacks_passes(const jpeg_decompress_struct& info) {
  if (info.progressive_mode == FALSE || info.coef_bits == nullptr) return false;
  for (int i = 0; i < info.num_components; ++i) {
    for (int k = 0; k < DCTSIZE2; ++k) {
      if (info.coef_bits[i][k] != 0) return true;
    }
  }
  return false;
}

void check_window(const Window& w, int height, int width) {
  const bool inside = w.y >= 0 && w.x >= 0 && w.height >= 1 && w.width >= 1 && w.height <= height &&
                      w.width <= width && w.y <= height - w.height && w.x <= width - w.width;
  if (inside) return;
  throw JpegError(fmt::format(
      "a window of {} x {} at ({}, {}) does not lie inside the picture of {} x {} pixels (height x "
      "width, row and column)",
      w.height, w.width, w.y, w.x, height, width));
}

JpegReport decode(std::span<const std::uint8_t> file, const Window* window,
                  const JpegOptions& options, Image& out) {
  if (file.size() < 2 || file[0] != 0xff || file[1] != 0xd8) {
    out.release();
    static_cast<void>(peek_jpeg(file));  // says what it is instead
  }
  static thread_local Decompressor decompressor;
  Attempt attempt(decompressor, out);
  decompressor.open(file, options);
  jpeg_decompress_struct& info = decompressor.info();
  const int channels = options.color == ColorSpace::rgb ? 3 : 1;
  check_header(info, channels, options);
  const int stored_height = static_cast<int>(info.image_height);
  const int stored_width = static_cast<int>(info.image_width);

  RowJob job;
  job.window = {0, 0, stored_height, stored_width};
  const int orientation = options.apply_orientation ? peek_jpeg_orientation(file) : 1;
  if (window != nullptr) {
    const bool swap = swaps_sides(orientation);
    check_window(*window, swap ? stored_width : stored_height, swap ? stored_height : stored_width);
    job.window = stored_window(*window, orientation, stored_height, stored_width);
  }
  job.channels = channels;
  job.cmyk = info.num_components == 4;
  info.out_color_space = job.cmyk                            ? JCS_CMYK
                         : options.color == ColorSpace::gray ? JCS_GRAYSCALE
                                                             : JCS_RGB;
  info.dct_method = JDCT_ISLOW;
  info.do_fancy_upsampling = TRUE;
  decompressor.start();
  job.cut = window != nullptr && !lacks_passes(info);
  job.to_end = window == nullptr || options.verify;

  Image upright;  // as stored, when it has to be turned afterwards
  Image& target = orientation == 1 ? out : upright;
  target.create(job.window.height, job.window.width, channels);
  if (options.damage == DamagePolicy::tolerant) {
    for (int y = 0; y < target.height(); ++y) std::memset(target.row(y), 0, target.row_bytes());
  }
  job.out = target.data();
  job.out_stride = target.row_stride();
  decompressor.read_rows(job);
  if (orientation != 1) orient(upright, orientation, out);

  JpegReport report;
  if (decompressor.errors().damaged) report = {true, decompressor.describe_damage()};
  attempt.done();
  return report;
}

}  // namespace

JpegReport decode_jpeg_image(std::span<const std::uint8_t> file, const JpegOptions& options,
                             Image& out) {
  return decode(file, nullptr, options, out);
}

JpegReport decode_jpeg_region(std::span<const std::uint8_t> file, const Window& window,
                              const JpegOptions& options, Image& out) {
  return decode(file, &window, options, out);
}

}  // namespace sluice
