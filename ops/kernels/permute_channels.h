// permute_channels: reorders the three color channels. A fourth channel stays in place.
//
// Errors: std::invalid_argument for an empty image, one of fewer than 3 or more than 4 channels, an
// order in which 0, 1 and 2 do not each occur once. Threads: any.
#pragma once

#include <sluice/ops/kernels/colour_matrix.h>
#include <sluice/runtime/image.h>

#include <array>

namespace sluice::kernels {

// Channel c of the result is channel order[c] of the image.
using ChannelOrder = std::array<int, 3>;

void check_channel_order(const ChannelOrder& order);
// Returns the order as a color matrix, after checking it.
ColourMatrix channel_order_matrix(const ChannelOrder& order);
void permute_channels(const Image& in, const ChannelOrder& order, Image& out);

}  // namespace sluice::kernels
