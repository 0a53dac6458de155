#include "augment.h"

#include "inputs.h"
#include "pictures.h"
#include "progress.h"
#include "sheet.h"
#include "summary.h"
#include "usage.h"
#include <sluice/io/files.h>
#include <sluice/io/jpeg_decode.h>
#include <sluice/io/jpeg_encode.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sluice::app {
namespace {
namespace fs = std::filesystem;

constexpr std::size_t kMostTiles = 24;

// Files with their number, so that a stand-in can say which file it came from.
struct NumberedFiles {
  Files files;
  std::int64_t size() const { return files.size(); }
  const std::string& name(std::int64_t i) const { return files.name(i); }
  std::tuple<Bytes, std::int64_t> operator()(const SampleInfo& info) const {
    return {std::get<Bytes>(files(info)), info.index_in_epoch};
  }
};

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
      : options_(options), files_(find_files(options)) {
    count_ = options.count > 0 ? options.count : files_.size();
    make_folder(options.out);
    std::error_code unreadable;  // then the first file that is written says so
    if (!options.overwrite && !fs::is_empty(options.out, unreadable) && !unreadable) {
      throw UsageError(fmt::format(
          "--out {} holds files already, which would be mixed with the results: give an "
          "empty or a new folder, or --overwrite",
          options.out));
    }
    if (const fs::path folder = fs::path(options.sheet).parent_path(); !folder.empty())
      make_folder(folder.string());
  }

  int run() {
    const PipelineOptions pipeline_options{.batch_size = options_.batch,
                                           .seed = options_.seed,
                                           .threads = options_.threads,
                                           .on_error = options_.on_error,
                                           .profile = options_.profile};
    auto pipeline = make_pipeline(pipeline_options, [&](Graph& g) {
      auto [jpeg, number] = g.read(NumberedFiles{files_});
      auto [image, treatment] = apply(g, options_.recipe, jpeg);
      auto encoded = g.map(
          "encode_jpeg", [](const Image& picture) { return encode_jpeg(picture, {.quality = 90}); },
          image);
      return std::tuple{encoded, treatment, number};
    });
    fmt::print("{} files in {}, recipe {}: {}\n", files_.size(), options_.data,
               name_of(options_.recipe), summary_of(options_.recipe));

    const int threads = threads_of(pipeline.stats());
    Progress progress("images", count_);
    const auto start = std::chrono::steady_clock::now();
    bool failed = false;
    while (begun_ < count_ && !failed) {
      auto epoch = pipeline.epoch();
      failed = !run_epoch(epoch, progress);
      begun_ += files_.size();
      if (written_ == 0 && !failed && begun_ < count_)
        break;  // nothing but damaged files: more epochs will not help
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    progress.finish();
    if (failed) {
      (void)std::fflush(
          stdout);  // what was printed before the error stands before it in a log, too
      const bool replaced = options_.on_error.policy == OnError::Policy::replace;
      throw Error(fmt::format(
          "stopped after {} images: {}; {}", written_, reason(lost_.front()),
          replaced ? "no stand-in could be decoded either; --on-error skip goes on without it"
                   : "--on-error skip or replace goes on without it"));
    }
    summarise(seconds, threads);
    if (options_.profile) fmt::print("{}", to_string(pipeline.stats()));
    if (!options_.sheet.empty()) write_sheet();
    if (written_ == 0) {
      (void)std::fflush(stdout);
      throw Error(fmt::format("nothing was delivered: none of {} files can be used", lost_.size()));
    }
    return 0;
  }

 private:
  // Results in the data folder would be read as pictures the next time.
  static void keep_apart(const char* option, const std::string& path, const std::string& folder) {
    std::error_code ignored;
    const fs::path data = fs::weakly_canonical(folder, ignored);
    const fs::path result = fs::weakly_canonical(path, ignored);
    if (std::mismatch(data.begin(), data.end(), result.begin(), result.end()).first == data.end()) {
      throw UsageError(fmt::format(
          "{} {} lies in the --data folder: it would be read as a picture the next time", option,
          path));
    }
  }

  std::string name_of_file(const std::string& path) const {
    return name_below(options_.data, path);
  }

  // Where the result of sample `number` goes. Names stay below what a file system allows.
  std::string result_path(const std::string& source, std::int64_t number) const {
    constexpr std::size_t kMostBytes = 200;
    fs::path inside = name_of_file(source);
    inside.replace_extension();
    std::string name;
    for (const fs::path& part : inside) name += (name.empty() ? "" : "__") + part.string();
    if (name.size() > kMostBytes) name.erase(0, name.size() - kMostBytes);
    return (fs::path(options_.out) / fmt::format("{}_{:06}.jpg", name, number)).string();
  }

  static Files find_files(const AugmentOptions& options) {
    keep_apart("--out", options.out, options.data);
    if (!options.sheet.empty()) keep_apart("--sheet", options.sheet, options.data);
    return data_files(options.data, {.index = chosen_index(options.index)});
  }

  // False when the policy is `fail` and a sample failed.
  template <class Epoch>
  bool run_epoch(Epoch& epoch, Progress& progress) {
    try {
      while (auto batch = epoch.next()) {
        take(*batch);
        progress.update(written_);
        if (begun_ + (batch->index() + 1) * options_.batch >= count_) break;
      }
      return true;
    } catch (const BatchError& error) {
      for (const SampleError& sample : error.errors()) {
        if (begun_ + sample.id < count_) lost_.push_back(sample);
      }
      return lost_.empty();
    }
  }

  template <class B>
  void take(const B& batch) {
    const auto& [files, treatments, numbers] = batch;
    std::size_t error = 0;
    const auto errors_before = [&](std::int64_t id) {
      for (; error < batch.errors().size() && batch.errors()[error].id < id; ++error)
        lose(batch.errors()[error]);
    };
    for (std::size_t i = 0; i < batch.ids().size(); ++i) {
      const std::int64_t id = batch.ids()[i];
      errors_before(id);
      if (begun_ + id >= count_) return;
      const bool stands_in = error < batch.errors().size() && batch.errors()[error].id == id;
      const std::string& source = files_.name(numbers[i]);
      const std::string path = result_path(source, begun_ + id);
      write_file(path, files[i]);
      ++written_;
      if (stands_in) {
        const SampleError& why = batch.errors()[error++];
        replaced_.push_back({why, source});
        show({name_of_file(why.source),
              "replaced by " + name_of_file(source) + ", " +
                  describe(options_.recipe, treatments[i]),
              Fate::replaced, why.source, path});
      } else {
        show({name_of_file(source), describe(options_.recipe, treatments[i]),
              treatments[i].changed() ? Fate::changed : Fate::unchanged, source, path});
      }
    }
    errors_before(batch.errors().empty() ? 0 : batch.errors().back().id + 1);
  }

  void lose(const SampleError& error) {
    if (begun_ + error.id >= count_) return;
    lost_.push_back(error);
    show({name_of_file(error.source), in_words(error.what), Fate::failed, error.source, ""});
  }

  void show(Shown shown) {
    if (shown_.size() < kMostTiles) shown_.push_back(std::move(shown));
  }

  std::string reason(const SampleError& error) const {
    const std::string epoch = error.epoch > 0 ? fmt::format(" of epoch {}", error.epoch) : "";
    return fmt::format("{} (sample {}{}, {}): {}", name_of_file(error.source), error.id, epoch,
                       error.step, in_words(error.what));
  }

  void summarise(double seconds, int threads) const {
    fmt::print(
        "delivered {} images to {} in {:.2f} s: {:.0f} images/s with {} thread{}, reading and "
        "writing included\n",
        written_, options_.out, seconds,
        seconds > 0 ? static_cast<double>(written_) / seconds : 0.0, threads,
        threads == 1 ? "" : "s");
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
  }

  void write_sheet() const {
    std::string caption = fmt::format("{}; {} delivered", summary_of(options_.recipe), written_);
    if (!replaced_.empty()) caption += fmt::format(", {} replaced", replaced_.size());
    if (!lost_.empty()) caption += fmt::format(", {} left out", lost_.size());
    ContactSheet sheet(fmt::format("sluice augment --recipe {}", name_of(options_.recipe)),
                       caption);
    for (const Shown& shown : shown_) {
      sheet.add(shown.name, shown.note, shown.fate, picture_in(shown.before),
                picture_in(shown.after));
    }
    write_file(options_.sheet, encode_jpeg(sheet.draw(), {.quality = 80, .progressive = true}));
    fmt::print("contact sheet of the first {} samples: {}\n", shown_.size(), options_.sheet);
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
  Files files_;
  std::int64_t count_ = 0;
  std::int64_t begun_ = 0;    // samples of the epochs before this one
  std::int64_t written_ = 0;  // files
  std::vector<SampleError> lost_;
  std::vector<std::pair<SampleError, std::string>> replaced_;  // with the file that stood in
  std::vector<Shown> shown_;
};

}  // namespace

int run_augment(const AugmentOptions& options) { return Augmentation(options).run(); }

}  // namespace sluice::app
