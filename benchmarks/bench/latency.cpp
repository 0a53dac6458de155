#include "benchmarks/bench/latency.h"

#include "apps/usage.h"
#include <sluice/graph/pipeline.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/normalize.h>
#include <sluice/runtime/device.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sluice::app {
namespace {

using Clock = std::chrono::steady_clock;

// Runs this many samples at once, again and again. Each burst is an epoch, so nothing of the next
// one starts before the last one is over.
class Bursts {
 public:
  Bursts(const Corpus& corpus, SubjectOptions options, int samples)
      : corpus_(corpus), options_(std::move(options)), samples_(samples), pipeline_(make()) {}

  // The time from the first sample's source to the last one's arrival, in microseconds.
  double run() {
    began_.store(kNever, std::memory_order_relaxed);
    auto epoch = pipeline_->epoch();
    const auto batch = epoch.next();
    const std::int64_t end = now();
    if (!batch || batch->size() != static_cast<std::size_t>(samples_))
      throw Error("a sample of bench latency was not delivered");
    while (epoch.next()) {
    }
    return static_cast<double>(end - began_.load(std::memory_order_relaxed)) / 1000;
  }
  // Runs through all files once, to fill an index in memory, or for at most this many seconds.
  void warm_up(double most) {
    const auto end = Clock::now() + std::chrono::duration<double>(most);
    const std::int64_t times = std::max<std::int64_t>(3, corpus_.size() / samples_);
    for (std::int64_t i = 0; i < times && Clock::now() < end; ++i) (void)run();
    before_ = pipeline_->stats().device;
  }
  // The mean size of a GPU batch since the warm-up.
  double mean_batch() const {
    DeviceStats stats = pipeline_->stats().device;
    stats.samples -= before_.samples;
    stats.batches -= before_.batches;
    return stats.mean_batch();
  }

 private:
  using P = Pipeline<Tensor>;
  static constexpr std::int64_t kNever = 0;

  static std::int64_t now() { return Clock::now().time_since_epoch().count(); }

  std::unique_ptr<P> make() {
    PipelineOptions options = pipeline_options_of(options_);
    options.batch_size = options.window = samples_;
    options.prefetch = 0;
    return std::make_unique<P>(make_pipeline(options, [this](Graph& g) {
      const bool there = options_.device != nullptr;
      auto jpeg = g.source(samples_, [this](const SampleInfo& info) {
        std::int64_t never = kNever;
        began_.compare_exchange_strong(never, now(), std::memory_order_relaxed);
        return corpus_.file(info.epoch * samples_ + info.index, options_.index);
      });
      auto tensor =
          resize_mirror_normalize(decode_jpeg(there ? jpeg.gpu() : jpeg), {.height = 224,
                                                                           .width = 224,
                                                                           .mean = kImageNetMean,
                                                                           .std = kImageNetStd,
                                                                           .dtype = DType::f16});
      return there ? tensor.cpu() : tensor;
    }));
  }

  const Corpus& corpus_;
  const SubjectOptions options_;
  const int samples_;
  std::atomic<std::int64_t> began_{kNever};
  std::unique_ptr<P> pipeline_;
  DeviceStats before_;
};

struct Times {
  std::vector<double> us = {};
  // The percentile: the smallest value that this fraction of the times does not exceed.
  double at(double part) {
    std::sort(us.begin(), us.end());
    const auto n = static_cast<double>(us.size());
    return us[static_cast<std::size_t>(std::clamp(std::ceil(part * n) - 1, 0.0, n - 1))];
  }
  double median() { return at(0.5); }
  double p99() { return at(0.99); }
};

// Runs bursts for this time, but at least a few.
void add_times(Bursts& bursts, double seconds, Times& times) {
  constexpr int kFewest = 3;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (int i = 0; i < kFewest || Clock::now() < end; ++i) times.us.push_back(bursts.run());
}

Figures figures_of(Times& times, int samples) {
  Figures figures;
  figures.add("bursts", static_cast<std::int64_t>(times.us.size()));
  figures.add("median_us", times.median());
  figures.add("p99_us", times.p99());
  figures.add("us_per_sample", times.median() / samples);
  return figures;
}

std::string columns(Times& times, int samples) {
  return fmt::format("{:>11.0f}{:>10.0f}{:>11.1f}", times.median(), times.p99(),
                     times.median() / samples);
}

}  // namespace

Figures measure_latency(const Corpus& corpus, const SubjectOptions& options, double seconds,
                        int rounds, std::FILE* out) {
  constexpr int kMost = 256;
  const bool both = options.device != nullptr;
  fmt::print(out, "latency: {}, {:.1f} MB; decode, 224 x 224, f16; {}{}\n",
             counted(corpus.size(), "file"), corpus.megabytes(),
             both ? options.device->name() + " and " : std::string(),
             counted(options.threads, "CPU thread"));
  const char* const head = "  median us    p99 us  us/sample";
  fmt::print(out, "samples{}{}\n", both ? std::string(head) + "   batch of  | on the CPU:" : "",
             head);
  Figures figures;
  figures.add("workload", "latency");
  figures.add("threads", options.threads);
  if (both) figures.add("device", options.device->name());
  std::vector<Figures> rows;
  SubjectOptions on_cpu = options;
  on_cpu.device = nullptr;
  const double warming = std::min(1.0, seconds);
  for (int samples = 1; samples <= kMost; samples *= 2) {
    Bursts cpu(corpus, on_cpu, samples);
    cpu.warm_up(warming);
    std::optional<Bursts> device;
    if (both) device.emplace(corpus, options, samples);
    if (device) device->warm_up(warming);
    Times on_device, on_host;
    for (int i = 0; i < rounds; ++i) {
      if (device) add_times(*device, seconds / rounds, on_device);
      add_times(cpu, seconds / rounds, on_host);
    }
    Figures& row = rows.emplace_back();
    row.add("samples", samples);
    row.add("cpu", figures_of(on_host, samples));
    fmt::print(out, "{:>7}", samples);
    if (device) {
      Figures there = figures_of(on_device, samples);
      there.add("samples_per_batch", device->mean_batch());
      row.add("device", std::move(there));
      fmt::print(out, "{}{:>11.1f}{:>15}", columns(on_device, samples), device->mean_batch(), "");
    }
    fmt::print(out, "{}\n", columns(on_host, samples));
    (void)std::fflush(out);
  }
  figures.add("rows", std::move(rows));
  return figures;
}

}  // namespace sluice::app
