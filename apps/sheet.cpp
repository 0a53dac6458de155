#include "sheet.h"

#include "canvas.h"
#include <sluice/ops/kernels/resize.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace sluice::app {
namespace {

constexpr int kColumns = 3;
constexpr int kMargin = 20;  // around the sheet and between tiles
constexpr int kPadding = 14;
constexpr int kStripe = 6;  // the colored left edge of a tile
constexpr int kGap = 34;    // between before and after, for the arrow
constexpr int kScale = 2;   // for names and notes
constexpr int kLine = (kLetterHeight + 2) * kScale;
constexpr int kThumb = ContactSheet::kThumb;
constexpr int kTileWidth = kStripe + 2 * kPadding + 2 * kThumb + kGap;
constexpr int kMostNoteLines = 2;
constexpr int kHeader = 92;
constexpr int kSheetWidth = kMargin + kColumns * (kTileWidth + kMargin);
constexpr int kLettersPerLine = (2 * kThumb + kGap) / (kLetterStep * kScale);

constexpr Ink kPaper{236, 239, 243};
constexpr Ink kCard{255, 255, 255};
constexpr Ink kDark{30, 38, 54};
constexpr Ink kSoft{98, 108, 126};
constexpr Ink kMarkRed{200, 50, 47};
constexpr Ink kEmpty{226, 230, 236};

Ink colour_of(Fate fate) {
  switch (fate) {
    case Fate::unchanged:
      return {168, 177, 190};
    case Fate::changed:
      return {46, 120, 210};
    case Fate::replaced:
      return {226, 142, 30};
    case Fate::failed:
      return kMarkRed;
  }
  return kDark;
}

// Draws a filled box with smooth rounded corners, clipped to the image.
void fill_box(Image& image, int y, int x, int height, int width, int radius, Ink ink) {
  const Point centre{static_cast<float>(x) + 0.5f * static_cast<float>(width),
                     static_cast<float>(y) + 0.5f * static_cast<float>(height)};
  const Point half{0.5f * static_cast<float>(width), 0.5f * static_cast<float>(height)};
  for (int row = std::max(y, 0); row < std::min(y + height, image.height()); ++row) {
    for (int column = std::max(x, 0); column < std::min(x + width, image.width()); ++column) {
      const Point p{static_cast<float>(column) + 0.5f, static_cast<float>(row) + 0.5f};
      const float cover =
          std::clamp(0.5f - box(p, centre, half, static_cast<float>(radius)), 0.f, 1.f);
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

void paste(Image& sheet, int y, int x, const Image& picture) {
  for (int row = 0; row < picture.height(); ++row) {
    const std::uint8_t* from = picture.row(row);
    std::uint8_t* to = sheet.row(y + row) + 3 * x;
    if (picture.channels() == 3) {
      std::memcpy(to, from, picture.row_bytes());
      continue;
    }
    for (int column = 0; column < picture.width(); ++column) {
      std::fill_n(to + 3 * column, 3, from[column * picture.channels()]);
    }
  }
}

// Shrinks the image to fit a square thumbnail; small images keep their size.
Image thumbnail(const Image& picture) {
  if (picture.empty()) return {};
  const int longer = std::max(picture.height(), picture.width());
  if (longer <= kThumb) return picture.clone();
  const auto scaled = [&](int side) { return std::max(1, (side * kThumb + longer / 2) / longer); };
  Image small;
  kernels::resize(picture, scaled(picture.height()), scaled(picture.width()),
                  Interpolation::bilinear, small);
  return small;
}

void paste_centred(Image& sheet, int y, int x, const Image& picture) {
  if (picture.empty()) {
    fill_box(sheet, y, x, kThumb, kThumb, 8, kEmpty);
    return;
  }
  paste(sheet, y + (kThumb - picture.height()) / 2, x + (kThumb - picture.width()) / 2, picture);
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

void ContactSheet::add(std::string name, std::string note, Fate fate, const Image& before,
                       const Image& after) {
  tiles_.push_back({std::move(name), std::move(note), fate, thumbnail(before), thumbnail(after)});
}

void ContactSheet::draw_tile(Image& sheet, int y, int x, int height, const Tile& tile) const {
  fill_box(sheet, y, x, height, kTileWidth, 8, colour_of(tile.fate));
  fill_box(sheet, y, x + kStripe, height, kTileWidth - kStripe, 8, kCard);
  const int left = x + kStripe + kPadding;
  const int right = left + kThumb + kGap;
  const int top = y + kPadding;
  paste_centred(sheet, top, left, tile.before);
  draw_text(sheet, top + kThumb / 2 - 12, left + kThumb + 10, ">", colour_of(tile.fate), 3);
  if (tile.fate == Fate::failed) {
    draw_failure(sheet, top, right, tile.note);
  } else {
    paste_centred(sheet, top, right, tile.after);
  }
  int line = top + kThumb + 10;
  draw_text(sheet, line, left, shorten(tile.name, kLettersPerLine), kDark, kScale);
  for (const std::string& text : note_lines(tile)) {
    line += kLine;
    draw_text(sheet, line, left, text, tile.fate == Fate::changed ? kSoft : colour_of(tile.fate),
              kScale);
  }
}

std::vector<std::string> ContactSheet::note_lines(const Tile& tile) const {
  // The red field shows the reason of a failure.
  return wrap(tile.fate == Fate::failed ? "damaged, left out" : tile.note, kLettersPerLine,
              kMostNoteLines);
}

Image ContactSheet::draw() const {
  std::size_t lines = 1;
  for (const Tile& tile : tiles_) lines = std::max(lines, note_lines(tile).size());
  const int height = 2 * kPadding + kThumb + 4 + (1 + static_cast<int>(lines)) * kLine;
  const int rows = (static_cast<int>(tiles_.size()) + kColumns - 1) / kColumns;
  Image sheet(kHeader + rows * (height + kMargin) + (rows == 0 ? kMargin : 0), kSheetWidth, 3);
  fill_box(sheet, 0, 0, sheet.height(), sheet.width(), 0, kPaper);
  draw_text(sheet, 18, kMargin, shorten(heading_, kSheetWidth / 24 - 2), kDark, 4);
  draw_text(sheet, 62, kMargin, shorten(caption_, kSheetWidth / 12 - 4), kSoft, 2);
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    const int row = static_cast<int>(i) / kColumns;
    const int column = static_cast<int>(i) % kColumns;
    draw_tile(sheet, kHeader + row * (height + kMargin), kMargin + column * (kTileWidth + kMargin),
              height, tiles_[i]);
  }
  return sheet;
}

}  // namespace sluice::app
