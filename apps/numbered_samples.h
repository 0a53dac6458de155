// NumberedSamples: a source for Graph::read that adds the number of each sample, so that a
// replacement sample can be identified. A sample whose result exists already is not read: its bytes
// are empty.
//
// NumberedSamplesInWorkers: the same, read by worker processes.
//
// Ownership: they share the dataset and the workers. Threads: as Graph::read says. Errors: those of
// Dataset::read() and of workers().
#pragma once

#include "dataset.h"
#include <sluice/io/workers/workers.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

namespace sluice::app {

// The file, empty if the result exists; the label; the boxes, their labels and the mask, if wanted;
// the number; true if it was read.
using NumberedSample = std::tuple<Bytes, std::int64_t, Tensor, Tensor, Bytes, std::int64_t, bool>;
inline NumberedSample not_read(std::int64_t number) {
  return {Bytes(), 0, Tensor({0}, DType::f32), Tensor({0}, DType::i64), Bytes(), number, false};
}

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
