#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/libjpeg.h>
#include <sluice/io/jpeg/orientation.h>

#include <array>
#include <cstddef>
#include <new>

#include <fmt/format.h>

namespace sluice {
namespace {

// The libjpeg object of one call, and the bytes that it has written.
class Compressor {
 public:
  Compressor(const Image& image, const JpegEncodeOptions& options)
      : image_(image),
        options_(options),
        output_(errors_, image.row_bytes() * static_cast<std::size_t>(image.height()) / 4) {}
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  ~Compressor() { jpeg_destroy_compress(&info_); }

  Bytes run() {
    errors_.install();
    errors_.start_image(false);
    info_.err = &errors_.manager;
    if (!jpeg_guarded(
            errors_, [](void* self) noexcept { static_cast<Compressor*>(self)->write(); }, this)) {
      if (errors_.out_of_memory) throw std::bad_alloc();
      throw JpegError(fmt::format("cannot be encoded: {}", errors_.text));
    }
    return Bytes::copy_of(output_.bytes());
  }

 private:
  // A step: no locals with destructors, no exceptions.
  void write() {
    jpeg_create_compress(&info_);
    output_.install(info_);
    info_.image_width = static_cast<JDIMENSION>(image_.width());
    info_.image_height = static_cast<JDIMENSION>(image_.height());
    info_.input_components = image_.channels();
    info_.in_color_space = image_.channels() == 3 ? JCS_RGB : JCS_GRAYSCALE;
    jpeg_set_defaults(&info_);
    jpeg_set_quality(&info_, options_.quality, TRUE);
    const Subsampling s = options_.subsampling;
    if (image_.channels() == 3) {
      info_.comp_info[0].h_samp_factor = s == Subsampling::s422 || s == Subsampling::s420 ? 2 : 1;
      info_.comp_info[0].v_samp_factor = s == Subsampling::s440 || s == Subsampling::s420 ? 2 : 1;
    }
    if (options_.progressive) jpeg_simple_progression(&info_);
    info_.optimize_coding = options_.optimize ? TRUE : FALSE;
    info_.restart_in_rows = options_.restart_rows;
    info_.dct_method = JDCT_ISLOW;
    jpeg_start_compress(&info_, TRUE);
    if (options_.orientation != 1) {
      const std::array<std::uint8_t, 32> exif = make_exif_orientation(options_.orientation);
      jpeg_write_marker(&info_, JPEG_APP0 + 1, exif.data(), static_cast<unsigned>(exif.size()));
    }
    while (info_.next_scanline < info_.image_height) {
      // libjpeg takes a pointer to changeable pixels but does not change them.
      JSAMPROW row = const_cast<JSAMPROW>(image_.row(static_cast<int>(info_.next_scanline)));
      jpeg_write_scanlines(&info_, &row, 1);
    }
    jpeg_finish_compress(&info_);
  }

  const Image& image_;
  const JpegEncodeOptions& options_;
  jpeg_compress_struct info_{};
  JpegErrors errors_;
  JpegOutput output_;
};

void check(const Image& image, const JpegEncodeOptions& options) {
  if (image.empty()) throw JpegError("an empty image cannot be encoded");
  if (image.channels() != 1 && image.channels() != 3) {
    throw JpegError(fmt::format(
        "an image of {} channels cannot be encoded, only 1 (gray) or 3 (RGB)", image.channels()));
  }
  if (image.width() > JPEG_MAX_DIMENSION || image.height() > JPEG_MAX_DIMENSION) {
    throw JpegError(
        fmt::format("{} x {} pixels cannot be encoded: a JPEG file has at most {} a side",
                    image.width(), image.height(), JPEG_MAX_DIMENSION));
  }
  if (options.quality < 1 || options.quality > 100) {
    throw JpegError(fmt::format("quality {} does not lie in 1 to 100", options.quality));
  }
  if (options.orientation < 1 || options.orientation > 8) {
    throw JpegError(fmt::format("orientation {} does not lie in 1 to 8", options.orientation));
  }
  if (options.restart_rows < 0) {
    throw JpegError(fmt::format("restart_rows is {}, below 0", options.restart_rows));
  }
}

}  // namespace

Bytes encode_jpeg(const Image& image, const JpegEncodeOptions& options) {
  require_on_host(image.place());
  check(image, options);
  return Compressor(image, options).run();
}

}  // namespace sluice
