#include "augment.h"

#include "augment_source.h"
#include "devices.h"
#include "input_paths.h"
#include "long_run.h"
#include "output_paths.h"
#include "recipes.h"
#include "result_range.h"
#include "results.h"
#include "saved_plan_file.h"
#include "sheet.h"
#include "summary.h"
#include "usage.h"
#include <sluice/graph/graph.h>
#include <sluice/graph/value.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/text.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sluice::app {
namespace {
namespace fs = std::filesystem;

Value<Sidecar> sidecar_of(Graph& g, const RecipeOutputs& made) {
  if (made.boxes.valid()) {
    return g.map(
        "note_boxes",
        [](const Tensor& boxes, const Tensor& labels) {
          Sidecar sidecar{.has_boxes = true};
          const float* const sides = boxes.data<float>();
          sidecar.boxes.assign(sides, sides + boxes.elements());
          const std::int64_t* const numbers = labels.data<std::int64_t>();
          sidecar.labels.assign(numbers, numbers + labels.elements());
          return sidecar;
        },
        made.boxes, made.labels);
  }
  if (made.mask.valid()) {
    return g.map(
        "encode_png", [](const Image& mask) { return Sidecar{.mask = write_mask(mask)}; },
        made.mask);
  }
  return g.map(
      "no_sidecar", [](const Treatment&) { return Sidecar(); }, made.treatment);
}

// The results of the processing of one sample.
struct Transformed {
  Value<Bytes> jpeg;  // the encoded image
  Value<Treatment> treatment;
  Value<Sidecar> sidecar;
};

// Applies a recipe or a saved plan and encodes its results as files. If `plan` is null, applies the
// recipe at this size. Calls `encoded` on any thread each time an image has been encoded.
Transformed apply_transforms(Graph& g, Recipe recipe, const RecipeSize& size, const SavedPlan* plan,
                             const RecipeInputs& given, bool on_device,
                             std::function<void()> encoded) {
  const RecipeOutputs made =
      plan != nullptr ? made_by(g, *plan, given) : apply(g, recipe, given, size, on_device);
  const auto jpeg = g.map(
      "encode_jpeg",
      [encoded = std::move(encoded)](const Image& image) {
        Bytes file = encode_jpeg(image, {.quality = 90});
        encoded();
        return file;
      },
      made.image);
  return {jpeg, made.treatment, sidecar_of(g, made)};
}

bool replaces(const AugmentOptions& options) {
  return options.on_error.policy == OnError::Policy::replace;
}

// The options besides the recipe and the seed that change results, if they differ from the
// defaults. `--decoder any` only counts with a --device other than the CPU. `--on-error fail` and
// `skip` make the same results.
std::string other_results(const AugmentOptions& options) {
  std::string all;
  if (options.device != "cpu" && chosen_decoder(options.decoder) == Decoder::any)
    all += " decoder any";
  if (options.compose) all += " composed";
  if (replaces(options)) all += " replace";
  return all;
}

class Augmentation {
 public:
  explicit Augmentation(const AugmentOptions& options)
      : options_(options),
        plan_(find_image_plan(options.pipeline, options.device)),
        data_options_(find_data_options(options, plan_)),
        device_(chosen_device(options.device)),
        share_(options.shard),
        results_options_{
            .out = options.out,
            .run = (plan_ ? identity_of(*plan_) : name_of(options.recipe, options.size)) +
                   fmt::format(" {}", options.seed) + other_results(options),
            .flat = options.flat,
            .overwrite = options.overwrite,
            .resume = options.resume || (!share_.is_whole() && !options.overwrite),
            .stand_ins = replaces(options)},
        dataset_(find_dataset(options, data_options_)),
        checkpoint_({.file = options.checkpoint,
                     .every_s = options.checkpoint_every_s,
                     .resume = options.resume,
                     .overwrite = options.overwrite},
                    share_),
        results_(*dataset_, results_options_),
        count_(options.count > 0 ? options.count : options.epochs * dataset_->size()),
        fit_(is_index_file(options.index) ? std::make_shared<IndexFit>(dataset_->size()) : nullptr),
        range_({.samples = dataset_->size(),
                .count = count_,
                .shuffle = options.shuffle,
                .seed = options.seed,
                .replace = replaces(options)},
               share_),
        report_(*dataset_) {
    const std::vector<LeftOut> unreadable = unreadable_of(dataset_->left_out());
    if (options.on_error.policy == OnError::Policy::fail && !unreadable.empty()) {
      const LeftOut& first = unreadable.front();
      const std::size_t more = unreadable.size() - 1;
      fail(fmt::format("stopped before the first image: {} cannot be read: {}{}", first.path,
                       first.reason, more > 0 ? fmt::format(" (and {} more)", more) : ""));
    }
    there_ = results_.open();
    require_undamaged();
    for (const std::string& file : {options.sheet, options.checkpoint, options.trace}) {
      const fs::path folder = fs::path(file).parent_path();
      if (!folder.empty()) make_folder(folder.string());  // it exists, or lies in --out
    }
  }

  int run() {
    const JobSummary job(options_.out, results_.run(), share_);
    if (share_.is_together()) job.begin();
    const double begin = now_s();
    Progress progress("image", range_.in_shard(), share_.tells());
    progress.pass_over(done_before());
    auto pipeline = describe_pipeline(progress);
    const int threads = threads_of(pipeline.stats());
    bool failed = false;
    int signal = 0;
    {
      const Interruption interruption([&pipeline] { pipeline.cancel(); });
      if (share_.tells()) announce();
      while (begun(pipeline.next_epoch()) < count_ && !failed && !interruption.asked()) {
        begun_ = begun(pipeline.next_epoch());
        failed = !run_epoch(pipeline, interruption, progress);
        // The position is now the start of the next epoch.
        if (!failed && !interruption.asked()) reach(pipeline);
        if (is_done_for() && !failed) break;
      }
      signal = interruption.signal();
    }
    progress.finish();
    checkpoint_.save(results_);
    if (failed)
      fail(fmt::format("stopped after {}: {}", counted(written_, "image"), report_.first_loss()));
    summarize(now_s() - begin, threads, signal == 0);
    if (options_.profile) fmt::print("{}", to_string(pipeline.stats()));
    if (signal != 0) {
      fmt::print("stopped early by {}; with --resume the same command continues from here\n",
                 signal == SIGINT ? "Ctrl-C" : "SIGTERM");
      return 128 + signal;
    }
    if (share_.is_together()) {
      job.end({.written = written_,
               .replaced = report_.replaced(),
               .skipped = report_.lost(),
               .begin = begin,
               .end = now_s()});
    }
    if (!options_.sheet.empty() && share_.shard().index == 0) write_sheet(pipeline);
    if (written_ + there_ == 0 && share_.is_whole() && !checkpoint_.from()) {
      (void)std::fflush(stdout);
      throw Error(
          fmt::format("nothing was delivered: {} cannot be used", counted(report_.lost(), "file")));
    }
    return 0;
  }

 private:
  // The number of the first result of an epoch.
  std::int64_t begun(std::int64_t epoch) const { return epoch * dataset_->size(); }
  // True if all files so far are damaged, so more epochs will not help.
  bool is_done_for() const {
    return written_ + there_ == 0 && report_.lost() > 0 && !checkpoint_.from();
  }
  // The number of wanted results of this process that exist, or that the checkpoint says are done.
  std::int64_t done_before() const {
    const auto& from = checkpoint_.from();
    const std::int64_t there = results_.count([&](std::int64_t number) {
      return number < count_ && range_.is_left(number, from) && !is_shown(number);
    });
    return there + (from ? range_.before(*from) : 0);
  }

  // Results before the checkpoint's position are not made again. They may have been moved, but
  // those that are still there must be whole.
  void require_undamaged() const {
    const auto& from = checkpoint_.from();
    if (!from) return;
    for (const Results::Damaged& one : results_.damaged()) {
      if (!range_.is_left(one.number, std::nullopt) || range_.is_left(one.number, from)) continue;
      throw UsageError(fmt::format(
          "--checkpoint {}: the result {} is empty or truncated; run with --resume and without "
          "--checkpoint to make it again",
          checkpoint_.file(), one.path));
    }
  }

  void announce() const {
    fmt::print("{}{}, {}: {}\n", dataset_->words(), share_.words(),
               plan_ ? "pipeline" : fmt::format("recipe {}", name_of(options_.recipe)), summary());
    fmt::print("{}", why_exact(chosen_decoder(options_.decoder), device_.get()));
    if (there_ > 0)
      fmt::print("{} {} there already\n", counted(there_, "image"), there_ == 1 ? "is" : "are");
    if (const auto& from = checkpoint_.from()) {
      const std::int64_t own = results_.count([&](std::int64_t number) {
        return range_.is_left(number, std::nullopt) && !range_.is_left(number, from);
      });
      const std::int64_t before = range_.before(*from);
      fmt::print("continues after {}, as {} says{}\n", counted(before, "sample"),
                 escape_control_chars(checkpoint_.file()),
                 own < before ? fmt::format("; {} of them have their own result in {}", own,
                                            escape_control_chars(options_.out))
                              : "");
    }
    (void)std::fflush(stdout);
    if (options_.resume && checkpoint_.given() && !checkpoint_.from()) {
      fmt::print(stderr, "sluice: there is no checkpoint {} yet; the run {}\n",
                 escape_control_chars(checkpoint_.file()),
                 there_ > 0 ? "continues from the results in --out" : "starts from the beginning");
    }
  }

  [[noreturn]] void fail(const std::string& why) const {
    (void)std::fflush(stdout);  // keeps the output before the error in a log
    throw Error(fmt::format(
        "{}; {}", why,
        replaces(options_) ? "no replacement could be decoded either; --on-error skip leaves it out"
                           : "--on-error skip --resume continues without it"));
  }

  // Describes the processing of all images, or of one.
  std::string summary() const {
    return plan_ ? escape_control_chars("as saved in " + plan_->file())
                 : summary_of(options_.recipe, options_.size);
  }
  std::string note_of(const Treatment& treatment) const {
    return plan_ ? "" : describe(options_.recipe, treatment, options_.size);
  }

  // Samples on the sheet are processed again even if their results exist, to describe the changes.
  // Any sample may be a replacement for one of these, and in random order any may be on the sheet.
  bool is_shown(std::int64_t number) const {
    return !options_.sheet.empty() && (results_options_.stand_ins || options_.shuffle ||
                                       number < static_cast<std::int64_t>(Report::kMostTiles));
  }

  Pipeline<Bytes, Treatment, Sidecar, std::int64_t> describe_pipeline(Progress& progress) {
    const PipelineOptions pipeline_options{.batch_size = options_.batch,
                                           .seed = options_.seed,
                                           .resume = checkpoint_.from(),
                                           .threads = options_.threads,
                                           .io_threads = options_.io_threads,
                                           .device = device_,
                                           .decoder = chosen_decoder(options_.decoder),
                                           .on_error = options_.on_error,
                                           .profile = options_.profile,
                                           .compose = options_.compose,
                                           .trace = {options_.trace}};
    try {
      return make_pipeline(pipeline_options, [&](Graph& g) {
        const auto [given, number, is_new] = read(g);
        const auto augment = [&, &given = given] {
          const Transformed made =
              apply_transforms(g, options_.recipe, options_.size, plan_ ? &*plan_ : nullptr, given,
                               device_ != nullptr, [&progress] { progress.add(1); });
          return std::tuple{made.jpeg, made.treatment, made.sidecar};
        };
        // With a checkpoint the plan must not depend on whether results exist.
        if (there_ == 0 && !checkpoint_.given())
          return std::tuple_cat(augment(), std::tuple{number});
        // The branch does not change the random numbers.
        auto [encoded, treatment, sidecar] = g.if_else(is_new, augment, [&, &given = given] {
          return g.map(
              "there", [](const Bytes&) { return std::tuple<Bytes, Treatment, Sidecar>(); },
              given.file);
        });
        return std::tuple{encoded, treatment, sidecar, number};
      });
    } catch (const BuildError& error) {
      if (!checkpoint_.from()) throw;
      throw UsageError(fmt::format("--checkpoint {}: {}", checkpoint_.file(), error.what()));
    }
  }

  // Adds the source: the samples, their numbers, and whether they were read.
  std::tuple<RecipeInputs, Value<std::int64_t>, Value<bool>> read(Graph& g) {
    NumberedSamples samples{
        dataset_, [this](std::int64_t number) { return results_.has(number) && !is_shown(number); },
        fit_};
    const Sampler sampler{.order = range_.order(), .shard = share_.shard()};
    const auto given = [](const auto& source) {
      const auto& [file, label, boxes, labels, mask, number, is_new] = source;
      return std::tuple{
          RecipeInputs{
              .file = file, .label = label, .boxes = boxes, .labels = labels, .mask = mask},
          number, is_new};
    };
    if (options_.workers == 0) return given(g.read(std::move(samples), sampler));
    workers_ = start_readers(data_options_, *dataset_, options_.workers);
    return given(g.read(NumberedSamplesInWorkers{std::move(samples), *workers_}, sampler));
  }

  // Returns false if the policy is `fail` and a sample failed.
  template <class P>
  bool run_epoch(P& pipeline, const Interruption& interruption, Progress& progress) {
    try {
      auto epoch = pipeline.epoch();
      while (!interruption.asked()) {
        const auto batch = epoch.next();
        if (!batch) break;
        if (!batch->errors().empty()) require_workers();
        if (!take(*batch, interruption)) break;
        progress.add(static_cast<std::int64_t>(batch->missing().size()));
        reach(pipeline);
      }
      return true;
    } catch (const BatchError& error) {
      require_workers();
      for (const SampleError& sample : error.errors()) report_.lose(sample);
      return false;
    } catch (const IoError& error) {
      stop(error.what());
    } catch (const Error&) {
      require_workers();
      throw;
    }
  }

  // Without workers every sample fails; do not report them all as unusable.
  void require_workers() const {
    const std::string broken = workers_ ? workers_->broken() : std::string();
    if (!broken.empty()) stop(broken);
  }

  [[noreturn]] void stop(const std::string& why) const {
    throw Error(
        fmt::format("stopped after {}: {}; with --resume the same command continues from here",
                    counted(written_, "image"), why));
  }

  template <class P>
  void reach(const P& pipeline) {
    if (checkpoint_.given()) checkpoint_.reached(pipeline.checkpoint(), results_);
  }

  // Returns true if the whole batch was delivered.
  template <class B>
  bool take(const B& batch, const Interruption& interruption) {
    const auto& [files, treatments, sidecar, samples] = batch;
    report_.warn(batch.warnings());
    std::size_t error = 0;
    const auto errors_before = [&](std::int64_t id) {
      for (; error < batch.errors().size() && batch.errors()[error].id < id; ++error)
        report_.lose(batch.errors()[error]);
    };
    for (std::size_t i = 0; i < batch.ids().size(); ++i) {
      if (interruption.asked()) return false;
      const std::int64_t id = batch.ids()[i];
      errors_before(id);
      const bool stands_in = error < batch.errors().size() && batch.errors()[error].id == id;
      const std::int64_t own = stands_in ? batch.errors()[error].key.index : batch.keys()[i].index;
      const std::int64_t number = begun_ + own;
      deliver(files[i], sidecar[i], samples[i], number);
      const std::string result = results_.path(samples[i], number);
      if (stands_in) {
        report_.replace(batch.errors()[error++], samples[i], note_of(treatments[i]), result);
      } else {
        report_.deliver(batch.keys()[i], note_of(treatments[i]), treatments[i].changed(), result);
      }
    }
    if (!batch.errors().empty()) errors_before(batch.errors().back().id + 1);
    return true;
  }

  // Writes result `number`, made from `sample`, unless it is there.
  void deliver(const Bytes& jpeg, const Sidecar& sidecar, std::int64_t sample,
               std::int64_t number) {
    const std::int64_t own = number - begun_;  // the sample that normally belongs to it
    if (sample == own && results_.has(number)) return;
    // Without a file, the sample is a replacement whose own result exists.
    jpeg.empty() ? results_.copy(sample, begun_ + sample, number)
                 : results_.write(sample, number, jpeg, sidecar);
    ++written_;
  }

  // In a group of processes, each prints the problems of its part. The first also prints what
  // concerns no single part, and the last prints the summary of all.
  void summarize(double seconds, int threads, bool whole) const {
    if (!share_.is_together() || !whole || report_.has_problems()) {
      fmt::print("delivered {}{} {} with {}, reading and writing included\n",
                 counted(written_, "image"), share_.words(),
                 where_and_how_fast(options_.out, written_, seconds), counted(threads, "thread"));
      report_.print_problems();
    }
    print_index_fit();
    if (share_.tells()) report_.print_left_out();
    (void)std::fflush(stdout);
  }

  // Prints a line if the index of --index does not know all files.
  void print_index_fit() const {
    if (fit_ == nullptr || fit_->known() == fit_->files()) return;
    fmt::print("the index {} fits {} of {}; {}\n", escape_control_chars(options_.index),
               fit_->known(), counted(fit_->files(), "file"),
               fit_->known() > 0
                   ? "the others were decoded without it"
                   : "it is of other files, or they have changed: make it again with sluice index");
  }

  template <class P>
  void write_sheet(const P& pipeline) {
    if (report_.shown() == 0) {
      fmt::print("no contact sheet: this run made no sample\n");
      return;
    }
    if (!plan_ && draws_operators(options_.recipe)) {
      report_.add_notes(
          [&](const SampleKey& key) { return operators_in(pipeline.inspect(key).path()); });
    }
    std::string caption = fmt::format("{}; {} delivered", summary(), written_ + there_);
    if (report_.replaced() > 0) caption += fmt::format(", {} replaced", report_.replaced());
    if (report_.lost() > 0) caption += fmt::format(", {} left out", report_.lost());
    const std::string title =
        plan_ ? "sluice augment --pipeline"
              : fmt::format("sluice augment --recipe {}", name_of(options_.recipe));
    results_.write_sheet(options_.sheet, encode_jpeg(report_.draw_sheet(title, caption),
                                                     {.quality = 80, .progressive = true}));
    fmt::print("contact sheet of {}{}: {}\n", counted(report_.shown(), "sample"),
               checkpoint_.from() ? " after the checkpoint" : "",
               escape_control_chars(options_.sheet));
  }

  const AugmentOptions& options_;
  const std::optional<SavedPlan> plan_;  // none: use the recipe
  const DatasetOptions data_options_;
  const std::shared_ptr<Device> device_;  // null: the host
  const ProcessShard share_;
  const ResultsOptions results_options_;
  const std::shared_ptr<const Dataset> dataset_;
  RunCheckpoint checkpoint_;
  Results results_;
  const std::int64_t count_;             // the number of results of all parts
  const std::shared_ptr<IndexFit> fit_;  // null: --index names no file
  const ResultRange range_;
  Report report_;
  std::optional<Workers<NumberedSample>> workers_;  // none: threads read the files
  std::int64_t there_ = 0;                          // the number of results of earlier runs
  std::int64_t begun_ = 0;                          // the number of results of earlier epochs
  std::int64_t written_ = 0;                        // the number of files
};

}  // namespace

int run_augment(const AugmentOptions& options) { return Augmentation(options).run(); }

}  // namespace sluice::app
