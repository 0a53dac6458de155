// Step: one operation that a pipeline performs for each sample, as data. It is an operator with its
// arguments, or a user function.
//
// Ownership: copies of a step share its function and its operator. Threads: like any data;
// immutable while a pipeline runs it. Errors: none.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/plan/slot.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/runtime/function.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sluice::detail {

// How a Choice chooses, as data.
struct Choosing {
  enum class By : std::uint8_t { truth, number };
  By by = By::truth;  // truth: the first of two branches if true or nonzero; number: its index
  Argument argument;  // a number of a type of number_types.h; By::number takes any integer or enum
};
// Returns the function that chooses a branch; empty if the argument's type cannot choose.
Function<std::int64_t(const Sample&)> choose_by(const Choosing& choosing);

// The use that a step makes of the thread that runs it.
enum class StepKind : std::uint8_t {
  cpu,    // computes on it
  wait,   // starts an operation, then waits without a thread for its completion: see Wait
  io,     // blocks it, on a disk or the network; runs on a thread that does not compute
  stream  // adds device work, then waits without a thread until it is done: see device_batch.h
};

struct Step {
  // Out of line, so that not every file compiles them.
  Step();
  Step(const Step&);
  Step(Step&&) noexcept;
  Step& operator=(const Step&);
  Step& operator=(Step&&) noexcept;
  ~Step();

  std::string name;
  std::vector<SlotId> reads;
  std::vector<SlotId> writes;
  StepFunction run;
  // The operator and its arguments, from which bind() makes `run`. `op` is null for a user
  // function, about which nothing is known.
  OperatorPtr op;
  Arguments arguments;
  std::uint32_t generator = 0;              // for an operator that draws
  std::shared_ptr<std::atomic<bool>> said;  // see Call
  OperatorPtr on_device;  // the device version, if it runs on a device (kind `stream`)
  StepKind kind = StepKind::cpu;
  int threads = 0;          // its own threads, for kind `io`; 0: the pipeline's io threads
  bool effect = false;      // a function that runs even if its outputs are unused
  bool pinned = false;      // a source, which decides what the sample is: never moves into a branch
  bool for_device = false;  // a device reads its outputs in place; set by `split_for_device`
  std::shared_ptr<const EpochHooks> epoch;  // of a source; may be null
  bool stops = false;  // waits for the GPU batch that it is in; set by `join_device_batches`
  bool put_off =
      false;  // a comparison that runs with the device's choice; set by `join_device_batches`
  std::vector<std::pair<SlotId, TensorSpec>> declared;  // the step fails unless its tensors match
  // Says which part of the recorded step this is, or what else it does; set by passes.
  std::string remark;
  std::vector<SlotId> releases;  // storage that is unused after this step
  CounterId counter = 0;         // runs, then nanoseconds; set by `number`
  CounterId event_counter = 0;   // of the first event; set by `number`

  bool has_effect() const { return op != nullptr ? op->schema().effect : effect; }
  const std::vector<std::string>& events() const;  // counted by Sample::note()
  // Makes `run` from the operator, its arguments and the slots that it writes. Call it after one of
  // them has changed. A step without an operator stays as it is.
  void bind();
  // Makes the step run the operator's device version.
  void run_on(OperatorPtr version) {
    kind = StepKind::stream;
    on_device = std::move(version);
    bind();
  }
};

// Makes a step that runs the operator with these arguments. The operator must allow them, and their
// slots must have types. The step makes or fills the slots in `writes`.
Step step_of(OperatorPtr op, Arguments arguments, std::string name, std::vector<SlotId> writes,
             std::uint32_t generator = 0);

}  // namespace sluice::detail
