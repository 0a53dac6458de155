// DeviceChoice: an if_else that the device decides itself, by a number that it has computed in the
// same GPU batch. The host does not know yet which branch a sample takes. It adds the jobs of both
// branches, each with a guard, and the device skips the jobs of the other branch. The values of the
// branch `kept` serve as the results. If the other branch was taken, its values are copied over
// them at the end. When the GPU batch is over, the host compares the same numbers and learns which
// branch was taken.
//
// Ownership: a plan shares its choices; the DeviceChooser is kept until the process ends.
// Threads: any; only the counter behind is_worth_it() changes. Errors: see DeviceChooser.
#pragma once

#include <sluice/graph/plan/plan.h>
#include <sluice/runtime/device_guard.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace sluice::detail {

class Gather;

enum class Comparison : std::uint8_t { less, greater, less_equal, greater_equal, equal, not_equal };
// Returns the comparison that the operator of this name computes.
std::optional<Comparison> comparison_of(std::string_view op);

struct DeviceChoice {
  SlotId number = 0;  // a float that the device computes
  Comparison comparison = Comparison::less;
  bool number_first = true;                    // true if `number` is on the left side
  std::function<double(const Sample&)> other;  // the other side, which the host knows before
  Step compares;                               // the host's step, once `number` has arrived
  std::size_t kept = 0;                        // the branch whose values serve as the results
  Step begins, ends;                           // the device's work before and after the branches

  // Adding both branches is wasted work if samples must stop anyway, for example because the
  // branches' images differ in size. After a number of such samples in a row it is not tried again.
  bool is_worth_it() const {
    constexpr int kPatience = 16;
    return in_vain_.load(std::memory_order_relaxed) < kPatience;
  }
  void note(bool added) const {
    if (!added) in_vain_.fetch_add(1, std::memory_order_relaxed);
    if (added && in_vain_.load(std::memory_order_relaxed) > 0)
      in_vain_.store(0, std::memory_order_relaxed);
  }

 private:
  mutable std::atomic<int> in_vain_{0};  // samples in a row for which adding both branches failed
};

// The device functions of a choice. They act for the step of `gather` that runs.
struct DeviceChooser {
  // Returns the guard by which later launches find the branch taken: 0 if the comparison is true,
  // else 1. Throws std::logic_error for a number that no step of the gather computes.
  DeviceGuard (*choose)(Gather& gather, const float& number, const DeviceChoice& how, double other);
  // Copies rows of bytes that lie without gaps. Returns false, and copies nothing, if a row is too
  // long.
  bool (*copy)(Gather& gather, const void* from, void* to, std::size_t rows, std::size_t bytes);
};
void keep_device_chooser(const DeviceChooser& chooser);
// Returns null if none was registered.
const DeviceChooser* device_chooser();

}  // namespace sluice::detail
