// `--pipeline FILE`: a saved plan as commands run it. The plan's source gives the bytes of a JPEG
// file and, if it gives more, the file's label; or boxes and their labels, as tensors; or the bytes
// of its mask's file.
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

// Reads the plan and records it once, so that what is wrong with it shows before any work begins.
SavedPlan read_plan(const std::string& file);

// Throws UsageError when steps of the plan run on a device and --device names none, or names one
// and no step does.
void require_device(const SavedPlan& plan, const std::string& device);

// Reads the plan of a command that writes pictures; no plan for no file. Throws UsageError unless
// its first output is an image, on the host, and it fits --device, as above.
std::optional<SavedPlan> find_picture_plan(const std::string& file, const std::string& device);

// What its source gives.
Wants wants_of(const SavedPlan& plan);
// Throws UsageError for a plan that wants more than a folder has.
void require_folder_will_do(const SavedPlan& plan);

// Records the steps; gives the outputs.
std::vector<detail::SlotId> add_plan(const SavedPlan& plan, const Given& given);
// What those of find_picture_plan are: the picture, and the boxes and labels, or the mask, after it
// where the plan was given such.
Made made_by(Graph& g, const SavedPlan& plan, const Given& given);

// The plan behind a source that gives a file and its label; its batches have a column for each
// output, of which nobody knows the type.
using GivenBy = std::function<Given(Graph&)>;
Pipeline<> pipeline_of(const SavedPlan& plan, const PipelineOptions& options,
                       const GivenBy& source);
// The same for what a recipe delivers: see outputs_of().
Pipeline<> pipeline_of(Recipe recipe, const RecipeSize& size, const PipelineOptions& options,
                       const GivenBy& source);

}  // namespace sluice::app
