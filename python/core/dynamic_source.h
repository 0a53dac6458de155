// A source whose types are known when the program runs: a list's columns, an archive's, what a
// Python function says that it gives.
//
// Threads: one while a pipeline is described; the dataset's functions from any later on. Errors:
// BuildError.
#pragma once

#include "description.h"
#include "options.h"
#include "values.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sluice::python {

struct DynamicSource {
  std::string name;                          // of the step
  std::int64_t samples = 0;                  // kUntilEnd: until write() throws EndOfEpoch
  std::vector<const TypeTable*> types = {};  // of what a sample has
  // Gives the values of this sample to the slots.
  std::function<void(detail::Sample&, const Slots&, const SampleInfo&)> write = {};
  std::function<std::string(const SampleKey&)> name_of = {};  // may be empty
  detail::Plan::Dataset dataset = {};                         // its step is filled in
};

inline Slots add_source(Description& self, DynamicSource source, const SourceOptions& options) {
  detail::Recorder& recorder = self.open();
  detail::Step step;
  step.name = recorder.unique_name(source.name);
  step.pinned = true;
  step.kind = detail::StepKind::io;
  step.threads = detail::checked_threads(step.name, options.threads, false);
  source.dataset.step = source.name;
  recorder.add_dataset(std::move(source.dataset));
  recorder.set_source(step.name, source.samples, options.sampler, false, std::move(source.name_of));
  for (const TypeTable* type : source.types)
    step.writes.push_back(recorder.add_slot(type->type, step.name));
  Slots made = step.writes;
  step.run = [write = std::move(source.write), samples = source.samples,
              made](detail::Sample& sample) {
    try {
      const SampleInfo info = sample.info();
      if (info.index >= samples) throw EndOfEpoch();
      write(sample, made, info);
    } catch (const EndOfEpoch&) {
      sample.end_epoch();
    }
  };
  recorder.add_step(std::move(step));
  return made;
}

}  // namespace sluice::python
