#include "sheet.h"

#include "canvas.h"
#include "results.h"
#include "summary.h"
#include <sluice/io/images/decode_image.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#ifdef SLUICE_HAS_PNG
#include <png.h>
#endif

namespace sluice::app {
namespace {

constexpr std::array<Ink, 6> kInks = {
    {{230, 40, 60}, {40, 110, 230}, {250, 190, 20}, {30, 170, 90}, {170, 60, 200}, {20, 190, 210}}};

void fill(Image& image, int y0, int x0, int y1, int x1, Ink ink) {
  for (int y = std::max(y0, 0); y < std::min(y1, image.height()); ++y) {
    for (int x = std::max(x0, 0); x < std::min(x1, image.width()); ++x) {
      std::uint8_t* const pixel = image.row(y) + 3 * x;
      pixel[0] = ink.r;
      pixel[1] = ink.g;
      pixel[2] = ink.b;
    }
  }
}

int pixel_of(float edge, int most) {
  return static_cast<int>(std::lround(std::clamp(edge, 0.f, static_cast<float>(most))));
}

}  // namespace

void draw_boxes(std::span<const float> boxes, Image& image) {
  if (image.channels() != 3) return;
  const int line = std::max(2, std::max(image.height(), image.width()) / 80);
  for (std::size_t i = 0; i + 4 <= boxes.size(); i += 4) {
    const Ink ink = kInks[i / 4 % kInks.size()];
    const int x0 = pixel_of(boxes[i], image.width()), y0 = pixel_of(boxes[i + 1], image.height());
    const int x1 = pixel_of(boxes[i + 2], image.width()),
              y1 = pixel_of(boxes[i + 3], image.height());
    fill(image, y0, x0, y0 + line, x1, ink);
    fill(image, y1 - line, x0, y1, x1, ink);
    fill(image, y0, x0, y1, x0 + line, ink);
    fill(image, y0, x1 - line, y1, x1, ink);
  }
}

void draw_mask(const Bytes& mask, Image& image) {
  if (image.channels() != 3) return;
  Image ids;
  (void)decode_image_file(mask, {.ids = true}, ids);
  for (int y = 0; y < std::min(ids.height(), image.height()); ++y) {
    for (int x = 0; x < std::min(ids.width(), image.width()); ++x) {
      const int id = ids.row(y)[x];
      if (id == 0) continue;
      const Ink ink =
          id == 255 ? Ink{255, 255, 255} : kInks[static_cast<std::size_t>(id - 1) % kInks.size()];
      std::uint8_t* const pixel = image.row(y) + 3 * x;
      pixel[0] = static_cast<std::uint8_t>((pixel[0] + ink.r) / 2);
      pixel[1] = static_cast<std::uint8_t>((pixel[1] + ink.g) / 2);
      pixel[2] = static_cast<std::uint8_t>((pixel[2] + ink.b) / 2);
    }
  }
}

#ifdef SLUICE_HAS_PNG

bool can_write_masks() { return true; }

Bytes write_mask(const Image& mask) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(mask.width());
  png.height = static_cast<png_uint_32>(mask.height());
  png.format = PNG_FORMAT_GRAY;
  const auto stride = static_cast<png_int_32>(mask.width());
  png_alloc_size_t size = 0;
  Bytes file;
  bool made = mask.channels() == 1 &&
              png_image_write_to_memory(&png, nullptr, &size, 0, mask.data(), stride, nullptr) != 0;
  if (made) {
    file = Bytes(size);
    made =
        png_image_write_to_memory(&png, file.data(), &size, 0, mask.data(), stride, nullptr) != 0;
  }
  if (!made) throw Error(std::string("a mask cannot be made a PNG file: ") + png.message);
  return file;
}

#else

bool can_write_masks() { return false; }
Bytes write_mask(const Image&) { throw Error("a mask cannot be made a PNG file without libpng"); }

#endif

namespace {

constexpr std::size_t kColumns = 3;
constexpr int kMargin = 20;  // around the sheet and between tiles
constexpr int kPadding = 14;
constexpr int kStripe = 6;  // the colored left edge of a tile
constexpr int kGap = 34;    // between before and after, for the arrow
constexpr int kScale = 2;   // for names and notes
constexpr int kLine = (kLetterHeight + 2) * kScale;
constexpr int kThumb = ContactSheet::kThumb;
constexpr int kTileWidth = kStripe + 2 * kPadding + 2 * kThumb + kGap;
constexpr int kHeader = 92;
constexpr int kSheetWidth = kMargin + static_cast<int>(kColumns) * (kTileWidth + kMargin);
constexpr int kLettersPerLine = ContactSheet::kNoteLetters;
static_assert(kLettersPerLine * kLetterStep * kScale <= 2 * kThumb + kGap);

constexpr Ink kPaper{236, 239, 243};
constexpr Ink kCard{255, 255, 255};
constexpr Ink kDark{30, 38, 54};
constexpr Ink kSoft{98, 108, 126};
constexpr Ink kMarkRed{200, 50, 47};
constexpr Ink kEmpty{226, 230, 236};

Ink color_of(TileStatus status) {
  switch (status) {
    case TileStatus::unchanged:
      return {168, 177, 190};
    case TileStatus::changed:
      return {46, 120, 210};
    case TileStatus::replaced:
      return {226, 142, 30};
    case TileStatus::failed:
      return kMarkRed;
  }
  return kDark;
}

// Draws a filled box with smooth rounded corners, clipped to the image.
void fill_box(Image& image, int y, int x, int height, int width, int radius, Ink ink) {
  const Point center{static_cast<float>(x) + 0.5f * static_cast<float>(width),
                     static_cast<float>(y) + 0.5f * static_cast<float>(height)};
  const Point half{0.5f * static_cast<float>(width), 0.5f * static_cast<float>(height)};
  for (int row = std::max(y, 0); row < std::min(y + height, image.height()); ++row) {
    for (int column = std::max(x, 0); column < std::min(x + width, image.width()); ++column) {
      const Point p{static_cast<float>(column) + 0.5f, static_cast<float>(row) + 0.5f};
      const float cover =
          std::clamp(0.5f - box(p, center, half, static_cast<float>(radius)), 0.f, 1.f);
      std::uint8_t* pixel = image.row(row) + 3 * column;
      const auto blend = [cover](std::uint8_t& to, std::uint8_t from) {
        to = static_cast<std::uint8_t>(
            std::lround(static_cast<float>(to) + cover * static_cast<float>(from - to)));
      };
      blend(pixel[0], ink.r);
      blend(pixel[1], ink.g);
      blend(pixel[2], ink.b);
    }
  }
}

void paste(Image& sheet, int y, int x, const Image& image) {
  for (int row = 0; row < image.height(); ++row) {
    const std::uint8_t* from = image.row(row);
    std::uint8_t* to = sheet.row(y + row) + 3 * x;
    if (image.channels() == 3) {
      std::memcpy(to, from, image.row_bytes());
      continue;
    }
    for (int column = 0; column < image.width(); ++column) {
      std::fill_n(to + 3 * column, 3, from[column * image.channels()]);
    }
  }
}

// Shrinks the image to fit a square thumbnail; small images keep their size.
Image thumbnail(const Image& image) {
  if (image.empty()) return {};
  const int longer = std::max(image.height(), image.width());
  if (longer <= kThumb) return image.clone();
  const auto scaled = [&](int side) { return std::max(1, (side * kThumb + longer / 2) / longer); };
  Image small;
  kernels::resize(image, scaled(image.height()), scaled(image.width()), Interpolation::bilinear,
                  small);
  return small;
}

void paste_centerd(Image& sheet, int y, int x, const Image& image) {
  if (image.empty()) {
    fill_box(sheet, y, x, kThumb, kThumb, 8, kEmpty);
    return;
  }
  paste(sheet, y + (kThumb - image.height()) / 2, x + (kThumb - image.width()) / 2, image);
}

void draw_failure(Image& sheet, int y, int x, const std::string& reason) {
  fill_box(sheet, y, x, kThumb, kThumb, 8, kMarkRed);
  const std::vector<std::string> lines = wrap(reason, (kThumb - 16) / (kLetterStep * kScale), 7);
  int line_y = y + (kThumb - static_cast<int>(lines.size()) * kLine) / 2;
  for (const std::string& text : lines) {
    draw_text(sheet, line_y, x + (kThumb - text_width(text, kScale)) / 2, text, kCard, kScale);
    line_y += kLine;
  }
}

}  // namespace

ContactSheet::ContactSheet(std::string heading, std::string caption)
    : heading_(std::move(heading)), caption_(std::move(caption)) {}

void ContactSheet::add(std::string name, std::string note, TileStatus status, const Image& before,
                       const Image& after) {
  tiles_.push_back({std::move(name), std::move(note), status, thumbnail(before), thumbnail(after)});
}

void ContactSheet::draw_tile(Image& sheet, int y, int x, int height, const Tile& tile) const {
  fill_box(sheet, y, x, height, kTileWidth, 8, color_of(tile.status));
  fill_box(sheet, y, x + kStripe, height, kTileWidth - kStripe, 8, kCard);
  const int left = x + kStripe + kPadding;
  const int right = left + kThumb + kGap;
  const int top = y + kPadding;
  paste_centerd(sheet, top, left, tile.before);
  draw_text(sheet, top + kThumb / 2 - 12, left + kThumb + 10, ">", color_of(tile.status), 3);
  if (tile.status == TileStatus::failed) {
    draw_failure(sheet, top, right, tile.note);
  } else {
    paste_centerd(sheet, top, right, tile.after);
  }
  int line = top + kThumb + 10;
  draw_text(sheet, line, left, shorten(tile.name, kLettersPerLine), kDark, kScale);
  for (const std::string& text : note_lines(tile)) {
    line += kLine;
    draw_text(sheet, line, left, text,
              tile.status == TileStatus::changed ? kSoft : color_of(tile.status), kScale);
  }
}

std::vector<std::string> ContactSheet::note_lines(const Tile& tile) const {
  // The red field shows the reason of a failure.
  return wrap(tile.status == TileStatus::failed ? "damaged, left out" : tile.note, kLettersPerLine,
              kNoteLines);
}

std::vector<int> ContactSheet::row_heights() const {
  std::vector<std::size_t> lines((tiles_.size() + kColumns - 1) / kColumns, 1);
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    std::size_t& most = lines[i / kColumns];
    most = std::max(most, note_lines(tiles_[i]).size());
  }
  std::vector<int> heights;
  for (const std::size_t count : lines)
    heights.push_back(2 * kPadding + kThumb + 4 + (1 + static_cast<int>(count)) * kLine);
  return heights;
}

Image ContactSheet::draw() const {
  const std::vector<int> heights = row_heights();
  int total = kHeader + (heights.empty() ? kMargin : 0);
  for (const int height : heights) total += height + kMargin;
  Image sheet(total, kSheetWidth, 3);
  fill_box(sheet, 0, 0, sheet.height(), sheet.width(), 0, kPaper);
  draw_text(sheet, 18, kMargin, shorten(heading_, kSheetWidth / 24 - 2), kDark, 4);
  draw_text(sheet, 62, kMargin, shorten(caption_, kSheetWidth / 12 - 4), kSoft, 2);
  int y = kHeader;
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    const int height = heights[i / kColumns];
    const std::size_t column = i % kColumns;
    draw_tile(sheet, y, kMargin + static_cast<int>(column) * (kTileWidth + kMargin), height,
              tiles_[i]);
    if (column + 1 == kColumns) y += height + kMargin;
  }
  return sheet;
}

namespace {

// Decodes as much of the file as possible; empty if that is nothing.
Image image_in(const Bytes& file) {
  Image image;
  try {
    decode_jpeg_image(file, {.damage = DamagePolicy::tolerant}, image);
  } catch (const Error&) {
    image.release();
  }
  return image;
}

}  // namespace

std::string Report::status_text(const SampleError& error) { return strip_hint(error.what); }

void Report::replace(const SampleError& error, std::int64_t by, const std::string& note,
                     const std::string& result) {
  replaced_.emplace_back(error, by);
  show({error.key.index,
        "replaced by " + dataset_.title(by) + (note.empty() ? "" : ", ") + note,
        TileStatus::replaced,
        result,
        {error.key.epoch, by}});
}

std::string Report::reason(const SampleError& error) const {
  const std::string epoch = error.key.epoch > 0 ? fmt::format(" of epoch {}", error.key.epoch) : "";
  return fmt::format("{} (sample {}{}, {}): {}", dataset_.title(error.key.index), error.key.index,
                     epoch, error.step, status_text(error));
}

void Report::print_problems() const {
  if (!warnings_.empty()) {
    fmt::print("warned of:\n");
    name_each(warnings_, [this](const SampleError& warning) { return reason(warning); });
  }
  if (!replaced_.empty()) {
    fmt::print("replaced {} that cannot be used:\n", replaced_.size());
    name_each(replaced_, [this](const auto& r) {
      return reason(r.first) + "; in its place: " + dataset_.title(r.second);
    });
  }
  if (!lost_.empty()) {
    fmt::print("skipped {} that cannot be used:\n", lost_.size());
    name_each(lost_, [this](const SampleError& error) { return reason(error); });
  }
}

void Report::print_left_out() const { name_left_out(dataset_.left_out()); }

Image Report::before(const Shown& shown) const {
  DatasetSample sample;
  try {
    sample = dataset_.read(shown.sample);
  } catch (const Error&) {
    return {};
  }
  Image image = image_in(sample.file);
  if (sample.boxes.elements() > 0)
    draw_boxes({sample.boxes.data<float>(), static_cast<std::size_t>(sample.boxes.elements())},
               image);
  if (!sample.mask.empty()) draw_mask(sample.mask, image);
  return image;
}

Image Report::after(const Shown& shown) {
  if (shown.result.empty()) return {};
  try {
    Image image = image_in(read_file(shown.result));
    const Sidecar sidecar = read_sidecar(shown.result);
    draw_boxes(sidecar.boxes, image);
    if (!sidecar.mask.empty()) draw_mask(sidecar.mask, image);
    return image;
  } catch (const Error&) {
    return {};
  }
}

Image Report::draw_sheet(const std::string& title, const std::string& caption) const {
  ContactSheet sheet(title, caption);
  for (const Shown& shown : shown_) {
    sheet.add(dataset_.title(shown.sample), shown.note, shown.status, before(shown), after(shown));
  }
  return sheet.draw();
}

}  // namespace sluice::app
