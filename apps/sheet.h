// ContactSheet: shows samples before and after, side by side, with their names and what was done to
// them.
//
// Tiles are in three columns, in the order in which they were added. The tile of a failed sample
// shows what can be decoded of the file, and a red field with the reason. Images are kept as
// thumbnails, so a sheet with a thousand tiles needs little memory.
//
// Ownership: the sheet owns its thumbnails. Threads: one. Errors: those of the resize kernel, and
// std::bad_alloc.
#pragma once

#include "font.h"
#include <sluice/runtime/image.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace sluice::app {

// The outcome of a sample; it decides the color of the tile.
enum class Fate { unchanged, changed, replaced, failed };

class ContactSheet {
 public:
  // The two lines above the tiles: a heading, and a caption in smaller letters.
  ContactSheet(std::string heading, std::string caption);

  // `before` and `after` have 1 or 3 channels, or are empty, which leaves a blank field. A failed
  // sample shows a red field with `note` in place of `after`.
  void add(std::string name, std::string note, Fate fate, const Image& before, const Image& after);
  std::size_t size() const { return tiles_.size(); }

  // The sheet as RGB; without tiles, only the heading.
  Image draw() const;

  // The longest side of a thumbnail, in pixels.
  static constexpr int kThumb = 168;

 private:
  struct Tile {
    std::string name;
    std::string note;
    Fate fate = Fate::unchanged;
    Image before;
    Image after;
  };
  void draw_tile(Image& sheet, int y, int x, int height, const Tile& tile) const;
  std::vector<std::string> note_lines(const Tile& tile) const;

  std::string heading_;
  std::string caption_;
  std::vector<Tile> tiles_;
};

}  // namespace sluice::app
