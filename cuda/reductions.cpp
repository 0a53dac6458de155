#include <sluice/cuda/kernels/reduce.h>
#include <sluice/cuda/operator_families.h>
#include <sluice/graph/builder/device_version.h>
#include <sluice/ops/reductions/levels_input.h>
#include <sluice/ops/reductions/reductions.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace sluice::device {
namespace {

using detail::Gather;
using kernels::Reduction;

// The numbers of all samples: one launch, and one copy back.
class ReduceLaunch : public detail::StepLaunch {
 public:
  void add(const ReduceJob& job, Reduction what, float& number) {
    jobs_.push_back(job);
    numbers_.push_back({what, job.rows * job.bytes, &number});
  }
  void clear() noexcept override {
    jobs_.clear();
    numbers_.clear();
    batch_ = {};
  }
  void write(Gather& gather) override {
    if (jobs_.empty()) return;
    const auto count = static_cast<int>(jobs_.size());
    results_ = reinterpret_cast<ReduceResult*>(gather.scratch(bytes()));
    if (told_.size() < bytes()) told_ = gather.pinned().allocate(bytes());
    const Gather::Upload at = gather.upload(JobBlock<ReduceJob>::bytes(count));
    JobBlock<ReduceJob> block(at.host, count);
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      jobs_[i].result = results_ + i;
      block.add(jobs_[i]);
    }
    batch_ = block.on_device(at.device);
  }
  void launch(DeviceStream& stream) override {
    if (jobs_.empty()) return;
    stream.fill(results_, 0, bytes());
    launch_reduce(stream, batch_);
    stream.copy(told_.data(), results_, bytes());
  }
  void check(Gather&) override {
    const auto* const told = reinterpret_cast<const ReduceResult*>(told_.data());
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const Number& number = numbers_[i];
      *number.to = kernels::reduced(number.what, sums_of(told[i]), number.count);
    }
  }

 private:
  struct Number {
    Reduction what;
    std::int64_t count;
    float* to;  // in the sample
  };
  std::size_t bytes() const { return jobs_.size() * sizeof(ReduceResult); }

  std::vector<ReduceJob> jobs_;
  std::vector<Number> numbers_;
  ReduceResult* results_ = nullptr;
  Buffer told_;
  Batch<ReduceJob> batch_;
};

}  // namespace

bool add_reductions() {
  for (const Reduction what :
       {Reduction::mean, Reduction::min, Reduction::max, Reduction::standard_deviation}) {
    detail::add_device_version(
        detail::reduction_operator(what),
        [what](Gather& gather, const detail::Levels& in, float& number) {
          kernels::check_levels(what, in.tensor);
          kernels::LevelRows rows;
          if (!kernels::lies_in_rows(in.tensor, rows))
            throw std::invalid_argument("the elements of a row must lie side by side");
          gather.launch_of_step<ReduceLaunch>().add(reduce_job(rows), what, number);
        });
  }
  return true;
}

}  // namespace sluice::device
