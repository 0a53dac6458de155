#include <sluice/graph/run/stall.h>
#include <sluice/runtime/printable.h>

namespace sluice::detail {
namespace {

// Of samples that are named; a thousand may wait.
constexpr int kMostNamed = 16;

// The loops from the outermost one on, then the step; empty for a sample that is at neither.
std::string where_is(const Sample& sample) {
  std::string text;
  const auto add = [&](const std::string& what, double seconds) {
    text += (text.empty() ? "" : ", in ") + what + " since " + std::to_string(seconds) + " s";
  };
  for (const Trail::Place& place : sample.trail.loops()) {
    add("loop '" + place.loop->name + "' (iteration " + std::to_string(place.iteration) + ")",
        static_cast<double>(milliseconds_now() - place.since) / 1000);
  }
  if (const Step* step = sample.running())
    add("step '" + step->name + "'" + (step->kind != StepKind::cpu ? ", where it waits" : ""),
        sample.seconds_running());
  return text;
}

}  // namespace

std::string describe_stall(const Plan& plan, const std::vector<std::unique_ptr<Sample>>& samples,
                           std::int64_t epoch, double timeout) {
  std::string text = "no sample has moved for " + std::to_string(timeout) + " seconds:";
  int named = 0, others = 0;
  for (const auto& sample : samples) {
    const std::string where = where_is(*sample);
    if (where.empty()) continue;
    if (named == kMostNamed) {
      ++others;
      continue;
    }
    ++named;
    const SampleKey key{epoch, sample->running_sample()};
    text += " sample " + std::to_string(key.index);
    if (const std::string name = plan.name_of_sample(key); !name.empty())
      text += " (" + printable(name) + ")";
    text += " is in " + where + ";";
  }
  if (others > 0) text += " and " + std::to_string(others) + " others are in steps as well;";
  return text + " the pipeline goes on waiting when asked again";
}

}  // namespace sluice::detail
