// Runner: how a sample passes through the parts of a plan, one part at a time. Used by the flow
// graph (lower.h), which calls it from its nodes, and by inspect(), which walks the plan on the
// calling thread: there is one meaning, in one place.
//
// Ownership: refers to a pool and a trace that outlive it. Threads: any number, each with a sample
// of its own. Errors: nothing is thrown; what a step throws becomes the sample's error, and a
// sample that has ended passes untouched.
#pragma once

#include <sluice/graph/plan/gather.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/run/gathering.h>
#include <sluice/graph/run/tracing.h>
#include <sluice/runtime/buffer_pool.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>

namespace sluice::detail {

struct DeviceWork;

class Runner {
 public:
  // `trace` may be null, and so may `device` where no step runs on one.
  explicit Runner(BufferPool& pool, PipelineTrace* trace = nullptr, DeviceWork* device = nullptr)
      : pool_(pool), trace_(trace), device_(device) {}

  // Frames end as cancelled at their next stage once this is set.
  void set_cancelled(bool cancelled) { cancelled_.store(cancelled, std::memory_order_relaxed); }

  // Counts and times each step if the sample's tally is timed; a step that ends its sample counts,
  // too. Waits for a stage that waits.
  void run(Sample& sample, const Stage& stage) noexcept;

  // Begins a stage that waits. True when there is nothing to wait for: the sample goes on. False:
  // `listener` is told when the wait is over, perhaps it has been already; it calls end_wait()
  // then, and the sample goes on. The time of the step is that until then.
  bool begin_wait(Sample& sample, const Stage& stage, WaitListener& listener) noexcept;
  void end_wait(Sample& sample) noexcept;

  // The same for a stage that gets a thread of another kind: begin_io() says whether there is none
  // needed, else run_io() is called there.
  bool begin_io(Sample& sample, const Stage& stage) noexcept;
  void run_io(Sample& sample, const Stage& stage) noexcept;

  // The same for what runs on a device: gather() adds the sample's work, and fails the sample if
  // something is wrong with it; when the device is through, or has failed, end_gather() is called
  // for all samples, and they go on: those with has_stopped() to another gather of the same parts.
  // fail_gather(): why the device did not do it. The arms that a sample takes in a gather count
  // when it is over.
  void begin_gather(Sample& sample, const Gathering& gathering) noexcept;
  enum class Memory : std::uint8_t { fails, is_waited_for };
  // With Memory::is_waited_for false when there is too little memory for it: the sample is to be
  // added again, to a gather that has been cleared.
  bool gather(Sample& sample, const Gathering& gathering, Gather& gather,
              Memory without = Memory::fails) noexcept;
  // The sample has been added to a gather that will not be launched.
  static void take_back(Sample& sample, const Gathering& gathering) noexcept;
  // Whether the device is through. Throws what went wrong there. Samples that it has given back are
  // done on the host, by whoever likes, and then added to a gather again.
  static bool is_over(Gather& gather);
  void do_on_host(Sample& sample, const Gathering& gathering) noexcept;
  // The device has not done it: to be called before end_gather(). How far the sample came nobody
  // knows, so it has taken no arms.
  static void give_up(Sample& sample) noexcept;
  void end_gather(Sample& sample, const Gathering& gathering) noexcept;
  static bool has_stopped(const Sample& sample) { return sample.wait.from != 0; }
  // `step`: of the gathering, where it is known which one failed.
  static void fail_gather(Sample& sample, const Gathering& gathering, const std::exception_ptr& why,
                          std::optional<std::size_t> step = std::nullopt) noexcept;

  // The arm to take; arm 0 for a sample that has ended, which runs nothing there. The results of an
  // arm without steps are given at once.
  std::size_t choose(Sample& sample, const Branch& branch) noexcept;
  // At the end of an arm: the branch's results are what the arm gives.
  static void give_results(Sample& sample, const Branch& branch, std::size_t arm) noexcept;

  static void begin(Sample& sample, const Loop& loop) noexcept;
  // After the condition's steps: whether the body runs (again). When it does not, the loop's
  // results are given.
  bool wants_another(Sample& sample, const Loop& loop) noexcept;
  // After the body's steps.
  static void carry(Sample& sample, const Loop& loop) noexcept;

 private:
  // The number of the arm; throws what the choice throws. None where it is wrong: the sample has
  // failed.
  static std::optional<std::size_t> arm_for(Sample& sample, const Branch& branch);
  void run_on_device(Sample& sample, const Stage& stage) noexcept;
  bool add_to_gather(Sample& sample, const Step& step, Memory without) noexcept;
  // Both arms of a choice that the device makes; no: the sample must stop there.
  enum class Added : std::uint8_t { yes, no, too_little_memory };
  static Added add_choice(Sample& sample, const Gathering& gathering, const Gathering::Part& choice,
                          Gather& gather) noexcept;
  // When the gather is over: which arms the device has taken.
  static void learn_choices(Sample& sample, const Gathering& gathering) noexcept;
  static void release_written(Sample& sample, const Block& arm,
                              const std::vector<SlotId>& except) noexcept;
  void run_and_wait(Sample& sample, const Stage& stage) noexcept;
  std::size_t run_step(Sample& sample, const Step& step);
  static void release_made(Sample& sample, const Gathering& gathering) noexcept;
  template <class Timer>
  void run_steps(Sample& sample, const Stage& stage, Timer timer) noexcept;

  BufferPool& pool_;
  PipelineTrace* const trace_;
  DeviceWork* const device_;
  std::atomic<bool> cancelled_{false};
};

}  // namespace sluice::detail
