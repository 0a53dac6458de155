// Opens the dataset of `sluice augment`, and checks that no output would replace one of its files.
//
// Ownership: values, and a shared dataset. Threads: one. Errors: UsageError that names the option.
#pragma once

#include "augment.h"
#include "dataset.h"
#include "saved.h"

#include <memory>
#include <optional>

namespace sluice::app {

// Returns the options with the data of each sample that the recipe, or the plan if there is one,
// needs.
DatasetOptions find_data_options(const AugmentOptions& options,
                                 const std::optional<SavedPlan>& plan);

// Opens the dataset. `dataset` is the result of find_data_options().
std::shared_ptr<const Dataset> find_dataset(const AugmentOptions& options,
                                            const DatasetOptions& dataset);

}  // namespace sluice::app
