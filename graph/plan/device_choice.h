// DeviceChoice: a choice that a device makes by itself, by a number that it has computed in the
// same gather. The host does not know yet which arm a sample takes: it adds the jobs of both, each
// with a guard, and those of the other arm are passed over there. Where the arms end, the values of
// one are the results, and those of the other are copied over them if that was taken. When the
// gather is over the host compares the same numbers and knows.
//
// Ownership: a plan shares its choices; what the device does is kept for as long as the process.
// Threads: any; only whether it is worth it changes. Errors: see DeviceChooser.
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
// By the name of its operator.
std::optional<Comparison> comparison_of(std::string_view op);

struct DeviceChoice {
  SlotId number = 0;  // a float that the device tells
  Comparison comparison = Comparison::less;
  bool number_first = true;                    // on the left side
  std::function<double(const Sample&)> other;  // on the other side, as the host compares it
  Step compares;                               // the host's step, for when the number is there
  std::size_t kept = 0;                        // the arm whose values are the results
  Step begins, ends;                           // what the device does before and after the arms

  // Where samples must stop all the same, as pictures of the arms differ in size, say, adding both
  // arms is work for nothing: after a few that is not tried any more.
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
  mutable std::atomic<int> in_vain_{0};  // one after the other
};

// What a device does for a choice, with the gather's step that runs.
struct DeviceChooser {
  // Where launches from now on find the arm: 0 where the comparison is true, else 1. Throws
  // std::logic_error for a number that no step of the gather tells.
  DeviceGuard (*choose)(Gather& gather, const float& number, const DeviceChoice& how, double other);
  // Rows of bytes that lie without gaps. False: a row is too long, and nothing is copied.
  bool (*copy)(Gather& gather, const void* from, void* to, std::size_t rows, std::size_t bytes);
};
void keep_device_chooser(const DeviceChooser& chooser);
// Null: there is none.
const DeviceChooser* device_chooser();

}  // namespace sluice::detail
