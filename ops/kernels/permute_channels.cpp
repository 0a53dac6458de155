#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/permute_channels.h>
#include <sluice/ops/kernels/planes.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {

void check_channel_order(const ChannelOrder& order) {
  constexpr ChannelOrder kAll{0, 1, 2};
  if (!std::is_permutation(order.begin(), order.end(), kAll.begin())) {
    throw std::invalid_argument(
        fmt::format("permute_channels: first, second and third are {}, {} and {}; they must be 0, "
                    "1 and 2 in some order",
                    order[0], order[1], order[2]));
  }
}

ColourMatrix channel_order_matrix(const ChannelOrder& order) {
  check_channel_order(order);
  ColourMatrix matrix{};
  for (std::size_t row = 0; row < 3; ++row) matrix[row][static_cast<std::size_t>(order[row])] = 1;
  return matrix;
}

void permute_channels(const Image& in, const ChannelOrder& order, Image& out) {
  check_three_colours("permute_channels", in);
  check_channel_order(order);
  Planes before;
  map_planes(in, out, [&](Planes& planes, std::size_t count) {
    for (std::size_t c = 0; c < 3; ++c)
      std::copy_n(planes.channel[c].data(), count, before.channel[c].data());
    for (std::size_t c = 0; c < 3; ++c) {
      const auto& from = before.channel[static_cast<std::size_t>(order[c])];
      std::copy_n(from.data(), count, planes.channel[c].data());
    }
  });
}

}  // namespace sluice::kernels
