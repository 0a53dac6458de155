// workers: a dataset whose samples are made by worker processes, for Graph::read: for code that is
// not thread-safe, leaks or crashes.
//
//   auto make_reader(const WorkerArguments& arguments) {
//     return [data = open(arguments.argument)](const SampleInfo& info) {
//       return std::tuple{data.picture(info.index), data.label(info.index)};
//     };
//   }
//   SLUICE_WORKER("imagenet", make_reader);
//
//   int main(int argc, char** argv) {
//     run_worker_if_asked(argc, argv);
//     ...
//       auto [picture, label] = g.read(workers<std::tuple<Image, std::int64_t>>(
//           "imagenet", 1'281'167, {.workers = 8, .argument = "/data/imagenet"}));
//
// Workers are new processes of this program, or of another one: nothing is shared but memory that
// they fill. They are started when workers() is called, before the program uses a GPU. Samples are
// functions of their SampleInfo, so how many workers there are changes nothing in what they are.
// What a reader throws is the error of its sample.
//
// A worker that crashes, is killed, takes longer than a deadline for a sample, or writes what makes
// no sense costs the one sample that it was at, whose error names the worker, how it ended, and
// what it wrote last; it is started anew. When this process ends, however that comes about, the
// workers end with it.
//
// Ownership: copies share the workers, which end with the last of them. Values in shared memory may
// outlive it. Threads: all. Errors: workers() throws BuildError for options that cannot be, and for
// a name or a type that does not fit, and Error where processes cannot be started. When no worker
// is left, begin_epoch() throws Error, and so each sample fails; where it is not known how many
// there are, the epoch that runs ends soon.
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
  // Why no worker is left, so that each sample fails; empty while some are.
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
          pool(called, detail::travelling<S>::names(), count, options) {}
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

// `samples` samples in an epoch, each an S: one value or a std::tuple of values; kUntilEnd: until
// the reader throws EndOfEpoch.
template <class S>
Workers<S> workers(std::string_view name, std::int64_t samples, const WorkerOptions& options = {}) {
  static_assert(detail::travelling<S>::check());
  return {name, samples, options};
}

}  // namespace sluice
