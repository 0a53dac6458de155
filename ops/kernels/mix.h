// Operators that combine several images: blend and weighted_sum, and, in place on a batch,
// mix_samples, cut_samples and join_samples.
//
// Ownership: a SampleBlock does not own its samples. Threads: any, but one per batch. Errors:
// std::invalid_argument, as each operator's comment says.
#pragma once

#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace sluice::kernels {

// blend and weighted_sum: weighted sums of images of one shape.
//
//   blend          a + weight * (b - a)
//   weighted_sum   w[0] * x[0] + w[1] * x[1] + ...
//
// Results are rounded to nearest and clipped to 255. Weights have 15 bits and each product has 7
// fractional bits, so a result differs from the exact sum by at most 0.5, plus 0.008 per image.
//
// Errors: an empty image, more than 4 channels, images that differ in shape, no images or more than
// kMostImages, another number of weights than images, or a weight outside of 0 .. 1.

inline constexpr std::size_t kMostImages = 64;

// Throws the errors of blend().
void check_blend(const Image& a, const Image& b, float weight);

void blend(const Image& a, const Image& b, float weight, Image& out);
void weighted_sum(std::span<const Image> images, std::span<const float> weights, Image& out);

// mix_samples and cut_samples: mix each sample of a batch with the one before it, in place; the
// first is mixed with the last.
//
// Errors: elements that are not u8, f16, bf16 or f32 (mix_samples), and samples that are not images
// or a region that does not lie inside them (cut_samples).

// Contiguous samples of one shape; does not own them.
struct SampleBlock {
  std::byte* data = nullptr;
  std::size_t count = 0;
  ValueSpec sample = {};
};

// Returns a copy of the last sample, which is overwritten before the first one needs it. Only this
// function allocates memory, so that a failure leaves no batch half changed.
std::vector<std::byte> last_sample(const SampleBlock& block);

// x[i] = weight * x[i] + (1 - weight) * x[i - 1], with the original values. u8 as in weighted_sum.
void mix_samples(const SampleBlock& block, std::span<const std::byte> last, double weight);

// Copies the region of the original x[i - 1] to x[i]. Images are tensors of 3 dimensions, HWC or
// CHW; an empty region changes nothing.
void cut_samples(const SampleBlock& block, std::span<const std::byte> last,
                 const Rectangle& region);

// join_samples: replaces each sample of a batch by a mosaic of four images around a point, in
// place.
//
// Errors: samples that are not images.

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

struct ImageSide {
  int height = 0, width = 0;
};
// For samples that are tensors of 3 dimensions, HWC or CHW.
ImageSide image_side(const ValueSpec& sample);

// Takes one join per sample; all of them use the original samples.
void join_samples(const SampleBlock& block, std::span<const Join> joins);

}  // namespace sluice::kernels
