// join_samples: four pictures of a batch around a point, in the place of each, in place.
//
// Errors: std::invalid_argument for samples that are no pictures. Threads: any, but one for a
// batch.
#pragma once

#include <sluice/ops/kernels/mix_samples.h>
#include <sluice/runtime/image.h>

#include <array>
#include <cstddef>
#include <span>

namespace sluice::kernels {

// Where a sample of a mosaic comes from, and where it is seen.
struct Tile {
  std::size_t from = 0;   // the sample
  Rectangle region = {};  // what it is seen of, in the mosaic; may be empty
  int x = 0, y = 0;       // where its upper left corner lies in the mosaic, seen or not
};
// What becomes of one sample.
struct Join {
  bool joined = false;  // else it stays as it is
  int x = 0, y = 0;     // the point around which four lie: columns and rows before it
  int first = 0;  // where the sample itself lies: 0 upper left, 1 right, 2 lower left, 3 right
};

// The four tiles of sample `i` of `count` pictures of this size: the sample, and the three before
// it. Each touches the point with the corner that looks at it, and shows what lies there.
std::array<Tile, 4> tiles_of(const Join& join, std::size_t i, std::size_t count, int height,
                             int width);

struct PictureSide {
  int height = 0, width = 0;
};
// Of samples that are tensors of 3 dimensions, HWC or CHW.
PictureSide picture_side(const ValueSpec& sample);

// One join for each sample; all are made of what the samples were before.
void join_samples(const SampleBlock& block, std::span<const Join> joins);

}  // namespace sluice::kernels
