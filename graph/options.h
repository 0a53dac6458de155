// What a pipeline, its sources, loops and choices can be told: plain data. Zeros mean "choose for
// me".
#pragma once

#include <sluice/graph/checkpoint.h>
#include <sluice/graph/order/sampler.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice {

class Device;
class MemoryResource;

// What becomes of a batch that holds samples which failed.
struct OnError {
  enum class Policy : std::uint8_t {
    fail,    // the batch is thrown once, as a BatchError; asked again, the pipeline delivers it
             // without them
    skip,    // the batch is short and says which samples are missing
    replace  // another sample of the epoch, chosen by seed and key, stands in
  };
  Policy policy = Policy::fail;
  // More failures than this in an epoch, or a larger share of its samples so far, end the epoch
  // with a BudgetError. The share is looked at from the 100th sample on. Both are counted in order
  // of ids, so that the epoch ends at the same batch on every machine.
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

// What becomes of the last batch when the samples do not fill it.
enum class LastBatch : std::uint8_t {
  partial,  // it is short
  drop,     // it is not made
  fill      // its last sample is repeated; Batch::padding() says how often
};

// What happened when, on which thread, as a file for Perfetto (ui.perfetto.dev) or
// chrome://tracing.
struct TraceOptions {
  std::string file = {};  // empty: no trace
  // Of each thread, the first ones; the file tells how many were left out. One takes 56 bytes until
  // the file is written.
  std::int64_t max_events = 200'000;
};

inline constexpr int kAutomatic = -1;

// Which decoders of a GPU may be used for pictures.
enum class Decoder : std::uint8_t {
  exact,  // those whose pixels are the same as the host's
  any  // also its JPEG engines, whose pixels are near those; they differ from GPU to GPU and from
       // run to run, and damage within a file may stay unseen
};

struct PipelineOptions {
  int batch_size = 1;
  std::uint64_t seed = 0;
  // Where the first epoch begins: see checkpoint.h.
  std::optional<Checkpoint> resume = {};
  // The pipeline's own, beside those of other pipelines; 0: as many as the process may use CPUs.
  // Where the system does not let so many be made, it runs with fewer: see Stats::threads.
  int threads = 0;
  // Beside those: they read what a dataset says takes long (see Graph::read), so that slow storage
  // keeps no thread from computing; all samples of the window may then be read ahead. As many as it
  // takes to keep the storage busy; kAutomatic: as many as `threads`, and at least 4. 0: the
  // threads that compute read. A number above 0 where no source blocks is a BuildError.
  int io_threads = kAutomatic;
  int prefetch = 2;  // batches that are made ready while the user works on one
  // Samples that may be under way, those that wait included, at least batch_size; 0: batch_size *
  // (prefetch + 1), and with several threads 8 for each, so that one sample that takes long keeps
  // no thread idle, with a device 1,024, so that gathers are large; without these where prefetch
  // is 0 or output_memory is given.
  int window = 0;
  // Where the steps run whose inputs lie on a GPU (see Value::gpu()): sluice::gpu(0). Several
  // pipelines may share it.
  std::shared_ptr<Device> device = {};
  // Of that device's memory, at most; 0: what there is. Samples wait for others that give back what
  // they have. One that is too large by itself fails, with an error that says so, and so does one
  // for which nobody could give any back. A number above 0 where no step runs there is a
  // BuildError.
  std::int64_t max_device_bytes = 0;
  // The most bytes of an image or a tensor that a step makes. A larger one is its sample's error,
  // before memory is taken. Decoders have limits of their own, too: max_output_bytes.
  std::int64_t max_image_bytes = std::int64_t{1} << 29;
  // `any` leaves the cores of a GPU that has JPEG engines to other work, while these have room; see
  // docs/gpu.md. Elsewhere there is no difference.
  Decoder decoder = Decoder::exact;
  LastBatch last_batch = LastBatch::partial;
  // Full batches are formed of the samples that filters and errors leave, in order, the same on
  // every machine. Costs one more copy of each value; off, a batch is short by the samples that it
  // lacks. Each batch names what is missing up to the first sample of the next one, and comes when
  // that sample is known; an epoch of which no sample is left gives one empty batch.
  bool compact = false;
  OnError on_error = OnError::fail;
  // Seconds without progress after which next() throws a StallError; 0: never. When the end of an
  // epoch or of the pipeline waits that long for samples (0: 5 seconds), it says on standard error
  // for which steps, once, and waits on.
  double stall_timeout = 0;
  // Steps are counted and timed, see Stats::steps. Costs one look at the clock for each run of a
  // step, some 30 ns. Arms and loops are counted always.
  bool profile = false;
  // Maps of colours in a row, such as color_twist and saturation, become one matrix, and maps of
  // places, such as shear and rotate, one warp: pixels are interpolated, rounded and cut off once,
  // so that they are not those of one step after the other. inspect() shows each step by itself.
  // See docs/performance.md.
  bool compose = false;
  // For each output in order, the memory that its batches are written into; null, and for outputs
  // beyond the list: the pipeline's own. See MemoryResource and BufferRing. It is of the kind
  // of the output: memory of `device` for an output that is on the device, memory of the host,
  // pinned or not, for all others. For images and tensors of one shape: a batch that does not fit
  // (its samples differ in shape, or allocate() gives too little, nothing, or throws) is an Error
  // of next(), and the next call goes on with the batch after it. A block is asked for with the
  // first sample of a batch, and once more when the batch is complete, if there was none: then the
  // samples are copied into it.
  std::vector<std::shared_ptr<MemoryResource>> output_memory = {};
  // Each run of a step is noted, with its sample. The file is opened when the pipeline is made,
  // which throws BuildError where that cannot be, and written when the pipeline is destroyed; of a
  // process that is killed there is none. Two pipelines at once cannot write to one file.
  TraceOptions trace = {};
};

// Names are for errors, paths, counts and drawings. An empty one stands for the construct's own:
// "if_else", "while_loop", ...
struct ChoiceOptions {
  std::string name = {};
};
struct LoopOptions {
  std::int64_t max_iterations = 1'000'000;
  std::string name = {};
};
struct SelectOptions {
  std::string name = "select";
  std::vector<std::string> arm_names = {};  // empty: "arm 0", "arm 1", ...
};
struct CollectOptions {
  bool reverse = false;
  std::int64_t max_iterations = 1'000'000;
  std::string name = {};
};
struct IteratorOptions {
  int axis = 0;          // of a tensor; a list has only axis 0
  bool reverse = false;  // from the last of as many elements as the loop counts
};
struct StackOptions {
  int axis = 0;  // of the new dimension, 0 to the rank of the tensors; a list has only axis 0
  bool reverse = false;
};

// The options with zeros replaced by what they stand for. Throws BuildError for what cannot be.
PipelineOptions checked(PipelineOptions options);

// What a source can be told beside its samples. A Sampler may be given in its place:
// g.read(files, {.shuffle = true}).
struct SourceOptions {
  // Which samples an epoch has, in which order. All sources of a graph go by the same one, so it is
  // enough to say it once.
  Sampler sampler = {};
  // Threads of the source's own that call it: for one that waits for a database or the network. The
  // order is that of the epoch, and no more than the pipeline's window is read ahead. 0: the
  // pipeline's threads call it, and PipelineOptions::io_threads where the dataset says that it
  // blocks.
  int threads = 0;
};

}  // namespace sluice
