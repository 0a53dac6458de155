// DeviceBatchPlan, DeviceDemand and DeviceWork: what a pipeline's GPU batches have in common. A
// DeviceBatchPlan lists the steps that run in one GPU batch. DeviceDemand decides when samples
// begin. DeviceWork holds the pipeline's resources on its device. Internal to graph/exec/.
#pragma once

#include <sluice/graph/exec/device_batch.h>
#include <sluice/graph/exec/sample.h>
#include <sluice/graph/flow/poller.h>
#include <sluice/graph/plan/plan.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace sluice::detail {

// DeviceBatchPlan: the parts of a plan that run in one GPU batch: the steps of a stage, or of
// neighboring nodes that join_device_batches has joined, with choices among them. A sample passes
// through the parts from the first. A step leads to the next part, a choice to the first part of a
// branch, the end of a branch to the part after the choice. So a GPU batch has the jobs of a step
// only for samples that reach it.
//
// A sample stops at a part that needs a number computed in its own GPU batch. When that batch is
// over, the sample is added to another GPU batch of the same parts and continues there. At a choice
// that the device makes, it does not stop: the jobs of both branches are added.
//
// Ownership: refers to the plan, which outlives it. Threads: immutable. Errors: std::bad_alloc in
// the constructors.
class DeviceBatchPlan {
 public:
  // A step, or a choice, which has branches, or the end of one of its branches.
  struct Part {
    const Step* step = nullptr;
    const Choice* choice = nullptr;
    std::size_t number = 0;             // of the step in the GPU batch, or of the branch that ends
    std::size_t next = 0;               // the next part
    bool stops = false;                 // needs numbers that the GPU batch computes
    std::size_t told = 0;               // the last part that computes one of them
    std::vector<std::size_t> branches;  // the first part of each branch
    // For a choice that the device makes: the steps of its branches are numbered between `number`
    // and `last`, the device's work before and after them. `behind` is the part after the choice.
    std::size_t last = 0, behind = 0;
    // True if a sample that began at the part `from` must wait here.
    bool waits(std::size_t from) const { return stops && told >= from; }
  };

  explicit DeviceBatchPlan(const Stage& stage);
  // The first node must be a stage of device steps.
  explicit DeviceBatchPlan(std::span<const Node> nodes);

  const std::vector<Part>& parts() const { return parts_; }
  // The steps of all branches, in the order in which the device runs them.
  const std::vector<const Step*>& steps() const { return steps_; }
  const Step& front() const { return *steps_.front(); }
  // True if a sample may need several GPU batches.
  bool stops() const;
  // The number of steps of one branch, which contains no choices.
  std::size_t steps_in(const Part& part, std::size_t branch) const;

  // Follows the path of an added sample from its first to its last part. Calls on_step(const
  // Step&), and on_branch(const Branch&, branch) for each branch taken.
  template <class OnStep, class OnBranch>
  void follow(const Sample& sample, const OnStep& on_step, const OnBranch& on_branch) const {
    std::size_t taken = sample.wait.branches_before, steps = sample.wait.steps;
    for (std::size_t at = sample.wait.from; at < parts_.size();) {
      const Part& part = parts_[at];
      at = part.next;
      if (part.step != nullptr) {
        if (steps-- == 0) return;
        on_step(*part.step);
      } else if (!part.branches.empty()) {
        if (taken == sample.execution_path.length()) return;
        const std::size_t branch = sample.execution_path.branch(taken++);
        on_branch(*part.choice, branch);
        at = part.branches[branch];
      }
    }
  }

 private:
  void add(const Stage& stage);
  void add(const Choice& choice);
  void add(std::span<const Node> nodes);
  // The last part that computes one of these numbers.
  std::size_t told_at(const Arguments& numbers) const;

  std::vector<Part> parts_;
  std::vector<const Step*> steps_;
  std::map<SlotId, std::size_t> makers_;  // the parts that make values on the device
};

// DeviceDemand: decides when samples that come from the host begin on the device.
//
// Problem: a network that trains on the same GPU has kernels that need all multiprocessors at once,
// such as cuDNN's batch normalization. They cannot start while one block of our kernels runs. So
// the network stalls for almost the whole duration of a GPU batch, whatever its size. Many small
// GPU batches cost it more than a few large ones.
//
// Solution: samples wait while the consumer has enough batches. When it has no more than a reserve,
// all that wait begin, a burst:
//
//     supply = samples of complete batches + samples at work on the device
//     samples begin if the consumer waits for a batch, or if supply <= reserve
//
// The reserve is one batch at first. If the consumer has to wait although the supply exceeds the
// reserve, the last burst began too late. The reserve then grows by one batch, up to half of the
// window. A consumer that is faster than the pipeline waits all the time, so samples begin at once,
// as without this rule. The first samples of an epoch also begin at once, and a single one: the
// supply is 0.
//
// Ownership: refers to its listeners. Threads: any; reset() and listen() while no sample runs.
// Errors: none.
class DeviceDemand {
 public:
  // Called when samples that waited may begin.
  class Listener {
   public:
    virtual void wake() noexcept = 0;

   protected:
    ~Listener() = default;
  };

  void listen(Listener& listener) { listeners_.push_back(&listener); }
  // Begins an epoch. Keeps the reserve that it has learned.
  void reset(std::int64_t batch_size, std::int64_t window) noexcept {
    batch_size_ = batch_size;
    most_ = std::max(batch_size, window / 2);
    complete_.store(0);
    waits_.store(false);
    released_.store(false);
    std::int64_t none = 0;
    reserve_.compare_exchange_strong(none, batch_size);
  }

  // The most samples in a GPU batch. While the consumer waits, several smaller ones run at the same
  // time, and the first ends sooner. In a burst only the total time counts, so larger ones are
  // better.
  static constexpr std::size_t kMostWhileAwaited = 128, kMostInBurst = 512;
  // The limit for a GPU batch that begins now; 0: no new samples begin. `may_wait`: the samples may
  // wait for a burst.
  std::size_t most_now(bool may_wait) const {
    if (may_wait && has_enough()) return 0;
    return waits_.load() ? kMostWhileAwaited : kMostInBurst;
  }
  bool consumer_waits() const { return waits_.load(); }
  // True if the consumer has enough batches.
  bool has_enough() const {
    return !waits_.load() && !released_.load() && supply() > reserve_.load();
  }

  // Samples have started on the device, or finished there.
  void started(std::size_t samples) { at_work_.fetch_add(static_cast<std::int64_t>(samples)); }
  void finished(std::size_t samples) {
    at_work_.fetch_sub(static_cast<std::int64_t>(samples));
    wake();
  }
  // The number of complete batches that the consumer has not taken.
  void set_complete(std::int64_t batches) { complete_.store(batches); }
  void set_waits(bool waits) {
    if (waits && has_enough()) reserve_.store(std::min(reserve_.load() + batch_size_, most_));
    waits_.store(waits);
    if (waits) wake();
  }
  // After a cancellation: all samples that wait begin, so that the epoch can end.
  void release_all() {
    released_.store(true);
    wake();
  }
  void wake() const noexcept {
    for (Listener* const each : listeners_) each->wake();
  }

 private:
  std::int64_t supply() const { return complete_.load() * batch_size_ + at_work_.load(); }

  std::vector<Listener*> listeners_;
  std::int64_t batch_size_ = 1, most_ = 1;
  std::atomic<std::int64_t> complete_{0}, at_work_{0}, reserve_{0};
  std::atomic<bool> waits_{false}, released_{false};
};

// DeviceWork: a pipeline's resources on its device: memory, and the thread that polls for completed
// GPU batches.
//
// Ownership: owns both; shares the device. Outlives the stages that use it, and the samples with
// values on the device. Threads: any.

class PipelineTrace;

// Keeps device memory for reuse. It may be asked to free it, on any thread.
class DeviceKeeper {
 public:
  virtual void let_go() noexcept = 0;

 protected:
  ~DeviceKeeper() = default;
};

struct DeviceWork {
  // `samples`: the most in flight, all of which may wait for a stage. `max_bytes`, `decoder`: see
  // DeviceMemory.
  DeviceWork(std::shared_ptr<Device> with, std::size_t samples, std::int64_t max_bytes = 0,
             Decoder decoder = Decoder::exact)
      : device(std::move(with)),
        room(samples),
        limited(max_bytes > 0),
        memory(device, max_bytes, decoder) {}

  // False if device memory is limited, or has run out. Then samples do not wait for a burst: it
  // could take the memory that others on the device need to continue.
  bool has_memory() const { return !limited && waiting.load() == 0 && scarce.load() == 0; }

  const std::shared_ptr<Device> device;
  const std::size_t room;
  const bool limited;
  DeviceMemory memory;
  DeviceDemand demand;
  flow::poller completions;
  PipelineTrace* trace = nullptr;      // null: none
  std::vector<DeviceKeeper*> keepers;  // complete before the first sample
  std::atomic<int> launched{0};        // GPU batches at work
  std::atomic<int> waiting{0};         // GPU batches that wait for memory
  // Bytes in use when memory ran out; 0 while no shortage is known. After a shortage, new samples
  // are admitted to the device only while half of this is free, because the samples there need
  // memory to continue.
  std::atomic<std::size_t> scarce{0};
  // The most GPU batches in flight for each stage, and as many again for samples that continue.
  std::size_t batches = 8;
};

}  // namespace sluice::detail
