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
#pragma once

#include <sluice/graph/batch.h>
#include <sluice/graph/batch_key.h>

#include <vector>

namespace sluice {

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
// boxes: f32, n x 4, edges in pixels (see move_boxes.h); labels: a row of any type for each.
std::vector<Mosaic> mosaic(const ImageBatch& images, TensorBatch& boxes, TensorBatch& labels,
                           const BatchKey& key, const MosaicOptions& options = {});
std::vector<Mosaic> mosaic(const TensorBatch& images, TensorBatch& boxes, TensorBatch& labels,
                           const BatchKey& key, const MosaicOptions& options = {});

}  // namespace sluice
