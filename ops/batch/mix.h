// mix_up and cut_mix: the samples of a batch mixed with each other, and their labels as well.
//
//   auto pipeline = make_pipeline({.batch_size = 256, .seed = 42}, [](Graph& g) {
//     ...
//     return std::tuple{normalize(image), one_hot(label, {.classes = 1000, .smoothing = 0.1f})};
//   });
//   for (auto& batch : pipeline.epoch()) {
//     auto& [images, labels] = batch;
//     mix_up(images, labels, mix_key(batch, 42), {.alpha = 0.2f});
//     train(images, labels);
//   }
//
// As a step of the pipeline, which draws by the pipeline's seed:
//
//   pipeline.batch_step([](auto& batch, const BatchKey& key) {
//     auto& [images, labels] = batch;
//     mix_up(images, labels, key);
//   });
//
// Each sample is mixed with the one before it in the batch, the first one with the last one, as
// torchvision does it; in an epoch that is shuffled that is any other one. All samples of a batch
// share one weight w, drawn from Beta(alpha, alpha).
//
//   mix_up    x = w * x + (1 - w) * x', and the same of the labels
//   cut_mix   a rectangle of 1 - w of the picture, its middle anywhere, cut to the picture, is what
//             x' has there; of the labels, w is the part that stays
//
// What is drawn follows from the key alone: the seed, the epoch and the number of the batch, not
// from threads or what was done before. Samples that are missing from a batch are not in it; those
// that pad the last batch are mixed like all others. A batch of one sample stays as it is.
//
// The memory of the columns is changed in place, and all handles on it see that. It is the host's:
// of a device's, call to_host() first. Pictures have one size and elements u8, f16 or f32 (cut_mix:
// of any type), HWC or CHW; labels are f32, of one shape.
//
// Threads: like a vector's. Errors: Error, which says what stands against it, before anything is
// changed.
#pragma once

#include <sluice/graph/batch.h>
#include <sluice/graph/batch_key.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/rectangle.h>

#include <cstdint>

namespace sluice {

using MixKey = BatchKey;
template <class... Ts>
MixKey mix_key(const Batch<Ts...>& batch, std::uint64_t seed) {
  return {seed, batch.epoch(), batch.index()};
}
// For what else a batch draws: which of the two it takes, say. Other numbers than theirs.
Random random_of(const MixKey& key);

struct MixUpOptions {
  float alpha = 0.2f;  // 0.000001 to 1000
};
struct CutMixOptions {
  float alpha = 1.f;  // 0.000001 to 1000
};

// What was done.
struct Mixed {
  float weight = 1.f;     // of a sample itself; the one before it has the rest
  Rectangle region = {};  // of cut_mix, what comes from the one before
};

Mixed mix_up(const ImageBatch& images, const TensorBatch& labels, const MixKey& key,
             const MixUpOptions& options = {});
Mixed mix_up(const TensorBatch& images, const TensorBatch& labels, const MixKey& key,
             const MixUpOptions& options = {});
Mixed cut_mix(const ImageBatch& images, const TensorBatch& labels, const MixKey& key,
              const CutMixOptions& options = {});
Mixed cut_mix(const TensorBatch& images, const TensorBatch& labels, const MixKey& key,
              const CutMixOptions& options = {});

}  // namespace sluice
