#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/extreme_rows.h>
#include <sluice/ops/kernels/morphology.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {

void check_morphology(const char* op, const Image& in, const MorphologyWindow& window) {
  check_pixels(op, in);
  const auto check_side = [&](const char* name, int size) {
    if (size >= 1 && size <= kLargestMorphologyWindow) return;
    throw std::invalid_argument(fmt::format("{}: {} must lie between 1 and {}, not {}", op, name,
                                            kLargestMorphologyWindow, size));
  };
  check_side("window_height", window.height);
  check_side("window_width", window.width);
}

namespace {

using PickOfRows = void(std::span<const std::uint8_t* const> rows, std::size_t size,
                        std::uint8_t* out);

// First picks among the horizontal neighbors of each row, then among these results vertically. Only
// as many rows are kept as the window is high: row y is in slot y % kept. `none` is a value that is
// never picked.
void run(const char* op, const Image& in, const MorphologyWindow& window, std::uint8_t none,
         PickOfRows* pick, Image& out) {
  check_morphology(op, in, window);
  out.create(in.height(), in.width(), in.channels());
  const std::size_t bytes = in.row_bytes(), channels = static_cast<std::size_t>(in.channels());
  const auto across = static_cast<std::size_t>(window.width);
  std::vector<std::uint8_t> padded(bytes + (across - 1) * channels, none);
  const int kept = std::min(window.height, in.height());
  std::vector<std::uint8_t> room(bytes * static_cast<std::size_t>(kept));
  const auto slot = [&](int y) { return room.data() + bytes * static_cast<std::size_t>(y % kept); };
  std::vector<const std::uint8_t*> neighbours;
  for (std::size_t k = 0; k < across; ++k) neighbours.push_back(padded.data() + k * channels);
  std::vector<const std::uint8_t*> rows;
  int made = 0;
  for (int y = 0; y < in.height(); ++y) {
    const int first = y - window.height / 2;
    const int end = std::min(in.height(), first + window.height);
    for (; made < end; ++made) {
      std::memcpy(padded.data() + across / 2 * channels, in.row(made), bytes);
      pick(neighbours, bytes, slot(made));
    }
    rows.clear();
    for (int k = std::max(0, first); k < end; ++k) rows.push_back(slot(k));
    pick(rows, bytes, out.row(y));
  }
}

}  // namespace

void dilate(const Image& in, const MorphologyWindow& window, Image& out) {
  run("dilate", in, window, 0, largest_of_rows, out);
}
void erode(const Image& in, const MorphologyWindow& window, Image& out) {
  run("erode", in, window, 255, smallest_of_rows, out);
}

}  // namespace sluice::kernels
