// Tensor kernels: arithmetic and casts, permute, and crop, flip, resize, rotate and normalize on
// tensors of any number of channels. One launch serves many samples: fill in a job for each sample,
// add it to a JobBlock (see tiles.h), and launch all jobs of one kind.
//
// The results equal those of the operators in ops/, bit for bit.
//
// Ownership: none; tensors, tables and jobs belong to the caller and live until the launches are
// over. Inputs and outputs have no gaps and do not overlap. Threads: any. Errors:
// std::invalid_argument for a tensor that is too large, and what DeviceStream throws.
#pragma once

#include <sluice/cuda/kernels/elementwise_tile.h>
#include <sluice/cuda/kernels/tensor_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/ops/kernels/elementwise.h>
#include <sluice/ops/kernels/tensor_images.h>
#include <sluice/ops/kernels/tensors.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>

namespace sluice::device {

// Elements that are only moved. Each function returns a job for an output of this shape.
MoveJob permute_job(const Tensor& in, const kernels::Axes& axes);
MoveJob crop_job(const Tensor& in, const kernels::PixelShape& shape,
                 const kernels::TensorCrop& crop, double fill);
MoveJob flip_job(const Tensor& in, const kernels::PixelShape& shape, bool horizontal,
                 bool vertical);
void place_tensor(MoveJob& job, const Tensor& in, Tensor& out);
void launch_move(DeviceStream& stream, const Batch<MoveJob>& batch);

// One axis of a resize. `taps`: see ResampleJob; the caller sets its addresses.
ResampleJob resample_job(DType dtype, std::int64_t outer, int length, int out_length,
                         std::int64_t inner, int taps);
void launch_resample(DeviceStream& stream, const Batch<ResampleJob>& batch);

TurnJob turn_job(const Tensor& in, const kernels::PixelShape& shape,
                 const kernels::RotationGeometry& rotation, Interpolation interpolation,
                 double fill);
void launch_turn(DeviceStream& stream, const Batch<TurnJob>& batch);

// The caller sets the addresses.
ScaleJob scale_job(const Tensor& in, const kernels::PixelShape& shape, DType dtype, Layout layout);
void launch_scale(DeviceStream& stream, const Batch<ScaleJob>& batch);

// An operation on tensors `a` and `b`; both are the same if it takes only one. `number`: which of
// them, 0 or 1, is a number in host memory instead; -1 for none. The caller sets `out`, and
// `failed` if may_fail().
ElementwiseJob elementwise_job(kernels::Elementwise what, const kernels::ElementwisePlan& plan,
                               const Tensor& a, const Tensor& b, int number = -1);
ElementwiseJob cast_job(const kernels::ElementwisePlan& plan, const Tensor& in);
// True if there may be elements without a result.
bool may_fail(const ElementwiseJob& job);
void launch_elementwise(DeviceStream& stream, const Batch<ElementwiseJob>& batch);

}  // namespace sluice::device
