// Runs the pipeline of a random program: the part that the files of the three forms share.
#pragma once

#include "tests/failing_allocations.h"
#include "tests/graph/random_program/builder.h"

#include <new>
#include <optional>

namespace sluice::random_program {

// "if_else#2:then/work" -> "if_else:then/work": numbers depend on what else the graph holds.
std::string without_numbers(const std::string& text);
// True for the message of a sample that failed because there was no memory.
bool is_of_memory(const std::string& what);

template <class T, std::size_t... Outputs>
Observed run_with(const Program& program, const Setting& setting, std::index_sequence<Outputs...>) {
  typename Builder<T>::Counters counters(static_cast<std::size_t>(program.numbers));
  const FaultPlan& plan = setting.fault;
  Faults faults(plan);
  PipelineOptions options;
  options.batch_size = setting.batch_size;
  options.seed = setting.seed;
  options.threads = setting.threads;
  options.window = setting.window;
  options.compact = setting.compact;
  options.on_error = OnError::skip;
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    Builder<T> builder(g, program, setting, counters, faults);
    return std::tuple{builder.result(program, Outputs)...};
  });

  faults.cancel = [&] { pipeline.cancel(); };
  Observed seen;
  for (int epoch = 0; epoch < setting.epochs; ++epoch) {
    const bool faulty = epoch == 0;
    // Batches are looked at afterwards, because the test must not allocate while memory is short.
    std::vector<typename decltype(pipeline.epoch())::iterator::value_type> batches;
    const std::uint64_t lost_before = seen.lost;
    batches.reserve(static_cast<std::size_t>(setting.samples) + 1);
    pipeline.reset(epoch);
    faults.armed = faulty;
    try {
      std::optional<testing::FailingAllocations> shortage;
      using Of = testing::FailingAllocations::Of;
      if (faulty && plan.kind == FaultPlan::Kind::memory)
        shortage.emplace(plan.at, plan.count, Of::operator_new);
      if (faulty && plan.kind == FaultPlan::Kind::all_memory)
        shortage.emplace(plan.at, plan.count, Of::all);
      auto run = pipeline.epoch();
      while (true) {
        try {
          auto batch = run.next();
          if (!batch) break;
          batches.push_back(std::move(*batch));
        } catch (const std::bad_alloc&) {  // this batch is lost, or the run has ended
          ++seen.lost;
        }
        if (faulty && plan.kind == FaultPlan::Kind::left && batches.size() >= plan.at) {
          ++faults.met;
          break;
        }
      }
    } catch (const std::bad_alloc&) {
      ++seen.lost;  // the epoch could not begin
    }
    if (!faulty && seen.lost > lost_before) seen.complaint = "memory is still short";
    if (faulty && is_of_memory(plan) && testing::FailingAllocations::reached()) ++faults.met;
    std::vector<std::optional<Ending>> samples(static_cast<std::size_t>(setting.samples));
    const auto put = [&](std::int64_t id, Ending ending) {
      if (id < 0 || id >= setting.samples) {
        seen.complaint = "there is no sample " + std::to_string(id);
        return;
      }
      auto& place = samples[static_cast<std::size_t>(id)];
      const bool failed = ending.how == Ending::How::failed || ending.how == Ending::How::injected;
      if (place && !(place->how == Ending::How::dropped && failed))
        seen.complaint = "sample " + std::to_string(id) + " comes twice";
      place = std::move(ending);
    };
    std::int64_t last = -1;
    for (const auto& batch : batches) {
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
        const bool injected = faulty && (error.what == kInjected || is_of_memory(error.what));
        ending.how = injected ? Ending::How::injected : Ending::How::failed;
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
        seen.samples.emplace_back().how = Ending::How::absent;
        if (!faulty || !(may_end_early(plan) || seen.lost > 0))
          seen.complaint = "sample " + std::to_string(id) + " is neither there nor missing";
      }
    }
  }
  seen.faults = faults.met;
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
