// Plain references for filters: sums over a window in double precision. Borders are reflected
// without repeating the edge pixel.
#pragma once

#include <sluice/runtime/image.h>

#include <cstddef>
#include <vector>

namespace sluice::testing {

using Weights = std::vector<std::vector<double>>;  // rows of a window, odd in both directions

// Returns the place among 0 .. n - 1 after `steps` steps from 0, turning round at the ends.
inline int folded(int steps, int n) {
  int at = 0;
  int direction = steps < 0 ? -1 : 1;
  for (int i = 0; i < (steps < 0 ? -steps : steps) && n > 1; ++i) {
    if (at + direction < 0 || at + direction >= n) direction = -direction;
    at += direction;
  }
  return at;
}

inline double weighted_sum(const Image& in, int y, int x, int c, const Weights& weights) {
  const int down = static_cast<int>(weights.size()) / 2;
  const int across = static_cast<int>(weights[0].size()) / 2;
  double sum = 0;
  for (std::size_t r = 0; r < weights.size(); ++r) {
    const int row = folded(y + static_cast<int>(r) - down, in.height());
    for (std::size_t k = 0; k < weights[r].size(); ++k)
      sum += weights[r][k] * in.at(row, folded(x + static_cast<int>(k) - across, in.width()), c);
  }
  return sum;
}

}  // namespace sluice::testing
