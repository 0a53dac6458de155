#include <sluice/graph/run/stall.h>
#include <sluice/runtime/printable.h>

#include <algorithm>

#include <fmt/format.h>

namespace sluice::detail {
namespace {

// The most samples to name, since a thousand may wait.
constexpr int kMostNamed = 16;

// The loops, outermost first, then the step; empty for a sample in neither.
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

// The samples that are in one step.
struct Crowd {
  const Step* step = nullptr;
  std::int64_t samples = 0;
  double seconds = 0;  // the longest time that one of them has been there
};

std::vector<Crowd> crowds_of(const std::vector<std::unique_ptr<Sample>>& samples) {
  std::vector<Crowd> crowds;
  for (const auto& sample : samples) {
    const Step* const step = sample->running();
    if (step == nullptr) continue;
    auto at = std::find_if(crowds.begin(), crowds.end(),
                           [&](const Crowd& crowd) { return crowd.step == step; });
    if (at == crowds.end()) at = crowds.insert(at, Crowd{step});
    ++at->samples;
    at->seconds = std::max(at->seconds, sample->seconds_running());
  }
  return crowds;
}

const char* advice_for(StepKind kind) {
  switch (kind) {
    case StepKind::wait:
      return "fire or destroy their completion handles";
    case StepKind::io:
      return "they are being read, and end when that returns";
    case StepKind::stream:
      return "the device works on them";
    case StepKind::cpu:
      break;
  }
  return "they end when it returns";
}

}  // namespace

std::string describe_end(const std::vector<std::unique_ptr<Sample>>& samples,
                         const std::string& whose) {
  std::string text = "the " + whose + "'s end waits";
  const char* next = " for ";
  for (const Crowd& crowd : crowds_of(samples)) {
    text += fmt::format("{}{} sample{} in step '{}' since {:.{}f} s: {}", next, crowd.samples,
                        crowd.samples == 1 ? "" : "s", printable(crowd.step->name), crowd.seconds,
                        crowd.seconds < 1 ? 2 : 0, advice_for(crowd.step->kind));
    next = "; and for ";
  }
  return text;
}

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
