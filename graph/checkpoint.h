// Checkpoint: how far a pipeline has come, as plain data, small enough to be kept with each saved
// model. A pipeline that is made with it goes on with the next batch, bit for bit.
//
//   pipeline.checkpoint().save("run.json");
//   ...
//   auto pipeline = make_pipeline({.batch_size = 256, .seed = 42,
//                                  .resume = Checkpoint::load("run.json")}, describe);
//
// It says what comes next, not what was computed: epoch and position; all else follows from seed,
// sampler, dataset and program, of which it keeps what tells them from others. Batch size, threads,
// device memory and the like may differ from run to run. So may the number of shards: then each
// process takes the same checkpoint, of any process of the run before, and what is left of the
// epoch is cut anew. That needs processes that have taken as many batches each, as in training in
// step; what one of them lacked at the very end of the epoch is left out.
//
// Ownership: a value. Threads: like any data. Errors: BuildError for a text that is no checkpoint,
// and, when a pipeline is made, for a checkpoint of another seed, sampler, dataset or program; it
// names what differs. IoError for files.
#pragma once

#include <sluice/graph/order/sampler.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

struct Checkpoint {
  std::int64_t epoch = 0;
  std::int64_t position = 0;  // in the epoch, of the first sample that was not taken
  std::int64_t batch = 0;     // batches of the epoch that were taken
  std::int64_t errors = 0;    // in them, for the budget of PipelineOptions::on_error
  // With `compact`: samples before this position have been looked at, and a BatchError was thrown
  // for those that failed. 0: none beyond `position`.
  std::int64_t judged = 0;
  std::int64_t shards = 1;  // processes that the epoch is cut for
  // What was done of the epoch before it was cut for so many; positions count from 0 since.
  std::vector<Progress> done = {};

  std::uint64_t seed = 0;
  std::string sampler = {};               // without the shard's number
  std::vector<std::string> dataset = {};  // a line for each source
  std::vector<std::string> plan = {};     // a line for each step
  std::vector<std::string> states = {};   // of sources that have any: see Graph::read

  // As JSON, and back; `name` is what errors call the text.
  std::string to_json() const;
  static Checkpoint from_json(const std::string& text, const std::string& name = "the checkpoint");
  // The file appears when it is whole and on the disk, in the place of one that was there before.
  void save(const std::string& file) const;
  static Checkpoint load(const std::string& file);

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

namespace detail {

// Throws BuildError, which names what differs, unless a run that is described as `now` may go on
// from a checkpoint.
void require_same_run(const Checkpoint& from, const Checkpoint& now);

}  // namespace detail
}  // namespace sluice
