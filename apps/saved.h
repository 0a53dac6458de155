// `--pipeline FILE`: a saved plan as commands run it, on the files of --data. The plan's source
// gives the bytes of a JPEG file and, if it gives more, the file's label.
//
// Errors: UsageError that names the file, the place in it and what to do.
#pragma once

#include <sluice/sluice.h>

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

// Records the steps; gives the outputs.
std::vector<detail::SlotId> add_plan(const SavedPlan& plan, Value<Bytes> jpeg,
                                     Value<std::int64_t> label);

// The plan behind a source that gives a file and its label; its batches have a column for each
// output, of which nobody knows the type.
Pipeline<> pipeline_of(
    const SavedPlan& plan, const PipelineOptions& options,
    const std::function<std::tuple<Value<Bytes>, Value<std::int64_t>>(Graph&)>& source);

}  // namespace sluice::app
