#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/grid_mask.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

// Positions in the grid are multiples of 2^-32 pixels, so that squares and quarter turns have sharp
// edges.
constexpr double kOne = 0x1p32;
std::int64_t fixed(double value) { return std::llrint(value * kOne); }

void check(const GridMask& mask) {
  const auto check_number = [](const char* name, double value, double low, double high) {
    if (!(value >= low && value <= high)) {
      throw std::invalid_argument(fmt::format("grid_mask: {} is {}; it must lie between {} and {}",
                                              name, value, low, high));
    }
  };
  check_number("tile", mask.tile, 1, kLargestTile);
  check_number("ratio", mask.ratio, 0, 1);
  check_number("degrees", mask.degrees, -kLargestShift, kLargestShift);
  check_number("shift_x", mask.shift_x, -kLargestShift, kLargestShift);
  check_number("shift_y", mask.shift_y, -kLargestShift, kLargestShift);
}

// A position along one axis of the grid, from 0 up to the tile's length.
class Phase {
 public:
  Phase(double start, std::int64_t step, std::int64_t tile)
      : at_(fixed(start) % tile), step_(step), tile_(tile) {
    if (at_ < 0) at_ += tile_;
  }
  std::int64_t at() const { return at_; }
  // A step is at most a pixel, and so at most a tile.
  void advance() {
    at_ += step_;
    if (at_ >= tile_) at_ -= tile_;
    if (at_ < 0) at_ += tile_;
  }

 private:
  std::int64_t at_, step_, tile_;
};

}  // namespace

GridSteps grid_steps(const GridMask& mask) {
  check(mask);
  const double angle = mask.degrees * std::numbers::pi / 180;
  const double cosine = std::cos(angle), sine = std::sin(angle);
  return {cosine,
          sine,
          fixed(cosine),
          fixed(sine),
          std::int64_t{mask.tile} << 32,
          std::llrint(double{mask.ratio} * mask.tile * 256) << 24};
}

void grid_mask(const Image& in, const GridMask& mask, Image& out) {
  check_pixels("grid_mask", in);
  const auto [cosine, sine, step_u, step_v, tile, side] = grid_steps(mask);
  const int channels = in.channels();
  out.create(in.height(), in.width(), channels);
  for (int y = 0; y < in.height(); ++y) {
    std::uint8_t* to = out.row(y);
    std::copy_n(in.row(y), in.row_bytes(), to);
    const double dx = -double{mask.shift_x}, dy = y - double{mask.shift_y};
    Phase u(dx * cosine - dy * sine, step_u, tile);
    Phase v(dx * sine + dy * cosine, step_v, tile);
    for (int x = 0; x < in.width(); ++x, to += channels) {
      if (u.at() < side && v.at() < side) {
        for (int c = 0; c < channels; ++c) to[c] = mask.fill[c];
      }
      u.advance();
      v.advance();
    }
  }
}

}  // namespace sluice::kernels
