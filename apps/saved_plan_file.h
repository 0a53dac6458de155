// `--pipeline FILE`: loads a saved plan and runs it in commands. The plan's source returns the
// bytes of a JPEG file, alone or with one of these: the file's label; boxes and their labels, as
// tensors; the bytes of the mask's file.
//
// Errors: UsageError that names the file, the place in it and what to do.
#pragma once

#include "recipes.h"
#include <sluice/graph/builder/saved_plan.h>
#include <sluice/graph/pipeline.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::app {

// Reads the plan and records it once, so that errors in it show before any work begins.
SavedPlan read_plan(const std::string& file);

// Throws UsageError if steps of the plan run on a device but --device names none, or the reverse.
void require_device(const SavedPlan& plan, const std::string& device);

// Reads the plan of a command that writes images; returns nothing if no file is given. Throws
// UsageError unless the first output is an image on the host and the plan fits --device, as above.
std::optional<SavedPlan> find_image_plan(const std::string& file, const std::string& device);

// Returns a text that identifies the plan. White space, key order and the old names `branch` and
// `arms` do not change it.
std::string identity_of(const SavedPlan& plan);

// The data that its source must provide.
Wants wants_of(const SavedPlan& plan);
// Throws UsageError for a plan that needs more than a folder provides.
void require_folder_will_do(const SavedPlan& plan);

// Records the steps; returns the outputs.
std::vector<detail::SlotId> add_plan(const SavedPlan& plan, const RecipeInputs& given);
// The outputs of a plan from find_image_plan: the image, and after it the boxes and labels, or
// the mask, if the plan got such inputs.
RecipeOutputs made_by(Graph& g, const SavedPlan& plan, const RecipeInputs& given);

// A pipeline of the plan behind a source. Its batches have a column for each output, without static
// types.
using RecipeSource = std::function<RecipeInputs(Graph&)>;
Pipeline<> pipeline_of(const SavedPlan& plan, const PipelineOptions& options,
                       const RecipeSource& source);
// The same for the outputs of a recipe: see outputs_of().
Pipeline<> pipeline_of(Recipe recipe, const RecipeSize& size, const PipelineOptions& options,
                       const RecipeSource& source);

}  // namespace sluice::app
