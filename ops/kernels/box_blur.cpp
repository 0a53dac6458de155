#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/box_blur.h>
#include <sluice/ops/kernels/separable_blur.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace sluice::kernels {
namespace {

struct BoxRoom {
  std::vector<std::uint16_t> sums;  // column sums, with reflected ones on both sides
  std::vector<std::uint32_t> boxes;
};

}  // namespace

void box_blur(const Image& in, int window_size, Image& out) {
  check_pixels("box_blur", in);
  check_window("box_blur", window_size);
  const int height = in.height(), channels = in.channels(), reach = window_size / 2;
  const std::size_t row = in.row_bytes();
  out.create(height, in.width(), channels);
  if (window_size == 1) {
    for (int y = 0; y < height; ++y) std::memcpy(out.row(y), in.row(y), row);
    return;
  }

  thread_local BoxRoom room;
  const auto before = static_cast<std::size_t>(reach) * static_cast<std::size_t>(channels);
  const std::size_t all = before + row + before + kBoxSlack;
  if (room.sums.size() < all) room.sums.resize(all);
  if (room.boxes.size() < 2 * all) room.boxes.resize(2 * all);
  std::uint16_t* const sums = room.sums.data() + before;
  std::fill_n(sums, row, std::uint16_t{0});
  for (int k = -reach; k < reach; ++k) move_box(in.row(reflected(k, height)), nullptr, row, sums);
  for (int y = 0; y < height; ++y) {
    move_box(in.row(reflected(y + reach, height)),
             y == 0 ? nullptr : in.row(reflected(y - 1 - reach, height)), row, sums);
    reflect_ends(sums, in.width(), channels, reach);
    means_of_boxes(room.sums.data(), channels, window_size, row, room.boxes.data(), out.row(y));
  }
}

}  // namespace sluice::kernels
