// Device versions of operators on tensors: cat, reshape, permute, arithmetic and casts; and crop,
// flip, resize, rotate and normalize on tensors of any number of channels.
#include <sluice/cuda/launches.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/elementwise.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/resizer.h>
#include <sluice/ops/kernels/tensor_images.h>
#include <sluice/ops/kernels/tensors.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/ops/normalize.h>
#include <sluice/ops/parameters.h>
#include <sluice/ops/tensors.h>
#include <sluice/runtime/memory.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice::device {
namespace {

using detail::add_device_version;
using detail::DeviceBatch;
using detail::Levels;
using kernels::Elementwise;
using kernels::PixelShape;
using Sizes = std::array<float, Shape::kMaxRank>;

void check_elements(const char* op, const Tensor& tensor) {
  if (!tensor.contiguous())
    throw std::invalid_argument(std::string(op) + ": on a GPU the elements must lie side by side");
}

// Copies a tensor's bytes in `pieces` pieces, which begin `stride` bytes apart at `to`.
void add_pieces(DeviceBatch& device_batch, const char* op, const Tensor& from, std::int64_t pieces,
                std::size_t stride, std::byte* to) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const auto bytes = static_cast<std::int64_t>(from.nbytes()) / pieces;
  if (bytes == 0) return;
  if (bytes > kMost || pieces > kMost)
    throw std::invalid_argument(std::string(op) + ": the tensor is too large for a GPU");
  CopyPixelsJob job = copy_job(static_cast<int>(pieces), static_cast<int>(bytes), bytes,
                               static_cast<std::int64_t>(stride));
  place_pixels(job, from.bytes(), to);
  device_batch.launch_of_step<CopyPixelsLaunch>().add(job);
}

void add_joined() {
  add_device_version(detail::cat_operator(), [](DeviceBatch& device_batch, const Tensor& a,
                                                const Tensor& b, std::int32_t axis, Tensor& out) {
    const kernels::Joined plan = kernels::joined(a, b, axis);
    check_elements("cat", a);
    check_elements("cat", b);
    out.create(plan.shape, a.dtype(), plan.layout);
    if (out.nbytes() == 0) return;
    const auto pieces = static_cast<std::size_t>(plan.pieces);
    const std::size_t stride = out.nbytes() / pieces;
    add_pieces(device_batch, "cat", a, plan.pieces, stride, out.bytes());
    add_pieces(device_batch, "cat", b, plan.pieces, stride, out.bytes() + a.nbytes() / pieces);
  });
  add_device_version(
      detail::reshape_operator(),
      [](DeviceBatch& device_batch, const Tensor& in, std::int32_t rank,
         const std::array<float, Shape::kMaxRank>& sizes, Layout layout, Tensor& out) {
        kernels::NewShape shape{.rank = rank, .layout = layout};
        std::transform(sizes.begin(), sizes.end(), shape.sizes.begin(),
                       [](float size) { return static_cast<std::int64_t>(size); });
        const Shape to = kernels::reshaped(in, shape);
        check_elements("reshape", in);
        out.create(to, in.dtype(), layout);
        if (out.nbytes() != 0)
          add_pieces(device_batch, "reshape", in, 1, out.nbytes(), out.bytes());
      });
}

void add_move(DeviceBatch& device_batch, const char* op, MoveJob job, const Tensor& in,
              Tensor& out) {
  check_elements(op, in);
  if (out.nbytes() == 0) return;
  place_tensor(job, in, out);
  device_batch.launch_of_step<MoveLaunch>().add(job);
}

void add_moved() {
  add_device_version(
      detail::permute_operator(), [](DeviceBatch& device_batch, const Levels& data,
                                     std::int32_t rank, const Sizes& numbers, Tensor& out) {
        kernels::Axes axes{.rank = rank};
        std::transform(numbers.begin(), numbers.end(), axes.axes.begin(),
                       [](float axis) { return static_cast<int>(axis); });
        const ValueSpec spec = kernels::permuted(data.tensor, axes);
        out.create(spec.shape, spec.dtype, spec.layout);
        add_move(device_batch, "permute", permute_job(data.tensor, axes), data.tensor, out);
      });
  const auto crop = [](DeviceBatch& device_batch, const Tensor& in, const Rectangle& region,
                       OutOfBounds what, double fill, Tensor& out) {
    const PixelShape shape = kernels::pixel_shape("crop", in);
    const kernels::TensorCrop plan = kernels::tensor_crop(in, region, what, fill);
    out.create({plan.shown.height, plan.shown.width, shape.channels}, in.dtype(), Layout::hwc);
    add_move(device_batch, "crop", crop_job(in, shape, plan, fill), in, out);
  };
  add_device_version(
      detail::crop_tensor_operator(),
      [crop](DeviceBatch& device_batch, const Tensor& in, const Rectangle& region, OutOfBounds what,
             Tensor& out) { crop(device_batch, in, region, what, 0, out); });
  add_device_version(
      detail::crop_padded_tensor_operator(),
      [crop](DeviceBatch& device_batch, const Tensor& in, const Rectangle& region, double fill,
             Tensor& out) { crop(device_batch, in, region, OutOfBounds::pad, fill, out); });
  add_device_version(
      detail::flip_tensor_operator(),
      [](DeviceBatch& device_batch, const Tensor& in, bool horizontal, bool vertical, Tensor& out) {
        const PixelShape shape = kernels::pixel_shape("flip", in);
        out.create({shape.height, shape.width, shape.channels}, in.dtype(), Layout::hwc);
        add_move(device_batch, "flip", flip_job(in, shape, horizontal, vertical), in, out);
      });
}

// An Image that shows a tensor, for the kernels of images. Its memory is on the device.
Image image_of(const Tensor& in, const PixelShape& shape) {
  auto* const pixels = const_cast<std::byte*>(in.bytes());  // only read
  return Image::view(reinterpret_cast<std::uint8_t*>(pixels), shape.height, shape.width,
                     static_cast<int>(shape.channels), shape.width * shape.channels);
}

// Adds the weights of an axis, or the places that `nearest` copies, to device memory.
void place_weights(DeviceBatch& device_batch, const kernels::ResizeTable& table, ResampleJob& job,
                   int first) {
  const auto places = static_cast<std::size_t>(job.out_length);
  std::vector<std::int32_t> starts(places), counts(places);
  std::vector<double> weights(places * static_cast<std::size_t>(job.taps));
  for (std::size_t i = 0; i < places; ++i) {
    const auto place = static_cast<int>(i);
    starts[i] = table.start(place) - first;
    counts[i] = table.count(place);
    std::copy_n(table.exact_weights(place), counts[i],
                weights.begin() + static_cast<std::ptrdiff_t>(i) * job.taps);
  }
  job.starts = upload_all(device_batch, starts.data(), places);
  job.counts = upload_all(device_batch, counts.data(), places);
  job.weights = upload_all(device_batch, weights.data(), weights.size());
}

int most_taps(const kernels::ResizeTable& table, int length) {
  int most = 1;
  for (int i = 0; i < length; ++i) most = std::max(most, table.count(i));
  return most;
}

// First along rows, then along columns, as in tensor_images.cpp. Nearest copies the needed rows
// first.
void resample(DeviceBatch& device_batch, const Tensor& in, const PixelShape& shape,
              const kernels::Box& box, const ImageSize& size, const kernels::ResizeFilter& filter,
              Tensor& out) {
  const auto bytes = static_cast<std::int64_t>(size_of(in.dtype()));
  const std::int64_t in_row = shape.width * shape.channels, out_row = size.width * shape.channels;
  ResampleJob first, second;
  std::int64_t between = 0;  // elements of the first one's result
  if (filter.interpolation == Interpolation::nearest) {
    std::vector<int> columns, rows;
    kernels::build_nearest(columns, shape.width, {box.x, box.width}, size.width);
    kernels::build_nearest(rows, shape.height, {box.y, box.height}, size.height);
    first = resample_job(in.dtype(), 1, shape.height, size.height, in_row, 0);
    second = resample_job(in.dtype(), size.height, shape.width, size.width, shape.channels, 0);
    first.starts = upload_all(device_batch, rows.data(), rows.size());
    second.starts = upload_all(device_batch, columns.data(), columns.size());
    first.in = in.bytes();
    between = size.height * in_row;
  } else {
    kernels::ResizeTable columns, rows;
    columns.build(shape.width, {box.x, box.width}, size.width, filter, false, 1);
    rows.build(shape.height, {box.y, box.height}, size.height, filter, false, 1);
    const int begin = rows.start(0);
    const int height = rows.start(size.height - 1) + rows.count(size.height - 1) - begin;
    first = resample_job(in.dtype(), height, shape.width, size.width, shape.channels,
                         most_taps(columns, size.width));
    second =
        resample_job(in.dtype(), 1, height, size.height, out_row, most_taps(rows, size.height));
    place_weights(device_batch, columns, first, 0);
    place_weights(device_batch, rows, second, begin);
    first.in = in.bytes() + begin * in_row * bytes;
    between = height * out_row;
  }
  first.out = device_batch.scratch(static_cast<std::size_t>(between * bytes));
  second.in = first.out;
  second.out = out.bytes();
  auto& launch = device_batch.launch_of_step<ResizeTensorLaunch>();
  launch.add<1>(first);
  launch.add<2>(second);
}

void add_resized() {
  add_device_version(
      detail::resize_tensor_operator(),
      [](DeviceBatch& device_batch, const Tensor& in, std::int32_t height, std::int32_t width,
         std::int32_t shorter, ResizeMode mode, std::int32_t max_size, float start_y, float start_x,
         float end_y, float end_x, bool relative, Interpolation interpolation, bool antialias,
         Tensor& out) {
        const PixelShape shape = kernels::pixel_shape("resize", in);
        const auto [box, size] = kernels::plan_resize(
            {height, width, shorter, mode, max_size, start_y, start_x, end_y, end_x, relative},
            shape.height, shape.width);
        kernels::check_size("resize", size.height, size.width);
        kernels::check_blended("resize", in.dtype());
        check_elements("resize", in);
        const kernels::ResizeFilter filter{interpolation, antialias};
        out.create({size.height, size.width, shape.channels}, in.dtype(), Layout::hwc);
        if (!shape.is_image(in.dtype()))
          return resample(device_batch, in, shape, box, size, filter, out);
        ResizeJob job =
            resize_job(shape.height, shape.width, box, filter, false,
                       pixels_out(size.height, size.width, static_cast<int>(shape.channels)));
        const Image image = image_of(in, shape);
        place_resize(job, image.data(), image.row_stride(), out.bytes(),
                     device_batch.scratch(resize_scratch(job)));
        device_batch.launch_of_step<ResizeTensorLaunch>().add<0>(job);
      });
}

void add_rotated() {
  add_device_version(
      detail::rotate_tensor_operator(),
      [](DeviceBatch& device_batch, const Tensor& in, float degrees, bool keep_size, double fill,
         Interpolation interpolation, Tensor& out) {
        const PixelShape shape = kernels::pixel_shape("rotate", in);
        const kernels::RotationGeometry rotation =
            kernels::tensor_rotation(in, degrees, {keep_size, fill, interpolation});
        check_elements("rotate", in);
        out.create({rotation.height, rotation.width, shape.channels}, in.dtype(), Layout::hwc);
        auto& launch = device_batch.launch_of_step<RotateTensorLaunch>();
        if (!shape.is_image(in.dtype())) {
          RotateTensorJob job = rotate_tensor_job(in, shape, rotation, interpolation, fill);
          job.in = in.bytes();
          job.out = out.bytes();
          return launch.add<2>(job);
        }
        const auto channels = static_cast<int>(shape.channels);
        const Image image = image_of(in, shape);
        const kernels::WarpOptions options{interpolation, Border::constant,
                                           Fill(static_cast<int>(fill))};
        const kernels::AffineMap& from = rotation.from_canvas;
        if (interpolation == Interpolation::bicubic) {
          Image rotated = image_of(out, {rotation.height, rotation.width, shape.channels});
          RemapJob job = remap_job(image_in(image), image_out(rotated), options);
          from_matrix(job, {from.xx, from.xy, from.x0, from.yx, from.yy, from.y0, 0, 0, 1});
          return launch.add<1>(job);
        }
        WarpJob job = warp_job(shape.height, shape.width, from, options,
                               pixels_out(rotation.height, rotation.width, channels));
        place_warp(job, image.data(), image.row_stride(), out.bytes());
        launch.add<0>(job);
      });
}

void add_normalized() {
  constexpr std::size_t kMostChannels = 16;
  using Channels = std::array<float, kMostChannels>;
  add_device_version(
      detail::normalize_tensor_operator(),
      [](DeviceBatch& device_batch, const Tensor& in, std::int32_t means, const Channels& mean,
         std::int32_t deviations, const Channels& std, DType dtype, Layout layout, Tensor& out) {
        const PixelShape shape = kernels::pixel_shape("normalize", in);
        const std::vector<kernels::Normalization> all =
            kernels::normalizations(in, {{mean.data(), static_cast<std::size_t>(means)},
                                         {std.data(), static_cast<std::size_t>(deviations)},
                                         dtype,
                                         layout});
        check_elements("normalize", in);
        out.create(layout == Layout::chw ? Shape{shape.channels, shape.height, shape.width}
                                         : Shape{shape.height, shape.width, shape.channels},
                   dtype, layout);
        std::vector<double> numbers;
        for (const kernels::Normalization& one : all) numbers.push_back(one.offset);
        for (const kernels::Normalization& one : all) numbers.push_back(one.factor);
        NormalizeTensorJob job = normalize_tensor_job(in, shape, dtype, layout);
        job.offsets = upload_all(device_batch, numbers.data(), numbers.size());
        job.factors = job.offsets + all.size();
        job.in = in.bytes();
        job.out = out.bytes();
        device_batch.launch_of_step<NormalizeTensorLaunch>().add(job);
      });
}

// Arithmetic and casts. If an element has no result, the sample is given back; its step then runs
// on the host and throws.
class ElementwiseLaunch : public JobsLaunch<ElementwiseJob, launch_elementwise> {
 public:
  void add(DeviceBatch& device_batch, const ElementwiseJob& job) {
    detail::Sample& sample = device_batch.sample();
    samples_.resize(jobs_.size());
    samples_.push_back({&sample, sample.running()});
    flagged_ = flagged_ || may_fail(job);
    JobsLaunch::add(job);
  }
  void clear() noexcept override {
    JobsLaunch::clear();
    samples_.clear();
    flagged_ = false;
  }
  void write(DeviceBatch& device_batch) override {
    if (flagged_) {
      flags_ = reinterpret_cast<std::uint32_t*>(device_batch.scratch(bytes()));
      if (told_.size() < bytes()) told_ = device_batch.pinned().allocate(bytes());
      device_batch.will_download(bytes());
      for (std::size_t i = 0; i < jobs_.size(); ++i) {
        if (may_fail(jobs_[i])) jobs_[i].failed = flags_ + i;
      }
    }
    JobsLaunch::write(device_batch);
  }
  void launch(DeviceStream& stream) override {
    if (flagged_) stream.fill(flags_, 0, bytes());
    JobsLaunch::launch(stream);
  }
  void tell(DeviceStream& stream) override {
    if (flagged_) stream.copy(told_.data(), flags_, bytes());
  }
  void check(DeviceBatch& device_batch) override {
    if (!flagged_) return;
    const auto* const told = reinterpret_cast<const std::uint32_t*>(told_.data());
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (told[i] != 0) device_batch.give_back(*samples_[i].sample, *samples_[i].step);
    }
  }

 private:
  struct Adder {
    detail::Sample* sample;
    const detail::Step* step;
  };
  std::size_t bytes() const { return jobs_.size() * sizeof(std::uint32_t); }

  std::vector<Adder> samples_;  // one for each of jobs_, and perhaps one more
  bool flagged_ = false;        // a job may fail
  std::uint32_t* flags_ = nullptr;
  Buffer told_;
};

// Throws the error of a sample that was given back. The device reports that an element failed, not
// which one, and its inputs are released by now.
[[noreturn]] void throw_failed(Elementwise what) {
  const std::string name = name_of(what);
  const std::string advice = "; on a CPU the message names the numbers";
  switch (what) {
    case Elementwise::floor_divide:
    case Elementwise::remainder:
    case Elementwise::modulo:
      throw std::domain_error(name +
                              ": a number is divided by zero, or a result does not fit into the "
                              "type of the tensor" +
                              advice);
    case Elementwise::power:
      throw std::domain_error(name +
                              ": an exponent is negative, or a result does not fit into the type "
                              "of the tensor" +
                              advice);
    default:
      throw std::overflow_error(name +
                                ": a result does not fit into the type of the tensor; cast to a "
                                "wider or a signed type first" +
                                advice);
  }
}

void add_elementwise(DeviceBatch& device_batch, Elementwise what, const Tensor& a, const Tensor& b,
                     const kernels::ElementwisePlan& plan, int number, Tensor& out) {
  out.create(plan.shape, plan.dtype, plan.layout);
  if (out.nbytes() == 0) return;
  ElementwiseJob job = elementwise_job(what, plan, a, b, number);
  job.out = out.bytes();
  device_batch.launch_of_step<ElementwiseLaunch>().add(device_batch, job);
}

void add_function(Elementwise what, const detail::OperatorPtr& op) {
  add_device_version(op, [what](DeviceBatch& device_batch, const Levels& data, Tensor& out) {
    if (device_batch.on_host()) throw_failed(what);
    const Tensor& in = data.tensor;
    const DType type = kernels::elementwise_type(what, in.dtype(), in.dtype());
    add_elementwise(device_batch, what, in, in, kernels::plan_elementwise(in, type), -1, out);
  });
}

void add_arithmetic() {
  add_device_version(
      detail::elementwise_operator(), [](DeviceBatch& device_batch, const Levels& a,
                                         const Levels& b, Elementwise what, Tensor& out) {
        if (device_batch.on_host()) throw_failed(what);
        add_elementwise(device_batch, what, a.tensor, b.tensor,
                        kernels::plan_elementwise(what, a.tensor, b.tensor), -1, out);
      });
  add_device_version(detail::elementwise_number_operator(),
                     [](DeviceBatch& device_batch, const Levels& data, double number,
                        Elementwise what, bool whole, bool number_first, Tensor& out) {
                       if (device_batch.on_host()) throw_failed(what);
                       const Tensor beside = [&] {
                         const BufferPoolScope in_host_memory(device_batch.pinned());
                         return kernels::number_beside(what, data.tensor.dtype(), number, whole);
                       }();
                       const Tensor& a = number_first ? beside : data.tensor;
                       const Tensor& b = number_first ? data.tensor : beside;
                       add_elementwise(device_batch, what, a, b,
                                       kernels::plan_elementwise(what, a, b), number_first ? 0 : 1,
                                       out);
                     });
  add_function(Elementwise::absolute, detail::absolute_elements_operator());
  add_function(Elementwise::square_root, detail::sqrt_elements_operator());
  add_function(Elementwise::exponential, detail::exp_elements_operator());
  add_function(Elementwise::logarithm, detail::log_elements_operator());
  add_device_version(
      detail::cast_elements_operator(),
      [](DeviceBatch& device_batch, const Levels& data, DType to, Tensor& out) {
        if (device_batch.on_host()) {
          throw std::range_error(std::string("cast: an element does not fit into '") + name_of(to) +
                                 "'; clamp it, or cast to a wider type; on a CPU the message names "
                                 "the number");
        }
        const kernels::ElementwisePlan plan = kernels::plan_elementwise(data.tensor, to);
        out.create(plan.shape, to, plan.layout);
        if (out.nbytes() == 0) return;
        ElementwiseJob job = cast_job(plan, data.tensor);
        job.out = out.bytes();
        device_batch.launch_of_step<ElementwiseLaunch>().add(device_batch, job);
      });
}

}  // namespace

void add_tensor_operators() {
  add_arithmetic();
  add_joined();
  add_moved();
  add_resized();
  add_rotated();
  add_normalized();
}

}  // namespace sluice::device
