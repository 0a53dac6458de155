// Device versions of operators for numbers: reductions, and choices by them.
#include <sluice/cuda/gpu.h>
#include <sluice/cuda/kernels/color.h>
#include <sluice/cuda/launches.h>
#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/exec/device_batch.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/ops/parameters.h>
#include <sluice/ops/reductions.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice::device {
namespace {

using detail::add_device_version;
using detail::DeviceBatch;
using kernels::Reduction;

// Computes numbers, such as a mean, from the images of all samples of a GPU batch: one launch, and
// one copy back.
class ReduceLaunch : public detail::StepLaunch {
 public:
  void add(detail::DeviceBatch& device_batch, const ReduceJob& job, kernels::Reduction what,
           float& number) {
    device_batch.will_tell({&number, this, jobs_.size()});
    jobs_.push_back(job);
    numbers_.push_back({what, job.rows * job.bytes, &number});
  }
  // The parts of a number: where its sums are after this launch (valid after write()), the
  // reduction, and the number of pixel values.
  ReduceResult* result(std::size_t place) const { return results_ + place; }
  kernels::Reduction what(std::size_t place) const { return numbers_[place].what; }
  std::int64_t count(std::size_t place) const { return numbers_[place].count; }
  void clear() noexcept override {
    jobs_.clear();
    numbers_.clear();
    batch_ = {};
  }
  void write(detail::DeviceBatch& device_batch) override {
    if (jobs_.empty()) return;
    results_ = reinterpret_cast<ReduceResult*>(device_batch.scratch(bytes()));
    if (told_.size() < bytes()) told_ = device_batch.pinned().allocate(bytes());
    for (std::size_t i = 0; i < jobs_.size(); ++i) jobs_[i].result = results_ + i;
    batch_ = upload_jobs(device_batch, jobs_);
  }
  void launch(DeviceStream& stream) override {
    if (jobs_.empty()) return;
    stream.fill(results_, 0, bytes());
    launch_reduce(stream, batch_);
  }
  void tell(DeviceStream& stream) override {
    if (!jobs_.empty()) stream.copy(told_.data(), results_, bytes());
  }
  void check(detail::DeviceBatch&) override {
    const auto* const told = reinterpret_cast<const ReduceResult*>(told_.data());
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const Number& number = numbers_[i];
      *number.to = kernels::reduced(number.what, sums_of(told[i]), number.count);
    }
  }

 private:
  struct Number {
    kernels::Reduction what;
    std::int64_t count;
    float* to;  // a number in the sample
  };
  std::size_t bytes() const { return jobs_.size() * sizeof(ReduceResult); }

  std::vector<ReduceJob> jobs_;
  std::vector<Number> numbers_;
  ReduceResult* results_ = nullptr;
  Buffer told_;
  Batch<ReduceJob> batch_;
};

void add_reductions() {
  for (const Reduction what :
       {Reduction::mean, Reduction::min, Reduction::max, Reduction::standard_deviation}) {
    add_device_version(detail::reduction_operator(what), [what](DeviceBatch& device_batch,
                                                                const detail::Levels& in,
                                                                float& number) {
      kernels::check_levels(what, in.tensor);
      kernels::LevelRows rows;
      if (!kernels::lies_in_rows(in.tensor, rows))
        throw std::invalid_argument("the elements of a row must lie side by side");
      device_batch.launch_of_step<ReduceLaunch>().add(device_batch, reduce_job(rows), what, number);
    });
  }
}

using detail::Comparison;
using detail::DeviceChoice;

// Choices that a device makes itself, by numbers that the same GPU batch computes.
static_assert(static_cast<int>(kernels::Reduction::mean) == 0 &&
              static_cast<int>(kernels::Reduction::min) == 1 &&
              static_cast<int>(kernels::Reduction::max) == 2 &&
              static_cast<int>(kernels::Reduction::standard_deviation) == 3);
static_assert(static_cast<int>(Comparison::less) == 0 &&
              static_cast<int>(Comparison::greater) == 1 &&
              static_cast<int>(Comparison::less_equal) == 2 &&
              static_cast<int>(Comparison::greater_equal) == 3 &&
              static_cast<int>(Comparison::equal) == 4 &&
              static_cast<int>(Comparison::not_equal) == 5);

class ChooseLaunch : public detail::StepLaunch {
 public:
  void add(const ChooseJob& job, const DeviceBatch::Told& told) {
    from_.resize(jobs_.size());
    from_.push_back(told);
    jobs_.push_back(job);
  }
  void clear() noexcept override {
    jobs_.clear();
    from_.clear();
    batch_ = {};
  }
  void write(DeviceBatch& device_batch) override {
    if (jobs_.empty()) return;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const DeviceBatch::Told& told = from_[i];
      const auto& launch = static_cast<const ReduceLaunch&>(*told.launch);
      jobs_[i].sums = launch.result(told.place);
      jobs_[i].what = static_cast<std::int32_t>(launch.what(told.place));
      jobs_[i].count = launch.count(told.place);
    }
    batch_ = upload_jobs(device_batch, jobs_);
  }
  void launch(DeviceStream& stream) override {
    if (!jobs_.empty()) launch_choose(stream, batch_);
  }

 private:
  std::vector<ChooseJob> jobs_;
  std::vector<DeviceBatch::Told> from_;  // one for each of jobs_, and perhaps one more
  Batch<ChooseJob> batch_;
};

DeviceGuard choose(DeviceBatch& device_batch, const float& number, const DeviceChoice& how,
                   double other) {
  const DeviceBatch::Told told = device_batch.told(number);
  if (told.launch == nullptr)
    throw std::logic_error("a choice by a number that no step of the GPU batch computes");
  ChooseJob job;
  job.comparison = static_cast<std::int32_t>(how.comparison);
  job.number_first = how.number_first ? 1 : 0;
  job.other = other;
  job.branch = reinterpret_cast<std::int32_t*>(device_batch.scratch(sizeof(std::int32_t)));
  device_batch.launch_of_step<ChooseLaunch>().add(job, told);
  return {job.branch, 0};
}

bool copy(DeviceBatch& device_batch, const void* from, void* to, std::size_t rows,
          std::size_t bytes) {
  if (bytes > INT_MAX || rows > INT_MAX) return false;
  CopyPixelsJob job = copy_job(static_cast<int>(rows), static_cast<int>(bytes),
                               static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(bytes));
  place_pixels(job, from, to);
  device_batch.launch_of_step<CopyPixelsLaunch>().add(job);
  return true;
}

}  // namespace

bool add_device_operators() {
  static const bool once = [] {
    add_geometry_operators();
    add_pixel_operators();
    add_decoders();
    add_tensor_operators();
    add_reductions();
    detail::keep_device_chooser({choose, copy});
    return true;
  }();
  return once;
}

}  // namespace sluice::device
