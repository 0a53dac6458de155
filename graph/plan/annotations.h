// Annotations: counts and times in words, for tables, texts and drawings of a plan. Internal.
//
// Ownership: refers to the stats. Threads: like any data. No errors.
#pragma once

#include <sluice/graph/plan/plan.h>
#include <sluice/graph/stats.h>

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::detail {

std::string with_commas(std::int64_t number);    // "1,234,567"
std::string duration(double nanoseconds);        // "1.23 ms": three digits
std::string percent(double part, double whole);  // "12.5 %"; empty when there is no whole

// Where the step copies a value, if that is all it does: to the device, or back to the host.
std::optional<MemoryKind> moves_to(const Step& step);

// What a gather does with samples there: they stop until the next one, or the device chooses and
// they go on. Empty: neither.
std::string gather_of(const Step& step);
std::string gather_of(const Branch& branch);

class Annotations {
 public:
  // Without stats there is nothing to say: all notes are empty.
  explicit Annotations(const Stats* stats) : stats_(stats) {}

  std::string of(const Step& step) const;  // "253 runs, 550 us each"
  std::string of(const Branch& branch, std::size_t arm) const;
  std::string of(const Loop& loop) const;

 private:
  const Stats* stats_;
};

}  // namespace sluice::detail
