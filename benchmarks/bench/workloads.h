// The workloads of `sluice bench` on files. Corpus holds the files in memory. A Subject is a
// pipeline behind one function that runs an epoch. The other functions are the loops that pipelines
// are compared with. Such a loop runs once over the images, and returns the seconds that it took.
//
// Ownership: a Subject owns its pipeline and refers to the corpus, which must outlive it; so does a
// RotateLoop. Threads: any number may read a Corpus; the rest one. Errors: UsageError for a folder
// that cannot be used, Error for a run that is not what was asked for.
#pragma once

#include <sluice/graph/pipeline.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/device.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace sluice::app {

// The files of a folder or of packs, in memory. It leaves out files that cannot be read or decoded,
// so that every workload measures the same images. Immutable once constructed.
//
// With packs, it has two versions of each file. Pipelines decode the packed one. The loops that
// they are compared with decode the JPEG file from which it was made.
class Corpus {
 public:
  // Throws UsageError if the folder cannot be read, or if none of its files can be decoded. With a
  // device, the files lie in memory that the device reads, as in a pipeline.
  explicit Corpus(const std::string& folder, Device* device = nullptr);
  // Throws Error if a packed file decodes to other pixels than its JPEG file.
  explicit Corpus(const std::vector<std::string>& packs, Device* device = nullptr);

  std::int64_t size() const { return static_cast<std::int64_t>(files_.size()); }
  // Returns file `i` modulo size(), which is a JPEG file.
  std::span<const std::uint8_t> operator[](std::int64_t i) const {
    const std::vector<Bytes>& files = originals_.empty() ? files_ : originals_;
    return files[static_cast<std::size_t>(i % size())];
  }
  // Returns a view of the file for a pipeline: packed, if it comes from a pack. It carries the
  // file's hash, so a lookup in `index` (which may be null) does not compute it again.
  Bytes file(std::int64_t i, std::shared_ptr<JpegIndex> index) const;
  std::int64_t label(std::int64_t i) const { return labels_[static_cast<std::size_t>(i % size())]; }
  double megabytes() const;  // of the JPEG files
  // The size of the packed files.
  double packed_megabytes() const { return static_cast<double>(packed_bytes_) / 1e6; }
  int left_out() const { return left_out_; }
  // Descriptions of the files that are left out by rules.
  const std::vector<std::string>& left_out_by_rules() const { return by_rules_; }
  // The number of files that have an entry in the JPEG index.
  std::int64_t known_to(const JpegIndex& index) const;

 private:
  std::vector<Bytes> files_;
  std::vector<Bytes> originals_;      // of packs; else empty
  std::vector<std::int64_t> labels_;  // numbered by files_in(), or in the packs
  std::int64_t packed_bytes_ = 0;
  int left_out_ = 0;
  std::vector<std::string> by_rules_;
};

// Returns the error for a measurement that gets fewer threads than requested.
Error too_few_threads(int asked, int made);

// Only decodes every whole image with libjpeg-turbo: exact integer inverse DCT, fancy upsampling,
// RGB. The threads share a counter. Each keeps one libjpeg object and one image, so nothing is
// allocated or queued.
double run_full_decode(const Corpus& corpus, std::int64_t images, int threads);

// The rotate recipe as a hand-written loop. Each thread takes the next number, decodes, rotates one
// image in four, and resizes into its place in a batch. It uses the pipeline's kernels and random
// numbers.
class RotateLoop {
 public:
  RotateLoop(const Corpus& corpus, std::uint64_t seed, int batch)
      : corpus_(corpus), seed_(seed), batch_(batch) {}
  double run(std::int64_t images, int threads) const;

  struct Scratch {
    Image decoded;
    Image turned;
  };
  // Makes sample `id` of epoch 0, as the pipeline must deliver it.
  void make(std::int64_t id, Scratch& scratch, Image& out) const;

 private:
  const Corpus& corpus_;
  std::uint64_t seed_;
  int batch_;
};

struct Subject {
  // Delivers all images of epoch 0 and discards them. Returns the seconds from the start to the
  // last batch.
  std::function<double()> run;
  std::function<Stats()> stats;
};

struct SubjectOptions {
  std::int64_t images = 0;  // per epoch; files are reused as often as necessary
  int threads = 1;
  int batch = 64;
  int window = 0;  // see PipelineOptions
  std::uint64_t seed = 42;
  // The size of the output images of recipes and conditional, in pixels; dino has its own sizes.
  int width = 0, height = 0;
  std::shared_ptr<JpegIndex> index = {};  // JPEG index of the files; null: none
  std::shared_ptr<Device> device = {};    // decodes and augments images; null: the host
  Decoder decoder = Decoder::exact;
  OnError on_error = OnError::fail;
  bool compose = false;    // see PipelineOptions
  std::string trace = {};  // file for the pipeline's trace; empty: none
};

inline PipelineOptions pipeline_options_of(const SubjectOptions& options) {
  return {.batch_size = options.batch,
          .seed = options.seed,
          .threads = options.threads,
          .window = options.window,
          .device = options.device,
          .decoder = options.decoder,
          .on_error = options.on_error,
          .compose = options.compose,
          .trace = {options.trace}};
}

// Measures a pipeline with `samples` samples.
template <class P>
Subject subject_from(std::shared_ptr<P> pipeline, std::int64_t samples) {
  return {[pipeline, images = samples] {
            pipeline->reset();
            if (const Stats stats = pipeline->stats(); stats.threads < stats.threads_asked)
              throw too_few_threads(stats.threads_asked, stats.threads);
            const auto start = std::chrono::steady_clock::now();
            std::int64_t delivered = 0;
            for (const auto& batch : pipeline->epoch())
              delivered += static_cast<std::int64_t>(batch.size() + batch.missing().size());
            const double seconds =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            if (delivered != images)
              throw Error(fmt::format("{} of {} images were delivered", delivered, images));
            return seconds;
          },
          [pipeline] { return pipeline->stats(); }};
}

// Measures the pipeline that `describe` describes, with options.images samples.
template <class Describe>
Subject subject_of(const SubjectOptions& options, Describe describe) {
  using P = decltype(make_pipeline(PipelineOptions(), describe));
  return subject_from(std::make_shared<P>(make_pipeline(pipeline_options_of(options), describe)),
                      options.images);
}

// `workload`: conditional, or one of the workloads on files in bench.h.
Subject make_subject(const std::string& workload, const Corpus& corpus,
                     const SubjectOptions& options);

// The workload `train` on these packs, read from the disk or from URLs. The packs are repeated
// until there are options.images samples.
Subject make_pack_subject(const std::vector<std::string>& packs, const SubjectOptions& options);
Subject make_pack_url_subject(const std::vector<std::string>& urls, int connections,
                              const SubjectOptions& options);

// Compares the first images of the rotate pipeline with the loop's, byte for byte. Throws Error if
// they differ.
void check_rotate_loop(const Corpus& corpus, const SubjectOptions& options, const RotateLoop& loop);

}  // namespace sluice::app
