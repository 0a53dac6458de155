// Sources: the number of samples, their names, and the selection of an epoch's samples.
#include <sluice/graph/builder/dataset.h>
#include <sluice/graph/builder/recorder_state.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace sluice::detail {

void Recorder::set_source(const std::string& step, std::int64_t samples, const Sampler& sampler,
                          bool once, Function<std::string(const SampleKey&)> name) {
  if (!state_->open.empty())
    throw BuildError("the source '" + step + "' stands inside " + place() +
                     "; move it to the top of the pipeline, where it can be used as well");
  if (samples < 0)
    throw BuildError("the source '" + step + "' cannot have " + std::to_string(samples) +
                     " samples; give the number in an epoch, at least 0");
  if (samples > INT32_MAX && samples != kUntilEnd)
    throw BuildError("the source '" + step + "' has more than 2,147,483,647 samples");
  const bool both_known =
      state_->plan.samples >= 0 && state_->plan.samples != kUntilEnd && samples != kUntilEnd;
  if (both_known && state_->plan.samples != samples) {
    throw BuildError("the source '" + step + "' has " + std::to_string(samples) +
                     " samples, but the one before it has " + std::to_string(state_->plan.samples) +
                     "; let one of them have kUntilEnd if the shortest shall end the epoch");
  }
  state_->plan.samples = std::max(state_->plan.samples, samples);
  // A source with a default sampler follows the others.
  if (sampler != Sampler{}) {
    if (state_->plan.sampler && *state_->plan.sampler != sampler) {
      throw BuildError("the source '" + step + "' has the sampler (" + to_string(sampler) +
                       "), but one before it has (" + to_string(*state_->plan.sampler) +
                       "); all sources go through an epoch together: give one of them a sampler");
    }
    state_->plan.sampler = sampler;
  }
  if (once) state_->plan.once = step;
  if (state_->plan.sampler && !state_->plan.once.empty()) {
    throw BuildError("the source '" + state_->plan.once +
                     "' gives its values in their own order, but an epoch has a sampler (" +
                     to_string(*state_->plan.sampler) +
                     "); leave that out, or read a dataset that can be asked for any sample");
  }
  if (name && !state_->plan.source_name) state_->plan.source_name = std::move(name);
}

int checked_threads(const std::string& step, int threads, bool gives_later) {
  constexpr int kMost = 4096;
  if (threads < 0 || threads > kMost) {
    throw BuildError("the source '" + step + "' cannot have " + std::to_string(threads) +
                     " threads of its own; give it 1 to 4096, or 0 for the pipeline's");
  }
  if (threads > 0 && gives_later) {
    throw BuildError("the source '" + step +
                     "' is given threads of its own, but says itself when its samples come, on "
                     "threads that it has: leave SourceOptions::threads out");
  }
  return threads;
}

}  // namespace sluice::detail
