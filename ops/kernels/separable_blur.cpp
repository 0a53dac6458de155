#include <sluice/ops/kernels/separable_blur.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

struct Room {
  WindowSide down, across;
  std::vector<const std::uint8_t*> above, below;
  std::vector<std::int16_t> levels;  // a row with its reflections on both sides
};

}  // namespace

void WindowSide::build(int window, const WeightOf& weight_of) {
  const int radius = window / 2;
  exact_.clear();
  double sum = 0;
  for (int i = 0; i <= radius; ++i) {
    exact_.push_back(weight_of(i));
    sum += (i == 0 ? 1 : 2) * exact_.back();
  }
  // Use as many bits as the center, the largest weight, allows.
  for (bits_ = 17; !fill(sum); --bits_) {
  }
  if (weights_.size() % 2 != 0) weights_.push_back(0);
}

bool WindowSide::fill(double sum) {
  const double scale = static_cast<double>(1 << bits_) / sum;
  weights_.assign(1, 0);
  long centre = 1L << bits_;
  for (std::size_t i = 1; i < exact_.size(); ++i) {
    const long weight = std::lround(exact_[i] * scale);
    if (weight > INT16_MAX) return false;
    weights_.push_back(static_cast<std::int16_t>(weight));
    centre -= 2 * weight;
  }
  if (centre > INT16_MAX) return false;
  weights_[0] = static_cast<std::int16_t>(centre);
  return true;
}

void check_window(const char* op, int window_size) {
  if (window_size < 1 || window_size > kLargestWindow || window_size % 2 == 0) {
    throw std::invalid_argument(
        fmt::format("{}: window_size must be an odd number between 1 and {}, not {}", op,
                    kLargestWindow, window_size));
  }
}

int reflected(int i, int n) {
  if (n == 1) return 0;
  const int period = 2 * (n - 1);
  i = std::abs(i) % period;
  return i < n ? i : period - i;
}

void separable_blur(const Image& in, int window_y, const WeightOf& weight_y, int window_x,
                    const WeightOf& weight_x, Image& out) {
  thread_local Room room;
  room.down.build(window_y, weight_y);
  room.across.build(window_x, weight_x);
  const int channels = in.channels();
  const int margin = room.across.count();
  const std::size_t before = static_cast<std::size_t>(margin) * static_cast<std::size_t>(channels);
  const std::size_t needed = before + in.row_bytes() + before;
  if (room.levels.size() < needed) room.levels.resize(needed);
  const auto reach = static_cast<std::size_t>(room.down.count());
  room.above.resize(reach);
  room.below.resize(reach);
  std::int16_t* levels = room.levels.data() + before;

  out.create(in.height(), in.width(), channels);
  for (int y = 0; y < in.height(); ++y) {
    for (std::size_t k = 0; k < reach; ++k) {
      const int distance = static_cast<int>(k);
      room.above[k] = in.row(reflected(y - distance, in.height()));
      room.below[k] = in.row(reflected(y + distance, in.height()));
    }
    weigh_rows(room.above.data(), room.below.data(), room.down.view(), in.row_bytes(), levels);
    reflect_ends(levels, in.width(), channels, margin);
    weigh_neighbours(levels, channels, room.across.view(), in.row_bytes(), out.row(y));
  }
}

}  // namespace sluice::kernels
