#include <sluice/graph/plan/annotations.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace sluice::detail {
namespace {

template <class Part, class Of>
const Of* find(const std::vector<Of>& all, const Part& part) {
  const auto it = std::find_if(all.begin(), all.end(),
                               [&](const Of& one) { return one.counter == part.counter; });
  return it == all.end() ? nullptr : &*it;
}

std::string each(double mean_ns) {
  return mean_ns > 0 ? ", " + duration(mean_ns) + " each" : std::string();
}

std::string count_of(std::int64_t count, const char* one, const char* more) {
  return with_commas(count) + " " + (count == 1 ? one : more);
}

}  // namespace

std::string with_commas(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) text.insert(at -= 3, ",");
  return text;
}

std::string duration(double nanoseconds) {
  static constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  double value = nanoseconds;
  for (; unit + 1 < std::size(kUnits) && value >= 999.5; ++unit) value /= 1000;
  const int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, digits, kUnits[unit]);
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : std::string();
}

std::optional<MemoryKind> moves_to(const Step& step) {
  if (step.op == nullptr || step.op->schema().outputs.size() != 1) return std::nullopt;
  // A copy keeps the type of its input, so its output has no fixed type. Operators with a fixed
  // type only prepare a copy.
  const OperatorSchema& schema = step.op->schema();
  return schema.outputs.front().type == nullptr ? schema.moves_to : std::nullopt;
}

std::string gather_of(const Step& step) { return step.stops ? "in the next gather" : ""; }

std::string gather_of(const Branch& branch) {
  if (branch.there != nullptr) return "the device chooses";
  return branch.stops ? "in the next gather" : "";
}

std::string Annotations::of(const Step& step) const {
  if (stats_ == nullptr) return {};
  const StepStats* s = find(stats_->steps, step);
  if (s == nullptr) return {};
  return s->runs == 0 ? "never run" : count_of(s->runs, "run", "runs") + each(s->mean_ns());
}

std::string Annotations::of(const Branch& branch, std::size_t arm) const {
  if (stats_ == nullptr) return {};
  const BranchStats* s = find(stats_->branches, branch);
  if (s == nullptr) return {};
  const ArmStats& a = s->arms[arm];
  if (a.taken == 0) return "never taken";
  return fmt::format("taken {} of {}{}", with_commas(a.taken),
                     count_of(s->taken(), "time", "times"), each(a.mean_ns()));
}

std::string Annotations::of(const Loop& loop) const {
  if (stats_ == nullptr) return {};
  const LoopStats* s = find(stats_->loops, loop);
  if (s == nullptr) return {};
  if (s->entries == 0) return "never entered";
  return fmt::format("entered {}, {}{}", count_of(s->entries, "time", "times"),
                     count_of(s->iterations, "iteration", "iterations"), each(s->mean_ns()));
}

}  // namespace sluice::detail
