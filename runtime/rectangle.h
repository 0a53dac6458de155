// Rectangle: a rectangle of whole pixels. Plain data; whoever uses one checks that it lies inside
// its picture.
#pragma once

namespace sluice {

// Rows y .. y + height - 1, columns x .. x + width - 1, counted from the upper left corner.
struct Rectangle {
  int y = 0;
  int x = 0;
  int height = 0;
  int width = 0;
  bool operator==(const Rectangle&) const = default;
};

}  // namespace sluice
