// The source of `sluice augment`: opens its dataset, checks that no output would replace one of its
// files, and delivers the numbered samples. IndexFit counts the files that the index of --index
// knows.
//
// Ownership: the samples share the dataset, the workers and the IndexFit; the rest are values.
// Threads: Graph::read says on which threads samples are read. Any thread may call
// IndexFit::note(). All else runs on one thread. Errors: UsageError that names the option; reading
// throws the errors of Dataset::read().
#pragma once

#include "augment.h"
#include "dataset.h"
#include "saved_plan_file.h"
#include <sluice/io/workers/workers.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice::app {

// Returns the options with the data of each sample that the recipe, or the plan if there is one,
// needs.
DatasetOptions find_data_options(const AugmentOptions& options,
                                 const std::optional<SavedPlan>& plan);

// Opens the dataset, which has at least one sample for each process of --shard. `dataset` is the
// result of find_data_options().
std::shared_ptr<const Dataset> find_dataset(const AugmentOptions& options,
                                            const DatasetOptions& dataset);

// The file, empty if the result exists; the label; the boxes, their labels and the mask, if wanted;
// the number; true if it was read.
using NumberedSample = std::tuple<Bytes, std::int64_t, Tensor, Tensor, Bytes, std::int64_t, bool>;
inline NumberedSample not_read(std::int64_t number) {
  return {Bytes(), 0, Tensor({0}, DType::f32), Tensor({0}, DType::i64), Bytes(), number, false};
}

// Counts the files that were read, each once, and those among them that the index of --index knows.
class IndexFit {
 public:
  explicit IndexFit(std::int64_t samples) : seen_(static_cast<std::size_t>(samples)) {}

  // Sample i was read from this file.
  void note(std::int64_t i, const Bytes& file) {
    const JpegIndex* const index = file.index();
    if (index == nullptr) return;
    const std::optional<std::uint64_t> hash = file.content_hash();
    const JpegDigest digest = hash ? JpegDigest{*hash, file.size()} : digest_of(file);
    seen_[static_cast<std::size_t>(i)].store(index->knows(digest) ? Seen::known : Seen::unknown,
                                             std::memory_order_relaxed);
  }
  std::int64_t files() const { return count(Seen::known) + count(Seen::unknown); }
  std::int64_t known() const { return count(Seen::known); }

 private:
  enum class Seen : std::uint8_t { no, unknown, known };
  std::int64_t count(Seen wanted) const {
    return std::count_if(seen_.begin(), seen_.end(), [wanted](const std::atomic<Seen>& one) {
      return one.load(std::memory_order_relaxed) == wanted;
    });
  }

  std::vector<std::atomic<Seen>> seen_;
};

// A source for Graph::read that adds the number of each sample, so that a replacement sample can be
// identified. A sample whose result exists already is not read: its bytes are empty.
struct NumberedSamples {
  std::shared_ptr<const Dataset> dataset;
  std::function<bool(std::int64_t)> is_there;  // by number of the result
  std::shared_ptr<IndexFit> fit = nullptr;     // null: nothing is counted

  static constexpr bool blocks = true;
  std::int64_t size() const { return dataset->size(); }
  std::string name(std::int64_t i) const { return dataset->name(i); }
  std::string fingerprint() const { return dataset->fingerprint(); }
  SourceReads reads() const { return dataset->reads(); }
  bool has_result(const SampleInfo& info) const {
    return is_there(info.epoch * dataset->size() + info.index);
  }
  NumberedSample operator()(const SampleInfo& info) const {
    if (has_result(info)) return not_read(info.index);
    DatasetSample sample = dataset->read(info.index);
    if (fit != nullptr) fit->note(info.index, sample.file);
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
    if (here.has_result(info)) {
      (void)done.set(not_read(info.index));
    } else {
      workers(std::move(done), info);
    }
  }
  void begin_epoch(const EpochInfo& info) const { workers.begin_epoch(info); }
  void end_epoch() const noexcept { workers.end_epoch(); }
};

}  // namespace sluice::app
