#include <sluice/io/images/codec.h>

#include <algorithm>
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
    out_ = &out;
    step([](PngReading& reading) noexcept { reading.read_rows(); });
    if (has_palette()) look_up(out);
  }

  // Decodes one channel: indices, or gray pixels.
  void run_ids(Image& out) {
    wants_ids_ = true;
    step([](PngReading& reading) noexcept { reading.read_header(); });
    const int height = static_cast<int>(png_get_image_height(png_, info_));
    const int width = static_cast<int>(png_get_image_width(png_, info_));
    Image wide;  // two bytes a pixel
    const bool is_wide = png_get_bit_depth(png_, info_) == 16;
    if (is_wide) wide.create(height, width, 2);
    out.create(height, width, 1);
    out_ = is_wide ? &wide : &out;
    step([](PngReading& reading) noexcept { reading.read_rows(); });
    if (is_wide) narrow(wide, out);
  }

 private:
  using Step = void (*)(PngReading&) noexcept;

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
    if (bits == 16 && !wants_ids_) png_set_strip_16(png_);
    if (has_palette()) png_set_packing(png_);  // indices, a byte each; look_up() converts them
    png_set_check_for_invalid_index(png_, 0);  // look_up() fails for those beyond the palette
    if (color == PNG_COLOR_TYPE_GRAY && bits < 8) png_set_expand_gray_1_2_4_to_8(png_);
    png_set_strip_alpha(png_);
    passes_ = png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
  }
  bool has_palette() const { return png_get_color_type(png_, info_) == PNG_COLOR_TYPE_PALETTE; }
  void read_rows() {
    // Indices are stored at the end of the row of colors that they become.
    const std::size_t begin = has_palette() ? static_cast<std::size_t>(out_->channels() - 1) *
                                                  png_get_image_width(png_, info_)
                                            : 0;
    for (int pass = 0; pass < passes_; ++pass) {
      for (int y = 0; y < out_->height(); ++y) png_read_row(png_, out_->row(y) + begin, nullptr);
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
  bool wants_ids_ = false;
  Image* out_ = nullptr;
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

void decode_png(File file, Image& out) { PngReading(file).run(out); }
void decode_png_ids(File file, Image& out) { PngReading(file).run_ids(out); }

}  // namespace

const ImageCodec kPngCodec{peek_png, decode_png, decode_png_ids};

}  // namespace sluice
