// join_samples: replaces each sample of a batch by a mosaic of four images around a point, in
// place.
//
// Errors: std::invalid_argument for samples that are not images. Threads: any, but one per batch.
#pragma once

#include <sluice/ops/kernels/mix_samples.h>
#include <sluice/runtime/image.h>

#include <array>
#include <cstddef>
#include <span>

namespace sluice::kernels {

// The source of one part of a mosaic, and its position there.
struct Tile {
  std::size_t from = 0;   // number of the source sample
  Rectangle region = {};  // its visible part, in the mosaic; may be empty
  int x = 0, y = 0;       // position of its upper left corner in the mosaic, visible or not
};
// The change of one sample.
struct Join {
  bool joined = false;  // false: the sample is unchanged
  int x = 0, y = 0;     // the common point: columns and rows before it
  int first = 0;        // the sample's quadrant: 0 upper left, 1 right, 2 lower left, 3 right
};

// Returns the four tiles of sample `i` of `count` images of this size: the sample and the three
// before it. Each touches the point with the corner that faces it and is clipped to the mosaic.
std::array<Tile, 4> tiles_of(const Join& join, std::size_t i, std::size_t count, int height,
                             int width);

struct PictureSide {
  int height = 0, width = 0;
};
// For samples that are tensors of 3 dimensions, HWC or CHW.
PictureSide picture_side(const ValueSpec& sample);

// Takes one join per sample; all of them use the original samples.
void join_samples(const SampleBlock& block, std::span<const Join> joins);

}  // namespace sluice::kernels
