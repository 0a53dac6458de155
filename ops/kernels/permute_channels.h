// permute_channels: the three colours of each pixel in another order. A fourth channel stays where
// it is.
//
// Errors: std::invalid_argument for an empty image, one of fewer than 3 or more than 4 channels, an
// order in which 0, 1 and 2 do not each occur once. Threads: any.
#pragma once

#include <sluice/ops/kernels/colour_matrix.h>
#include <sluice/runtime/image.h>

#include <array>

namespace sluice::kernels {

// Channel c of the result is channel order[c] of the picture.
using ChannelOrder = std::array<int, 3>;

void check_channel_order(const ChannelOrder& order);
// The order, once checked, as a matrix of colours.
ColourMatrix channel_order_matrix(const ChannelOrder& order);
void permute_channels(const Image& in, const ChannelOrder& order, Image& out);

}  // namespace sluice::kernels
