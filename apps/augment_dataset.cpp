#include "augment_dataset.h"

#include "annotations.h"
#include "inputs.h"
#include "outputs.h"
#include "results.h"
#include "usage.h"

#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/format.h>

namespace sluice::app {
namespace fs = std::filesystem;

DatasetOptions find_data_options(const AugmentOptions& options,
                                 const std::optional<SavedPlan>& plan) {
  DatasetOptions dataset = options.dataset;
  dataset.wants = plan ? wants_of(*plan) : wants_of(options.recipe);
  if (dataset.wants == Wants::mask && !can_write_masks())
    throw UsageError("masks are written as PNG files, and this program was built without libpng");
  return dataset;
}

std::shared_ptr<const Dataset> find_dataset(const AugmentOptions& options,
                                            const DatasetOptions& dataset) {
  check_dataset(dataset, "augment");
  if (options.workers > 0 && options.index != "off")
    throw UsageError("--workers and --index exclude each other: processes share no index");
  Inputs inputs{dataset.data, options.pipeline, {dataset.list, dataset.offsets}};
  for (const std::string& archive : archives_of(dataset.tar)) inputs.files.push_back(archive);
  if (options.index != "off" && options.index != "memory") inputs.files.push_back(options.index);
  check_apart("--out", options.out, inputs);
  std::error_code ignored;
  if (fs::exists(options.out, ignored) && !fs::is_directory(options.out, ignored)) {
    throw UsageError(
        fmt::format("--out {} is no folder: give a new folder, or an empty one", options.out));
  }
  if (!options.trace.empty()) check_out_file("--trace", options.trace, inputs);
  const auto check = [&](const char* option, const std::string& file) {
    if (file.empty()) return;
    check_out_file(option, file, inputs);
    check_folder_of(option, file, options.out);
    if (may_be_result(options.out, file)) {
      throw UsageError(
          fmt::format("{} {} has a name that results get: give it another", option, file));
    }
  };
  check("--sheet", options.sheet);
  check("--checkpoint", options.checkpoint);
  check_names_differ({"--out", "--checkpoint", "--sheet", "--trace"},
                     {options.out, options.checkpoint, options.sheet, options.trace});
  return open_dataset(dataset, chosen_index(options.index));
}

}  // namespace sluice::app
