// ReduceLaunch: computes numbers, such as a mean, from the images of all samples of a GPU batch:
// one launch, and one copy back.
//
// Ownership: belongs to the Gather. Threads: one. Errors: as Gather says.
#pragma once

#include <sluice/cuda/kernels/reduce.h>
#include <sluice/cuda/uploads.h>
#include <sluice/graph/plan/gather.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::device {

class ReduceLaunch : public detail::StepLaunch {
 public:
  void add(detail::Gather& gather, const ReduceJob& job, kernels::Reduction what, float& number) {
    gather.will_tell({&number, this, jobs_.size()});
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
  void write(detail::Gather& gather) override {
    if (jobs_.empty()) return;
    results_ = reinterpret_cast<ReduceResult*>(gather.scratch(bytes()));
    if (told_.size() < bytes()) told_ = gather.pinned().allocate(bytes());
    for (std::size_t i = 0; i < jobs_.size(); ++i) jobs_[i].result = results_ + i;
    batch_ = upload_jobs(gather, jobs_);
  }
  void launch(DeviceStream& stream) override {
    if (jobs_.empty()) return;
    stream.fill(results_, 0, bytes());
    launch_reduce(stream, batch_);
  }
  void tell(DeviceStream& stream) override {
    if (!jobs_.empty()) stream.copy(told_.data(), results_, bytes());
  }
  void check(detail::Gather&) override {
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

}  // namespace sluice::device
