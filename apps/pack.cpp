#include "pack.h"

#include "dataset.h"
#include "input_paths.h"
#include "long_run.h"
#include "output_paths.h"
#include "read_ahead.h"
#include "summary.h"
#include "usage.h"
#include "verify_packs.h"
#include <sluice/io/packs/pack_writer.h>
#include <sluice/runtime/process.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sluice::app {
namespace {
namespace fs = std::filesystem;

double megabytes(std::int64_t bytes) { return static_cast<double>(bytes) / 1e6; }

struct NotRead {
  std::int64_t sample = 0;
  std::string reason;
};

class Packing {
 public:
  explicit Packing(const PackCommandOptions& options)
      : options_(options), source_(open_pack_source(options.source)) {
    Inputs inputs{options.source.data, {}, {options.source.list, options.source.offsets}};
    for (const std::string& archive : archives_of(options.source.tar))
      inputs.files.push_back(archive);
    check_apart("--out", options.out, inputs);
    std::error_code ignored;
    if (fs::exists(options.out, ignored) && !fs::is_directory(options.out, ignored)) {
      throw UsageError(
          fmt::format("--out {} is not a folder: give a new folder, or an empty one", options.out));
    }
    total_ = options.count > 0 ? std::min(options.count, source_->size()) : source_->size();
    require_readable();
    writer_ = opened("--out", [&] {
      return std::make_unique<PackWriter>(options.out, source_->columns(),
                                          PackWriterOptions{.pack_bytes = options.pack_bytes,
                                                            .threads = options.threads,
                                                            .resume = options.resume});
    });
  }

  int run() {
    announce();
    const auto start = std::chrono::steady_clock::now();
    const int signal = write();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    summarize(seconds);
    if (signal != 0 && (!finished_ || options_.verify)) {
      const char* const name = signal == SIGINT ? "Ctrl-C" : "SIGTERM";
      if (finished_) {
        fmt::print("stopped early by {}; the packs are complete, but not verified\n", name);
      } else {
        fmt::print("stopped early by {}; with --resume the same command continues after {}\n", name,
                   counted(in_packs(), "file"));
      }
      return 128 + signal;
    }
    if (!options_.verify) return 0;
    (void)std::fflush(stdout);
    return verify_packs(*source_, samples_, options_.out, options_.threads);
  }

 private:
  void require_readable() const {
    const std::vector<LeftOut> unreadable = unreadable_of(source_->left_out());
    if (options_.skip_errors || unreadable.empty()) return;
    throw Error(fmt::format(
        "{} cannot be read: {}{}; --on-error skip packs the rest", unreadable.front().path,
        unreadable.front().reason,
        unreadable.size() > 1 ? fmt::format(" (and {} more)", unreadable.size() - 1) : ""));
  }

  void announce() const {
    fmt::print("{}{}; columns {}\n", source_->words(),
               total_ < source_->size() ? fmt::format(", the first {}", total_) : "",
               escape_control_chars(fmt::format("{}", fmt::join(source_->columns(), ", "))));
    if (!source_->left_out_columns().empty()) {
      fmt::print(
          "left out the columns that are not text: {}\n",
          escape_control_chars(fmt::format("{}", fmt::join(source_->left_out_columns(), ", "))));
    }
    if (const std::int64_t there = writer_->to_skip(); there > 0)
      fmt::print("{} {} in packs already\n", counted(there, "file"), there == 1 ? "is" : "are");
    (void)std::fflush(stdout);
  }

  // Returns the signal that ended it, or 0.
  int write() {
    const Interruption interruption([this] { writer_->cancel(); });
    const std::int64_t there = writer_->to_skip();
    Progress progress("file", total_);
    progress.pass_over(std::min(there, total_));
    progress.follow([this] { return done(); });
    // A resumed run must leave out the same files again. So it reads the earlier files, too.
    ReadAhead files(*source_, total_, options_.skip_errors ? 0 : there, options_.pack_bytes);
    try {
      for (std::int64_t i = 0; i < total_ && !interruption.asked(); ++i) add(files, i);
      finished_ = !interruption.asked();
      if (finished_) writer_->finish();
    } catch (const PackCancelled&) {
      finished_ = false;
    } catch (const IoError& error) {
      progress.finish();
      throw Error(fmt::format("{}{}", error.what(), how_to_go_on()));
    }
    progress.finish();
    return interruption.signal();
  }

  void add(ReadAhead& files, std::int64_t i) {
    PackRow row;
    try {
      row = files.next();
    } catch (const IoError& error) {
      if (!options_.skip_errors) {
        throw IoError(fmt::format("{}; --on-error skip leaves it out", error.what()));
      }
      not_read_.push_back({i, error.what()});
      return;
    }
    samples_.push_back(i);
    if (writer_->to_skip() == 0)
      added_bytes_.fetch_add(static_cast<std::int64_t>(row.file.size()), std::memory_order_relaxed);
    writer_->add(std::move(row.file), std::move(row.cells));
  }

  // The writer counts bytes for whole packs only, so this estimates those of single files.
  Progress::Done done() const {
    const PackStats stats = writer_->stats();
    const std::int64_t files = stats.packed + stats.stored;
    const std::int64_t bytes = added_bytes_.load(std::memory_order_relaxed);
    return {files, stats.files > 0 ? bytes * files / stats.files : 0};
  }

  // The files in finished packs.
  std::int64_t in_packs() const {
    const PackStats stats = writer_->stats();
    return stats.skipped + writer_->to_skip() + stats.packed + stats.stored;
  }
  std::string how_to_go_on() const {
    const std::int64_t packs = writer_->stats().packs;
    return packs == 0 ? ""
                      : fmt::format("; {} complete: with --resume the same command continues",
                                    packs == 1 ? "1 pack is" : fmt::format("{} packs are", packs));
  }

  void summarize(double seconds) const {
    const PackStats stats = writer_->stats();
    const std::int64_t files = stats.packed + stats.stored;
    const int threads = options_.threads > 0 ? options_.threads : cpu_count();
    fmt::print("packed {} in {:.2f} s: {:.0f} files/s with {}, reading and writing included\n",
               counted(files, "file"), seconds,
               seconds > 0 ? static_cast<double>(files) / seconds : 0.0,
               counted(threads, "thread"));
    if (stats.stored > 0) {
      fmt::print("{} of them {} stored without packing:\n", stats.stored,
                 stats.stored == 1 ? "is" : "are");
      for (const auto& [reason, count] : stats.reasons)
        fmt::print("  {}: {}\n", counted(count, "file"), escape_control_chars(reason));
    }
    if (stats.packs > 0) {
      fmt::print("{}: {} with {:.1f} MB, {:.3f} times the {:.1f} MB of the files\n",
                 escape_control_chars(options_.out), counted(stats.packs, "pack"),
                 megabytes(stats.pack_bytes),
                 static_cast<double>(stats.pack_bytes) /
                     static_cast<double>(std::max<std::int64_t>(stats.file_bytes, 1)),
                 megabytes(stats.file_bytes));
    }
    if (!not_read_.empty()) {
      fmt::print("left out {} that cannot be read:\n", not_read_.size());
      name_each(not_read_, [this](const NotRead& one) {
        return escape_control_chars(
            fmt::format("{}: {}", source_->name(one.sample), strip_hint(one.reason)));
      });
    }
    name_left_out(source_->left_out());
    (void)std::fflush(stdout);
  }

  const PackCommandOptions& options_;
  const std::unique_ptr<const PackSource> source_;
  std::int64_t total_ = 0;
  std::unique_ptr<PackWriter> writer_;
  std::atomic<std::int64_t> added_bytes_{0};
  std::vector<std::int64_t> samples_;  // the numbers of the added files in the source
  std::vector<NotRead> not_read_;
  bool finished_ = false;
};

}  // namespace

int run_pack(const PackCommandOptions& options) {
  int given = 0;
  for (const bool is_given :
       {!options.source.data.empty(), !options.source.list.empty(), !options.source.tar.empty()})
    given += is_given ? 1 : 0;
  if (given != 1) {
    throw UsageError(
        fmt::format("{} --data DIR, --list FILE and --tar FILE... (sluice pack --help tells more)",
                    given == 0 ? "name the input: one of" : "give only one of"));
  }
  return Packing(options).run();
}

}  // namespace sluice::app
