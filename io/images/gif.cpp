#include <sluice/io/images/codec.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include <gif_lib.h>

namespace sluice {
namespace {

using File = std::span<const std::uint8_t>;

[[noreturn]] void fail(int error) {
  if (error == D_GIF_ERR_NOT_ENOUGH_MEM) throw std::bad_alloc();
  const char* const text = GifErrorString(error);
  throw ImageError(std::string("broken GIF file: ") + (text == nullptr ? "an error" : text));
}

struct Rgb {
  std::uint8_t levels[3] = {};
};

class GifReading {
 public:
  explicit GifReading(File file) : file_(file) {
    int error = 0;
    gif_ = DGifOpen(this, on_read, &error);
    if (gif_ == nullptr) fail(error);
  }
  ~GifReading() {
    int ignored = 0;
    (void)DGifCloseFile(gif_, &ignored);
  }
  GifReading(const GifReading&) = delete;
  GifReading& operator=(const GifReading&) = delete;

  // Returns the size of the canvas, enlarged if the first frame reaches beyond it. giflib's sizes
  // have 16 bits.
  ImageSize find_size() {
    go_to_first_frame();
    const GifImageDesc& frame = gif_->Image;
    if (frame.Left < 0 || frame.Top < 0 || frame.Width < 1 || frame.Height < 1)
      throw ImageError("broken GIF file: its first frame is empty");
    return {std::max(gif_->SHeight, frame.Top + frame.Height),
            std::max(gif_->SWidth, frame.Left + frame.Width)};
  }

  // Decodes colors, or their indices.
  void run(bool ids, Image& out) {
    const ImageSize size = find_size();
    const GifImageDesc& frame = gif_->Image;
    out.create(size.height, size.width, ids ? 1 : 3);
    if (frame.Width < size.width || frame.Height < size.height) fill(ids, out);
    if (!ids) read_colors();
    line_.resize(static_cast<std::size_t>(frame.Width));
    constexpr int kStarts[] = {0, 4, 2, 1};
    constexpr int kSteps[] = {8, 8, 4, 2};
    if (!frame.Interlace) return read_lines(out, 0, 1);
    for (int pass = 0; pass < 4; ++pass) read_lines(out, kStarts[pass], kSteps[pass]);
  }

 private:
  void require(int result) const {
    if (result == GIF_ERROR) fail(gif_->Error);
  }

  void go_to_first_frame() {
    for (;;) {
      GifRecordType record = UNDEFINED_RECORD_TYPE;
      require(DGifGetRecordType(gif_, &record));
      if (record == IMAGE_DESC_RECORD_TYPE) return require(DGifGetImageDesc(gif_));
      if (record == TERMINATE_RECORD_TYPE) throw ImageError("a GIF file without an image");
      if (record != EXTENSION_RECORD_TYPE) continue;
      int code = 0;
      GifByteType* data = nullptr;
      require(DGifGetExtension(gif_, &code, &data));
      while (data != nullptr) require(DGifGetExtensionNext(gif_, &data));
    }
  }

  static Rgb color_of(const ColorMapObject& map, int index) {
    const GifColorType& color = map.Colors[index];
    return {{color.Red, color.Green, color.Blue}};
  }

  void fill(bool ids, Image& out) const {
    if (ids) {
      for (int y = 0; y < out.height(); ++y)
        std::memset(out.row(y), gif_->SBackGroundColor, out.row_bytes());
      return;
    }
    const ColorMapObject* const map = gif_->SColorMap;
    Rgb color;
    if (map != nullptr && gif_->SBackGroundColor < map->ColorCount)
      color = color_of(*map, gif_->SBackGroundColor);
    for (int y = 0; y < out.height(); ++y) {
      for (int x = 0; x < out.width(); ++x) std::memcpy(out.row(y) + 3 * x, color.levels, 3);
    }
  }

  void read_colors() {
    const ColorMapObject* const map =
        gif_->Image.ColorMap != nullptr ? gif_->Image.ColorMap : gif_->SColorMap;
    if (map == nullptr) throw ImageError("broken GIF file: it has no colors");
    for (int i = 0; i < map->ColorCount; ++i) colors_.push_back(color_of(*map, i));
  }

  void read_lines(Image& out, int start, int step) {
    const GifImageDesc& frame = gif_->Image;
    for (int y = start; y < frame.Height; y += step) {
      require(DGifGetLine(gif_, line_.data(), frame.Width));
      if (out.channels() == 1) {
        std::memcpy(out.row(frame.Top + y) + frame.Left, line_.data(), line_.size());
        continue;
      }
      std::uint8_t* to = out.row(frame.Top + y) + 3 * frame.Left;
      for (const GifPixelType index : line_) {
        if (index >= colors_.size())
          throw ImageError("broken GIF file: a pixel has a color that is not in the table");
        std::memcpy(to, colors_[index].levels, 3);
        to += 3;
      }
    }
  }

  static int on_read(GifFileType* gif, GifByteType* to, int bytes) {
    auto& reading = *static_cast<GifReading*>(gif->UserData);
    const std::size_t got = std::min(static_cast<std::size_t>(bytes), reading.file_.size());
    if (got > 0) std::memcpy(to, reading.file_.data(), got);
    reading.file_ = reading.file_.subspan(got);
    return static_cast<int>(got);
  }

  File file_;
  GifFileType* gif_ = nullptr;
  std::vector<Rgb> colors_;
  std::vector<GifPixelType> line_;
};

ImageCodec::Header peek_gif(File file) {
  constexpr std::size_t kHeader = 13;
  if (file.size() < kHeader) throw ImageError("broken GIF file: it ends too early");
  ImageSize size{file[8] | file[9] << 8, file[6] | file[7] << 8};
  try {
    size = GifReading(file).find_size();
  } catch (const ImageError&) {  // decode_gif() reports it
  }
  return {size.height, size.width, 3, true};
}

void decode_gif(File file, Image& out) { GifReading(file).run(false, out); }
void decode_gif_ids(File file, Image& out) { GifReading(file).run(true, out); }

}  // namespace

const ImageCodec kGifCodec{peek_gif, decode_gif, decode_gif_ids, nullptr, nullptr};

}  // namespace sluice
