#include <sluice/io/images/codec.h>

#include <algorithm>
#include <bit>
#include <csetjmp>
#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include <png.h>

namespace sluice {
namespace {

using File = std::span<const std::uint8_t>;

// Reads one file. libpng reports an error by a call that must not return; guarded() is the only
// function here that uses setjmp. It runs a step, whose locals need no destructors and which does
// not throw. It returns false if libpng gave up within it.
class PngReading {
 public:
  explicit PngReading(File file) : file_(file) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    if (png_ == nullptr) throw std::bad_alloc();
    info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
  }
  ~PngReading() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReading(const PngReading&) = delete;
  PngReading& operator=(const PngReading&) = delete;

  void run(Image& out) {
    step([](PngReading& reading) noexcept { reading.read_header(); });
    out.create(static_cast<int>(png_get_image_height(png_, info_)),
               static_cast<int>(png_get_image_width(png_, info_)),
               has_palette() ? 3 : static_cast<int>(png_get_channels(png_, info_)));
    // Indices are stored at the end of the row of colors that they become.
    write_to(out, has_palette() ? 2 * static_cast<std::size_t>(out.width()) : 0);
    step([](PngReading& reading) noexcept { reading.read_rows(); });
    if (has_palette()) look_up(out);
  }

  // Decodes what the file stores; `out` has the shape and type of it.
  void run_numbers(Tensor& out) {
    wants_ = Wants::numbers;
    step([](PngReading& reading) noexcept { reading.read_header(); });
    const std::size_t row_bytes = png_get_rowbytes(png_, info_);
    if (row_bytes * png_get_image_height(png_, info_) != out.nbytes())
      throw ImageError("broken PNG file: it has two headers");
    rows_ = reinterpret_cast<std::uint8_t*>(out.bytes());
    row_stride_ = static_cast<std::ptrdiff_t>(row_bytes);
    row_count_ = static_cast<int>(out.shape()[0]);
    step([](PngReading& reading) noexcept { reading.read_rows(); });
  }

  // Decodes one channel: indices, or gray pixels.
  void run_ids(Image& out) {
    wants_ = Wants::ids;
    step([](PngReading& reading) noexcept { reading.read_header(); });
    const int height = static_cast<int>(png_get_image_height(png_, info_));
    const int width = static_cast<int>(png_get_image_width(png_, info_));
    Image wide;  // two bytes a pixel
    const bool is_wide = png_get_bit_depth(png_, info_) == 16;
    if (is_wide) wide.create(height, width, 2);
    out.create(height, width, 1);
    write_to(is_wide ? wide : out, 0);
    step([](PngReading& reading) noexcept { reading.read_rows(); });
    if (is_wide) narrow(wide, out);
  }

 private:
  using Step = void (*)(PngReading&) noexcept;
  enum class Wants : std::uint8_t { colors, ids, numbers };

  void step(Step f) {
    if (guarded(f)) return;
    if (std::strstr(message_, "emory") != nullptr) throw std::bad_alloc();
    throw ImageError(std::string("broken PNG file: ") + message_);
  }
  // Not inlined: otherwise the caller's locals would be in a frame that longjmp returns to.
  [[gnu::noinline]] bool guarded(Step f) {
    if (setjmp(jump_) != 0) return false;
    f(*this);
    return true;
  }

  void read_header() {
    png_set_read_fn(png_, this, on_read);
    // These are not used, and a small file may hold a lot of compressed data in them.
    static constexpr png_byte kLeftOut[] = "tEXt\0zTXt\0iTXt\0iCCP\0sPLT\0eXIf";
    png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, kLeftOut,
                                static_cast<int>(sizeof kLeftOut / 5));
    png_read_info(png_, info_);
    const png_byte bits = png_get_bit_depth(png_, info_);
    const png_byte color = png_get_color_type(png_, info_);
    const bool numbers = wants_ == Wants::numbers;
    if (bits == 16 && wants_ == Wants::colors) png_set_strip_16(png_);
    if (bits == 16 && numbers && std::endian::native == std::endian::little) png_set_swap(png_);
    if (has_palette()) png_set_packing(png_);  // indices, a byte each; look_up() converts them
    png_set_check_for_invalid_index(png_, 0);  // look_up() fails for those beyond the palette
    if (numbers) {
      png_set_packing(png_);
    } else {
      if (color == PNG_COLOR_TYPE_GRAY && bits < 8) png_set_expand_gray_1_2_4_to_8(png_);
      png_set_strip_alpha(png_);
    }
    passes_ = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
  }
  bool has_palette() const { return png_get_color_type(png_, info_) == PNG_COLOR_TYPE_PALETTE; }
  // Rows begin `begin` bytes after those of the image.
  void write_to(Image& out, std::size_t begin) {
    rows_ = out.data() + begin;
    row_stride_ = out.row_stride();
    row_count_ = out.height();
  }
  void read_rows() {
    for (int pass = 0; pass < passes_; ++pass) {
      for (int y = 0; y < row_count_; ++y) png_read_row(png_, rows_ + y * row_stride_, nullptr);
    }
    png_read_end(png_, nullptr);
  }

  // Goes from the front, so that no color overwrites an index that is still needed.
  void look_up(Image& out) const {
    png_colorp palette = nullptr;
    int colors = 0;
    (void)png_get_PLTE(png_, info_, &palette, &colors);
    for (int y = 0; y < out.height(); ++y) {
      std::uint8_t* to = out.row(y);
      const std::uint8_t* const indices = to + 2 * static_cast<std::size_t>(out.width());
      for (int x = 0; x < out.width(); ++x, to += 3) {
        const int index = indices[x];
        if (index >= colors) {
          throw ImageError("broken PNG file: a pixel has color " + std::to_string(index) +
                           ", but the palette has " + std::to_string(colors));
        }
        to[0] = palette[index].red;
        to[1] = palette[index].green;
        to[2] = palette[index].blue;
      }
    }
  }

  static void narrow(const Image& wide, Image& out) {
    for (int y = 0; y < out.height(); ++y) {
      const std::uint8_t* from = wide.row(y);
      std::uint8_t* const to = out.row(y);
      for (int x = 0; x < out.width(); ++x, from += 2) {
        if (from[0] != 0) {
          throw ImageError("a mask of 16 bits has the id " +
                           std::to_string(from[0] << 8 | from[1]) + "; ids go to 255");
        }
        to[x] = from[1];
      }
    }
  }

  static void on_read(png_structp png, png_bytep to, std::size_t bytes) {
    auto& reading = *static_cast<PngReading*>(png_get_io_ptr(png));
    if (bytes > reading.file_.size()) png_error(png, "it ends too early");
    std::memcpy(to, reading.file_.data(), bytes);
    reading.file_ = reading.file_.subspan(bytes);
  }
  [[noreturn]] static void on_error(png_structp png, png_const_charp message) {
    auto& reading = *static_cast<PngReading*>(png_get_error_ptr(png));
    std::strncpy(reading.message_, message, sizeof(reading.message_) - 1);
    std::longjmp(reading.jump_, 1);
  }
  static void on_warning(png_structp /*png*/, png_const_charp /*message*/) {}

  File file_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::jmp_buf jump_{};
  int passes_ = 1;
  Wants wants_ = Wants::colors;
  std::uint8_t* rows_ = nullptr;
  std::ptrdiff_t row_stride_ = 0;
  int row_count_ = 0;
  char message_[160]{};
};

std::uint32_t number_at(File file, std::size_t at) {
  std::uint32_t number = 0;
  for (const std::uint8_t byte : file.subspan(at, 4)) number = number << 8 | byte;
  return number;
}

ImageCodec::Header peek_png(File file) {
  constexpr std::size_t kSignature = 8;
  constexpr std::size_t kHeaderEnd = kSignature + 8 + 13;
  if (file.size() < kHeaderEnd || number_at(file, kSignature) != 13 ||
      std::memcmp(file.data() + kSignature + 4, "IHDR", 4) != 0)
    throw ImageError("broken PNG file: it does not begin with a header");
  const std::uint32_t width = number_at(file, kSignature + 8);
  const std::uint32_t height = number_at(file, kSignature + 12);
  constexpr std::uint32_t kMost = 0x7fffffff;
  if (std::max(width, height) > kMost)
    throw ImageError("broken PNG file: a side of more than 2^31 - 1 pixels");
  const std::uint8_t color = file[kSignature + 17];
  return {static_cast<int>(height), static_cast<int>(width),
          (color & PNG_COLOR_MASK_COLOR) != 0 ? 3 : 1, color == PNG_COLOR_TYPE_PALETTE};
}

ValueSpec spec_of_png(File file) {
  const ImageCodec::Header header = peek_png(file);
  constexpr std::size_t kBits = 8 + 8 + 8;
  const std::uint8_t color = file[kBits + 1];
  const int channels = color == PNG_COLOR_TYPE_PALETTE
                           ? 1
                           : header.channels + ((color & PNG_COLOR_MASK_ALPHA) != 0 ? 1 : 0);
  return {.shape = {header.height, header.width, channels},
          .dtype = file[kBits] == 16 ? DType::u16 : DType::u8,
          .layout = Layout::hwc};
}

void decode_png(File file, Image& out) { PngReading(file).run(out); }
void decode_png_ids(File file, Image& out) { PngReading(file).run_ids(out); }
void decode_png_numbers(File file, Tensor& out) { PngReading(file).run_numbers(out); }

}  // namespace

const ImageCodec kPngCodec{peek_png, decode_png, decode_png_ids, spec_of_png, decode_png_numbers};

}  // namespace sluice
