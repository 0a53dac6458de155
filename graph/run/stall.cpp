#include <sluice/graph/run/stall.h>
#include <sluice/runtime/printable.h>

namespace sluice::detail {
namespace {

// The loops from the outermost one on, then the step; empty for a frame that is at neither.
std::string where_is(const Frame& frame) {
  std::string text;
  const auto add = [&](const std::string& what, double seconds) {
    text += (text.empty() ? "" : ", in ") + what + " since " + std::to_string(seconds) + " s";
  };
  for (const Trail::Place& place : frame.trail.loops()) {
    add("loop '" + place.loop->name + "' (iteration " + std::to_string(place.iteration) + ")",
        static_cast<double>(milliseconds_now() - place.since) / 1000);
  }
  if (const Step* step = frame.running()) add("step '" + step->name + "'", frame.seconds_running());
  return text;
}

}  // namespace

std::string describe_stall(const Plan& plan, const std::vector<std::unique_ptr<Frame>>& frames,
                           double timeout) {
  std::string text = "no sample has moved for " + std::to_string(timeout) + " seconds:";
  for (const auto& frame : frames) {
    const std::string where = where_is(*frame);
    if (where.empty()) continue;
    const std::int64_t sample = frame->running_sample();
    text += " sample " + std::to_string(sample);
    if (const std::string name = plan.name_of_sample(sample); !name.empty())
      text += " (" + printable(name) + ")";
    text += " is in " + where + ";";
  }
  return text + " the pipeline goes on waiting when asked again";
}

}  // namespace sluice::detail
