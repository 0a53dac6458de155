// Subjects: the pipelines that `sluice bench` measures, each behind one function that runs an
// epoch.
//
// Ownership: a Subject owns its pipeline and refers to the corpus, which must outlive it. Threads:
// one.
#pragma once

#include "benchmarks/workloads/corpus.h"
#include "benchmarks/workloads/limits.h"
#include <sluice/graph/pipeline.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <fmt/format.h>

namespace sluice::app {

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

// Compares the first images of the rotate pipeline with the loop's, byte for byte. Throws Error if
// they differ.
void check_rotate_loop(const Corpus& corpus, const SubjectOptions& options, const RotateLoop& loop);

}  // namespace sluice::app
