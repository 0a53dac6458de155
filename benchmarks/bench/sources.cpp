#include "benchmarks/bench/sources.h"

#include "apps/input_paths.h"
#include "apps/usage.h"
#include "benchmarks/bench/overhead.h"
#include "benchmarks/bench/workloads.h"
#include <sluice/graph/pipeline.h>
#include <sluice/graph/sampling/sampler.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/workers/pool.h>
#include <sluice/io/workers/registry.h>
#include <sluice/io/workers/workers.h>
#include <sluice/ops/decode.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <malloc.h>

namespace sluice::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kWaits{5};
constexpr int kWaitingThreads = 16;
constexpr std::size_t kLarge = 1'000'000;
constexpr std::int64_t kVeryMany = 1'000'000'000;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::int64_t wait_for_it(const SampleInfo& info) {
  std::this_thread::sleep_for(kWaits);
  return info.index;
}

auto make_waiting(const WorkerArguments&) { return wait_for_it; }
SLUICE_WORKER("sluice bench wait", make_waiting);

auto make_small(const WorkerArguments&) {
  return [](const SampleInfo& info) { return info.index; };
}
SLUICE_WORKER("sluice bench small", make_small);

auto make_large(const WorkerArguments&) {
  return [from = std::vector<std::uint8_t>(kLarge, 7)](const SampleInfo&) {
    return Bytes::copy_of(from);
  };
}
SLUICE_WORKER("sluice bench large", make_large);

auto make_decoding(const WorkerArguments& arguments) {
  return [files = data_files(arguments.argument)](const SampleInfo& info) {
    Image image;
    decode_jpeg_image(std::get<0>(files.read(info.index % files.size())), {}, image);
    return image;
  };
}
SLUICE_WORKER("sluice bench decode", make_decoding);

// Requests samples from workers without a pipeline, with 64 under way.
template <class S>
class Asking {
 public:
  explicit Asking(const char* name)
      : pool_(name, detail::wire_type<S>::names(), kUntilEnd, {.workers = 1}) {}

  // The time for this many samples, in seconds.
  double run(std::int64_t samples) {
    const auto begin = Clock::now();
    for (std::int64_t i = 0; i < samples; ++i) {
      {
        std::unique_lock lock(mutex_);
        if (open_ >= kUnderWay) changed_.wait(lock, [&] { return open_ <= kUnderWay / 2; });
        ++open_;
      }
      pool_.fetch({.index = next_++}, std::make_unique<Request>(*this));
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return open_ == 0; });
    if (!error_.empty()) throw Error(error_);
    return seconds_since(begin);
  }

 private:
  static constexpr int kUnderWay = 64;

  class Request final : public detail::WorkerRequest {
   public:
    explicit Request(Asking& to) : to_(to) {}
    void give(detail::ReplyReader& reply) override {
      (void)detail::read_sample<S>(reply);
      to_.answered({});
    }
    void fail(const std::string& what) noexcept override { to_.answered(what); }
    void end() noexcept override { to_.answered({}); }

   private:
    Asking& to_;
  };
  void answered(const std::string& error) {
    const std::lock_guard lock(mutex_);
    if (!error.empty()) error_ = error;
    if (--open_ <= kUnderWay / 2) changed_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int open_ = 0;
  std::string error_;
  std::int64_t next_ = 0;
  detail::WorkerPool pool_;
};

struct Row {
  std::string name;
  std::string key;  // of the JSON
  std::string unit;
  std::function<double()> run;      // runs one round and returns a value in that unit
  std::vector<double> values = {};  // one for each round
};

class SourceBench {
 public:
  SourceBench(const SourceBenchOptions& options, std::FILE* out) : options_(options), out_(out) {}

  Figures run() {
    fmt::print(out_, "source: {}, {}, batch {}{}\n", counted(options_.threads, "thread"),
               counted(options_.workers, "worker"), options_.batch,
               options_.data.empty() ? "; without --data DIR nothing is decoded" : "");
    add_waiting();
    if (!options_.data.empty()) add_decoding();
    add_bytes();
    add_shuffle();
    for (int round = 0; round <= options_.rounds; ++round) {
      for (Row& row : rows_) {
        const double value = row.run();
        if (round > 0) row.values.push_back(value);
      }
      if (round > 0) fmt::print(out_, "  round {} of {}\n", round, options_.rounds);
      (void)std::fflush(out_);
    }
    add_ratio();
    return report();
  }

 private:
  // The number of samples in a round.
  std::int64_t samples(double per_second) const {
    return std::max<std::int64_t>(options_.batch, std::llround(options_.seconds * per_second));
  }
  SubjectOptions subject_options(std::int64_t images) const {
    return {.images = images, .threads = options_.threads, .batch = options_.batch};
  }
  template <class Describe>
  Subject make(std::int64_t images, Describe describe) const {
    return subject_of(subject_options(images), std::move(describe));
  }
  template <class S>
  Subject from_workers(const char* name, std::int64_t images, int workers, int group = 16) const {
    const WorkerOptions with{.workers = workers, .argument = options_.data, .mini_batch = group};
    return make(images, [&](Graph& g) { return g.read(sluice::workers<S>(name, images, with)); });
  }
  void add(std::string name, std::string key, std::string unit, std::function<double()> run) {
    rows_.push_back({std::move(name), std::move(key), std::move(unit), std::move(run)});
  }
  // Adds a row in samples per second.
  void add_rate(std::string name, std::string key, std::int64_t images, const Subject& subject) {
    add(std::move(name), std::move(key), "samples/s",
        [images, subject] { return static_cast<double>(images) / subject.run(); });
  }

  // Adds rows as a fraction of the rate that this many simultaneous waits allow.
  void add_waiting() {
    const double wait = std::chrono::duration<double>(kWaits).count();
    const auto add_part = [&](std::string name, std::string key, std::int64_t images, int at_once,
                              const Subject& subject) {
      const double ideal = static_cast<double>(images) / at_once * wait;
      add(std::move(name), std::move(key), "of ideal",
          [ideal, subject] { return ideal / subject.run(); });
    };
    const std::int64_t in_threads = samples(kWaitingThreads / wait);
    add_part(fmt::format("5 ms a sample, {} threads", kWaitingThreads), "wait_threads", in_threads,
             kWaitingThreads, make(in_threads, [&](Graph& g) {
               return g.source(in_threads, wait_for_it, {.threads = kWaitingThreads});
             }));
    const std::int64_t in_workers = samples(options_.workers / wait);
    add_part(fmt::format("5 ms a sample, {} workers", options_.workers), "wait_workers", in_workers,
             options_.workers,
             from_workers<std::int64_t>("sluice bench wait", in_workers, options_.workers, 1));
  }

  void add_decoding() {
    const Files files = data_files(options_.data);
    const std::int64_t images =
        files.size() * std::max<std::int64_t>(1, samples(500.0) / files.size());
    add_rate(fmt::format("decode in {} workers", options_.workers), "decode_workers", images,
             from_workers<Image>("sluice bench decode", images, options_.workers));
    add_rate(fmt::format("decode in {} threads", options_.threads), "decode_threads", images,
             make(images, [&](Graph& g) {
               auto jpeg = g.source(images, [files](const SampleInfo& info) {
                 return std::get<0>(files.read(info.index % files.size()));
               });
               return decode_jpeg(jpeg);
             }));
  }

  void add_bytes() {
    const std::int64_t large = samples(2000.0), small = samples(50'000.0);
    const auto one_large = std::make_shared<Asking<Bytes>>("sluice bench large");
    const auto one_small = std::make_shared<Asking<std::int64_t>>("sluice bench small");
    const auto us_each = [small](double seconds) {
      return seconds * 1e6 / static_cast<double>(small);
    };
    add("1 MB samples, one worker", "large_worker", "samples/s",
        [=] { return static_cast<double>(large) / one_large->run(large); });
    add_rate("memcpy of 1 MB, one thread", "memcpy", large, copying(large));
    add_rate(fmt::format("1 MB samples, {} workers, a pipeline", options_.workers), "large_workers",
             large, from_workers<Bytes>("sluice bench large", large, options_.workers));
    add("small samples, one worker", "small_worker", "us each",
        [=] { return us_each(one_small->run(small)); });
    const Subject one = from_workers<std::int64_t>("sluice bench small", small, 1);
    add("small samples, one worker, a pipeline", "small_pipeline", "us each",
        [=] { return us_each(one.run()); });
  }

  // Copies into as many blocks as samples are under way.
  Subject copying(std::int64_t images) const {
    const auto from = std::make_shared<std::vector<std::uint8_t>>(kLarge, 7);
    const auto to = std::make_shared<std::vector<std::vector<std::uint8_t>>>(
        64, std::vector<std::uint8_t>(kLarge));
    return {[images, from, to] {
              const auto begin = Clock::now();
              for (std::int64_t i = 0; i < images; ++i) {
                std::vector<std::uint8_t>& block = (*to)[static_cast<std::size_t>(i) % to->size()];
                std::memcpy(block.data(), from->data(), kLarge);
                // Keeps the compiler from removing the copy.
                asm volatile("" : : "r"(block.data()) : "memory");
              }
              return seconds_since(begin);
            },
            {}};
  }

  void add_shuffle() {
    const auto in_use = [] {
      const struct mallinfo2 all = mallinfo2();
      return static_cast<double>(all.uordblks + all.hblkhd);
    };
    add("shuffle of 10^9 samples: to the first batch", "shuffle_first_batch", "ms", [this] {
      const auto begin = Clock::now();
      auto pipeline = make_pipeline(pipeline_options_of(subject_options(kVeryMany)), [](Graph& g) {
        return g.source(kVeryMany, [](const SampleInfo& info) { return info.index; },
                        {.shuffle = true});
      });
      auto epoch = pipeline.epoch();
      if (!epoch.next()) throw Error("bench source: no batch came");
      return seconds_since(begin) * 1000;
    });
    add("shuffle of 10^9 samples: memory of the order", "shuffle_bytes", "bytes", [in_use] {
      const double before = in_use();
      const auto order = std::make_unique<EpochOrder>(Sampler{.shuffle = true}, kVeryMany, 0, 7);
      if ((*order)[kVeryMany - 1] < 0) throw Error("bench source: no index");
      return in_use() - before;
    });
  }

  const Row& row(const char* key) const {
    return *std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.key == key; });
  }

  void add_ratio() {
    Row ratio{"1 MB samples, one worker, relative to memcpy", "large_ratio", "times", {}};
    const Row& ours = row("large_worker");
    const Row& limit = row("memcpy");
    for (std::size_t i = 0; i < ours.values.size(); ++i)
      ratio.values.push_back(ours.values[i] / limit.values[i]);
    rows_.push_back(std::move(ratio));
  }

  Figures report() const {
    Figures figures;
    figures.add("workload", "source");
    figures.add("threads", options_.threads);
    figures.add("workers", options_.workers);
    figures.add("batch", options_.batch);
    std::vector<Figures> rows;
    fmt::print(out_, "medians of {}; smallest and largest\n", options_.rounds);
    for (const Row& row : rows_) {
      const auto [least, most] = std::minmax_element(row.values.begin(), row.values.end());
      const int digits = *most < 10 ? 3 : *most < 1000 ? 1 : 0;
      fmt::print(out_, "{:<46}{:>10.{}f} {}  ({:.{}f} to {:.{}f})\n", row.name, median(row.values),
                 digits, row.unit, *least, digits, *most, digits);
      Figures& of_row = rows.emplace_back();
      of_row.add("name", row.key);
      of_row.add("what", row.name);
      of_row.add("unit", row.unit);
      of_row.add("median", median(row.values));
      of_row.add("rounds", row.values);
    }
    figures.add("rows", std::move(rows));
    return figures;
  }

  const SourceBenchOptions options_;
  std::FILE* out_;
  std::vector<Row> rows_;
};

}  // namespace

Figures measure_source(const SourceBenchOptions& options, std::FILE* out) {
  return SourceBench(options, out).run();
}

}  // namespace sluice::app
