// Samples in GPU batches.
#include <sluice/graph/exec/capture_error.h>
#include <sluice/graph/exec/device_batch_plan.h>
#include <sluice/graph/exec/runner.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace sluice::detail {

void Runner::begin_device_batch(Sample& sample, const DeviceBatchPlan& batch_plan) noexcept {
  sample.wait.from = 0;
  if (cancelled_.load(std::memory_order_relaxed)) sample.cancel();
  if (sample.ended()) return;
  sample.enter_stage();
  sample.enter(&batch_plan.front());
  sample.given_back = nullptr;
  sample.wait.branches_before = sample.execution_path.length();
  sample.wait.steps = 0;
  if (sample.counters.timed() || trace_ != nullptr)
    sample.wait.since = nanoseconds_of(StepClock::now());
}

bool Runner::collect(Sample& sample, const DeviceBatchPlan& batch_plan, DeviceBatch& device_batch,
                     Memory without) noexcept {
  if (cancelled_.load(std::memory_order_relaxed)) sample.cancel();
  if (sample.ended()) return true;
  bool short_of_memory = false;
  const BufferPoolScope scope(device_->memory.values);
  device_batch.begin_sample(sample);
  // It may have been added before, to a GPU batch that gives it back.
  sample.execution_path.cut_back(sample.wait.branches_before);
  sample.wait.steps = sample.wait.stopped = 0;
  const Step* first = nullptr;  // the first step on the device
  const std::vector<DeviceBatchPlan::Part>& parts = batch_plan.parts();
  for (std::size_t at = sample.wait.from;
       at < parts.size() && !sample.ended() && !short_of_memory;) {
    const DeviceBatchPlan::Part& part = parts[at];
    if (part.waits(sample.wait.from)) {
      const Added added = part.choice != nullptr && part.choice->there != nullptr
                              ? add_choice(sample, batch_plan, part, device_batch)
                              : Added::no;
      if (added == Added::yes) {
        at = part.behind;
        continue;
      }
      short_of_memory = added == Added::too_little_memory && without == Memory::is_waited_for;
      if (!short_of_memory) sample.wait.stopped = at;
      break;
    }
    at = part.next;
    if (part.step != nullptr && part.step->put_off) {
      ++sample.wait.steps;
    } else if (part.step != nullptr) {
      const DeviceBatch::Scope jobs(device_batch, part.number);
      ++sample.wait.steps;
      if (first == nullptr && part.step->kind == StepKind::stream) first = part.step;
      short_of_memory = !add_to_device_batch(sample, *part.step, without);
    } else if (part.branches.empty()) {
      give_results(sample, *part.choice, part.number);
    } else {
      capture_error(
          sample, [&]() -> const std::string& { return part.choice->name; },
          [&] {
            if (part.choice->there != nullptr) part.choice->there->compares.run(sample);
            const std::optional<std::size_t> branch = branch_for(sample, *part.choice);
            if (!branch) return;
            sample.execution_path.take(*part.choice, static_cast<std::uint32_t>(*branch));
            at = part.branches[*branch];
          });
    }
  }
  sample.enter(first != nullptr ? first : &batch_plan.front());
  return !short_of_memory;
}

// Returns false if there is too little memory.
bool Runner::add_to_device_batch(Sample& sample, const Step& step, Memory without) noexcept {
  const bool looked_at =
      step.kind == StepKind::cpu && (sample.counters.timed() || trace_ != nullptr);
  const Trace::Time from = looked_at ? Trace::Clock::now() : Trace::Time();
  bool enough = true;
  sample.enter(&step);  // attributes warnings and events to this step
  capture_error(
      sample, [&]() -> const std::string& { return step.name; },
      [&] {
        try {
          step.run(sample);
        } catch (const std::bad_alloc&) {
          if (without == Memory::fails) throw;
          enough = false;
        }
      });
  if (looked_at) {  // end_device_batch() counts the run
    const Trace::Time now = Trace::Clock::now();
    if (sample.counters.timed()) sample.counters.add(step.counter + 1, (now - from).count());
    if (trace_ != nullptr) trace_->ran(sample, step, from, now);
  }
  return enough;
}

void Runner::take_back(Sample& sample, const DeviceBatchPlan& batch_plan) noexcept {
  if (sample.ended()) return;
  release_made(sample, batch_plan);
  sample.execution_path.cut_back(sample.wait.branches_before);
  sample.wait.steps = 0;
}

void Runner::release_made(Sample& sample, const DeviceBatchPlan& batch_plan) noexcept {
  batch_plan.follow(
      sample,
      [&](const Step& step) {
        for (const SlotId slot : step.writes) {
          // Values placed in an output get new memory next time, and release the old then.
          if (sample.plan().slots[slot].output < 0) sample.release(slot);
        }
      },
      [&](const Choice& choice, std::size_t) {
        if (choice.there == nullptr) return;
        for (const Block& branch : choice.branches) release_written(sample, branch, {});
      });
}

bool Runner::is_over(DeviceBatch& device_batch) {
  if (!device_batch.over()) return false;
  device_batch.check();
  return true;
}

void Runner::do_on_host(Sample& sample, const DeviceBatchPlan& batch_plan) noexcept {
  const Step& step = *std::exchange(sample.given_back, nullptr);
  if (cancelled_.load(std::memory_order_relaxed)) sample.cancel();
  if (sample.ended()) return;
  release_made(sample, batch_plan);
  // Later steps have not run.
  std::size_t steps = 0, branches = sample.wait.branches_before;
  bool there = false;
  batch_plan.follow(
      sample,
      [&](const Step& other) {
        steps += there ? 0 : 1;
        there = there || &other == &step;
      },
      [&](const Choice&, std::size_t) { branches += there ? 0 : 1; });
  sample.execution_path.cut_back(branches);
  sample.wait.steps = steps;
  DeviceBatch nowhere(device_->memory);
  {
    const DeviceBatch::Scope jobs(nowhere, 0);
    sample.enter(&step);
    capture_error(
        sample, [&]() -> const std::string& { return step.name; }, [&] { step.run(sample); });
    sample.enter(&batch_plan.front());
  }
  take_back(sample, batch_plan);
}

void Runner::give_up(Sample& sample) noexcept {
  sample.wait.stopped = 0;
  if (!sample.ended()) sample.execution_path.cut_back(sample.wait.branches_before);
}

void Runner::end_device_batch(Sample& sample, const DeviceBatchPlan& batch_plan) noexcept {
  if (sample.running() == nullptr) return;  // it had already ended on arrival
  if (!sample.ended()) learn_choices(sample, batch_plan);
  const StepClock::time_point now =
      sample.counters.timed() || trace_ != nullptr ? StepClock::now() : StepClock::time_point();
  const StepClock::time_point since = time_of(sample.wait.since);
  // The device runs one step for many samples, so the time of a single sample is unknown.
  auto took = now - since;
  const Step& first = *sample.running();
  const auto let_go = [&](const std::vector<SlotId>& slots) {
    if (sample.ended()) return;
    for (const SlotId slot : slots) sample.release(slot);
  };
  batch_plan.follow(
      sample,
      [&](const Step& step) {
        let_go(step.releases);
        if (sample.counters.timed())
          record_step_run(sample, step, &step == &first ? took : StepClock::duration::zero());
      },
      [&](const Choice& choice, std::size_t branch) {
        sample.counters.add(choice.counter + static_cast<CounterId>(branch), 1);
        let_go(choice.branches[branch].releases);
      });
  if (trace_ != nullptr) trace_->waited(sample, first, since, now);
  sample.bytes_waiting = sample.bytes_allocated;
  sample.wait.from = sample.ended() ? 0 : sample.wait.stopped;
  if (!has_stopped(sample)) {
    sample.enter(nullptr);
    return;
  }
  sample.enter_stage();
  sample.wait.branches_before = sample.execution_path.length();
  sample.wait.steps = 0;
  sample.wait.since = nanoseconds_of(now);
}

void Runner::fail_device_batch(Sample& sample, const DeviceBatchPlan& batch_plan,
                               const std::exception_ptr& why,
                               std::optional<std::size_t> step) noexcept {
  if (sample.ended()) return;
  const Step* const at = step               ? batch_plan.steps()[*step]
                         : sample.running() ? sample.running()
                                            : &batch_plan.front();
  capture_error(
      sample, [&]() -> const std::string& { return at->name; },
      [&] { std::rethrow_exception(why); });
}

void Runner::run_on_device(Sample& sample, const Stage& stage) noexcept {
  const DeviceBatchPlan batch_plan(stage);
  begin_device_batch(sample, batch_plan);
  std::optional<std::size_t> step;
  try {
    DeviceBatch alone(*device_->device, device_->memory, batch_plan.steps().size());
    do {
      if (sample.given_back != nullptr) do_on_host(sample, batch_plan);
      alone.clear();
      collect(sample, batch_plan, alone);
      try {
        alone.launch();
        while (!is_over(alone)) std::this_thread::yield();
      } catch (...) {
        step = alone.failed_step();
        alone.abandon();
        throw;
      }
    } while (sample.given_back != nullptr);
  } catch (...) {
    fail_device_batch(sample, batch_plan, std::current_exception(), step);
  }
  end_device_batch(sample, batch_plan);
}

namespace {

// An image or a tensor as rows of bytes.
struct Rows {
  std::byte* at = nullptr;  // null: there are gaps between the rows, or no bytes
  std::size_t rows = 1, bytes = 0;
};
Rows rows_of(const Tensor& tensor) {
  if (!tensor.contiguous() || tensor.nbytes() == 0) return {};
  return {const_cast<std::byte*>(tensor.bytes()), 1, tensor.nbytes()};
}
Rows rows_of(Image& image) {
  if (image.row_stride() != static_cast<std::ptrdiff_t>(image.row_bytes())) return {};
  return {reinterpret_cast<std::byte*>(image.data()), static_cast<std::size_t>(image.height()),
          image.row_bytes()};
}

bool are_alike(const Image& a, const Image& b) {
  return a.height() == b.height() && a.width() == b.width() && a.channels() == b.channels();
}
bool are_alike(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() && a.layout() == b.layout();
}

// Copies the other branch's value to the place of the kept one on the device. Returns false if it
// does not fit there.
template <class T>
bool copy_over(DeviceBatch& device_batch, T& kept, T& other) {
  if (!are_alike(kept, other)) return false;
  const Rows to = rows_of(kept), from = rows_of(other);
  if (to.at == nullptr || from.at == nullptr) return false;
  return device_chooser()->copy(device_batch, from.at, to.at, to.rows, to.bytes);
}

bool copy_over(Sample& sample, DeviceBatch& device_batch, SlotId kept, SlotId other) {
  if (sample.plan().slots[kept].type == slot_type<Image>())
    return copy_over(device_batch, sample.get<Image>(kept), sample.get<Image>(other));
  return copy_over(device_batch, sample.get<Tensor>(kept), sample.get<Tensor>(other));
}

bool add_branches(Sample& sample, const DeviceBatchPlan& batch_plan,
                  const DeviceBatchPlan::Part& part, DeviceBatch& device_batch) {
  const Choice& choice = *part.choice;
  const DeviceChoice& there = *choice.there;
  const std::vector<DeviceBatchPlan::Part>& parts = batch_plan.parts();
  DeviceGuard guard;
  {
    const DeviceBatch::Scope jobs(device_batch, part.number);
    guard = device_chooser()->choose(device_batch, sample.get<float>(there.number), there,
                                     there.other(sample));
  }
  for (std::size_t branch = 0; branch < choice.branches.size(); ++branch) {
    guard.branch = static_cast<std::int32_t>(branch);
    const DeviceBatch::Guarded guarded(device_batch, guard);
    for (std::size_t at = part.branches[branch]; parts[at].step != nullptr; at = parts[at].next) {
      const DeviceBatch::Scope jobs(device_batch, parts[at].number);
      sample.enter(parts[at].step);
      parts[at].step->run(sample);
    }
  }
  const std::vector<SlotId>& kept = choice.branches[there.kept].results;
  const std::vector<SlotId>& other = choice.branches[1 - there.kept].results;
  guard.branch = static_cast<std::int32_t>(1 - there.kept);
  const DeviceBatch::Guarded guarded(device_batch, guard);
  const DeviceBatch::Scope jobs(device_batch, part.last);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!copy_over(sample, device_batch, kept[i], other[i])) return false;
  }
  return true;
}

}  // namespace

Runner::Added Runner::add_choice(Sample& sample, const DeviceBatchPlan& batch_plan,
                                 const DeviceBatchPlan::Part& part,
                                 DeviceBatch& device_batch) noexcept {
  const Choice& choice = *part.choice;
  if (!choice.there->is_worth_it()) return Added::no;
  const std::size_t warnings = sample.warnings().size();
  bool added = false;
  try {
    // Warnings and exceptions of a branch that is not taken must not appear. So if there are any,
    // the sample stops, and the host takes the right branch.
    added = add_branches(sample, batch_plan, part, device_batch) &&
            sample.warnings().size() == warnings;
  } catch (const std::bad_alloc&) {
    return Added::too_little_memory;
  } catch (...) {
  }
  choice.there->note(added);
  if (!added) {
    sample.forget_warnings(warnings);
    return Added::no;
  }
  const std::size_t kept = choice.there->kept;
  sample.execution_path.take(choice,
                             static_cast<std::uint32_t>(kept));  // corrected by learn_choices()
  sample.wait.steps += batch_plan.steps_in(part, kept);
  give_results(sample, choice, kept);
  return Added::yes;
}

void Runner::release_written(Sample& sample, const Block& branch,
                             const std::vector<SlotId>& except) noexcept {
  for_each<Step>(branch, [&](const Step& step) {
    for (const SlotId slot : step.writes) {
      const bool kept = std::find(except.begin(), except.end(), slot) != except.end();
      if (!kept && sample.plan().slots[slot].output < 0) sample.release(slot);
    }
  });
}

void Runner::learn_choices(Sample& sample, const DeviceBatchPlan& batch_plan) noexcept {
  const std::vector<DeviceBatchPlan::Part>& parts = batch_plan.parts();
  std::size_t taken = sample.wait.branches_before, steps = sample.wait.steps;
  for (std::size_t at = sample.wait.from; at < parts.size();) {
    const DeviceBatchPlan::Part& part = parts[at];
    if (part.step != nullptr) {
      if (steps-- == 0) return;
      at = part.next;
      continue;
    }
    if (part.branches.empty()) {
      at = part.next;
      continue;
    }
    if (taken == sample.execution_path.length()) return;
    const std::size_t place = taken++;
    std::size_t branch = sample.execution_path.branch(place);
    if (part.choice->there != nullptr && part.waits(sample.wait.from)) {
      const std::size_t before = batch_plan.steps_in(part, branch);
      part.choice->there->compares.run(sample);
      branch = static_cast<std::size_t>(part.choice->choose(sample));
      sample.execution_path.set_branch(place, branch);
      const std::size_t now = batch_plan.steps_in(part, branch);
      sample.wait.steps = sample.wait.steps - before + now;
      steps = steps - before + now;
      // The results are always in the slots of the kept branch, whichever branch was taken.
      const Block& other = part.choice->branches[1 - branch];
      release_written(sample, other,
                      branch == part.choice->there->kept ? std::vector<SlotId>() : other.results);
    }
    at = part.branches[branch];
  }
}

}  // namespace sluice::detail
