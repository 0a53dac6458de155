// Checkpoint: a pipeline's progress as plain data, small enough to save with each model. A pipeline
// made with it continues with the next batch, bit for bit.
//
//   pipeline.checkpoint().save("run.json");
//   ...
//   auto pipeline = make_pipeline({.batch_size = 256, .seed = 42,
//                                  .resume = Checkpoint::load("run.json")}, describe);
//
// It stores what comes next, not what was computed: epoch and position. All else follows from the
// seed, sampler, dataset and program, for which it stores descriptions to compare. Batch size,
// threads, device memory and the like may differ between runs. So may the number of shards. Then
// all processes take the same checkpoint, from any process of the previous run, and the rest of the
// epoch is split again. For that, all processes of the previous run must have taken the same number
// of batches, as in synchronous training. Samples that one of them lacked at the very end of the
// epoch are left out.
//
// Ownership: a value. Threads: like any data. Errors: BuildError for text that is not a checkpoint.
// BuildError when a pipeline is made with a checkpoint of another seed, sampler, dataset or
// program; it names the difference. IoError for files.
#pragma once

#include <sluice/graph/sampling/sampler.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

struct Checkpoint {
  std::int64_t epoch = 0;
  std::int64_t position = 0;  // in the epoch, of the first sample that was not taken yet
  std::int64_t batch = 0;     // batches of the epoch that were taken
  std::int64_t errors = 0;    // in these batches, for the budget of PipelineOptions::on_error
  // With `compact`: samples before this position have been checked, and a BatchError was thrown for
  // those that failed. 0: only those before `position`.
  std::int64_t judged = 0;
  std::int64_t shards = 1;  // processes that the epoch is split among
  // Progress of the epoch before it was split among `shards`; positions restart at 0 after that.
  std::vector<Progress> done = {};

  std::uint64_t seed = 0;
  std::string sampler = {};               // without the shard's number
  std::vector<std::string> dataset = {};  // one line for each source
  std::vector<std::string> plan = {};     // one line for each step
  bool gpu = false;                       // a step moves values to the GPU
  std::vector<std::string> states = {};   // of sources that have a state: see Graph::read

  // Converts to JSON and back. `name` is how errors refer to the text.
  std::string to_json() const;
  static Checkpoint from_json(const std::string& text, const std::string& name = "the checkpoint");
  // Replaces the file only once the new one is complete and on the disk.
  void save(const std::string& file) const;
  static Checkpoint load(const std::string& file);

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

namespace detail {

// Throws BuildError, which names the difference, if the run described by `now` cannot continue
// `from`.
void require_same_run(const Checkpoint& from, const Checkpoint& now);

}  // namespace detail
}  // namespace sluice
