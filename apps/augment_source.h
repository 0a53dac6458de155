// The source of `sluice augment`: opens its dataset, checks that no output would replace one of its
// files, and delivers the numbered samples.
//
// Ownership: the samples share the dataset and the workers; the rest are values. Threads: the
// samples as Graph::read says; the rest one. Errors: UsageError that names the option, and those of
// Dataset::read() and of workers().
#pragma once

#include "augment.h"
#include "dataset.h"
#include "saved_plan_file.h"
#include <sluice/io/workers/workers.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace sluice::app {

// Returns the options with the data of each sample that the recipe, or the plan if there is one,
// needs.
DatasetOptions find_data_options(const AugmentOptions& options,
                                 const std::optional<SavedPlan>& plan);

// Opens the dataset. `dataset` is the result of find_data_options().
std::shared_ptr<const Dataset> find_dataset(const AugmentOptions& options,
                                            const DatasetOptions& dataset);

// The file, empty if the result exists; the label; the boxes, their labels and the mask, if wanted;
// the number; true if it was read.
using NumberedSample = std::tuple<Bytes, std::int64_t, Tensor, Tensor, Bytes, std::int64_t, bool>;
inline NumberedSample not_read(std::int64_t number) {
  return {Bytes(), 0, Tensor({0}, DType::f32), Tensor({0}, DType::i64), Bytes(), number, false};
}

// A source for Graph::read that adds the number of each sample, so that a replacement sample can be
// identified. A sample whose result exists already is not read: its bytes are empty.
struct NumberedSamples {
  std::shared_ptr<const Dataset> dataset;
  std::function<bool(std::int64_t)> is_there;  // by number of the result

  static constexpr bool blocks = true;
  std::int64_t size() const { return dataset->size(); }
  std::string name(std::int64_t i) const { return dataset->name(i); }
  std::string fingerprint() const { return dataset->fingerprint(); }
  SourceReads reads() const { return dataset->reads(); }
  bool has(const SampleInfo& info) const {
    return is_there(info.epoch * dataset->size() + info.index);
  }
  NumberedSample operator()(const SampleInfo& info) const {
    if (has(info)) return not_read(info.index);
    DatasetSample sample = dataset->read(info.index);
    return {std::move(sample.file),
            sample.label,
            std::move(sample.boxes),
            std::move(sample.labels),
            std::move(sample.mask),
            info.index,
            true};
  }
};

// Starts this many processes; each opens the dataset itself. A worker fails if it finds other
// samples than this process.
Workers<NumberedSample> start_readers(const DatasetOptions& options, const Dataset& dataset,
                                      int workers);

// The same, read by worker processes.
struct NumberedSamplesInWorkers {
  NumberedSamples here;
  Workers<NumberedSample> workers;

  using Sample = NumberedSample;
  std::int64_t size() const { return here.size(); }
  std::string name(std::int64_t i) const { return here.name(i); }
  std::string fingerprint() const { return here.fingerprint(); }
  void operator()(Completion<NumberedSample> done, const SampleInfo& info) const {
    if (here.has(info)) {
      (void)done.set(not_read(info.index));
    } else {
      workers(std::move(done), info);
    }
  }
  void begin_epoch(const EpochInfo& info) const { workers.begin_epoch(info); }
  void end_epoch() const noexcept { workers.end_epoch(); }
};

}  // namespace sluice::app
