#include <sluice/cuda/kernels/on_cuda.h>
#include <sluice/cuda/kernels/tensors.h>
#include <sluice/runtime/compute.h>

#include <cstddef>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace sluice::device {
namespace {

const Kernel kMove{"elements", tiles_on_host<MoveJob, move_tile>, SLUICE_ON_CUDA(move_on_cuda)};
const Kernel kResample{"resample", tiles_on_host<ResampleJob, resample_tile>,
                       SLUICE_ON_CUDA(resample_on_cuda)};
const Kernel kRotateTensor{"rotate", tiles_on_host<RotateTensorJob, rotate_tensor_tile>,
                           SLUICE_ON_CUDA(rotate_tensor_on_cuda)};
const Kernel kNormalizeTensor{"normalize", tiles_on_host<NormalizeTensorJob, normalize_tensor_tile>,
                              SLUICE_ON_CUDA(normalize_tensor_on_cuda)};
const Kernel kElementwise{"elementwise", tiles_on_host<ElementwiseJob, elementwise_tile>,
                          SLUICE_ON_CUDA(elementwise_on_cuda)};

std::int32_t tensor_tiles(std::int64_t elements) {
  if (elements > std::numeric_limits<std::int32_t>::max())
    throw std::invalid_argument("the tensor is too large for a GPU");
  return static_cast<std::int32_t>((elements + kTensorElements - 1) / kTensorElements);
}

MoveJob::Dimension dimension(std::int64_t size, std::int64_t stride) {
  MoveJob::Dimension made;
  made.size = made.end = static_cast<std::int32_t>(size);
  made.stride = stride;
  return made;
}

// The job of these dimensions. Merges those that lie side by side in the input, too.
MoveJob move_job(DType dtype, const MoveJob::Dimension* dimensions, int rank) {
  MoveJob job;
  job.bytes = static_cast<std::int32_t>(size_of(dtype));
  job.elements = 1;
  for (int axis = 0; axis < rank; ++axis) job.elements *= dimensions[axis].size;
  job.tiles = tensor_tiles(job.elements);
  const auto is_whole = [](const MoveJob::Dimension& d) { return d.begin == 0 && d.end == d.size; };
  for (int axis = 0; axis < rank; ++axis) {
    const MoveJob::Dimension& d = dimensions[axis];
    if (d.size == 1 && is_whole(d)) continue;
    if (job.rank > 0) {
      MoveJob::Dimension& last = job.dimensions[job.rank - 1];
      if (is_whole(last) && is_whole(d) && last.stride == d.stride * d.size) {
        last = dimension(std::int64_t{last.size} * d.size, d.stride);
        continue;
      }
    }
    job.dimensions[job.rank++] = d;
  }
  return job;
}

std::uint64_t bits_of(DType dtype, double fill) {
  std::uint64_t bits = 0;
  detail::visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    T one{};
    if constexpr (detail::is_half<T>) {
      one = T(static_cast<float>(fill));
    } else {
      one = static_cast<T>(fill);
    }
    std::memcpy(&bits, &one, sizeof(one));  // little-endian, as all devices are
  });
  return bits;
}

}  // namespace

MoveJob permute_job(const Tensor& in, const kernels::Axes& axes) {
  MoveJob::Dimension dimensions[Shape::kMaxRank];
  for (int i = 0; i < axes.rank; ++i) {
    const auto from = static_cast<std::size_t>(axes.axes[static_cast<std::size_t>(i)]);
    dimensions[i] = dimension(in.shape().dims[from], in.strides()[from]);
  }
  return move_job(in.dtype(), dimensions, axes.rank);
}

MoveJob crop_job(const Tensor& in, const kernels::PixelShape& shape,
                 const kernels::TensorCrop& crop, double fill) {
  const auto& [shown, inside] = crop;
  const std::int64_t row = shape.width * shape.channels;
  MoveJob::Dimension dimensions[] = {dimension(shown.height, row),
                                     dimension(shown.width, shape.channels),
                                     dimension(shape.channels, 1)};
  if (inside.height == 0) {
    dimensions[0].end = 0;
  } else {
    dimensions[0].begin = inside.y - shown.y;
    dimensions[0].end = dimensions[0].begin + inside.height;
    dimensions[1].begin = inside.x - shown.x;
    dimensions[1].end = dimensions[1].begin + inside.width;
  }
  MoveJob job = move_job(in.dtype(), dimensions, 3);
  job.first = shown.y * row + shown.x * shape.channels;
  job.fill = bits_of(in.dtype(), fill);
  return job;
}

MoveJob flip_job(const Tensor& in, const kernels::PixelShape& shape, bool horizontal,
                 bool vertical) {
  const std::int64_t row = shape.width * shape.channels;
  const MoveJob::Dimension dimensions[] = {
      dimension(shape.height, vertical ? -row : row),
      dimension(shape.width, horizontal ? -shape.channels : shape.channels),
      dimension(shape.channels, 1)};
  MoveJob job = move_job(in.dtype(), dimensions, 3);
  if (vertical) job.first += (shape.height - 1) * row;
  if (horizontal) job.first += (shape.width - 1) * shape.channels;
  return job;
}

void place_tensor(MoveJob& job, const Tensor& in, Tensor& out) {
  job.in = in.bytes();
  job.in_elements = in.elements();
  job.out = out.bytes();
}

void launch_move(DeviceStream& stream, const Batch<MoveJob>& batch) {
  launch_batch(stream, kMove, batch);
}

ResampleJob resample_job(DType dtype, std::int64_t outer, int length, int out_length,
                         std::int64_t inner, int taps) {
  ResampleJob job;
  job.dtype = dtype;
  job.outer = outer;
  job.length = length;
  job.out_length = out_length;
  job.inner = inner;
  job.taps = taps;
  job.tiles = tensor_tiles(outer * out_length * inner);
  return job;
}

void launch_resample(DeviceStream& stream, const Batch<ResampleJob>& batch) {
  launch_batch(stream, kResample, batch);
}

RotateTensorJob rotate_tensor_job(const Tensor& in, const kernels::PixelShape& shape,
                                  const kernels::RotationGeometry& rotation,
                                  Interpolation interpolation, double fill) {
  RotateTensorJob job;
  job.dtype = in.dtype();
  job.interpolation = interpolation;
  job.in_height = shape.height;
  job.in_width = shape.width;
  job.height = rotation.height;
  job.width = rotation.width;
  job.channels = shape.channels;
  job.fill = fill;
  const kernels::AffineMap& map = rotation.from_canvas;
  job.from = {map.xx, map.xy, map.x0, map.yx, map.yy, map.y0};
  static_cast<void>(tensor_tiles(std::int64_t{job.height} * job.width * job.channels));
  job.tiles = tensor_tiles(std::int64_t{job.height} * job.width);
  return job;
}

void launch_rotate_tensor(DeviceStream& stream, const Batch<RotateTensorJob>& batch) {
  launch_batch(stream, kRotateTensor, batch);
}

NormalizeTensorJob normalize_tensor_job(const Tensor& in, const kernels::PixelShape& shape,
                                        DType dtype, Layout layout) {
  NormalizeTensorJob job;
  job.dtype = in.dtype();
  job.out_dtype = dtype;
  job.planar = layout == Layout::chw;
  job.bytes = static_cast<std::int32_t>(size_of(in.dtype()));
  job.pixels = std::int64_t{shape.height} * shape.width;
  job.channels = shape.channels;
  job.tiles = tensor_tiles(in.elements());
  return job;
}

void launch_normalize_tensor(DeviceStream& stream, const Batch<NormalizeTensorJob>& batch) {
  launch_batch(stream, kNormalizeTensor, batch);
}

namespace {

ElementwiseJob::Side operand(const Tensor& tensor, const Shape& rows, const Strides& strides) {
  ElementwiseJob::Side side;
  side.dtype = tensor.dtype();
  side.bytes = static_cast<std::uint8_t>(size_of(tensor.dtype()));
  side.elements = tensor.bytes();
  side.extent = 1;
  for (int axis = 0; axis < rows.rank; ++axis) {
    side.strides[axis] = strides[static_cast<std::size_t>(axis)];
    side.extent += (rows[axis] - 1) * side.strides[axis];
  }
  return side;
}

// A job for these operands.
ElementwiseJob job_of(const kernels::ElementwisePlan& plan, const Tensor& a, const Tensor& b) {
  ElementwiseJob job;
  job.elements = plan.shape.elements();
  job.tiles = tensor_tiles(job.elements);
  job.rank = plan.rows.rank;
  for (int axis = 0; axis < job.rank; ++axis)
    job.sizes[axis] = static_cast<std::int32_t>(plan.rows[axis]);
  job.sides[0] = operand(a, plan.rows, plan.strides[0]);
  job.sides[1] = operand(b, plan.rows, plan.strides[1]);
  job.dtype = plan.dtype;
  job.out_bytes = static_cast<std::uint8_t>(size_of(plan.dtype));
  return job;
}

// The type in which numbers of this one are computed.
DType computed_type(DType type) {
  if (type == DType::f64) return DType::f64;
  return detail::is_fraction(type) ? DType::f32 : DType::i64;
}

}  // namespace

ElementwiseJob elementwise_job(kernels::Elementwise what, const kernels::ElementwisePlan& plan,
                               const Tensor& a, const Tensor& b, int number) {
  ElementwiseJob job = job_of(plan, a, b);
  job.what = what;
  if (detail::is_comparison(what)) job.kind = ElementwiseJob::Kind::comparison;
  job.computed = computed_type(plan.dtype);
  if (number >= 0) {
    const Tensor& from = number == 0 ? a : b;
    std::memcpy(&job.number, from.bytes(), from.nbytes());  // little-endian, as all devices are
    job.sides[number].elements = nullptr;
  }
  return job;
}

ElementwiseJob cast_job(const kernels::ElementwisePlan& plan, const Tensor& in) {
  ElementwiseJob job = job_of(plan, in, in);
  job.kind = ElementwiseJob::Kind::cast;
  job.computed = computed_type(in.dtype());
  return job;
}

bool may_fail(const ElementwiseJob& job) {
  using enum detail::NumberOperation;
  switch (job.kind) {
    case ElementwiseJob::Kind::comparison:
      return false;
    case ElementwiseJob::Kind::cast:
      return job.dtype != DType::boolean && job.dtype != DType::f64 &&
             (job.dtype != DType::f32 || job.computed == DType::f64);
    default:
      return job.computed == DType::i64 && job.what != minimum && job.what != maximum &&
             !detail::is_bitwise(job.what);
  }
}

void launch_elementwise(DeviceStream& stream, const Batch<ElementwiseJob>& batch) {
  launch_batch(stream, kElementwise, batch);
}

}  // namespace sluice::device
