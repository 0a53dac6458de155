#include "index.h"

#include "dataset.h"
#include "input_paths.h"
#include "long_run.h"
#include "output_paths.h"
#include "summary.h"
#include "usage.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/readers/tar.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sluice::app {
namespace {
namespace fs = std::filesystem;

// Checks --out before the work begins. If the file exists, it must be an index of this kind.
void check_out(const std::string& out, bool (*is_one)(const std::string&), const char* kind) {
  check_out_file("--out", out);
  std::error_code ignored;
  if (fs::exists(out, ignored) && !is_one(out)) {
    throw UsageError(fmt::format("--out {} exists and is not an {}; pass another name", out, kind));
  }
  const std::string folder = fs::path(out).parent_path().string();
  if (!folder.empty()) make_folder(folder);
  check_folder_of("--out", out);
}

struct Learnt {
  JpegLearnReport report;
  JpegDigest digest;
};

struct NotIndexed {
  std::int64_t file = 0;
  JpegLearnReport report;
};

class Indexing {
 public:
  explicit Indexing(const IndexOptions& options)
      : options_(options), files_(data_files(options.data)) {
    check_out(options.out, JpegIndex::is_one, "index");
  }

  int run() {
    constexpr int kBatch = 64;
    const PipelineOptions pipeline_options{
        .batch_size = kBatch, .threads = options_.threads, .on_error = OnError::skip};
    Progress progress("file", files_.size());
    auto pipeline = make_pipeline(pipeline_options, [&](Graph& g) {
      auto [jpeg, label] = g.read(files_);
      return g.map(
          "learn_jpeg",
          [index = index_, &progress](const Bytes& file) {
            progress.add(1);
            return Learnt{learn_jpeg(file, *index), digest_of(file)};
          },
          jpeg);
    });

    const int threads = threads_of(pipeline.stats());
    const auto start = std::chrono::steady_clock::now();
    int signal = 0;
    {
      const Interruption interruption([&pipeline] { pipeline.cancel(); });
      fmt::print("{} in {}\n", counted(files_.size(), "file"), escape_control_chars(options_.data));
      (void)std::fflush(stdout);
      auto epoch = pipeline.epoch();
      while (!interruption.asked()) {
        const auto batch = epoch.next();
        if (!batch) break;
        take(*batch);
      }
      signal = interruption.signal();
    }
    if (signal != 0) {
      progress.finish();
      fmt::print("stopped early by {} after {} of {}: no index was written\n",
                 signal == SIGINT ? "Ctrl-C" : "SIGTERM",
                 indexed_ + static_cast<std::int64_t>(left_out_.size()),
                 counted(files_.size(), "file"));
      return 128 + signal;
    }
    // An index of files that decode without it has digests only.
    const bool useful =
        indexed_ > 0 || std::any_of(left_out_.begin(), left_out_.end(), [](const NotIndexed& file) {
          return file.report.result == JpegLearnt::unsuitable;
        });
    if (useful) index_->save(options_.out);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    progress.finish();
    summarize(seconds, threads);
    if (!useful) {
      (void)std::fflush(stdout);
      throw Error(fmt::format("nothing was indexed: {} cannot be", counted(files_.size(), "file")));
    }
    return 0;
  }

 private:
  template <class B>
  void take(const B& batch) {
    const auto& learnt = batch.template get<0>();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const auto& [report, digest] = learnt[i];
      index_->keep_name(files_.name_below(batch.keys()[i].index), digest);
      if (report.result == JpegLearnt::known) {
        ++indexed_;
        bytes_ += static_cast<std::int64_t>(digest.size);
      } else {
        left_out_.push_back({batch.keys()[i].index, report});
      }
    }
    for (const SampleError& error : batch.errors())
      left_out_.push_back({error.key.index, {JpegLearnt::unusable, error.what}});
  }

  void summarize(double seconds, int threads) {
    if (indexed_ > 0) {
      const std::int64_t copies = indexed_ - index_->files();
      fmt::print("indexed {}{} in {:.2f} s: {:.0f} files/s with {}\n", counted(indexed_, "file"),
                 copies > 0 ? fmt::format(" ({})", counted(copies, "duplicate")) : "", seconds,
                 seconds > 0 ? static_cast<double>(indexed_) / seconds : 0.0,
                 counted(threads, "thread"));
      const auto size = static_cast<double>(fs::file_size(options_.out));
      fmt::print(
          "{}: {:.2f} MB, {:.2f} % of the {:.1f} MB of these files; {}, {}\n",
          escape_control_chars(options_.out), size / 1e6, 100 * size / static_cast<double>(bytes_),
          static_cast<double>(bytes_) / 1e6, counted(index_->records(), "record"),
          options_.grain == 0
              ? "one for each row of block groups"
              : fmt::format("one for every {} of a row", counted(options_.grain, "block group")));
    }
    if (index_->names() > 0) fmt::print("digests of {}\n", counted(index_->names(), "file"));
    std::sort(left_out_.begin(), left_out_.end(),
              [](const NotIndexed& a, const NotIndexed& b) { return a.file < b.file; });
    name_left_out(JpegLearnt::unsuitable, "of a kind that an index does not help with");
    name_left_out(JpegLearnt::unusable, "that cannot be used");
    name_left_out(JpegLearnt::no_room, "that the index has no room for");
    app::name_left_out(left_out_of(files_));
  }

  void name_left_out(JpegLearnt result, const char* kind) const {
    std::vector<NotIndexed> those;
    std::copy_if(left_out_.begin(), left_out_.end(), std::back_inserter(those),
                 [result](const NotIndexed& file) { return file.report.result == result; });
    if (those.empty()) return;
    fmt::print("left out {} {}:\n", those.size(), kind);
    name_each(those, [this](const NotIndexed& file) {
      return fmt::format("{}: {}", name_below(options_.data, files_.name(file.file)),
                         strip_hint(file.report.reason));
    });
  }

  const IndexOptions& options_;
  Files files_;
  // Without a size limit: the user asked for the whole index.
  std::shared_ptr<JpegIndex> index_ = JpegIndex::in_memory(
      {.bytes = std::numeric_limits<std::int64_t>::max(), .grain = options_.grain});
  std::int64_t indexed_ = 0;  // the number of files
  std::int64_t bytes_ = 0;    // the size of these files
  std::vector<NotIndexed> left_out_;
};

// Compares the files of a folder with the digests in an index.
int check_files(const IndexOptions& options) {
  const std::shared_ptr<JpegIndex> index =
      opened("--check", [&] { return JpegIndex::open(options.check); });
  const Files files = data_files(options.data, index, Verify::always);
  Progress progress("file", files.size());
  auto pipeline =
      make_pipeline({.threads = options.threads, .on_error = OnError::skip}, [&](Graph& g) {
        auto [jpeg, label] = g.read(files);
        return jpeg;
      });
  std::vector<SampleError> differences;
  std::int64_t same = 0;
  const Interruption interruption([&pipeline] { pipeline.cancel(); });
  auto epoch = pipeline.epoch();
  while (const auto batch = epoch.next()) {
    if (interruption.asked()) break;
    same += static_cast<std::int64_t>(batch->size());
    differences.insert(differences.end(), batch->errors().begin(), batch->errors().end());
    progress.add(static_cast<std::int64_t>(batch->size() + batch->errors().size()));
  }
  progress.finish();
  fmt::print("compared {} of {} with {}: {} have not changed\n",
             same + static_cast<std::int64_t>(differences.size()), counted(files.size(), "file"),
             escape_control_chars(options.check), same);
  if (!differences.empty()) {
    fmt::print("{} differ, or cannot be compared:\n", differences.size());
    // Without the advice, which is the same for all.
    name_each(differences, [](const SampleError& error) {
      return error.what.substr(0, std::min(error.what.rfind("; restore the file"),
                                           error.what.rfind("; make the index again")));
    });
  }
  std::int64_t gone = index->names();
  for (std::int64_t i = 0; i < files.size(); ++i) gone -= index->knows_name(files.name_below(i));
  if (gone > 0) fmt::print("{} of the files in the index were not found\n", gone);
  std::vector<LeftOut> left_out = left_out_of(files);
  std::erase_if(left_out, [](const LeftOut& one) { return one.count == 0; });  // told above
  name_left_out(left_out);
  if (const int signal = interruption.signal(); signal != 0) return 128 + signal;
  return differences.empty() && gone == 0 && unreadable_of(left_out).empty() ? 0 : 1;
}

}  // namespace

int run_index(const IndexOptions& options) {
  return options.check.empty() ? Indexing(options).run() : check_files(options);
}

int run_tar_offsets(const std::vector<std::string>& patterns, const std::string& out) {
  const std::vector<std::string> archives = archives_of(patterns);
  check_out(out, TarIndex::is_one, "archive index");
  const TarIndex index = opened("--tar", [&] { return TarIndex::of(archives); });
  index.save(out);
  fmt::print("{}: {} in {}, {:.2f} MB\n", escape_control_chars(out), counted(index.files(), "file"),
             counted(archives.size(), "archive"), static_cast<double>(fs::file_size(out)) / 1e6);
  return 0;
}

}  // namespace sluice::app
