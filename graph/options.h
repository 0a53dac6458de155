// Options of a pipeline and of its sources, loops and choices, as plain data. Zero means "choose
// automatically".
#pragma once

#include <sluice/graph/checkpoint.h>
#include <sluice/graph/sampling/sampler.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice {

class Device;
class MemoryResource;
class ThreadPool;

// The policy for batches with failed samples.
struct OnError {
  enum class Policy : std::uint8_t {
    fail,    // the batch throws a BatchError once; the next call delivers it without the failed
             // samples
    skip,    // the batch is short and lists the missing samples
    replace  // a sample of the dataset, drawn by seed and key, takes its place; the draw ignores
             // the sampler, and may hit the failed sample again
  };
  Policy policy = Policy::fail;
  // More failures than this in an epoch, or a larger share of its samples so far, end the epoch
  // with a BudgetError. The share is checked from the 100th sample on. Both are counted in order of
  // ids, so the epoch ends at the same batch on every machine.
  std::int64_t max_errors = std::numeric_limits<std::int64_t>::max();
  double max_rate = 1.0;

  constexpr OnError within(std::int64_t errors, double rate = 1.0) const {
    return {policy, errors, rate};
  }
  static const OnError fail, skip, replace;
};
inline constexpr OnError OnError::fail{OnError::Policy::fail};
inline constexpr OnError OnError::skip{OnError::Policy::skip};
inline constexpr OnError OnError::replace{OnError::Policy::replace};

// The policy for a last batch that the samples do not fill.
enum class LastBatch : std::uint8_t {
  partial,  // deliver it short
  drop,     // leave it out
  fill      // repeat its last sample; Batch::padding() returns the number of repetitions
};

// Records a trace of which thread did what and when, for Perfetto (ui.perfetto.dev) or
// chrome://tracing.
struct TraceOptions {
  std::string file = {};  // empty: no trace
  // The most events for each thread. Later ones are dropped, and the file says how many. Each takes
  // 56 bytes until the file is written.
  std::int64_t max_events = 200'000;
};

inline constexpr int kAutomatic = -1;

// The GPU decoders that may decode images.
enum class Decoder : std::uint8_t {
  exact,  // only decoders with the same pixels as on the host
  any     // also JPEG engines. Their pixels are close to the host's, but differ between GPUs and
          // between runs, and damage within a file may not be detected
};

struct PipelineOptions {
  int batch_size = 1;
  std::uint64_t seed = 0;
  // The point where the first epoch starts: see checkpoint.h.
  std::optional<Checkpoint> resume = {};
  // Threads of this pipeline alone; 0: as many as the CPUs that the process may use. If the system
  // does not allow that many, the pipeline uses fewer: see Stats::threads.
  int threads = 0;
  // In place of `threads`: a number of threads that this pipeline shares with others; see
  // ThreadPool.
  std::shared_ptr<ThreadPool> thread_pool = {};
  // Additional threads for datasets with slow reads (see Graph::read), so that slow storage does
  // not block computing threads. All samples of the window may then be read ahead. Use as many as
  // it takes to keep the storage busy. kAutomatic: as many as `threads`, and at least 4. 0: the
  // computing threads read. A number above 0 without a blocking source throws BuildError.
  int io_threads = kAutomatic;
  int prefetch = 2;  // batches to prepare while the user works on one
  // The most samples in flight, pending ones included; at least batch_size. 0: batch_size *
  // (prefetch + 1). To this, 0 adds 8 for each of several threads, so that one slow sample leaves
  // no thread idle. With steps on a device, it adds 1,024, so that GPU batches are large. Neither
  // is added if prefetch is 0 or output_memory is given.
  int window = 0;
  // The device for steps whose inputs are on a GPU (see Value::gpu()): sluice::gpu(0). Several
  // pipelines may share it.
  std::shared_ptr<Device> device = {};
  // If true, images and tensors are delivered in the memory of `device`; see
  // MemoryBatch::wait_on(). Outputs of CPU steps are written to pinned memory and copied on the
  // pipeline's own stream. When next() returns a batch, it has also started to copy the complete
  // batches after it, up to `prefetch` of them. It leaves out batches with missing samples or
  // different shapes, and all if `compact` is set, or if max_device_bytes is set and steps run on
  // the device. Other values, such as numbers, stay on the host. Throws BuildError without a
  // device.
  bool deliver_on_device = false;
  // The most memory to use on that device; 0: all there is. Samples wait until others free memory.
  // A sample fails, with an error that says so, if it is too large by itself or if no other sample
  // can free memory. If there is none for a batch of deliver_on_device, next() throws
  // std::bad_alloc, and the epoch ends. A number above 0 throws BuildError without steps on the
  // device and deliver_on_device.
  std::int64_t max_device_bytes = 0;
  // The most bytes of an image or a tensor that a step makes. A larger one fails its sample, before
  // memory is allocated. Decoders have limits of their own, too: max_output_bytes.
  std::int64_t max_image_bytes = std::int64_t{1} << 29;
  // `any` uses the JPEG engines of a GPU that has them, while they have room, and leaves its cores
  // to other work; see docs/gpu.md. On other GPUs it makes no difference.
  Decoder decoder = Decoder::exact;
  LastBatch last_batch = LastBatch::partial;
  // Forms full batches from the samples that remain after filters and errors, in order and
  // deterministically. Costs one more copy of each value. When off, a batch is short by its missing
  // samples. Each batch lists the missing samples up to the first sample of the next batch, and is
  // delivered once that sample is known. An epoch in which no sample remains delivers one empty
  // batch.
  bool compact = false;
  OnError on_error = OnError::fail;
  // next() throws a StallError after this many seconds without progress; 0: never. If the end of an
  // epoch or of the pipeline waits that long for samples (0: 5 seconds), the pipeline logs once
  // which steps it waits for, and keeps waiting: see set_log_handler().
  double stall_timeout = 0;
  // Counts and times steps, see Stats::steps. Costs one clock read for each run of a step, about 30
  // ns. Branches and loops are always counted.
  bool profile = false;
  // Combines consecutive color operators, such as color_twist and saturation, into one matrix, and
  // consecutive geometric operators, such as shear and rotate, into one warp. Pixels are
  // interpolated, rounded and clipped once, so they differ from those of separate steps. inspect()
  // runs each step separately. See docs/tuning.md.
  bool compose = false;
  // The memory that the batches of each output are written into, in the order of the outputs. Null,
  // or missing at the end of the list: the pipeline's own memory. See MemoryResource and
  // BufferRing. The memory must match the output: memory of `device` for an output that is
  // delivered there, host memory, pinned or not, for all others. Only for images and tensors of one
  // shape. For a batch that does not fit, next() throws Error, and the next call continues with the
  // batch after it. A batch does not fit if its samples differ in shape, or if allocate() throws or
  // returns too little or nothing. A block is allocated for the first sample of a batch. If that
  // yields none, it is tried again when the batch is complete, and the samples are copied into it.
  // For outputs of CPU steps with deliver_on_device, it is allocated when the copy starts.
  std::vector<std::shared_ptr<MemoryResource>> output_memory = {};
  // Records each run of a step, with its sample. The file is opened when the pipeline is made,
  // which throws BuildError if that fails. It is written when the pipeline is destroyed, so a
  // process that is killed leaves none. Two pipelines cannot write to one file at once.
  TraceOptions trace = {};
};

// Names appear in errors, paths, counts and drawings. An empty name means the default: "if_else",
// "while_loop", ...
struct ChoiceOptions {
  std::string name = {};
};
struct LoopOptions {
  std::int64_t max_iterations = 1'000'000;
  std::string name = {};
};
struct SelectOptions {
  std::string name = "select";
  std::vector<std::string> branch_names = {};  // empty: "branch 0", "branch 1", ...
};
struct CollectOptions {
  bool reverse = false;
  std::int64_t max_iterations = 1'000'000;
  std::string name = {};
};
struct IteratorOptions {
  int axis = 0;          // of a tensor; a list has only axis 0
  bool reverse = false;  // start with the last of the elements that the loop visits
};
struct StackOptions {
  int axis = 0;  // of the new dimension, 0 to the rank of the tensors; a list has only axis 0
  bool reverse = false;
};

// Replaces zeros in the options by their defaults. Throws BuildError for invalid options.
// `on_device`: steps of the pipeline run on a device.
PipelineOptions checked(PipelineOptions options, bool on_device);
// Returns `threads`, or the number of CPUs for 0. Throws BuildError below 0 and above 4096.
int checked_threads(int threads);

// Options of a source. A Sampler may be given in their place: g.read(files, {.shuffle = true}).
struct SourceOptions {
  // Selects the samples of an epoch and their order. All sources of a graph share one sampler, so
  // one of them needs to set it.
  Sampler sampler = {};
  // Threads that call only this source, for one that waits for a database or the network. The order
  // stays that of the epoch, and at most the pipeline's window is read ahead. 0: the pipeline's
  // threads call it, or those of PipelineOptions::io_threads if the dataset says that it blocks.
  int threads = 0;
};

}  // namespace sluice
