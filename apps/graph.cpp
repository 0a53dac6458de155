#include "graph.h"

#include "dataset.h"
#include "devices.h"
#include "long_run.h"
#include "output_paths.h"
#include "saved_plan_file.h"
#include "summary.h"
#include "usage.h"
#include <sluice/graph/builder/plan_json.h>
#include <sluice/graph/passes/passes.h>
#include <sluice/graph/pipeline.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/graph/plan/plan.h>
#include <sluice/ops/operators.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace sluice::app {
namespace {

// Files that are repeated until there are `count` samples; no files if nothing will run.
struct MaybeFiles {
  std::shared_ptr<const Dataset> files;
  std::int64_t count = 0;
  static constexpr bool blocks = true;
  std::int64_t size() const { return count; }
  std::string name(std::int64_t i) const { return files->name(i % files->size()); }
  std::tuple<Bytes, std::int64_t> operator()(const SampleInfo& info) const {
    DatasetSample sample = files->read(info.index % files->size());
    return {std::move(sample.file), sample.label};
  }
};

bool runs(const GraphOptions& options) { return !options.data.empty() || !options.pack.empty(); }

MaybeFiles find_files(const GraphOptions& options) {
  if (!runs(options)) return {};
  std::shared_ptr<const Dataset> files = open_dataset({.data = options.data, .pack = options.pack});
  const std::vector<LeftOut>& left_out = files->left_out();
  const std::vector<LeftOut> unreadable = unreadable_of(left_out);
  if (!unreadable.empty()) {
    fmt::print(stderr, "left out {} that cannot be read, the first: {}: {}\n", unreadable.size(),
               unreadable.front().path, unreadable.front().reason);
  }
  for (const std::string& line : words_of_rules(left_out)) fmt::print(stderr, "{}\n", line);
  const std::int64_t all = files->size();
  return {std::move(files), options.count > 0 ? options.count : all};
}

RecipeInputs read(Graph& g, const GraphOptions& options) {
  const auto [jpeg, label] = g.read(find_files(options));
  return {.file = jpeg, .label = label};
}

// An empty source with the types of a list's boxes; nothing will run.
struct NoBoxes {
  std::int64_t size() const { return 0; }
  std::string name(std::int64_t /*i*/) const { return {}; }
  std::tuple<Bytes, Tensor, Tensor> operator()(const SampleInfo& /*info*/) const { return {}; }
};
struct NoMasks {
  std::int64_t size() const { return 0; }
  std::string name(std::int64_t /*i*/) const { return {}; }
  std::tuple<Bytes, Bytes> operator()(const SampleInfo& /*info*/) const { return {}; }
};
RecipeInputs nothing(Graph& g, Wants wants) {
  if (wants == Wants::boxes) {
    const auto [jpeg, boxes, labels] = g.read(NoBoxes());
    return {.file = jpeg, .boxes = boxes, .labels = labels};
  }
  const auto [jpeg, mask] = g.read(NoMasks());
  return {.file = jpeg, .mask = mask};
}

// Rejects options that do not fit a run.
void check_run(const GraphOptions& options) {
  const char* const what = options.data.empty() ? "--pack" : "--data";
  if (!options.data.empty() && !options.pack.empty())
    throw UsageError("--data excludes --pack: give one of them");
  if (runs(options) && (options.passes || options.json)) {
    throw UsageError(fmt::format("{} excludes {}: nothing runs then",
                                 options.passes ? "--passes" : "--json", what));
  }
}

int show(const GraphOptions& options, Pipeline<> pipeline) {
  if (options.json) {
    fmt::print("{}", detail::to_json(detail::prune(pipeline.recorded_plan()), detail::registry()));
  } else if (options.passes) {
    fmt::print("{}", pipeline.explain());
  } else if (!runs(options)) {
    fmt::print("{}", options.text ? to_string(pipeline.plan()) : to_dot(pipeline.plan()));
  } else {
    (void)threads_of(pipeline.stats());
    Progress progress("image", pipeline.samples());
    for (auto epoch = pipeline.epoch(); const auto batch = epoch.next();)
      progress.add(static_cast<std::int64_t>(batch->size() + batch->missing().size()));
    progress.finish();
    const Stats stats = pipeline.stats();
    fmt::print("{}",
               options.text ? to_string(pipeline.plan(), stats) : to_dot(pipeline.plan(), stats));
  }
  return 0;
}

}  // namespace

int run_graph(const GraphOptions& options) {
  check_run(options);
  constexpr int kBatch = 32;
  if (!options.trace.empty()) {
    check_out_file("--trace", options.trace, {options.data, options.pipeline, options.pack});
    check_folder_of("--trace", options.trace);
  }
  const auto device =
      runs(options) ? chosen_device(options.device) : device_to_draw(options.device);
  const PipelineOptions pipeline_options{.batch_size = kBatch,
                                         .threads = options.threads,
                                         .device = device,
                                         .on_error = OnError::skip,
                                         .profile = true,
                                         .compose = options.compose,
                                         .trace = {options.trace}};
  if (options.pipeline.empty()) {
    const Wants wants = wants_of(options.recipe);
    if (wants != Wants::label && runs(options)) {
      throw UsageError(fmt::format(
          "--recipe {}: a folder has none of what it wants: {}, which sluice augment takes",
          name_of(options.recipe), list_with(wants)));
    }
    return show(options, pipeline_of(options.recipe, options.size, pipeline_options, [&](Graph& g) {
                  return wants == Wants::label ? read(g, options) : nothing(g, wants);
                }));
  }
  const SavedPlan plan = read_plan(options.pipeline);
  require_device(plan, options.device);
  if (runs(options)) require_folder_will_do(plan);
  return show(options, pipeline_of(plan, pipeline_options, [&](Graph& g) {
                return wants_of(plan) == Wants::label ? read(g, options)
                                                      : nothing(g, wants_of(plan));
              }));
}

}  // namespace sluice::app
