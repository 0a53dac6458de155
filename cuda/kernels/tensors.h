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

// Permute, crop and flip. The caller has created the output.
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

RotateTensorJob rotate_tensor_job(const Tensor& in, const kernels::PixelShape& shape,
                                  const kernels::RotationGeometry& rotation,
                                  Interpolation interpolation, double fill);
void launch_rotate_tensor(DeviceStream& stream, const Batch<RotateTensorJob>& batch);

// The caller sets the addresses.
NormalizeTensorJob normalize_tensor_job(const Tensor& in, const kernels::PixelShape& shape,
                                        DType dtype, Layout layout);
void launch_normalize_tensor(DeviceStream& stream, const Batch<NormalizeTensorJob>& batch);

// An operation on tensors `a` and `b`; both are the same if it takes only one. `number`: the
// index, 0 or 1, of the operand that is a number in host memory; -1 if both are tensors. The caller
// sets `out`, and `failed` if may_fail().
ElementwiseJob elementwise_job(kernels::Elementwise what, const kernels::ElementwisePlan& plan,
                               const Tensor& a, const Tensor& b, int number = -1);
ElementwiseJob cast_job(const kernels::ElementwisePlan& plan, const Tensor& in);
// True if there may be elements without a result.
bool may_fail(const ElementwiseJob& job);
void launch_elementwise(DeviceStream& stream, const Batch<ElementwiseJob>& batch);

}  // namespace sluice::device
