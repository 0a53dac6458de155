// workers: a dataset whose samples are produced by worker processes, for Graph::read. It is for
// code that is not thread-safe, leaks or crashes.
//
//   auto make_reader(const WorkerArguments& arguments) {
//     return [data = open(arguments.argument)](const SampleInfo& info) {
//       return std::tuple{data.image(info.index), data.label(info.index)};
//     };
//   }
//   SLUICE_WORKER("imagenet", make_reader);
//
//   int main(int argc, char** argv) {
//     run_worker_if_asked(argc, argv);
//     ...
//       auto [image, label] = g.read(workers<std::tuple<Image, std::int64_t>>(
//           "imagenet", 1'281'167, {.workers = 8, .argument = "/data/imagenet"}));
//
// Workers are new processes of this program, or of another one. They share only the memory of their
// samples with this process. They start when workers() is called, which is before the pipeline uses
// a GPU. Samples are functions of their SampleInfo, so they do not depend on the number of workers.
// An exception in a reader is the error of its sample.
//
// If a worker crashes, is killed, exceeds the time limit for a sample, or sends an invalid message,
// only the sample that it was working on is lost. Its error names the worker, how it ended, and its
// last output. The worker is restarted. When this process ends, for any reason, the workers end
// with it.
//
// Ownership: copies share the workers, which end with the last copy. Values in shared memory may
// outlive it. Threads: all. Errors: workers() throws BuildError for invalid options, an unknown
// name or the wrong type, and Error if processes cannot be started. When no worker is left,
// begin_epoch() throws Error and every sample fails. If the number of samples is unknown, the
// current epoch ends soon.
#pragma once

#include <sluice/graph/completion.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/io/workers/pool.h>
#include <sluice/io/workers/registry.h>
#include <sluice/runtime/function.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {

template <class S>
class Workers {
 public:
  using Sample = S;

  Workers(std::string_view name, std::int64_t samples, const WorkerOptions& options)
      : shared_(std::make_shared<Shared>(std::string(name), samples, options)) {}

  std::int64_t size() const { return shared_->samples; }
  std::string name(std::int64_t index) const {
    if (shared_->sample_name) return shared_->sample_name(index);
    return "sample " + std::to_string(index) + " of '" + shared_->name + "'";
  }
  WorkerStats stats() const { return shared_->pool.stats(); }
  // Why no worker is left, so that every sample fails; empty while there are workers.
  std::string broken() const { return shared_->pool.broken(); }

  // For Graph::read.
  void operator()(Completion<S> done, const SampleInfo& info) const {
    shared_->pool.fetch(info, std::make_unique<Request>(std::move(done)));
  }
  void begin_epoch(const EpochInfo&) const { shared_->pool.begin_epoch(); }
  void end_epoch() const noexcept { shared_->pool.end_epoch(); }

 private:
  struct Shared {
    Shared(const std::string& called, std::int64_t count, const WorkerOptions& options)
        : name(called),
          samples(count),
          sample_name(options.sample_name),
          pool(called, detail::wire_type<S>::names(), count, options) {}
    std::string name;
    std::int64_t samples;
    Function<std::string(std::int64_t)> sample_name;
    detail::WorkerPool pool;
  };
  class Request final : public detail::WorkerRequest {
   public:
    explicit Request(Completion<S> done) : done_(std::move(done)) {}
    void give(detail::ReplyReader& reply) override {
      (void)done_.set(detail::read_sample<S>(reply));
    }
    void fail(const std::string& what) noexcept override { (void)done_.fail(what); }
    void end() noexcept override { (void)done_.fail(std::make_exception_ptr(EndOfEpoch())); }
    void refuse(const std::string& what) noexcept override { (void)done_.fail_as_last(what); }

   private:
    Completion<S> done_;
  };
  std::shared_ptr<Shared> shared_;
};

// A dataset of `samples` samples an epoch. Each is an S: one value, or a std::tuple of values. With
// kUntilEnd, an epoch ends when the reader throws EndOfEpoch.
template <class S>
Workers<S> workers(std::string_view name, std::int64_t samples, const WorkerOptions& options = {}) {
  static_assert(detail::wire_type<S>::check());
  return {name, samples, options};
}

}  // namespace sluice
