// Evaluation: runs a plan for single samples on the calling thread, without a pipeline.
//
//   Evaluation evaluation(builder.take());
//   const Evaluation::Result result = evaluation.run(seed);
//   if (result.sample().error() == nullptr) use(result.sample().get<Image>(slot));
//
// A sample has key 0 of epoch 0, so its draws depend on the seed only. Its steps run as in a
// pipeline: the passes have fused them, and only the branches that it takes run.
//
// Ownership: owns the plan, and as many Sample objects as calls ran at once. A Result refers to the
// Evaluation. Threads: any number of calls at once; a Result belongs to one thread. Errors: the
// constructor throws BuildError for a plan that is not valid or that has steps on a device. A step
// that throws ends its sample: see Sample::error().
#pragma once

#include <sluice/graph/exec/runner.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/plan.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace sluice::detail {

// Walk: runs all nodes of a block for a sample, one after the other.
class Walk {
 public:
  Walk(Runner& runner, Sample& sample) : runner_(runner), sample_(sample) {}
  virtual ~Walk() = default;
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  void run(const Block& block);

 protected:
  // Called when the sample has made these values.
  virtual void made(const std::vector<SlotId>&) {}
  // Called when a loop has passed its values on to the next iteration.
  virtual void carried(const Loop&) {}

 private:
  void run_node(const Stage& stage);
  void run_node(const Choice& choice);
  void run_node(const Loop& loop);

  Runner& runner_;
  Sample& sample_;
};

class Evaluation {
 public:
  explicit Evaluation(Plan recorded);

  class Result {
   public:
    Result(Result&&) noexcept = default;
    ~Result();
    Sample& sample() const { return *sample_; }

   private:
    friend class Evaluation;
    Result(Evaluation& of, std::unique_ptr<Sample> sample) : of_(&of), sample_(std::move(sample)) {}
    Evaluation* of_;
    std::unique_ptr<Sample> sample_;
  };
  Result run(std::uint64_t seed);

 private:
  const Plan plan_;
  Runner runner_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Sample>> idle_;
};

}  // namespace sluice::detail
