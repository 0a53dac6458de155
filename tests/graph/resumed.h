// Pipelines that may go on from a checkpoint, and their batches as text.
#pragma once

#include <sluice/graph/pipeline.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace sluice::resumed {

inline constexpr std::int64_t kSamples = 53;

struct Setting {
  const char* name;
  PipelineOptions options = {};
  Sampler sampler = {};
  bool filters = false;
  bool fails = false;
  bool until_end = false;
};

inline auto pipeline_of(const Setting& setting, const std::optional<Checkpoint>& from = {}) {
  PipelineOptions options = setting.options;
  options.seed = 11;
  options.threads = 2;
  options.resume = from;
  return make_pipeline(options, [&](Graph& g) {
    auto index = g.source(
        setting.until_end ? kUntilEnd : kSamples,
        [until_end = setting.until_end](const SampleInfo& info) {
          if (until_end && info.index >= kSamples) throw EndOfEpoch();
          return info.index;
        },
        setting.sampler);
    if (setting.filters) {
      g.filter(g.map(
          "keep", [](std::int64_t i) { return i % 5 != 2; }, index));
    }
    auto number = g.map(
        "work",
        [fails = setting.fails](std::int64_t i, float draw) {
          if (fails && i % 9 == 4) throw Error("no " + std::to_string(i));
          return static_cast<float>(i) + draw;
        },
        index, g.uniform(0.f, 1.f));
    return std::tuple{index, number};
  });
}

template <class Batch>
std::string text_of(const Batch& batch) {
  std::string text = std::to_string(batch.epoch()) + "/" + std::to_string(batch.index()) + ":";
  const auto add = [&text](const char* what, const auto& numbers) {
    text += what;
    for (const auto number : numbers) text += " " + std::to_string(number);
  };
  add("", batch.template get<0>());
  add(" |", batch.template get<1>());
  add(" ids", batch.ids());
  add(" missing", batch.missing());
  add(" replaced", batch.replaced());
  for (const SampleError& error : batch.errors()) text += " " + to_string(error);
  return text + " padding " + std::to_string(batch.padding());
}

inline constexpr std::int64_t kEpochs = 3;

// Returns all remaining batches of the pipeline. Calls after() after each.
template <class P>
std::vector<std::string> rest_of(
    P& pipeline, const std::function<void()>& after = [] {}) {
  std::vector<std::string> all;
  while (pipeline.next_epoch() < kEpochs) {
    for (const auto& batch : pipeline.epoch()) {
      all.push_back(text_of(batch));
      after();
    }
  }
  return all;
}

}  // namespace sluice::resumed
