#include <sluice/cuda/launches.h>
#include <sluice/cuda/operator_families.h>
#include <sluice/graph/builder/device_version.h>
#include <sluice/ops/kernels/tensors.h>
#include <sluice/ops/tensors.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace sluice::device {
namespace {

using detail::add_device_version;
using detail::Gather;

void check_elements(const char* op, const Tensor& tensor) {
  if (!tensor.contiguous())
    throw std::invalid_argument(std::string(op) + ": on a GPU the elements must lie side by side");
}

// Copies a tensor's bytes in `pieces` pieces, which begin `stride` bytes apart at `to`.
void add_pieces(Gather& gather, const char* op, const Tensor& from, std::int64_t pieces,
                std::size_t stride, std::byte* to) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const auto bytes = static_cast<std::int64_t>(from.nbytes()) / pieces;
  if (bytes == 0) return;
  if (bytes > kMost || pieces > kMost)
    throw std::invalid_argument(std::string(op) + ": the tensor is too large for a GPU");
  PixelsJob job = copy_job(static_cast<int>(pieces), static_cast<int>(bytes), bytes,
                           static_cast<std::int64_t>(stride));
  place_pixels(job, from.bytes(), to);
  gather.launch_of_step<PixelsLaunch>().add(job);
}

}  // namespace

bool add_tensors() {
  add_device_version(detail::cat_operator(), [](Gather& gather, const Tensor& a, const Tensor& b,
                                                std::int32_t axis, Tensor& out) {
    const kernels::Joined plan = kernels::joined(a, b, axis);
    check_elements("cat", a);
    check_elements("cat", b);
    out.create(plan.shape, a.dtype(), plan.layout);
    if (out.nbytes() == 0) return;
    const auto pieces = static_cast<std::size_t>(plan.pieces);
    const std::size_t stride = out.nbytes() / pieces;
    add_pieces(gather, "cat", a, plan.pieces, stride, out.bytes());
    add_pieces(gather, "cat", b, plan.pieces, stride, out.bytes() + a.nbytes() / pieces);
  });
  add_device_version(
      detail::reshape_operator(),
      [](Gather& gather, const Tensor& in, std::int32_t rank,
         const std::array<float, Shape::kMaxRank>& sizes, Layout layout, Tensor& out) {
        kernels::NewShape shape{.rank = rank, .layout = layout};
        std::transform(sizes.begin(), sizes.end(), shape.sizes.begin(),
                       [](float size) { return static_cast<std::int64_t>(size); });
        const Shape to = kernels::reshaped(in, shape);
        check_elements("reshape", in);
        out.create(to, in.dtype(), layout);
        if (out.nbytes() != 0) add_pieces(gather, "reshape", in, 1, out.nbytes(), out.bytes());
      });
  return true;
}

}  // namespace sluice::device
