// Annotations: formats counts and times for tables, texts and drawings of a plan. Internal to
// plan_text.cpp, which defines it, and stats.cpp.
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
std::string percent(double part, double whole);  // "12.5 %"; empty if `whole` is 0
// "1 batch", "1,200 batches"
std::string counted_with_commas(std::int64_t count, const char* one, const char* several);

// Returns the memory that the step copies a value to, device or host; empty if the step does
// anything else.
std::optional<MemoryKind> moves_to(const Step& step);

// Describes how a sample passes this point of a GPU batch: it stops until the next GPU batch, or
// the device chooses and the sample goes on. Empty if neither applies.
std::string device_batch_of(const Step& step);
std::string device_batch_of(const Choice& choice);

class Annotations {
 public:
  // `stats` may be null: all notes are then empty.
  explicit Annotations(const Stats* stats) : stats_(stats) {}

  std::string of(const Step& step) const;  // "253 runs, 550 us each"
  std::string of(const Choice& choice, std::size_t branch) const;
  std::string of(const Loop& loop) const;

 private:
  const Stats* stats_;
};

}  // namespace sluice::detail
