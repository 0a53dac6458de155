// Choices that a device makes itself, by numbers that the same GPU batch computes.
#include <sluice/cuda/kernels/choose.h>
#include <sluice/cuda/launches.h>
#include <sluice/cuda/operator_families.h>
#include <sluice/cuda/reduce_launch.h>
#include <sluice/graph/plan/device_choice.h>

#include <climits>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace sluice::device {
namespace {

using detail::Comparison;
using detail::DeviceChoice;
using detail::Gather;

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
  void add(const ChooseJob& job, const Gather::Told& told) {
    from_.resize(jobs_.size());
    from_.push_back(told);
    jobs_.push_back(job);
  }
  void clear() noexcept override {
    jobs_.clear();
    from_.clear();
    batch_ = {};
  }
  void write(Gather& gather) override {
    if (jobs_.empty()) return;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const Gather::Told& told = from_[i];
      const auto& launch = static_cast<const ReduceLaunch&>(*told.launch);
      jobs_[i].sums = launch.result(told.place);
      jobs_[i].what = static_cast<std::int32_t>(launch.what(told.place));
      jobs_[i].count = launch.count(told.place);
    }
    batch_ = upload_jobs(gather, jobs_);
  }
  void launch(DeviceStream& stream) override {
    if (!jobs_.empty()) launch_choose(stream, batch_);
  }

 private:
  std::vector<ChooseJob> jobs_;
  std::vector<Gather::Told> from_;  // one for each of jobs_, and perhaps one more
  Batch<ChooseJob> batch_;
};

DeviceGuard choose(Gather& gather, const float& number, const DeviceChoice& how, double other) {
  const Gather::Told told = gather.told(number);
  if (told.launch == nullptr) throw std::logic_error("a choice by a number that nobody tells");
  ChooseJob job;
  job.comparison = static_cast<std::int32_t>(how.comparison);
  job.number_first = how.number_first ? 1 : 0;
  job.other = other;
  job.arm = reinterpret_cast<std::int32_t*>(gather.scratch(sizeof(std::int32_t)));
  gather.launch_of_step<ChooseLaunch>().add(job, told);
  return {job.arm, 0};
}

bool copy(Gather& gather, const void* from, void* to, std::size_t rows, std::size_t bytes) {
  if (bytes > INT_MAX || rows > INT_MAX) return false;
  PixelsJob job = copy_job(static_cast<int>(rows), static_cast<int>(bytes),
                           static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(bytes));
  place_pixels(job, from, to);
  gather.launch_of_step<PixelsLaunch>().add(job);
  return true;
}

}  // namespace

bool add_choices() {
  detail::keep_device_chooser({choose, copy});
  return true;
}

}  // namespace sluice::device
