// Operators that take several samples of a batch: mixing and mosaics.
//
// Ownership: an operator is made once and lives as long as the program. Threads: any number may
// call these functions at once, each for a graph of its own. Errors: BuildError for arguments that
// cannot be; what fails for one sample is the error of that sample.
#pragma once

#include <sluice/graph/batch.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/sample_key.h>

#include <cstdint>
#include <vector>

namespace sluice {

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

// mosaic: four pictures of a batch joined around a point, with their boxes, as the YOLO detectors
// are trained with.
//
//   pipeline.batch_step([](auto& batch, const BatchKey& key) {
//     auto& [images, boxes, labels] = batch;
//     mosaic(images, boxes, labels, key);
//   });
//
// In the place of each sample comes a mosaic of it and the three before it in the batch (before the
// first one comes the last one; a batch of two or three has some of them twice). The point around
// which they lie is drawn for each sample, and so is where the sample itself lies; the others
// follow in the order upper left, upper right, lower left, lower right. Each picture touches the
// point with one corner and shows what lies there: nothing is resized, and the mosaic has the size
// of one picture. Pixels are copied, of any type.
//
// Boxes move along, are cut to what is seen of their picture, and left out when too little of them
// is left; labels are those of the boxes. Both columns are replaced by new ones, ragged like those
// before.
//
// What is drawn follows from the key alone: the seed, the epoch and the number of the batch.
// Samples that are missing from a batch are not in it. A batch of one sample stays as it is.
//
// The memory of the pictures is changed in place, and all handles on it see that. It is the host's:
// of a device's, call to_host() first. Pictures have one size, HWC or CHW.
//
// Threads: like a vector's. Errors: Error, which says what stands against it, before anything is
// changed.
struct MosaicOptions {
  // Where the point lies: shares of width and height, 0 to 1.
  float min_center = 0.25f, max_center = 0.75f;
  float probability = 1.f;  // of a sample to become a mosaic, 0 to 1
  // Boxes of which less is left are left out: pixels; share of the box. See filter_boxes().
  float min_area = 0.f, min_visibility = 0.f;
};

// What became of one sample.
struct Mosaic {
  bool joined = false;  // else it is as it was
  int x = 0, y = 0;     // the point: pixels from the upper left corner
  int place = 0;  // of the sample itself: 0 upper left, 1 upper right, 2 lower left, 3 lower right
};

// One for each sample of the batch.
std::vector<Mosaic> mosaic(const ImageBatch& images, const BatchKey& key,
                           const MosaicOptions& options = {});
std::vector<Mosaic> mosaic(const TensorBatch& images, const BatchKey& key,
                           const MosaicOptions& options = {});
// boxes: f32, n x 4, edges in pixels (see move_boxes); labels: a row of any type for each.
std::vector<Mosaic> mosaic(const ImageBatch& images, TensorBatch& boxes, TensorBatch& labels,
                           const BatchKey& key, const MosaicOptions& options = {});
std::vector<Mosaic> mosaic(const TensorBatch& images, TensorBatch& boxes, TensorBatch& labels,
                           const BatchKey& key, const MosaicOptions& options = {});

}  // namespace sluice
