#include "saved_plan_file.h"

#include "usage.h"
#include <sluice/graph/plan/plan.h>
#include <sluice/graph/plan/uses.h>
#include <sluice/ops/operators.h>

#include <cstdint>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sluice::app {
namespace {

using detail::slot_type;

using Types = std::vector<const detail::SlotType*>;
// The types that sources may return.
const Types kFile{slot_type<Bytes>()};
const Types kLabeled{slot_type<Bytes>(), slot_type<std::int64_t>()};
const Types kBoxed{slot_type<Bytes>(), slot_type<Tensor>(), slot_type<Tensor>()};
const Types kMasked{slot_type<Bytes>(), slot_type<Bytes>()};

std::string name_of(const detail::SlotType* type) {
  return std::string(detail::registry().name_of_type(type));
}

template <class... Ts>
std::unique_ptr<detail::ColumnMaker> maker_of(const detail::SlotType* type) {
  std::unique_ptr<detail::ColumnMaker> maker;
  const auto one = [&]<class T>(std::type_identity<T>) {
    if (type == slot_type<T>()) maker = std::make_unique<detail::MakerOf<T>>();
  };
  (one(std::type_identity<Ts>()), ...);
  return maker;
}

std::unique_ptr<detail::ColumnMaker> maker_of_known(const detail::SlotType* type) {
  return maker_of<bool, std::int32_t, std::int64_t, float, double, std::string, Rectangle, Image,
                  Tensor, Bytes>(type);
}

std::unique_ptr<detail::ColumnMaker> maker_of_any(const SavedPlan& plan, std::size_t output) {
  const detail::SlotType* type = plan.output_types()[output];
  auto maker = maker_of_known(type);
  if (maker == nullptr) {
    throw UsageError(fmt::format(
        "--pipeline {} at /outputs/{}: batches of '{}' are not made here; leave this output out",
        plan.file(), output, name_of(type)));
  }
  return maker;
}

// Records the plan once, without keeping it, and returns what `look` extracts.
template <class Look>
auto record_once(const SavedPlan& plan, const Look& look) {
  detail::PlanBuilder trial;
  std::vector<detail::SlotId> source;
  for (const detail::SlotType* type : plan.source_types())
    source.push_back(trial.add_slot(type, "source"));
  const std::vector<detail::SlotId> outputs = plan.add_to(trial, source);
  return look(trial.plan(), outputs);
}

// Requires that the first output is an image on the host.
void require_image(const SavedPlan& plan) {
  const detail::SlotType* first = plan.output_types()[0];
  if (first != slot_type<Image>()) {
    throw UsageError(
        fmt::format("--pipeline {} at /outputs/0: the first output becomes a JPEG file, so it must "
                    "be an image, not '{}'; let the plan give the image first",
                    plan.file(), name_of(first)));
  }
  const std::string there = record_once(plan, [](const auto& all, const auto& outputs) {
    const detail::Slot& slot = all.slots[outputs.front()];
    return slot.on_device ? slot.name : std::string();
  });
  if (there.empty()) return;
  throw UsageError(fmt::format(
      "--pipeline {} at /outputs/0: the image that '{}' makes stays on the device, but JPEG files "
      "are made by the host; save the plan with .cpu() of that image as its first output",
      plan.file(), there));
}

// Gives choices the names of version 0.1, so that the results of its runs are still known.
void rename_choices(nlohmann::json& json) {
  if (json.contains("by") && json.contains("on")) {
    for (const auto& [now, before] :
         {std::pair("choice", "branch"), std::pair("branches", "arms")}) {
      if (!json.contains(now)) continue;
      json[before] = std::move(json[now]);
      json.erase(now);
    }
  }
  if (!json.is_structured()) return;
  for (nlohmann::json& part : json) rename_choices(part);
}

}  // namespace

std::string identity_of(const SavedPlan& plan) {
  nlohmann::json json = nlohmann::json::parse(plan.text());
  rename_choices(json);
  return json.dump();
}

void require_device(const SavedPlan& plan, const std::string& device) {
  const bool wants = record_once(
      plan, [](const auto& all, const auto&) { return has_step(all, detail::StepKind::stream); });
  if (wants == (device != "cpu")) return;
  throw UsageError(
      wants
          ? fmt::format("--pipeline {} has steps that run on a device: choose one, as --device gpu",
                        plan.file())
          : fmt::format("--device {}: no step of --pipeline {} runs on a device; save it with "
                        ".gpu() of the image, or leave --device out",
                        device, plan.file()));
}

std::optional<SavedPlan> find_image_plan(const std::string& file, const std::string& device) {
  if (file.empty()) return std::nullopt;
  SavedPlan plan = read_plan(file);
  require_image(plan);
  require_device(plan, device);
  return plan;
}

SavedPlan read_plan(const std::string& file) {
  try {
    SavedPlan plan = load_plan(file);
    const auto& types = plan.source_types();
    const auto is = [&](const Types& wanted) { return types == wanted; };
    if (!is(kFile) && !is(kLabeled) && !is(kBoxed) && !is(kMasked)) {
      throw UsageError(fmt::format(
          "--pipeline {} at /source/outputs: a plan can take the bytes of a JPEG file and its "
          "label (bytes, then i64), or its boxes and their labels (bytes, tensor, tensor), or the "
          "bytes of its mask (bytes, bytes), and nothing else: compute the rest with steps",
          file));
    }
    record_once(plan, [](const auto&, const auto&) {});
    for (std::size_t i = 0; i < plan.output_types().size(); ++i) (void)maker_of_any(plan, i);
    return plan;
  } catch (const BuildError& error) {
    throw UsageError(fmt::format("--pipeline {}", error.what()));
  } catch (const IoError& error) {
    throw UsageError(fmt::format("--pipeline: {}", error.what()));
  }
}

Wants wants_of(const SavedPlan& plan) {
  if (plan.source_types() == kBoxed) return Wants::boxes;
  if (plan.source_types() == kMasked) return Wants::mask;
  return Wants::label;
}

void require_folder_will_do(const SavedPlan& plan) {
  if (wants_of(plan) == Wants::label) return;
  throw UsageError(
      fmt::format("--pipeline {}: a folder has none of what its source gives: {}, "
                  "which sluice augment takes",
                  plan.file(), list_with(wants_of(plan))));
}

std::vector<detail::SlotId> add_plan(const SavedPlan& plan, const RecipeInputs& given) {
  std::vector<detail::SlotId> source{given.file.slot()};
  if (wants_of(plan) == Wants::boxes) {
    source.push_back(given.boxes.slot());
    source.push_back(given.labels.slot());
  } else if (wants_of(plan) == Wants::mask) {
    source.push_back(given.mask.slot());
  } else if (plan.source_types().size() > 1) {
    source.push_back(given.label.slot());
  }
  return plan.add_to(given.file.builder(), source);
}

RecipeOutputs made_by(Graph& g, const SavedPlan& plan, const RecipeInputs& given) {
  const std::vector<detail::SlotId> outputs = add_plan(plan, given);
  const Types& types = plan.output_types();
  const auto is = [&](std::size_t i, const detail::SlotType* type) {
    return i < types.size() && types[i] == type;
  };
  RecipeOutputs made{.image = Value<Image>(g.builder(), outputs.front()),
                     .treatment = g.constant(Treatment{.cut = true})};
  if (wants_of(plan) == Wants::boxes && is(1, slot_type<Tensor>()) && is(2, slot_type<Tensor>())) {
    made.boxes = Value<Tensor>(g.builder(), outputs[1]);
    made.labels = Value<Tensor>(g.builder(), outputs[2]);
  }
  if (wants_of(plan) == Wants::mask && is(1, slot_type<Image>()))
    made.mask = Value<Image>(g.builder(), outputs[1]);
  return made;
}

Pipeline<> pipeline_of(const SavedPlan& plan, const PipelineOptions& options,
                       const RecipeSource& source) {
  detail::PlanBuilder builder;
  Graph graph(builder);
  builder.set_outputs(add_plan(plan, source(graph)));
  std::vector<std::unique_ptr<detail::ColumnMaker>> makers;
  for (std::size_t i = 0; i < plan.output_types().size(); ++i)
    makers.push_back(maker_of_any(plan, i));
  return Pipeline<>(std::make_shared<detail::Engine>(builder.take(), options, std::move(makers)));
}

Pipeline<> pipeline_of(Recipe recipe, const RecipeSize& size, const PipelineOptions& options,
                       const RecipeSource& source) {
  detail::PlanBuilder builder;
  Graph graph(builder);
  const RecipeInputs given = source(graph);
  const std::vector<detail::SlotId> outputs =
      outputs_of(apply(graph, recipe, given, size, options.device != nullptr), given);
  std::vector<std::unique_ptr<detail::ColumnMaker>> makers;
  for (const detail::SlotId output : outputs)
    makers.push_back(maker_of_known(builder.plan().slots[output].type));
  builder.set_outputs(outputs);
  return Pipeline<>(std::make_shared<detail::Engine>(builder.take(), options, std::move(makers)));
}

}  // namespace sluice::app
