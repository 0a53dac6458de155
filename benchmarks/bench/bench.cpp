#include "benchmarks/bench/bench.h"

#include "apps/devices.h"
#include "apps/input_paths.h"
#include "apps/json_report.h"
#include "apps/output_paths.h"
#include "apps/saved_plan_file.h"
#include "apps/usage.h"
#include "benchmarks/bench/delaying_server.h"
#include "benchmarks/bench/latency.h"
#include "benchmarks/bench/nvjpeg_baseline.h"
#include "benchmarks/bench/overhead.h"
#include "benchmarks/bench/rounds.h"
#include "benchmarks/bench/sources.h"
#include "benchmarks/bench/workloads.h"
#include <sluice/io/http/request.h>
#include <sluice/io/packs/pack_in.h>
#include <sluice/runtime/process.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <sys/resource.h>

namespace sluice::app {

const std::vector<std::string>& bench_workloads() {
  static const std::vector<std::string> all = {
      "decode",         "region",      "train",       "eval",   "rotate", "randaugment",
      "trivialaugment", "autoaugment", "augmix",      "simclr", "dino",   "detection",
      "segmentation",   "overhead",    "conditional", "wait"};
  return all;
}

BenchOptions checked_options(const BenchOptions& options) {
  BenchOptions checked = options;
  if (!options.recipe.empty()) checked.workload = options.recipe;
  const std::optional<Recipe> recipe = recipe_of(checked.workload);
  if (recipe) {
    checked.workload = name_of(*recipe);
    checked.size = size_of(*recipe, options.size);
  } else if (options.size != RecipeSize()) {
    throw UsageError(fmt::format("--size is for recipes, {}: not for bench {}",
                                 any_of(recipe_names()),
                                 checked.workload.empty() ? kSavedPlan : checked.workload));
  }
  if (checked.workload.empty() && options.pipeline.empty()) {
    throw UsageError(fmt::format(
        "workload NAME is missing: {}, {}, {}, {}; or give --recipe NAME or --pipeline FILE "
        "(sluice bench --help tells more)",
        fmt::join(bench_workloads(), ", "), kLatency, kSource, kUrls));
  }
  if (checked.workload.empty()) checked.workload = kSavedPlan;
  if (checked.workload == kSavedPlan && options.pipeline.empty())
    throw UsageError("bench pipeline needs --pipeline FILE, a saved plan");
  if (checked.workload != kSavedPlan && !options.pipeline.empty())
    throw UsageError(
        fmt::format("--pipeline FILE is for bench pipeline, not for bench {}", checked.workload));
  return checked;
}

namespace {

std::int64_t peak_rss_bytes() {
  rusage usage{};
  (void)getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

class Bench {
 public:
  explicit Bench(const BenchOptions& options)
      : options_(options),
        out_(options.json == "-" ? stderr : stdout),
        overhead_(options.workload == "overhead"),
        wait_(options.workload == "wait") {
    const Inputs inputs{options.data, options.pipeline, options.pack};
    if (!options.data.empty() && !options.pack.empty())
      throw UsageError("--data excludes --pack: give one of them");
    if (!options.json.empty() && options.json != "-") {
      check_out_file("--json", options.json, inputs);
      check_folder_of("--json", options.json);
    }
    if (!options.trace.empty()) {
      check_out_file("--trace", options.trace, inputs);
      check_folder_of("--trace", options.trace);
    }
    if (!options.trace.empty() && (options.workload == kLatency || options.workload == kSource)) {
      throw UsageError(fmt::format(
          "bench {} has many pipelines, and --trace is for one: leave it out", options.workload));
    }
    if (options.batch != BenchOptions().batch && options.workload == kLatency)
      throw UsageError("bench latency has batches of 1 to 256 samples: leave --batch out");
    if (options.workers > 0 && options.workload != kSource)
      throw UsageError("--workers is for bench source");
    if (options_.nvjpeg != "auto" && options_.nvjpeg != "off" && !(decodes_only() && on_gpu()))
      throw UsageError("--nvjpeg FILE is for bench decode and region with --device gpu");
    constexpr int kForWaiting = 2;
    threads_ = options.threads > 0 ? options.threads
               : overhead_         ? 1
               : wait_             ? kForWaiting
                                   : cpu_count();
  }

  int run() {
    const bool source = options_.workload == kSource;
    if (options_.workload == kUrls) {
      run_urls();
    } else if (overhead_ || wait_ || source) {
      if (!options_.index.empty() && options_.index != "off")
        throw UsageError(fmt::format("bench {} uses no index: --index is for the other workloads",
                                     options_.workload));
      if (!options_.pack.empty()) {
        throw UsageError(fmt::format("bench {} reads no packs: --pack is for the other workloads",
                                     options_.workload));
      }
      if (!source && !options_.data.empty()) {
        throw UsageError(fmt::format("bench {} reads no files: --data is for the other workloads",
                                     options_.workload));
      }
      if (source) {
        run_source();
      } else {
        overhead_ ? run_overhead() : run_wait();
      }
    } else {
      run_on_files();
    }
    return 0;
  }

 private:
  // The subject to measure; only this one writes the trace file.
  SubjectOptions traced(SubjectOptions subject) const {
    subject.trace = options_.trace;
    return subject;
  }

  void run_source() {
    constexpr int kWorkers = 4;
    write(measure_source({.data = options_.data,
                          .threads = threads_,
                          .workers = options_.workers > 0 ? options_.workers : kWorkers,
                          .batch = options_.batch,
                          .seconds = options_.seconds,
                          .rounds = options_.rounds},
                         out_));
  }

  void run_overhead() {
    // The number of samples for the requested time, from a short first run.
    SubjectOptions subject{.images = 200000, .threads = threads_, .batch = options_.batch};
    const double probe = make_overhead_subject(subject).run();
    const double wanted = options_.seconds / probe * static_cast<double>(subject.images);
    subject.images = std::clamp<std::int64_t>(std::llround(wanted), 200000, 20000000);
    fmt::print(out_,
               "overhead: {} samples with empty bodies, {}, batch {}; Sluice compared with "
               "hand-wired oneTBB\n",
               subject.images, counted(threads_, "thread"), options_.batch);
    const Subject ours = make_overhead_subject(traced(subject));
    const Result result = alternate(
        ours, [&] { return run_raw_tbb(subject.images, threads_, options_.batch); }, {},
        subject.images, options_.rounds, out_);
    const double ns = 1e9 / median_of(result.rounds, [](const Round& r) { return r.ours; });
    const double raw_ns = 1e9 / median_of(result.rounds, [](const Round& r) { return r.limit; });
    fmt::print(
        out_,
        "Sluice {:.0f} ns per sample, hand-wired oneTBB {:.0f} ns; {:.4f} allocations per sample\n",
        ns, raw_ns, result.allocations_per_image);
    Figures figures = common(result);
    figures.add("ns_per_sample", ns);
    figures.add("raw_tbb_ns_per_sample", raw_ns);
    figures.add("rows", report_rows(measure_overhead_rows(subject, options_.seconds,
                                                          options_.rounds, out_)));
    write(figures);
  }

  // Both sides read from the system's file cache, so the rest of the difference is the requests.
  void run_urls() {
    constexpr std::chrono::milliseconds kDelay(20);
    constexpr int kConnections = 64;
    constexpr std::int64_t kMostPacks = 256;  // opened for each side, which takes the delay
    if (options_.pack.empty()) throw UsageError("bench urls needs --pack PACK...");
    if (!can_read_urls()) throw UsageError("bench urls: this build of Sluice cannot read URLs");
    const Pack<> all = opened("--pack", [&] { return Pack<>(options_.pack, {.columns = {}}); });
    if (all.size() == 0) throw UsageError("--pack: the packs have no samples");
    const std::vector<std::string>& packs = all.paths();
    // libcurl must not ask a proxy of the environment for this server. This process has no other
    // requests, and starts its threads later.
    (void)::setenv("no_proxy", "127.0.0.1", 1);
    const DelayingServer server(packs, kDelay);
    SubjectOptions subject{
        .threads = threads_, .batch = options_.batch, .width = 224, .height = 224};
    subject.on_error = OnError::skip;
    subject.images = all.size();
    const double once = make_pack_subject(packs, subject).run();
    const std::int64_t most = std::max<std::int64_t>(1, kMostPacks / std::ssize(packs));
    const auto passes = static_cast<std::int64_t>(
        std::clamp(std::round(options_.seconds / once), 1.0, static_cast<double>(most)));
    subject.images *= passes;
    std::vector<std::string> files, urls;
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      for (std::size_t i = 0; i < packs.size(); ++i) {
        files.push_back(packs[i]);
        urls.push_back(server.url(i));
      }
    }
    fmt::print(out_,
               "urls: {} a round, {}, batch {}, {} requests at once, each answer delayed by {} ms; "
               "Sluice compared with the same packs on the disk\n",
               counted(subject.images, "image"), counted(threads_, "thread"), options_.batch,
               kConnections, kDelay.count());
    const Subject ours = make_pack_url_subject(urls, kConnections, traced(subject));
    const Subject local = make_pack_subject(files, subject);
    const Result result = alternate(ours, local.run, {}, subject.images, options_.rounds, out_);
    // Both sides skip samples that fail. They have run equally often.
    const std::int64_t failed = result.stats.total.skipped;
    const std::int64_t failed_local = local.stats().total.skipped;
    if (failed != failed_local) {
      throw Error(fmt::format(
          "bench urls: {} samples failed at URLs, but {} on the disk, so the sides cannot be "
          "compared; check the packs with sluice bench train --pack",
          failed, failed_local));
    }
    summarize(result, "local packs");
    const double local_us = median_of(result.rounds, [](const Round& r) { return r.limit_cpu_us; });
    // The server works in each round and in the warm-up.
    const double server_us =
        1e6 * server.cpu_seconds() / (static_cast<double>(subject.images) * (options_.rounds + 1));
    fmt::print(out_,
               "CPU time of local packs: {:.1f} us per image; of the server, in the figure above: "
               "{:.1f} us\n",
               local_us, server_us);
    Figures figures = common(result);
    figures.add("limit_cpu_us_per_image", local_us);
    figures.add("server_cpu_us_per_image", server_us);
    figures.add("connections", kConnections);
    figures.add("delay_seconds", std::chrono::duration<double>(kDelay).count());
    write(figures);
  }

  // The limit is not measured: it follows from the number of samples that may wait at once and the
  // time each waits.
  void run_wait() {
    if (options_.batch > kWaiting)
      throw UsageError(
          fmt::format("bench wait: --batch {} is more than the {} samples that wait at once",
                      options_.batch, kWaiting));
    const double wait = std::chrono::duration<double>(kWait).count();
    const double limit = kWaiting / wait;
    const SubjectOptions subject{
        .images = std::clamp<std::int64_t>(std::llround(options_.seconds * limit), 4 * kWaiting,
                                           std::int64_t{INT32_MAX}),
        .threads = threads_,
        .batch = options_.batch};
    fmt::print(out_,
               "wait: {} samples that each wait {} ms, {}, batch {}; Sluice compared with the "
               "ideal rate, {} in flight / {} ms\n",
               subject.images, kWait.count(), counted(threads_, "thread"), options_.batch, kWaiting,
               kWait.count());
    const Subject ours = make_wait_subject(traced(subject));
    const auto count = static_cast<double>(subject.images);
    const Result result = alternate(
        ours, [&] { return count / limit; }, {}, subject.images, options_.rounds, out_);
    fmt::print(out_,
               "Sluice {:.0f} samples/s of at most {:.0f}: ratio {:.3f} (median of {}); {:.4f} "
               "allocations per sample\n",
               median_of(result.rounds, [](const Round& r) { return r.ours; }), limit,
               median_of(result.rounds, [](const Round& r) { return r.ratio(); }),
               result.rounds.size(), result.allocations_per_image);
    Figures figures = common(result);
    figures.add("window", kWaiting);
    figures.add("wait_seconds", wait);
    write(figures);
  }

  std::vector<Figures> report_rows(const std::vector<OverheadRow>& rows) const {
    fmt::print(
        out_,
        "ns per sample, compared with the same steps in sequence (medians of {}; smallest and "
        "largest difference in a round)\n{:<30}{:>8}{:>8}{:>8}\n",
        options_.rounds, "", "ns", "steps", "adds");
    std::vector<Figures> all;
    for (const OverheadRow& row : rows) {
      const std::vector<double> adds = row.adds();
      const auto [least, most] = std::minmax_element(adds.begin(), adds.end());
      fmt::print(out_, "{:<30}{:>8.0f}{:>8.0f}{:>8.0f}  ({:.0f} to {:.0f})\n", row.name,
                 median(row.ns), median(row.base_ns), median(adds), *least, *most);
      Figures& figures = all.emplace_back();
      figures.add("name", row.name);
      figures.add("ns", median(row.ns));
      figures.add("base_ns", median(row.base_ns));
      figures.add("adds_ns", median(adds));
      figures.add("adds_ns_least", *least);
      figures.add("adds_ns_most", *most);
    }
    return all;
  }

  // The subject that runs a saved plan on the files.
  Subject saved_subject(const SavedPlan& plan, const Corpus& corpus,
                        const SubjectOptions& subject) const {
    return subject_from(
        std::make_shared<Pipeline<>>(pipeline_of(
            plan, pipeline_options_of(subject),
            [&](Graph& g) {
              const auto [jpeg, label] = g.source(
                  subject.images, [&corpus, index = subject.index](const SampleInfo& info) {
                    return std::tuple{corpus.file(info.index, index), corpus.label(info.index)};
                  });
              return RecipeInputs{.file = jpeg, .label = label};
            })),
        subject.images);
  }

  Subject make_subject_on(const std::optional<SavedPlan>& plan, const Corpus& corpus,
                          const SubjectOptions& subject) const {
    return plan ? saved_subject(*plan, corpus, subject)
                : make_subject(options_.workload, corpus, subject);
  }

  void run_on_files() {
    const bool packed = !options_.pack.empty();
    if (options_.data.empty() && !packed)
      throw UsageError(
          fmt::format("bench {} needs --data DIR or --pack PACK...", options_.workload));
    if (packed && !options_.index.empty() && options_.index != "off")
      throw UsageError("--index is for JPEG files; packs need none: leave it out with --pack");
    std::optional<SavedPlan> plan;
    if (!options_.pipeline.empty()) {
      plan = read_plan(options_.pipeline);
      require_device(*plan, options_.device);
      require_folder_will_do(*plan);
    }
    const bool latency = options_.workload == kLatency;
    const std::string index_choice = !options_.index.empty() ? options_.index
                                     : latency && !packed    ? "memory"
                                                             : "off";
    const std::shared_ptr<JpegIndex> index = chosen_index(index_choice);
    const std::shared_ptr<Device> device = chosen_device(options_.device);
    const Corpus corpus =
        packed ? Corpus(options_.pack, device.get()) : Corpus(options_.data, device.get());
    if (corpus.left_out() > 0)
      fmt::print(out_, "left out, as they cannot be read or decoded: {} of the files\n",
                 corpus.left_out());
    for (const std::string& line : corpus.left_out_by_rules()) fmt::print(out_, "{}\n", line);
    const bool conditional = options_.workload == "conditional";
    SubjectOptions subject{
        .threads = threads_, .batch = options_.batch, .index = index, .device = device};
    subject.decoder = chosen_decoder(options_.decoder);
    fmt::print(out_, "{}", why_exact(subject.decoder, device.get()));
    const RecipeSize size = conditional ? size_of(Recipe::rotate) : options_.size;
    subject.width = size.width;
    subject.height = size.height;
    subject.compose = options_.compose;
    if (latency)
      return write(measure_latency(corpus, subject, options_.seconds, options_.rounds, out_));
    const RotateLoop loop(corpus, subject.seed, options_.batch);
    if (conditional) check_rotate_loop(corpus, subject, loop);
    const auto limit = [&](std::int64_t images) {
      return conditional ? loop.run(images, threads_) : run_full_decode(corpus, images, threads_);
    };
    // Whole passes over the files, so that both sides do exactly the same work.
    const auto passes = [&](double wanted) {
      return corpus.size() * std::max<std::int64_t>(1, std::llround(wanted));
    };
    const std::int64_t limit_images = passes(options_.seconds / limit(corpus.size()));
    subject.images = limit_images;
    if (subject.device != nullptr) {  // a device may be much faster; keep the time per round
      const double took = make_subject_on(plan, corpus, subject).run();
      subject.images = passes(options_.seconds / took * static_cast<double>(subject.images) /
                              static_cast<double>(corpus.size()));
    }
    const double times = static_cast<double>(subject.images) / static_cast<double>(limit_images);
    const std::string limit_name =
        conditional ? "the same kernels in a loop" : "libjpeg-turbo's full decode";
    fmt::print(out_,
               "{}: {}, {:.1f} MB{}, {} a round, {}, batch {}, index {}, device {}; Sluice "
               "compared with {}\n",
               options_.workload, counted(corpus.size(), "file"), corpus.megabytes(),
               packed ? fmt::format(" ({:.1f} MB packed)", corpus.packed_megabytes()) : "",
               counted(subject.images, "image"), counted(threads_, "thread"), options_.batch,
               index_choice, subject.device == nullptr ? "cpu" : subject.device->name(),
               limit_name);
    const std::unique_ptr<NvjpegBaseline> baseline = make_baseline(corpus, subject.device);
    const Subject ours = make_subject_on(plan, corpus, traced(subject));
    const Result result = alternate(
        ours, [&] { return limit(limit_images) * times; }, turns_of(baseline.get()), subject.images,
        options_.rounds, out_);
    summarize(result, limit_name);
    Figures figures = common(result);
    figures.add("index", index_choice);
    if (packed) {
      figures.add("jpeg_megabytes", corpus.megabytes());
      figures.add("packed_megabytes", corpus.packed_megabytes());
    }
    if (subject.device != nullptr) {
      figures.add("device", subject.device->name());
      figures.add("decoder", options_.decoder);
    }
    if (result.baseline) figures.add("nvjpeg", report_baseline(*baseline, result));
    if (index != nullptr) {
      const std::int64_t known = corpus.known_to(*index);
      fmt::print(out_, "index: {} of {}, {:.2f} MB\n", known, counted(corpus.size(), "file"),
                 static_cast<double>(index->bytes()) / 1e6);
      figures.add("index_files", known);
      figures.add("index_bytes", index->bytes());
    }
    write(figures);
  }

  bool on_gpu() const { return options_.device != "cpu" && options_.device != "stand-in"; }
  bool decodes_only() const {
    return options_.workload == "decode" || options_.workload == "region";
  }

  // Null if it does not take part; prints the reason if it fails.
  std::unique_ptr<NvjpegBaseline> make_baseline(const Corpus& corpus,
                                                const std::shared_ptr<Device>& device) const {
    if (!on_gpu() || !decodes_only() || options_.nvjpeg == "off") return nullptr;
    try {
      const std::string file = options_.nvjpeg == "auto" ? "" : options_.nvjpeg;
      return make_nvjpeg_baseline(device::open_nvjpeg(file), corpus, device, threads_, out_);
    } catch (const DeviceError& e) {
      if (e.device_lost()) throw;
      fmt::print(out_, "without nvJPEG: {}\n", e.what());
    } catch (const std::exception& e) {
      fmt::print(out_, "without nvJPEG: {}\n", e.what());
    }
    return nullptr;
  }

  Baseline turns_of(NvjpegBaseline* baseline) const {
    if (baseline == nullptr) return {};
    const auto images =
        std::max<std::int64_t>(1, std::llround(options_.seconds * baseline->images_per_second()));
    return {"nvJPEG", images, [baseline, images] { return baseline->run(images); }};
  }

  Figures report_baseline(const NvjpegBaseline& baseline, const Result& result) const {
    const auto ratio = [](const Round& r) { return r.baseline_ratio(); };
    const double rate = median_of(result.rounds, [](const Round& r) { return r.baseline; });
    const double cpu_us =
        median_of(result.rounds, [](const Round& r) { return r.baseline_cpu_us; });
    const auto [low, high] = range_of(result.rounds, ratio);
    fmt::print(out_,
               "nvJPEG's full decode {:.1f} images/s: Sluice is {:.3f} times that (median of {}; "
               "{:.3f} to {:.3f}); CPU time: {:.1f} us per image\n",
               rate, median_of(result.rounds, ratio), result.rounds.size(), low, high, cpu_us);
    const NvjpegFacts facts = baseline.facts();
    Figures figures;
    figures.add("version", facts.version);
    figures.add("decodes_on", facts.decodes_on);
    figures.add("batch", facts.batch);
    figures.add("files", facts.files);
    figures.add("files_not_decoded", facts.files_not_decoded);
    figures.add("images_per_second", rate);
    figures.add("ratio", median_of(result.rounds, ratio));
    figures.add("cpu_us_per_image", cpu_us);
    std::vector<double> rounds;
    for (const Round& round : result.rounds) rounds.push_back(round.baseline);
    figures.add("rounds", rounds);
    return figures;
  }

  void summarize(const Result& result, const std::string& limit_name) const {
    const auto ratio = [](const Round& r) { return r.ratio(); };
    const auto [low, high] = range_of(result.rounds, ratio);
    fmt::print(out_,
               "Sluice {:.1f} images/s, {} {:.1f} images/s: ratio {:.3f} (median of {}; {:.3f} to "
               "{:.3f})\n",
               median_of(result.rounds, [](const Round& r) { return r.ours; }), limit_name,
               median_of(result.rounds, [](const Round& r) { return r.limit; }),
               median_of(result.rounds, ratio), result.rounds.size(), low, high);
    const MemoryStats& memory = result.stats.memory;
    fmt::print(out_,
               "memory: {:.0f} MB resident at most; the pipeline's own peak {:.0f} MB of a bound "
               "of {:.0f} MB; "
               "{:.3f} allocations per image\n",
               static_cast<double>(peak_rss_bytes()) / 1e6,
               static_cast<double>(memory.bytes_peak) / 1e6,
               static_cast<double>(memory.bytes_bound) / 1e6, result.allocations_per_image);
    fmt::print(out_, "CPU time: {:.1f} us per image, all threads together\n",
               median_of(result.rounds, [](const Round& r) { return r.cpu_us; }));
    fmt::print(out_, "{}\n", to_string(result.stats.waits));
    if (!result.stats.device.name.empty()) fmt::print(out_, "{}\n", to_string(result.stats.device));
  }

  Figures common(const Result& result) const {
    Figures figures;
    figures.add("workload", options_.workload);
    figures.add("threads", threads_);
    figures.add("batch", options_.batch);
    figures.add("images_per_second",
                median_of(result.rounds, [](const Round& r) { return r.ours; }));
    figures.add("limit_images_per_second",
                median_of(result.rounds, [](const Round& r) { return r.limit; }));
    figures.add("ratio", median_of(result.rounds, [](const Round& r) { return r.ratio(); }));
    std::vector<std::vector<double>> rounds;
    for (const Round& round : result.rounds) rounds.push_back({round.ours, round.limit});
    figures.add("rounds", rounds);
    figures.add("cpu_us_per_image",
                median_of(result.rounds, [](const Round& r) { return r.cpu_us; }));
    figures.add("peak_rss_bytes", peak_rss_bytes());
    figures.add("allocations_per_image", result.allocations_per_image);
    return figures;
  }

  void write(const Figures& figures) const { write_figures(options_.json, figures); }

  const BenchOptions& options_;
  std::FILE* out_;
  bool overhead_, wait_;
  int threads_ = 1;
};

}  // namespace

int run_bench(const BenchOptions& options) {
  const BenchOptions checked = checked_options(options);
  return Bench(checked).run();
}

}  // namespace sluice::app
