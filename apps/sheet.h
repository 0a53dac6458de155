// ContactSheet: samples before and after, side by side, with the name of each and what was done to
// it.
//
// Tiles stand in three columns in the order in which they were added. A tile whose sample failed
// shows what is left of the file, and a red field with the reason. Pictures are kept as thumbnails,
// so a sheet of a thousand costs little.
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

// How a sample fared; it decides the colour of its tile.
enum class Fate { unchanged, changed, replaced, failed };

class ContactSheet {
 public:
  // Two lines above the tiles: a heading, and smaller what it shows.
  ContactSheet(std::string heading, std::string caption);

  // `before` and `after` have 1 or 3 channels, or are empty: then the place is left out, or red
  // with `note` if failed.
  void add(std::string name, std::string note, Fate fate, const Image& before, const Image& after);
  std::size_t size() const { return tiles_.size(); }

  // The sheet as RGB; at least the heading.
  Image draw() const;

  // Pixels of the largest side of a thumbnail.
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
