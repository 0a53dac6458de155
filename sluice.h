// All of Sluice's public interface in one header. Includes neither oneTBB nor CUDA.
#pragma once

#if __cplusplus < 202002L
#error "Sluice needs C++20: compile with -std=c++20"
#else

// As `project(sluice VERSION ...)` has it in CMakeLists.txt.
#define SLUICE_VERSION_MAJOR 0
#define SLUICE_VERSION_MINOR 1
#define SLUICE_VERSION_PATCH 0
#define SLUICE_VERSION "0.1.0"

#include <sluice/cuda/gpu.h>
#include <sluice/graph/apply_policy.h>
#include <sluice/graph/apply_random.h>
#include <sluice/graph/arithmetic.h>
#include <sluice/graph/boundaries.h>
#include <sluice/graph/builder/apply_operator.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/list_of.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/sources/batches.h>
#include <sluice/graph/sources/values.h>
#include <sluice/io/http/tar_urls.h>
#include <sluice/io/http/urls.h>
#include <sluice/io/images/decode_image.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/io/jpeg/learn.h>
#include <sluice/io/sources/environment.h>
#include <sluice/io/sources/files.h>
#include <sluice/io/sources/list.h>
#include <sluice/io/sources/memory.h>
#include <sluice/io/sources/small_pictures.h>
#include <sluice/io/sources/tar.h>
#include <sluice/io/sources/tar_index.h>
#include <sluice/io/sources/tar_stream.h>
#include <sluice/io/workers/workers.h>
#include <sluice/ops/automatic/aug_mix.h>
#include <sluice/ops/automatic/augmentation_lists.h>
#include <sluice/ops/automatic/auto_augment.h>
#include <sluice/ops/automatic/detection_augment.h>
#include <sluice/ops/automatic/dino.h>
#include <sluice/ops/automatic/photometric_distort.h>
#include <sluice/ops/automatic/rand_augment.h>
#include <sluice/ops/automatic/segmentation_augment.h>
#include <sluice/ops/automatic/sim_clr.h>
#include <sluice/ops/batch/mix.h>
#include <sluice/ops/batch/mosaic.h>
#include <sluice/ops/boxes/box_formats.h>
#include <sluice/ops/boxes/canvas_size.h>
#include <sluice/ops/boxes/encode_anchors.h>
#include <sluice/ops/boxes/filter_boxes.h>
#include <sluice/ops/boxes/move_boxes.h>
#include <sluice/ops/boxes/random_bbox_crop.h>
#include <sluice/ops/boxes/regions.h>
#include <sluice/ops/boxes/rows_of.h>
#include <sluice/ops/colour/autocontrast.h>
#include <sluice/ops/colour/brightness_contrast.h>
#include <sluice/ops/colour/clahe.h>
#include <sluice/ops/colour/color_space_conversion.h>
#include <sluice/ops/colour/color_twist.h>
#include <sluice/ops/colour/contrast.h>
#include <sluice/ops/colour/equalize.h>
#include <sluice/ops/colour/gamma_correction.h>
#include <sluice/ops/colour/grayscale.h>
#include <sluice/ops/colour/hue.h>
#include <sluice/ops/colour/invert.h>
#include <sluice/ops/colour/jpeg_distortion.h>
#include <sluice/ops/colour/lookup_table.h>
#include <sluice/ops/colour/normalize.h>
#include <sluice/ops/colour/permute_channels.h>
#include <sluice/ops/colour/posterize.h>
#include <sluice/ops/colour/saturation.h>
#include <sluice/ops/colour/solarize.h>
#include <sluice/ops/composition/blend.h>
#include <sluice/ops/composition/paste.h>
#include <sluice/ops/decode/decode.h>
#include <sluice/ops/decode/decode_image.h>
#include <sluice/ops/filter/box_blur.h>
#include <sluice/ops/filter/filter_2d.h>
#include <sluice/ops/filter/gaussian_blur.h>
#include <sluice/ops/filter/laplacian.h>
#include <sluice/ops/filter/median_blur.h>
#include <sluice/ops/filter/morphology.h>
#include <sluice/ops/filter/motion_blur.h>
#include <sluice/ops/filter/sharpness.h>
#include <sluice/ops/geometry/crop.h>
#include <sluice/ops/geometry/elastic.h>
#include <sluice/ops/geometry/expand.h>
#include <sluice/ops/geometry/flip.h>
#include <sluice/ops/geometry/lens_distortion.h>
#include <sluice/ops/geometry/pad_image.h>
#include <sluice/ops/geometry/perspective.h>
#include <sluice/ops/geometry/random_resized_crop.h>
#include <sluice/ops/geometry/resize.h>
#include <sluice/ops/geometry/rotate.h>
#include <sluice/ops/geometry/shear.h>
#include <sluice/ops/geometry/translate.h>
#include <sluice/ops/geometry/transpose.h>
#include <sluice/ops/geometry/warp_affine.h>
#include <sluice/ops/labels/one_hot.h>
#include <sluice/ops/noise/jitter.h>
#include <sluice/ops/noise/noise.h>
#include <sluice/ops/occlusion/erase.h>
#include <sluice/ops/occlusion/grid_mask.h>
#include <sluice/ops/operators.h>
#include <sluice/ops/random/choice.h>
#include <sluice/ops/reductions/reductions.h>
#include <sluice/ops/reductions/sum.h>
#include <sluice/ops/tensors/elementwise.h>
#include <sluice/ops/tensors/pad_tensor.h>
#include <sluice/ops/tensors/slice_tensor.h>
#include <sluice/ops/tensors/tensors.h>
#include <sluice/ops/tensors/to_image.h>
#include <sluice/runtime/buffer_ring.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/cpu_count.h>
#include <sluice/runtime/dlpack.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/memory_resource.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/tensor.h>

#endif
