// mix_samples and cut_samples: each sample of a batch mixed with the one before it, in place; the
// first one with the last one.
//
// Errors: std::invalid_argument for elements that are not u8, f16 or f32 (mix_samples), and for
// samples that are no pictures or a region that does not lie inside of them (cut_samples). Threads:
// any, but one for a batch.
#pragma once

#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <span>
#include <vector>

namespace sluice::kernels {

// Samples of one shape side by side; somebody else's.
struct SampleBlock {
  std::byte* data = nullptr;
  std::size_t count = 0;
  ValueSpec sample = {};
};

// A copy of the last sample, which is changed before the first one asks for it. All that takes
// memory, so that nothing is half done where there is none.
std::vector<std::byte> last_sample(const SampleBlock& block);

// x[i] = weight * x[i] + (1 - weight) * x[i - 1], of what they were before. u8 as weighted_sum.
void mix_samples(const SampleBlock& block, std::span<const std::byte> last, double weight);

// The region of x[i] becomes what x[i - 1] had there. Pictures are tensors of 3 dimensions, HWC or
// CHW; an empty region changes nothing.
void cut_samples(const SampleBlock& block, std::span<const std::byte> last,
                 const Rectangle& region);

}  // namespace sluice::kernels
