#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/morphology.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

struct Largest {
  static constexpr std::uint8_t kNone = 0;
  static std::uint8_t of(std::uint8_t a, std::uint8_t b) { return a > b ? a : b; }
};
struct Smallest {
  static constexpr std::uint8_t kNone = 255;
  static std::uint8_t of(std::uint8_t a, std::uint8_t b) { return a < b ? a : b; }
};

template <class Pick>
void pick(const std::uint8_t* __restrict from, std::size_t count, std::uint8_t* __restrict to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = Pick::of(to[i], from[i]);
}

template <class Pick>
void run(const char* op, const Image& in, const MorphologyWindow& window, Image& out) {
  check_morphology(op, in, window);
  const std::size_t bytes = in.row_bytes(), channels = static_cast<std::size_t>(in.channels());
  const auto across = static_cast<std::size_t>(window.width);
  const std::size_t before = across / 2 * channels;
  std::vector<std::uint8_t> row(bytes + (across - 1) * channels, Pick::kNone);
  Image wide(in.height(), in.width(), in.channels());
  for (int y = 0; y < in.height(); ++y) {
    std::memcpy(row.data() + before, in.row(y), bytes);
    std::memcpy(wide.row(y), row.data(), bytes);
    for (std::size_t k = 1; k < across; ++k)
      pick<Pick>(row.data() + k * channels, bytes, wide.row(y));
  }
  out.create(in.height(), in.width(), in.channels());
  for (int y = 0; y < in.height(); ++y) {
    const int first = std::max(0, y - window.height / 2);
    const int end = std::min(in.height(), y - window.height / 2 + window.height);
    std::memcpy(out.row(y), wide.row(first), bytes);
    for (int k = first + 1; k < end; ++k) pick<Pick>(wide.row(k), bytes, out.row(y));
  }
}

}  // namespace

void dilate(const Image& in, const MorphologyWindow& window, Image& out) {
  run<Largest>("dilate", in, window, out);
}
void erode(const Image& in, const MorphologyWindow& window, Image& out) {
  run<Smallest>("erode", in, window, out);
}

}  // namespace sluice::kernels
