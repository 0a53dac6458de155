#include "cat.h"

#include "dataset.h"
#include "input_paths.h"
#include "result_range.h"
#include "summary.h"
#include "usage.h"
#include <sluice/graph/sampling/sampler.h>
#include <sluice/io/packs/pack_in.h>
#include <sluice/io/readers/list.h>
#include <sluice/io/readers/list_file.h>
#include <sluice/io/readers/tar.h>
#include <sluice/io/readers/tar_headers.h>
#include <sluice/io/readers/tar_samples.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iterator>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>

namespace sluice::app {
namespace {

// Buffered output lines.
class Lines {
 public:
  Lines() = default;
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() { flush(); }

  void field(std::string_view text) {
    if (!text_.empty() && text_.back() != '\n') text_ += '\t';
    text_ += escape_control_chars(text);
  }
  void end() {
    text_ += '\n';
    constexpr std::size_t kMost = std::size_t{1} << 16;
    if (text_.size() >= kMost) flush();
  }
  // Flushes so that lines and error messages appear in order.
  void flush() {
    (void)std::fwrite(text_.data(), 1, text_.size(), stdout);
    (void)std::fflush(stdout);
    text_.clear();
  }

 private:
  std::string text_;
};

class Cat {
 public:
  explicit Cat(const CatOptions& options) : options_(options) {}

  int run() {
    if (!options_.list.empty()) {
      list();
    } else if (!options_.tar.empty()) {
      tar();
    } else if (!options_.pack.empty()) {
      packs();
    } else {
      folder();
    }
    lines_.flush();
    return status_;
  }

 private:
  void complain(std::string_view what) {
    lines_.flush();
    fmt::print(stderr, "sluice: {}\n", escape_control_chars(what));
    status_ = 1;
  }
  // Calls print(i) for each selected sample.
  template <class Print>
  void each(std::int64_t all, Print print) const {
    const ProcessShard share(options_.shard.empty() ? "0/1" : options_.shard);
    const EpochOrder order({.shuffle = options_.shuffle, .shard = share.shard()}, all, 0,
                           options_.seed);
    const std::int64_t most =
        options_.head < 0 ? order.size() : std::min(order.size(), options_.head);
    for (std::int64_t position = 0; position < most; ++position) print(order[position]);
  }
  void begin(std::int64_t i, std::string_view name) {
    lines_.field(std::to_string(i));
    lines_.field(name);
  }
  void size_of(const std::string& path) {
    struct stat status {};
    const bool known = ::stat(path.c_str(), &status) == 0;
    if (!known)
      complaint_ =
          fmt::format("'{}' cannot be examined: {}", path, std::generic_category().message(errno));
    lines_.field(known ? std::to_string(status.st_size) : "-");
  }
  void end() {
    lines_.end();
    if (!complaint_.empty()) complain(complaint_);
    complaint_.clear();
  }
  void left_out(const std::vector<LeftOut>& those) {
    for (const LeftOut& one : unreadable_of(those))
      complain(fmt::format("left out {}: {}", one.path, one.reason));
    lines_.flush();
    for (const std::string& line : words_of_rules(those)) fmt::print(stderr, "sluice: {}\n", line);
  }

  void folder() {
    const Files files = data_files(options_.data);
    each(files.size(), [&](std::int64_t i) {
      begin(i, files.name(i));
      size_of(files.name(i));
      lines_.field(std::to_string(files.label(i)));
      end();
    });
    left_out(files.left_out());
  }

  // As text, because a column may have any type.
  void list() {
    ListOptions wanted;
    wanted.path = options_.path;
    if (!options_.columns.empty()) wanted.columns = options_.columns;
    const detail::ListRows rows = opened(
        "--list", [&] { return detail::ListRows(options_.list, wanted, wanted.columns.size()); });
    each(rows.size(), [&](std::int64_t i) {
      begin(i, rows.name(i));
      try {
        const detail::ListRow row = rows.row(i);
        size_of(row.path);
        for (const auto& cell : row.cells) lines_.field(cell.text);
      } catch (const IoError& error) {
        complaint_ = error.what();
        for (std::size_t n = 0; n <= wanted.columns.size(); ++n) lines_.field("-");
      }
      end();
    });
  }

  // The name is part of the sample's name, so by default the other columns follow.
  void packs() {
    const auto packs = opened("--pack", [&] { return Pack<>(options_.pack, {.columns = {}}); });
    const std::vector<std::string>& all = packs.all_columns();
    std::vector<std::string> columns = options_.columns;
    for (const std::string& column : columns) {
      if (std::find(all.begin(), all.end(), column) == all.end()) {
        throw UsageError(
            fmt::format("--columns: the packs have no column '{}'; their columns are {}", column,
                        fmt::join(all, ", ")));
      }
    }
    if (columns.empty())
      std::remove_copy(all.begin(), all.end(), std::back_inserter(columns), "name");
    each(packs.size(), [&](std::int64_t i) {
      begin(i, packs.name(i));
      lines_.field(std::to_string(packs.bytes(i)));
      lines_.field(packs.is_packed(i) ? "packed" : "stored");
      for (const std::string& column : columns) lines_.field(packs.cell(i, column));
      end();
    });
  }

  void tar() {
    const std::vector<std::string> paths = archives_of(options_.tar);
    if (options_.offsets.empty() && std::any_of(paths.begin(), paths.end(), is_tar_stream))
      return streams(paths);
    const auto archives = opened("--tar", [&] {
      return tar_in<Bytes>(
          paths,
          {.columns = {kImages}, .offsets = options_.offsets, .unreadable = Unreadable::leave_out});
    });
    each(archives.size(),
         [&](std::int64_t i) { tar_sample(i, archives.name(i), archives.files(i)); });
    left_out(archives.left_out());
  }

  // Reads each archive from its beginning, without an index.
  void streams(const std::vector<std::string>& archives) {
    if (options_.shuffle || !options_.shard.empty())
      throw UsageError(
          "cat: an archive that is compressed or a pipe is read in its own order: leave out "
          "--shuffle and --shard");
    std::int64_t i = 0;
    detail::LeftOutCounter counter;
    for (const std::string& archive : archives) {
      try {
        list_tar_stream(
            archive, kImages,
            [&](const std::string& name, const std::vector<TarFile>& files) {
              if (i == options_.head) return false;
              tar_sample(i++, name, files);
              return i != options_.head;
            },
            counter);
      } catch (const IoError& error) {
        left_out({{archive, error.what()}});
      }
      if (i == options_.head) break;
    }
    left_out(counter.list());
  }

  void tar_sample(std::int64_t i, const std::string& name, const std::vector<TarFile>& files) {
    begin(i, name);
    std::uint64_t bytes = 0;
    std::string columns;
    bool has_image = false;
    for (const TarFile& file : files) {
      has_image = has_image || is_image(file);
      bytes += file.bytes;
      columns += fmt::format("{}{}:{}", columns.empty() ? "" : " ", file.column, file.bytes);
    }
    lines_.field(std::to_string(bytes));
    lines_.field(columns);
    if (!has_image) {
      complaint_ = fmt::format(
          "the sample '{}' has no column {}: its name ends at the first dot of its files' names",
          name, kImages);
    }
    end();
  }

  bool is_image(const TarFile& file) const {
    return std::any_of(images_.begin(), images_.end(), [&](const std::string& name) {
      return detail::is_tar_column(file.column, name);
    });
  }

  static constexpr const char* kImages = "jpg;jpeg;png;webp;gif";
  const std::vector<std::string> images_ = detail::names_of_tar_column("cat", kImages);
  const CatOptions& options_;
  Lines lines_;
  std::string complaint_;  // for the current line
  int status_ = 0;
};

}  // namespace

int run_cat(const CatOptions& options) {
  check_dataset(
      {.data = options.data, .list = options.list, .tar = options.tar, .pack = options.pack},
      "cat");
  // End when the reader closes the pipe, even if the parent process ignores SIGPIPE.
  (void)std::signal(SIGPIPE, SIG_DFL);
  return Cat(options).run();
}

}  // namespace sluice::app
