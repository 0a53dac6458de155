// mix_samples and cut_samples: mix each sample of a batch with the one before it, in place; the
// first is mixed with the last.
//
// Errors: std::invalid_argument for elements that are not u8, f16 or f32 (mix_samples), and for
// samples that are not images or a region that does not lie inside them (cut_samples). Threads:
// any, but one per batch.
#pragma once

#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <span>
#include <vector>

namespace sluice::kernels {

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

}  // namespace sluice::kernels
