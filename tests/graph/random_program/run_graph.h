// Runs the pipeline of a random program: the part that the files of the three forms share.
#pragma once

#include "tests/graph/random_program/builder.h"

#include <optional>

namespace sluice::random_program {

// "if_else#2:then/work" -> "if_else:then/work": numbers depend on what else the graph holds.
std::string without_numbers(const std::string& text);

template <class T, std::size_t... Outputs>
Observed run_with(const Program& program, const Setting& setting, std::index_sequence<Outputs...>) {
  typename Builder<T>::Counters counters(static_cast<std::size_t>(program.numbers));
  PipelineOptions options;
  options.batch_size = setting.batch_size;
  options.seed = setting.seed;
  options.threads = setting.threads;
  options.window = setting.window;
  options.compact = setting.compact;
  options.on_error = OnError::skip;
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    Builder<T> builder(g, program, setting, counters);
    return std::tuple{builder.result(program, Outputs)...};
  });

  Observed seen;
  for (int epoch = 0; epoch < setting.epochs; ++epoch) {
    std::vector<std::optional<Ending>> samples(static_cast<std::size_t>(setting.samples));
    const auto put = [&](std::int64_t id, Ending ending) {
      if (id < 0 || id >= setting.samples) {
        seen.complaint = "there is no sample " + std::to_string(id);
        return;
      }
      auto& place = samples[static_cast<std::size_t>(id)];
      if (place && !(place->how == Ending::How::dropped && ending.how == Ending::How::failed))
        seen.complaint = "sample " + std::to_string(id) + " comes twice";
      place = std::move(ending);
    };
    std::int64_t last = -1;
    for (const auto& batch : pipeline.epoch()) {
      for (std::size_t k = 0; k < batch.ids().size(); ++k) {
        Ending ending;
        if (batch.ids()[k] <= last) seen.complaint = "samples are out of order";
        last = batch.ids()[k];
        ending.outputs = {Carrier<T>::decode(batch.template get<Outputs>()[k])...};
        put(last, std::move(ending));
      }
      for (const std::int64_t id : batch.missing()) {
        Ending ending;
        ending.how = Ending::How::dropped;
        put(id, std::move(ending));
      }
      for (const SampleError& error : batch.errors()) {
        Ending ending;
        ending.how = Ending::How::failed;
        ending.step = without_numbers(error.step);
        ending.path = without_numbers(error.path);
        put(error.id, std::move(ending));
      }
    }
    if (!pipeline.stats().epoch.balanced())
      seen.complaint = "the ledger is not balanced: " + to_string(pipeline.stats().epoch);
    for (std::int64_t id = 0; id < setting.samples; ++id) {
      auto& sample = samples[static_cast<std::size_t>(id)];
      if (sample) {
        seen.samples.push_back(*sample);
      } else {
        seen.samples.emplace_back();
        seen.complaint = "sample " + std::to_string(id) + " is neither there nor missing";
      }
    }
  }
  for (const auto& runs : counters) seen.runs.push_back(runs.load());
  return seen;
}

template <class T>
Observed run_graph_of(const Program& program, const Setting& setting) {
  switch (program.top.results.size()) {
    case 1:
      return run_with<T>(program, setting, std::make_index_sequence<1>());
    case 2:
      return run_with<T>(program, setting, std::make_index_sequence<2>());
    default:
      return run_with<T>(program, setting, std::make_index_sequence<3>());
  }
}

}  // namespace sluice::random_program
