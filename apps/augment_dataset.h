// The dataset of `sluice augment`, and the checks that no output would replace a file of it.
//
// Ownership: values, and a dataset that is shared. Threads: one.
// Errors: UsageError that names the option.
#pragma once

#include "augment.h"
#include "dataset.h"
#include "saved.h"

#include <memory>
#include <optional>

namespace sluice::app {

// What is read of each sample: what the recipe wants, or the plan where there is one.
DatasetOptions find_data_options(const AugmentOptions& options,
                                 const std::optional<SavedPlan>& plan);

// Opens it. `dataset` is what find_data_options() returned.
std::shared_ptr<const Dataset> find_dataset(const AugmentOptions& options,
                                            const DatasetOptions& dataset);

}  // namespace sluice::app
