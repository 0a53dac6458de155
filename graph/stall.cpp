#include <sluice/graph/stall.h>
#include <sluice/runtime/printable.h>

namespace sluice {

std::string describe_stall(const Plan& plan, const std::vector<std::unique_ptr<Frame>>& frames,
                           double timeout) {
  std::string text = "no sample has moved for " + std::to_string(timeout) + " seconds:";
  for (const auto& frame : frames) {
    const Step* step = frame->running();
    if (step == nullptr) continue;
    const std::int64_t sample = frame->running_sample();
    text += " sample " + std::to_string(sample);
    if (const std::string name = plan.name_of_sample(sample); !name.empty())
      text += " (" + printable(name) + ")";
    text += " is in step '" + step->name + "' since " + std::to_string(frame->seconds_running()) +
            " s;";
  }
  return text + " the pipeline goes on waiting when asked again";
}

}  // namespace sluice
