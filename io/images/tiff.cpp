#include <sluice/io/images/codec.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <tiffio.h>

namespace sluice {
namespace {

using File = std::span<const std::uint8_t>;

struct CloseTiff {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
struct FreeOptions {
  void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};

// The first image of a file. libtiff reports errors to on_error(), which keeps the first one, and
// then returns a failure.
class TiffReading {
 public:
  explicit TiffReading(File file) : file_(file) {
    const std::unique_ptr<TIFFOpenOptions, FreeOptions> options(TIFFOpenOptionsAlloc());
    if (options == nullptr) throw std::bad_alloc();
    // Tables of a broken file must not take more memory than the file can fill.
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(),
                                        static_cast<tmsize_t>(4 * file.size() + kSmallMemory));
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_error, this);
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_warning, this);
    // m: the file is not mapped.
    tiff_.reset(TIFFClientOpenExt("file", "rm", this, on_read, on_write, on_seek, on_close, on_size,
                                  nullptr, nullptr, options.get()));
    require(tiff_ != nullptr);
    read_header();
  }
  TiffReading(const TiffReading&) = delete;
  TiffReading& operator=(const TiffReading&) = delete;

  ImageCodec::Header header() const {
    const bool colors = photometric_ == PHOTOMETRIC_RGB || has_palette();
    return {static_cast<int>(height_), static_cast<int>(width_), colors ? 3 : 1, has_palette(),
            static_cast<int>(samples_ * size_of(dtype_))};
  }

  ValueSpec spec() const {
    return {.shape = {height_, width_, samples_}, .dtype = dtype_, .layout = Layout::hwc};
  }

  // `out` has the shape and type of spec().
  void read_numbers(Tensor& out) {
    out_ = out.bytes();
    const std::uint32_t planes = is_planar_ ? samples_ : 1;
    for (std::uint32_t plane = 0; plane < planes; ++plane) {
      if (TIFFIsTiled(tiff_.get()) != 0) {
        read_tiles(plane);
      } else {
        read_strips(plane);
      }
    }
  }

  // Decodes 8-bit pixels: 1 channel of ids or gray pixels, or 3 of colors.
  void read_pixels(bool ids, Image& out) {
    const bool is_gray = photometric_ == PHOTOMETRIC_MINISBLACK ||
                         photometric_ == PHOTOMETRIC_MINISWHITE || photometric_ == kNone;
    const bool is_rgb = photometric_ == PHOTOMETRIC_RGB && samples_ >= 3;
    if ((dtype_ != DType::u8 && dtype_ != DType::u16) ||
        !(is_gray || is_rgb || (has_palette() && samples_ == 1))) {
      throw ImageError(fmt::format(
          "this TIFF file has {} channels of type {} and photometric interpretation {}; pixels of "
          "8 bits are made of gray, RGB and palettes of up to 16 bits: use decode_tensor",
          samples_, name_of(dtype_), photometric_));
    }
    Tensor numbers(spec().shape, dtype_, Layout::hwc);
    read_numbers(numbers);
    out.create(static_cast<int>(height_), static_cast<int>(width_),
               !ids && (is_rgb || has_palette()) ? 3 : 1);
    if (dtype_ == DType::u8) {
      convert(numbers.data<std::uint8_t>(), ids, out);
    } else {
      convert(numbers.data<std::uint16_t>(), ids, out);
    }
  }

 private:
  static constexpr std::uint16_t kNone = 0xffff;
  static constexpr std::size_t kSmallMemory = std::size_t{64} << 20;  // bytes

  bool has_palette() const { return photometric_ == PHOTOMETRIC_PALETTE; }

  [[noreturn]] void fail(const std::string& what) const {
    throw ImageError("broken TIFF file: " + what);
  }
  // Throws if a call failed or reported an error.
  void require(bool fine) const {
    const std::string message(message_.data());
    if (fine && message.empty()) return;
    fail(message.empty() ? "it ends too early" : message);
  }

  template <class T>
  T field(std::uint32_t tag, T otherwise) const {
    T value = otherwise;
    return TIFFGetFieldDefaulted(tiff_.get(), tag, &value) == 1 ? value : otherwise;
  }

  void read_header() {
    width_ = field<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0);
    height_ = field<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0);
    constexpr std::uint32_t kMost = 0x7fffffff;
    if (width_ < 1 || height_ < 1 || std::max(width_, height_) > kMost)
      fail(fmt::format("an image of {} x {} pixels (width x height)", width_, height_));
    samples_ = field<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1);
    if (samples_ < 1) fail("it has no channels");
    photometric_ = field<std::uint16_t>(TIFFTAG_PHOTOMETRIC, kNone);
    is_planar_ = samples_ > 1 && field<std::uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) ==
                                     PLANARCONFIG_SEPARATE;
    const auto compression = field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    if (compression == COMPRESSION_OJPEG || TIFFIsCODECConfigured(compression) == 0) {
      throw ImageError(fmt::format(
          "a TIFF file with compression {}, which cannot be decoded; save it again with deflate",
          compression));
    }
    if (photometric_ == PHOTOMETRIC_YCBCR) {
      if (compression != COMPRESSION_JPEG) {
        throw ImageError("a TIFF file of YCbCr without JPEG compression; save it as RGB");
      }
      require(TIFFSetField(tiff_.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB) == 1);
      photometric_ = PHOTOMETRIC_RGB;
    }
    bits_ = field<std::uint16_t>(TIFFTAG_BITSPERSAMPLE, 1);
    const auto format = field<std::uint16_t>(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    const std::optional<DType> dtype = type_of(format);
    if (!dtype || (bits_ < 8 && samples_ > 1)) {
      throw ImageError(fmt::format(
          "a TIFF file with {} channels of {} bits and sample format {}; possible are unsigned "
          "numbers of 8 and 16 bits, 1, 2 and 4 bits in one channel, signed numbers of 8 to 64 "
          "bits, and floating-point numbers of 16 to 64 bits",
          samples_, bits_, format));
    }
    dtype_ = *dtype;
    require(true);
  }

  std::optional<DType> type_of(std::uint16_t format) const {
    switch (format) {
      case SAMPLEFORMAT_UINT:
      case SAMPLEFORMAT_VOID:
        if (bits_ == 1 || bits_ == 2 || bits_ == 4 || bits_ == 8) return DType::u8;
        if (bits_ == 16) return DType::u16;
        return {};
      case SAMPLEFORMAT_INT:
        if (bits_ == 8) return DType::i8;
        if (bits_ == 16) return DType::i16;
        if (bits_ == 32) return DType::i32;
        if (bits_ == 64) return DType::i64;
        return {};
      case SAMPLEFORMAT_IEEEFP:
        if (bits_ == 16) return DType::f16;
        if (bits_ == 32) return DType::f32;
        if (bits_ == 64) return DType::f64;
        return {};
      default:
        return {};
    }
  }

  // Samples side by side in a strip or tile.
  std::size_t samples_of_block() const { return is_planar_ ? 1 : samples_; }
  std::size_t pixel_bytes() const { return samples_ * size_of(dtype_); }

  // Takes memory for a strip or tile of this size; a block of whole rows has no gaps between them.
  void take_block(std::uint64_t width, std::uint64_t height, std::uint64_t bytes) {
    block_row_ = (width * samples_of_block() * bits_ + 7) / 8;
    // A tile may be larger than the image, but not by much.
    if (bytes > std::max<std::uint64_t>(kSmallMemory, spec().bytes()))
      fail("its tiles are too large");
    if (bytes == 0 || block_row_ * height > bytes) fail("its strips or tiles are too small");
    block_.resize(bytes);
  }

  // libtiff returns old contents of the memory for a strip or tile without data.
  void require_data(std::uint32_t block) {
    int failed = 0;
    const std::uint64_t bytes = TIFFGetStrileByteCountWithErr(tiff_.get(), block, &failed);
    if (failed != 0 || bytes == 0) fail("a strip or tile has no data");
  }

  void read_strips(std::uint32_t plane) {
    const auto rows = std::min(field<std::uint32_t>(TIFFTAG_ROWSPERSTRIP, height_), height_);
    if (rows < 1) fail("strips have no rows");
    take_block(width_, rows, TIFFStripSize64(tiff_.get()));
    for (std::uint32_t y = 0; y < height_; y += rows) {
      const std::uint32_t shown = std::min(rows, height_ - y);
      const auto wanted = static_cast<tmsize_t>(block_row_ * shown);
      const std::uint32_t strip =
          TIFFComputeStrip(tiff_.get(), y, static_cast<std::uint16_t>(plane));
      require_data(strip);
      require(TIFFReadEncodedStrip(tiff_.get(), strip, block_.data(), wanted) == wanted);
      for (std::uint32_t row = 0; row < shown; ++row)
        place(block_.data() + row * block_row_, y + row, 0, width_, plane);
    }
  }

  void read_tiles(std::uint32_t plane) {
    const auto tile_width = field<std::uint32_t>(TIFFTAG_TILEWIDTH, 0);
    const auto tile_height = field<std::uint32_t>(TIFFTAG_TILELENGTH, 0);
    if (tile_width < 1 || tile_height < 1) fail("tiles have no pixels");
    take_block(tile_width, tile_height, TIFFTileSize64(tiff_.get()));
    const auto wanted = static_cast<tmsize_t>(block_.size());
    for (std::uint64_t y = 0; y < height_; y += tile_height) {
      for (std::uint64_t x = 0; x < width_; x += tile_width) {
        const std::uint32_t tile =
            TIFFComputeTile(tiff_.get(), static_cast<std::uint32_t>(x),
                            static_cast<std::uint32_t>(y), 0, static_cast<std::uint16_t>(plane));
        require_data(tile);
        require(TIFFReadEncodedTile(tiff_.get(), tile, block_.data(), wanted) == wanted);
        const auto shown_rows = std::min<std::uint64_t>(tile_height, height_ - y);
        const auto shown = std::min<std::uint64_t>(tile_width, width_ - x);
        for (std::uint64_t row = 0; row < shown_rows; ++row)
          place(block_.data() + row * block_row_, y + row, x, shown, plane);
      }
    }
  }

  // Writes pixels of a block's row to row y, from column x on.
  void place(const std::byte* from, std::uint64_t y, std::uint64_t x, std::uint64_t count,
             std::uint32_t plane) {
    const std::size_t one = size_of(dtype_), pixel = pixel_bytes();
    std::byte* to = out_ + (y * width_ + x) * pixel;
    if (bits_ < 8) {
      const unsigned most = (1U << bits_) - 1;
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t bit = i * bits_;
        const auto byte = static_cast<unsigned>(from[bit / 8]);
        to[i] = static_cast<std::byte>(byte >> (8 - bits_ - bit % 8) & most);
      }
    } else if (is_planar_) {
      to += plane * one;
      for (std::uint64_t i = 0; i < count; ++i, to += pixel, from += one)
        std::memcpy(to, from, one);
    } else {
      std::memcpy(to, from, count * pixel);
    }
  }

  // Returns the largest number of a sample.
  unsigned white() const { return (1U << bits_) - 1; }

  template <class T>
  void convert(const T* from, bool ids, Image& out) {
    std::uint16_t* colors[3] = {};
    if (has_palette() && !ids &&
        TIFFGetField(tiff_.get(), TIFFTAG_COLORMAP, &colors[0], &colors[1], &colors[2]) != 1)
      fail("it has no palette");
    const bool inverted = photometric_ == PHOTOMETRIC_MINISWHITE;
    for (int y = 0; y < out.height(); ++y) {
      std::uint8_t* to = out.row(y);
      for (int x = 0; x < out.width(); ++x, from += samples_, to += out.channels()) {
        if (has_palette() && !ids) {
          for (int c = 0; c < 3; ++c) to[c] = static_cast<std::uint8_t>(colors[c][*from] >> 8);
        } else if (ids) {
          to[0] = id_of(inverted ? white() - *from : *from);
        } else {
          for (int c = 0; c < out.channels(); ++c)
            to[c] = level_of(inverted ? white() - from[c] : from[c]);
        }
      }
    }
  }

  std::uint8_t level_of(unsigned number) const {
    if (bits_ == 16) return static_cast<std::uint8_t>(number >> 8);
    return static_cast<std::uint8_t>(number * (255 / white()));
  }
  std::uint8_t id_of(unsigned number) const {
    if (!has_palette() && bits_ < 8) return level_of(number);
    if (number > 255)
      throw ImageError(fmt::format("a mask of 16 bits has the id {}; ids go to 255", number));
    return static_cast<std::uint8_t>(number);
  }

  static TiffReading& self(thandle_t handle) { return *static_cast<TiffReading*>(handle); }
  static tmsize_t on_read(thandle_t handle, void* to, tmsize_t bytes) {
    TiffReading& reading = self(handle);
    const std::uint64_t size = reading.file_.size();
    const std::uint64_t left = size - std::min(reading.at_, size);
    const auto got = std::min<std::uint64_t>(static_cast<std::uint64_t>(bytes), left);
    if (got > 0) std::memcpy(to, reading.file_.data() + reading.at_, got);
    reading.at_ += got;
    return static_cast<tmsize_t>(got);
  }
  static tmsize_t on_write(thandle_t /*handle*/, void* /*from*/, tmsize_t /*bytes*/) { return -1; }
  static toff_t on_seek(thandle_t handle, toff_t offset, int whence) {
    TiffReading& reading = self(handle);
    const toff_t base = whence == SEEK_CUR   ? reading.at_
                        : whence == SEEK_END ? reading.file_.size()
                                             : 0;
    return reading.at_ = base + offset;
  }
  static int on_close(thandle_t /*handle*/) { return 0; }
  static toff_t on_size(thandle_t handle) { return self(handle).file_.size(); }

  [[gnu::format(printf, 4, 0)]] static int on_error(TIFF* /*tiff*/, void* data,
                                                    const char* /*module*/, const char* format,
                                                    va_list arguments) {
    auto& reading = *static_cast<TiffReading*>(data);
    if (reading.message_[0] == 0)
      std::vsnprintf(reading.message_.data(), reading.message_.size(), format, arguments);
    return 1;
  }
  static int on_warning(TIFF* /*tiff*/, void* /*data*/, const char* /*module*/,
                        const char* /*format*/, va_list /*arguments*/) {
    return 1;
  }

  File file_;
  std::uint64_t at_ = 0;
  std::array<char, 200> message_{};
  std::unique_ptr<TIFF, CloseTiff> tiff_;
  std::uint32_t width_ = 0, height_ = 0;
  std::uint16_t samples_ = 0, bits_ = 0, photometric_ = kNone;
  bool is_planar_ = false;
  DType dtype_ = DType::u8;
  std::vector<std::byte> block_;
  std::uint64_t block_row_ = 0;
  std::byte* out_ = nullptr;
};

ImageCodec::Header peek_tiff(File file) { return TiffReading(file).header(); }
void decode_tiff(File file, Image& out) { TiffReading(file).read_pixels(false, out); }
void decode_tiff_ids(File file, Image& out) { TiffReading(file).read_pixels(true, out); }
ValueSpec spec_of_tiff(File file) { return TiffReading(file).spec(); }
void decode_tiff_numbers(File file, Tensor& out) { TiffReading(file).read_numbers(out); }

}  // namespace

const ImageCodec kTiffCodec{peek_tiff, decode_tiff, decode_tiff_ids, spec_of_tiff,
                            decode_tiff_numbers};

}  // namespace sluice
