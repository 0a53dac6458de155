// Choices that a device makes while samples are in its GPU batches: see plan/device_choice.h.
#include <sluice/graph/plan/device_choice.h>
#include <sluice/graph/plan/visit.h>
#include <sluice/graph/run/runner.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace sluice::detail {
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

// Copies the other arm's value to the kept arm's place on the device. Returns false if it does not
// fit there.
template <class T>
bool copy_over(Gather& gather, T& kept, T& other) {
  if (!are_alike(kept, other)) return false;
  const Rows to = rows_of(kept), from = rows_of(other);
  if (to.at == nullptr || from.at == nullptr) return false;
  return device_chooser()->copy(gather, from.at, to.at, to.rows, to.bytes);
}

bool copy_over(Sample& sample, Gather& gather, SlotId kept, SlotId other) {
  if (sample.plan().slots[kept].type == slot_type<Image>())
    return copy_over(gather, sample.get<Image>(kept), sample.get<Image>(other));
  return copy_over(gather, sample.get<Tensor>(kept), sample.get<Tensor>(other));
}

bool add_arms(Sample& sample, const Gathering& gathering, const Gathering::Part& choice,
              Gather& gather) {
  const Branch& branch = *choice.branch;
  const DeviceChoice& there = *branch.there;
  const std::vector<Gathering::Part>& parts = gathering.parts();
  DeviceGuard guard;
  {
    const Gather::Scope jobs(gather, choice.number);
    guard = device_chooser()->choose(gather, sample.get<float>(there.number), there,
                                     there.other(sample));
  }
  for (std::size_t arm = 0; arm < branch.arms.size(); ++arm) {
    guard.arm = static_cast<std::int32_t>(arm);
    const Gather::Guarded guarded(gather, guard);
    for (std::size_t at = choice.arms[arm]; parts[at].step != nullptr; at = parts[at].next) {
      const Gather::Scope jobs(gather, parts[at].number);
      sample.enter(parts[at].step);
      parts[at].step->run(sample);
    }
  }
  const std::vector<SlotId>& kept = branch.arms[there.kept].results;
  const std::vector<SlotId>& other = branch.arms[1 - there.kept].results;
  guard.arm = static_cast<std::int32_t>(1 - there.kept);
  const Gather::Guarded guarded(gather, guard);
  const Gather::Scope jobs(gather, choice.last);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!copy_over(sample, gather, kept[i], other[i])) return false;
  }
  return true;
}

}  // namespace

Runner::Added Runner::add_choice(Sample& sample, const Gathering& gathering,
                                 const Gathering::Part& choice, Gather& gather) noexcept {
  const Branch& branch = *choice.branch;
  if (!branch.there->is_worth_it()) return Added::no;
  const std::size_t warnings = sample.warnings().size();
  bool added = false;
  try {
    // Warnings and exceptions of an arm that is not taken must not appear. So if there are any, the
    // sample stops, and the host takes the right arm.
    added = add_arms(sample, gathering, choice, gather) && sample.warnings().size() == warnings;
  } catch (const std::bad_alloc&) {
    return Added::too_little_memory;
  } catch (...) {
  }
  branch.there->note(added);
  if (!added) {
    sample.forget_warnings(warnings);
    return Added::no;
  }
  const std::size_t kept = branch.there->kept;
  sample.trail.take(branch, static_cast<std::uint32_t>(kept));  // corrected by learn_choices()
  sample.wait.steps += gathering.steps_in(choice, kept);
  give_results(sample, branch, kept);
  return Added::yes;
}

void Runner::release_written(Sample& sample, const Block& arm,
                             const std::vector<SlotId>& except) noexcept {
  for_each<Step>(arm, [&](const Step& step) {
    for (const SlotId slot : step.writes) {
      const bool kept = std::find(except.begin(), except.end(), slot) != except.end();
      if (!kept && sample.plan().slots[slot].output < 0) sample.release(slot);
    }
  });
}

void Runner::learn_choices(Sample& sample, const Gathering& gathering) noexcept {
  const std::vector<Gathering::Part>& parts = gathering.parts();
  std::size_t taken = sample.wait.arms_before, steps = sample.wait.steps;
  for (std::size_t at = sample.wait.from; at < parts.size();) {
    const Gathering::Part& part = parts[at];
    if (part.step != nullptr) {
      if (steps-- == 0) return;
      at = part.next;
      continue;
    }
    if (part.arms.empty()) {
      at = part.next;
      continue;
    }
    if (taken == sample.trail.length()) return;
    const std::size_t place = taken++;
    std::size_t arm = sample.trail.arm(place);
    if (part.branch->there != nullptr && part.waits(sample.wait.from)) {
      const std::size_t before = gathering.steps_in(part, arm);
      part.branch->there->compares.run(sample);
      arm = static_cast<std::size_t>(part.branch->choose(sample));
      sample.trail.set_arm(place, arm);
      const std::size_t now = gathering.steps_in(part, arm);
      sample.wait.steps = sample.wait.steps - before + now;
      steps = steps - before + now;
      // The results are always in the slots of the kept arm, whichever arm was taken.
      const Block& other = part.branch->arms[1 - arm];
      release_written(sample, other,
                      arm == part.branch->there->kept ? std::vector<SlotId>() : other.results);
    }
    at = part.arms[arm];
  }
}

}  // namespace sluice::detail
