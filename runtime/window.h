// Window: a rectangle of whole pixels. Plain data; whoever uses one checks that it lies inside its
// picture.
#pragma once

namespace sluice {

// Rows y .. y + height - 1, columns x .. x + width - 1, counted from the upper left corner.
struct Window {
  int y = 0;
  int x = 0;
  int height = 0;
  int width = 0;
  bool operator==(const Window&) const = default;
};

}  // namespace sluice
