// Step: one thing that a pipeline does for each sample, as data: an operator with its arguments, or
// a function of the user's own.
//
// Ownership: copies of a step share its function and its operator. Threads: like any data;
// immutable while a pipeline runs it. Errors: none.
#pragma once

#include <sluice/graph/plan/operator.h>
#include <sluice/graph/plan/sample.h>
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

// How a branch chooses, as data.
struct Choosing {
  enum class By : std::uint8_t { truth, number };
  By by = By::truth;  // the first of two arms where it is true, not zero; or the arm of this number
  Argument
      argument;  // a number of a type of number_types.h; by number any whole one, or an enumerator
};
// Empty if the argument's type cannot choose.
Function<std::int64_t(const Sample&)> choose_by(const Choosing& choosing);

// What a step does with the thread that it is given.
enum class StepKind : std::uint8_t {
  cpu,    // works on it
  wait,   // begins something there, and then waits without one until it is told: see Wait
  io,     // stands still on it, for a disk or the network: gets one that does not compute
  stream  // says there what a device shall do, and waits without one until it is done: see gather.h
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
  // What the step does, and with what; `run` is made from these by bind(). Null for a function of
  // the user's own, of which nobody knows anything.
  OperatorPtr op;
  Arguments arguments;
  std::uint32_t generator = 0;              // of an operator that draws
  std::shared_ptr<std::atomic<bool>> said;  // see Call
  OperatorPtr on_device;  // its version for devices, where it runs on one: of the kind `stream`
  StepKind kind = StepKind::cpu;
  int threads = 0;          // of its own, of the kind `io`; 0: those that the pipeline has for that
  bool effect = false;      // a function that runs even if nobody reads what it writes
  bool pinned = false;      // never moves into an arm: a source, which decides what the sample is
  bool for_device = false;  // makes what a device reads where it lies; set by `split_for_device`
  std::shared_ptr<const EpochHooks> epoch;  // of a source that wants to be told; may be null
  bool stops = false;    // waits for the gather that it is in; set by `join_gathers`
  bool put_off = false;  // runs with the choice that the device makes of it; so, too
  std::vector<std::pair<SlotId, TensorSpec>> declared;  // tensors that must be so, or it fails
  // Which part of the recorded step this is, or what else it does; set by passes.
  std::string remark;
  std::vector<SlotId> releases;  // storage that nobody needs after this step
  CounterId counter = 0;         // runs, then nanoseconds; set by `number`
  CounterId event_counter = 0;   // of the first event; set by `number`

  bool has_effect() const { return op != nullptr ? op->schema().effect : effect; }
  const std::vector<std::string>& events() const;  // what Sample::note() counts
  // Makes `run` of the operator with its arguments, and of the slots that it writes: when one of
  // them has changed. A step without an operator stays as it is.
  void bind();
  // Runs the operator's version for devices from now on.
  void run_on(OperatorPtr version) {
    kind = StepKind::stream;
    on_device = std::move(version);
    bind();
  }
};

// What the operator does with these arguments, which it allows and whose slots have their types. It
// makes or fills the slots that it writes.
Step step_of(OperatorPtr op, Arguments arguments, std::string name, std::vector<SlotId> writes,
             std::uint32_t generator = 0);

}  // namespace sluice::detail
