// Operators that combine several samples of a batch: mixing and mosaics.
//
// Ownership: an operator is created once and lives until the program ends. Threads: several threads
// may call these functions at once, each on its own graph. Errors: BuildError for invalid
// arguments; a failure in one sample is the error of that sample.
#pragma once

#include <sluice/graph/batch.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/sample_key.h>

#include <cstdint>
#include <vector>

namespace sluice {

// mix_up and cut_mix: mix the samples of a batch with each other, and their labels too.
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
// As a step of the pipeline, which draws from the pipeline's seed:
//
//   pipeline.batch_step([](auto& batch, const BatchKey& key) {
//     auto& [images, labels] = batch;
//     mix_up(images, labels, key);
//   });
//
// Each sample is mixed with the one before it in the batch, and the first with the last, as in
// torchvision; in a shuffled epoch the partner is random. All samples of a batch share one weight
// w, drawn from Beta(alpha, alpha).
//
//   mix_up    x = w * x + (1 - w) * x', and the same for the labels
//   cut_mix   a rectangle with 1 - w of the image's area is copied from x'. Its center is
//             anywhere, and it is clipped to the image. For labels, w is the share that remains.
//
// The draws depend on the key only: the seed, the epoch and the batch number, not on threads or
// earlier calls. Samples that are missing from a batch do not take part. Samples that pad the last
// batch are mixed like all others. A batch of one sample is not changed.
//
// The memory of the columns is changed in place, and all handles on it see the change. It must be
// host memory: for a device batch, call to_host() first. Images have one size and elements u8, f16,
// bf16 or f32 (cut_mix: any type), HWC or CHW; labels are f32, of one shape.
//
// Threads: like a vector's. Errors: Error with the reason, thrown before anything is changed.
using MixKey = BatchKey;
template <class... Ts>
MixKey mix_key(const Batch<Ts...>& batch, std::uint64_t seed) {
  return {seed, batch.epoch(), batch.index()};
}
// Returns a generator for other draws of a batch, such as choosing between the two. Its numbers are
// independent of theirs.
Random random_of(const MixKey& key);

struct MixUpOptions {
  float alpha = 0.2f;  // 0.000001 to 1000
};
struct CutMixOptions {
  float alpha = 1.f;  // 0.000001 to 1000
};

// The result of a call.
struct Mixed {
  float weight = 1.f;     // share of the sample itself; the one before it has the rest
  Rectangle region = {};  // cut_mix: the part copied from the sample before
};

Mixed mix_up(const ImageBatch& images, const TensorBatch& labels, const MixKey& key,
             const MixUpOptions& options = {});
Mixed mix_up(const TensorBatch& images, const TensorBatch& labels, const MixKey& key,
             const MixUpOptions& options = {});
Mixed cut_mix(const ImageBatch& images, const TensorBatch& labels, const MixKey& key,
              const CutMixOptions& options = {});
Mixed cut_mix(const TensorBatch& images, const TensorBatch& labels, const MixKey& key,
              const CutMixOptions& options = {});

// mosaic: joins four images of a batch around a point, with their boxes, as for training YOLO
// detectors.
//
//   pipeline.batch_step([](auto& batch, const BatchKey& key) {
//     auto& [images, boxes, labels] = batch;
//     mosaic(images, boxes, labels, key);
//   });
//
// Each sample is replaced by a mosaic of it and the three samples before it in the batch, wrapping
// around at the first one; a batch of two or three uses some twice. Each sample draws the common
// point and the quadrant of the sample itself. The other images follow in the order upper left,
// upper right, lower left, lower right. Each image touches the point with one corner and is clipped
// to the canvas: nothing is resized, and the mosaic has the size of one image. Pixels of any type
// are copied.
//
// Boxes follow their images, are clipped to the visible part, and are dropped if too little of them
// remains. Labels follow their boxes. Both columns are replaced by new ragged columns.
//
// The draws depend on the key only: the seed, the epoch and the batch number. Samples that are
// missing from a batch do not take part. A batch of one sample is not changed.
//
// The memory of the images is changed in place, and all handles on it see the change. It must be
// host memory: for a device batch, call to_host() first. Images have one size, HWC or CHW.
//
// Threads: like a vector's. Errors: Error with the reason, thrown before anything is changed.
struct MosaicOptions {
  // The range of the common point, as shares of width and height, 0 to 1.
  float min_center = 0.25f, max_center = 0.75f;
  float probability = 1.f;  // that a sample becomes a mosaic, 0 to 1
  // Boxes with less left are dropped: in pixels; as a share of the box. See filter_boxes().
  float min_area = 0.f, min_visibility = 0.f;
};

// The change of one sample.
struct Mosaic {
  bool joined = false;  // false: the sample is unchanged
  int x = 0, y = 0;     // the point: pixels from the upper left corner
  int place = 0;  // the sample's quadrant: 0 upper left, 1 upper right, 2 lower left, 3 lower right
};

// Returns one Mosaic per sample of the batch.
std::vector<Mosaic> mosaic(const ImageBatch& images, const BatchKey& key,
                           const MosaicOptions& options = {});
std::vector<Mosaic> mosaic(const TensorBatch& images, const BatchKey& key,
                           const MosaicOptions& options = {});
// boxes: f32, n x 4, edges in pixels (see move_boxes); labels: one row of any type per box.
std::vector<Mosaic> mosaic(const ImageBatch& images, TensorBatch& boxes, TensorBatch& labels,
                           const BatchKey& key, const MosaicOptions& options = {});
std::vector<Mosaic> mosaic(const TensorBatch& images, TensorBatch& boxes, TensorBatch& labels,
                           const BatchKey& key, const MosaicOptions& options = {});

}  // namespace sluice
