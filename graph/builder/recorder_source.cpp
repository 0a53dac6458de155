// Sources: how many samples there are, what they are called, and which of them an epoch has.
#include <sluice/graph/builder/recorder.h>
#include <sluice/runtime/error.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace sluice::detail {

void Recorder::set_source(const std::string& step, std::int64_t samples, const Sampler& sampler,
                          std::function<std::string(const SampleKey&)> name) {
  if (!open_.empty())
    throw BuildError("the source '" + step + "' stands inside " + place() +
                     "; move it to the top of the pipeline, where it can be used as well");
  if (samples < 0)
    throw BuildError("the source '" + step + "' cannot have " + std::to_string(samples) +
                     " samples; give the number in an epoch, at least 0");
  if (samples > INT32_MAX && samples != kUntilEnd)
    throw BuildError("the source '" + step + "' has more than 2,147,483,647 samples");
  if (plan_.samples >= 0 && plan_.samples != samples) {
    const auto count = [](std::int64_t n) {
      return n == kUntilEnd ? "kUntilEnd" : std::to_string(n);
    };
    throw BuildError("the source '" + step + "' has " + count(samples) +
                     " samples, but the one before it has " + count(plan_.samples));
  }
  plan_.samples = samples;
  // What says nothing goes along with the others.
  if (sampler != Sampler{}) {
    if (plan_.sampler && *plan_.sampler != sampler) {
      throw BuildError("the source '" + step + "' has the sampler (" + to_string(sampler) +
                       "), but one before it has (" + to_string(*plan_.sampler) +
                       "); all sources go through an epoch together: give one of them a sampler");
    }
    plan_.sampler = sampler;
  }
  if (name && !plan_.source_name) plan_.source_name = std::move(name);
}

}  // namespace sluice::detail
