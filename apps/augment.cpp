#include "augment.h"

#include "devices.h"
#include "inputs.h"
#include "interruption.h"
#include "numbered_files.h"
#include "outputs.h"
#include "part.h"
#include "progress.h"
#include "results.h"
#include "saved.h"
#include "sheet.h"
#include "summary.h"
#include "usage.h"
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/sources/files.h>
#include <sluice/runtime/printable.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sluice::app {
namespace {
namespace fs = std::filesystem;

constexpr std::size_t kMostTiles = 24;

// A row of the sheet, drawn when the run is over.
struct Shown {
  std::string name;
  std::string note;
  Fate fate;
  std::string before;
  std::string after;
};

class Augmentation {
 public:
  explicit Augmentation(const AugmentOptions& options)
      : options_(options),
        plan_(find_plan(options)),
        device_(chosen_device(options.device)),
        part_(options.shard),
        results_options_{
            .data = options.data,
            .out = options.out,
            .run =
                fmt::format("{} {}", plan_ ? plan_->text() : name_of(options.recipe), options.seed),
            .flat = options.flat,
            .overwrite = options.overwrite,
            .resume = options.resume || (!part_.is_whole() && !options.overwrite),
            .stand_ins = options.on_error.policy == OnError::Policy::replace},
        files_(find_files(options)),
        results_(files_, results_options_) {
    count_ = options.count > 0 ? options.count : options.epochs * files_.size();
    in_epoch_ = results_options_.stand_ins ? files_.size() : std::min(count_, files_.size());
    if (options.on_error.policy == OnError::Policy::fail && !files_.left_out().empty()) {
      const LeftOut& first = files_.left_out().front();
      const std::size_t more = files_.left_out().size() - 1;
      fail(fmt::format("stopped before the first image: {} cannot be read: {}{}",
                       name_of_file(first.path), first.reason,
                       more > 0 ? fmt::format(" (and {} more)", more) : ""));
    }
    there_ = results_.open();
    if (const fs::path folder = fs::path(options.sheet).parent_path(); !folder.empty())
      make_folder(folder.string());  // there, or in --out
  }

  int run() {
    Progress progress("images", part_.samples(in_epoch_, count_), part_.tells());
    if (part_.is_whole()) progress.add(std::min(there_, count_));
    auto pipeline = describe_pipeline(progress);
    const int threads = threads_of(pipeline.stats());
    const auto start = std::chrono::steady_clock::now();
    bool failed = false;
    int signal = 0;
    {
      const Interruption interruption([&pipeline] { pipeline.cancel(); });
      if (part_.tells()) announce();
      while (begun_ < count_ && !failed) {
        auto epoch = pipeline.epoch();
        failed = !run_epoch(epoch, interruption, progress);
        if (interruption.asked()) break;
        begun_ += files_.size();
        if (written_ + there_ == 0 && !lost_.empty() && !failed && begun_ < count_)
          break;  // nothing but damaged files: more epochs will not help
      }
      signal = interruption.signal();
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    progress.finish();
    if (failed) fail(fmt::format("stopped after {} images: {}", written_, reason(lost_.front())));
    if (part_.tells() || !warnings_.empty() || !replaced_.empty() || !lost_.empty())
      summarise(seconds, threads);
    if (options_.profile) fmt::print("{}", to_string(pipeline.stats()));
    if (signal != 0) {
      fmt::print("stopped early by {}; with --resume the same command goes on from here\n",
                 signal == SIGINT ? "Ctrl-C" : "SIGTERM");
      return 128 + signal;
    }
    if (!options_.sheet.empty() && part_.shard().index == 0) write_sheet();
    if (written_ + there_ == 0 && part_.is_whole()) {
      (void)std::fflush(stdout);
      throw Error(fmt::format("nothing was delivered: none of {} files can be used", lost_.size()));
    }
    return 0;
  }

 private:
  void announce() const {
    fmt::print("{} files in {}{}, {}: {}\n", files_.size(), printable(options_.data), part_.words(),
               plan_ ? "pipeline" : fmt::format("recipe {}", name_of(options_.recipe)), summary());
    if (there_ > 0) fmt::print("{} are there already\n", there_);
    (void)std::fflush(stdout);
  }

  [[noreturn]] void fail(const std::string& why) const {
    (void)std::fflush(stdout);  // what was printed before the error stands before it in a log, too
    throw Error(fmt::format("{}; {}", why,
                            options_.on_error.policy == OnError::Policy::replace
                                ? "no stand-in could be decoded either; --on-error skip goes on "
                                  "without it"
                                : "--on-error skip or replace goes on without it"));
  }

  std::string name_of_file(const std::string& path) const {
    return name_below(options_.data, path);
  }

  static std::optional<SavedPlan> find_plan(const AugmentOptions& options) {
    if (options.pipeline.empty()) return std::nullopt;
    SavedPlan plan = read_plan(options.pipeline);
    require_picture(plan);
    require_device(plan, options.device);
    return plan;
  }

  // What is done to the pictures, in words; to one of them.
  std::string summary() const {
    return plan_ ? printable("as saved in " + plan_->file()) : summary_of(options_.recipe);
  }
  std::string note_of(const Treatment& treatment) const {
    return plan_ ? "" : describe(options_.recipe, treatment);
  }

  static Files find_files(const AugmentOptions& options) {
    const Inputs inputs{options.data, options.pipeline};
    check_apart("--out", options.out, inputs);
    if (!options.trace.empty()) check_out_file("--trace", options.trace, inputs);
    if (!options.sheet.empty()) {
      check_out_file("--sheet", options.sheet, inputs);
      check_folder_of("--sheet", options.sheet, options.out);
      if (may_be_result(options.out, options.sheet)) {
        throw UsageError("--sheet " + options.sheet +
                         " has a name that results get: give it another");
      }
    }
    return data_files(options.data, chosen_index(options.index));
  }

  // Samples that the sheet shows are made again, even if they are there, for what was done to them.
  // Any sample may stand in for one of these.
  bool is_shown(std::int64_t number) const {
    return !options_.sheet.empty() &&
           (results_options_.stand_ins || number < static_cast<std::int64_t>(kMostTiles));
  }

  Pipeline<Bytes, Treatment, std::int64_t> describe_pipeline(Progress& progress) {
    const PipelineOptions pipeline_options{.batch_size = options_.batch,
                                           .seed = options_.seed,
                                           .threads = options_.threads,
                                           .io_threads = options_.io_threads,
                                           .device = device_,
                                           .on_error = options_.on_error,
                                           .profile = options_.profile,
                                           .trace = {options_.trace}};
    return make_pipeline(pipeline_options, [&](Graph& g) {
      const auto is_there = [this](std::int64_t number) {
        return results_.has(number) && !is_shown(number);
      };
      auto [jpeg, label, number, is_new] =
          g.read(NumberedFiles{files_, in_epoch_, is_there}, {.shard = part_.shard()});
      const auto encode = [&progress](const Image& picture) {
        Bytes file = encode_jpeg(picture, {.quality = 90});
        progress.add(1);
        return file;
      };
      const auto augment = [&, jpeg = jpeg, label = label] {
        auto [image, treatment] = treat(g, jpeg, label);
        auto encoded = g.map("encode_jpeg", encode, image);
        return std::tuple{encoded, treatment};
      };
      if (there_ == 0) {
        auto [encoded, treatment] = augment();
        return std::tuple{encoded, treatment, number};
      }
      // The random numbers are the same as without the choice.
      auto [encoded, treatment] = g.if_else(is_new, augment, [&, jpeg = jpeg] {
        return g.map(
            "there", [](const Bytes&) { return std::tuple<Bytes, Treatment>(); }, jpeg);
      });
      return std::tuple{encoded, treatment, number};
    });
  }

  // The picture, and what was done to it, as far as that is known.
  std::pair<Value<Image>, Value<Treatment>> treat(Graph& g, Value<Bytes> jpeg,
                                                  Value<std::int64_t> label) const {
    if (!plan_) return apply(g, options_.recipe, jpeg, device_ != nullptr);
    const Value<Image> first(g.recorder(), add_plan(*plan_, jpeg, label).front());
    return {first, g.constant(Treatment{.cut = true})};
  }

  // False when the policy is `fail` and a sample failed.
  template <class Epoch>
  bool run_epoch(Epoch& epoch, const Interruption& interruption, Progress& progress) {
    try {
      while (!interruption.asked()) {
        const auto batch = epoch.next();
        if (!batch) break;
        take(*batch, interruption);
        progress.add(static_cast<std::int64_t>(batch->missing().size()));
        if (over_) break;
      }
      return true;
    } catch (const BatchError& error) {
      for (const SampleError& sample : error.errors()) {
        if (is_wanted(number_of(sample.key.index))) lost_.push_back(sample);
      }
      return lost_.empty();
    } catch (const IoError& error) {
      throw Error(
          fmt::format("stopped after {} images: {}; with --resume the same command goes on "
                      "from here",
                      written_, error.what()));
    }
  }

  template <class B>
  void take(const B& batch, const Interruption& interruption) {
    const auto& [files, treatments, numbers] = batch;
    warnings_.insert(warnings_.end(), batch.warnings().begin(), batch.warnings().end());
    std::size_t error = 0;
    const auto errors_before = [&](std::int64_t id) {
      for (; error < batch.errors().size() && batch.errors()[error].id < id; ++error)
        lose(batch.errors()[error]);
    };
    for (std::size_t i = 0; i < batch.ids().size() && !interruption.asked(); ++i) {
      const std::int64_t id = batch.ids()[i];
      errors_before(id);
      const bool stands_in = error < batch.errors().size() && batch.errors()[error].id == id;
      const std::int64_t number =
          number_of(stands_in ? batch.errors()[error].key.index : batch.keys()[i].index);
      if (!is_wanted(number)) return;
      deliver(files[i], numbers[i], number);
      const std::string& source = files_.name(numbers[i]);
      if (stands_in) {
        const SampleError& why = batch.errors()[error++];
        replaced_.push_back({why, source});
        show({name_of_file(why.source),
              "replaced by " + name_of_file(source) + (plan_ ? "" : ", ") + note_of(treatments[i]),
              Fate::replaced, why.source, results_.path(numbers[i], number)});
      } else {
        show({name_of_file(source), note_of(treatments[i]),
              treatments[i].changed() ? Fate::changed : Fate::unchanged, source,
              results_.path(numbers[i], number)});
      }
    }
    if (!interruption.asked())
      errors_before(batch.errors().empty() ? 0 : batch.errors().back().id + 1);
  }

  // The number of the result of this file in this epoch.
  std::int64_t number_of(std::int64_t file) const { return begun_ + file; }
  // Numbers grow along an epoch.
  bool is_wanted(std::int64_t number) {
    over_ = number + 1 >= count_;
    return number < count_;
  }

  // Writes result `number`, made from `file`, unless it is there.
  void deliver(const Bytes& jpeg, std::int64_t file, std::int64_t number) {
    const std::int64_t own = number - begun_;  // the file that would have been read for it
    if (file == own && results_.has(number)) return;
    if (jpeg.empty()) {
      results_.copy(file, begun_ + file, number);  // a stand-in, whose own result is there
    } else {
      results_.write(file, number, jpeg);
    }
    ++written_;
  }

  void lose(const SampleError& error) {
    if (!is_wanted(number_of(error.key.index))) return;
    lost_.push_back(error);
    show({name_of_file(error.source), in_words(error.what), Fate::failed, error.source, ""});
  }

  void show(Shown shown) {
    if (shown_.size() < kMostTiles) shown_.push_back(std::move(shown));
  }

  std::string reason(const SampleError& error) const {
    const std::string epoch =
        error.key.epoch > 0 ? fmt::format(" of epoch {}", error.key.epoch) : "";
    return fmt::format("{} (sample {}{}, {}): {}", name_of_file(error.source), error.key.index,
                       epoch, error.step, in_words(error.what));
  }

  void summarise(double seconds, int threads) const {
    fmt::print(
        "delivered {} images{} to {} in {:.2f} s: {:.0f} images/s with {} thread{}, reading and "
        "writing included\n",
        written_, part_.words(), printable(options_.out), seconds,
        seconds > 0 ? static_cast<double>(written_) / seconds : 0.0, threads,
        threads == 1 ? "" : "s");
    if (!warnings_.empty()) {
      fmt::print("warned of:\n");
      name_each(warnings_, [this](const SampleError& warning) { return reason(warning); });
    }
    if (!replaced_.empty()) {
      fmt::print("replaced {} that cannot be used:\n", replaced_.size());
      name_each(replaced_, [this](const auto& r) {
        return reason(r.first) + "; in its place: " + name_of_file(r.second);
      });
    }
    if (!lost_.empty()) {
      fmt::print("skipped {} that cannot be used:\n", lost_.size());
      name_each(lost_, [this](const SampleError& error) { return reason(error); });
    }
    name_left_out(options_.data, files_);
  }

  void write_sheet() const {
    std::string caption = fmt::format("{}; {} delivered", summary(), written_ + there_);
    if (!replaced_.empty()) caption += fmt::format(", {} replaced", replaced_.size());
    if (!lost_.empty()) caption += fmt::format(", {} left out", lost_.size());
    ContactSheet sheet(plan_ ? "sluice augment --pipeline"
                             : fmt::format("sluice augment --recipe {}", name_of(options_.recipe)),
                       caption);
    for (const Shown& shown : shown_) {
      sheet.add(shown.name, shown.note, shown.fate, picture_in(shown.before),
                picture_in(shown.after));
    }
    results_.write_sheet(options_.sheet,
                         encode_jpeg(sheet.draw(), {.quality = 80, .progressive = true}));
    fmt::print("contact sheet of the first {} samples: {}\n", shown_.size(),
               printable(options_.sheet));
  }

  // Whatever can be seen of a file; empty when that is nothing.
  static Image picture_in(const std::string& path) {
    Image picture;
    if (path.empty()) return picture;
    try {
      decode_jpeg_image(read_file(path), {.damage = DamagePolicy::tolerant}, picture);
    } catch (const Error&) {
      picture.release();
    }
    return picture;
  }

  const AugmentOptions& options_;
  const std::optional<SavedPlan> plan_;   // none: the recipe
  const std::shared_ptr<Device> device_;  // null: the host
  const Part part_;
  const ResultsOptions results_options_;
  Files files_;
  Results results_;
  std::int64_t count_ = 0;     // samples, of all parts
  std::int64_t in_epoch_ = 0;  // no more than are wanted, unless any file may stand in for another
  std::int64_t there_ = 0;     // results of a run before
  std::int64_t begun_ = 0;     // samples of the epochs before this one
  std::int64_t written_ = 0;   // files
  bool over_ = false;          // nothing is wanted behind what was taken
  std::vector<SampleError> lost_;
  std::vector<SampleError> warnings_;
  std::vector<std::pair<SampleError, std::string>> replaced_;  // with the file that stood in
  std::vector<Shown> shown_;
};

}  // namespace

int run_augment(const AugmentOptions& options) { return Augmentation(options).run(); }

}  // namespace sluice::app
