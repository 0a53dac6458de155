#include "dataset.h"

#include "inputs.h"
#include "safe_path.h"
#include "summary.h"
#include "usage.h"
#include <sluice/io/sources/list.h>
#include <sluice/io/sources/tar.h>
#include <sluice/runtime/printable.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <glob.h>

namespace sluice::app {
namespace {
namespace fs = std::filesystem;

constexpr std::int64_t kNoLabel = -1;

class Folder final : public Dataset {
 public:
  Folder(const std::string& folder, std::shared_ptr<JpegIndex> index)
      : folder_(folder), files_(data_files(folder, std::move(index))) {
    for (const LeftOut& one : files_.left_out())
      left_out_.push_back({name_below(folder_, one.path), one.reason});
  }
  std::int64_t size() const override { return files_.size(); }
  std::string words() const override {
    return fmt::format("{} files in {}", size(), printable(folder_));
  }
  std::string name(std::int64_t i) const override { return files_.name(i); }
  std::string title(std::int64_t i) const override { return name_below(folder_, files_.name(i)); }
  std::string place(std::int64_t i) const override {
    return fs::path(files_.name(i)).lexically_relative(folder_).string();
  }
  std::tuple<Bytes, std::int64_t> read(std::int64_t i) const override { return files_.read(i); }
  SourceReads reads() const override { return files_.reads(); }
  std::string fingerprint() const override { return files_.fingerprint(); }
  const std::vector<LeftOut>& left_out() const override { return left_out_; }
  std::int64_t hidden() const override { return files_.hidden(); }

 private:
  const std::string folder_;
  const Files files_;
  std::vector<LeftOut> left_out_;
};

class Rows final : public Dataset {
 public:
  Rows(const DatasetOptions& options, const std::shared_ptr<JpegIndex>& index)
      : options_(options), folder_(fs::path(options.list).parent_path().string()) {
    ListOptions list{.path = options.path, .columns = {}, .index = index};
    if (options.label.empty()) {
      plain_.emplace(options.list, list);
    } else {
      list.columns = {options.label};
      labelled_.emplace(options.list, list);
    }
  }
  std::int64_t size() const override { return plain_ ? plain_->size() : labelled_->size(); }
  std::string words() const override {
    return fmt::format("{} rows of {}", size(), printable(options_.list));
  }
  std::string name(std::int64_t i) const override {
    return plain_ ? plain_->name(i) : labelled_->name(i);
  }
  std::string title(std::int64_t i) const override { return printable(below(name(i))); }
  std::string place(std::int64_t i) const override { return safe_path(below(name(i))); }
  std::tuple<Bytes, std::int64_t> read(std::int64_t i) const override {
    if (labelled_) return labelled_->read(i);
    return {std::get<0>(plain_->read(i)), kNoLabel};
  }
  SourceReads reads() const override { return plain_ ? plain_->reads() : labelled_->reads(); }
  std::string fingerprint() const override {
    return fmt::format("{}, path {}, label {}",
                       plain_ ? plain_->fingerprint() : labelled_->fingerprint(), options_.path,
                       options_.label);
  }
  const std::vector<LeftOut>& left_out() const override { return none_; }

 private:
  // Below the list's folder, where the file lies there.
  std::string below(const std::string& path) const {
    const fs::path relative = fs::path(path).lexically_normal().lexically_relative(
        fs::path(folder_.empty() ? "." : folder_).lexically_normal());
    return relative.empty() || *relative.begin() == ".." ? path : relative.string();
  }

  const DatasetOptions options_;
  const std::string folder_;
  std::optional<List<>> plain_;
  std::optional<List<std::int64_t>> labelled_;
  std::vector<LeftOut> none_;
};

class Archives final : public Dataset {
 public:
  Archives(const DatasetOptions& options, const std::shared_ptr<JpegIndex>& index)
      : options_(options), paths_(archives_of(options.tar)) {
    TarOptions tar{.columns = {"jpg;jpeg"},
                   .offsets = options.offsets,
                   .unreadable = Unreadable::leave_out,
                   .index = index};
    if (options.label.empty()) {
      plain_.emplace(paths_, tar);
    } else {
      tar.columns.push_back(options.label);
      labelled_.emplace(paths_, tar);
    }
    left_out_ = plain_ ? plain_->left_out() : labelled_->left_out();
    // The longest first: one may begin as another one does.
    std::sort(paths_.begin(), paths_.end(),
              [](const auto& a, const auto& b) { return a.size() > b.size(); });
  }
  std::int64_t size() const override { return plain_ ? plain_->size() : labelled_->size(); }
  std::string words() const override {
    return paths_.size() == 1 ? fmt::format("{} samples in {}", size(), printable(paths_.front()))
                              : fmt::format("{} samples in {} archives", size(), paths_.size());
  }
  std::string name(std::int64_t i) const override {
    return plain_ ? plain_->name(i) : labelled_->name(i);
  }
  std::string title(std::int64_t i) const override { return printable(name(i)); }
  std::string place(std::int64_t i) const override {
    const std::string whole = name(i);
    for (const std::string& path : paths_) {
      if (!whole.starts_with(path + "/")) continue;
      return safe_path(fs::path(path).stem().string() + whole.substr(path.size()));
    }
    return safe_path(whole);
  }
  std::tuple<Bytes, std::int64_t> read(std::int64_t i) const override {
    if (labelled_) return labelled_->read(i);
    return {std::get<0>(plain_->read(i)), kNoLabel};
  }
  SourceReads reads() const override { return plain_ ? plain_->reads() : labelled_->reads(); }
  std::string fingerprint() const override {
    return fmt::format("{}, label {}", plain_ ? plain_->fingerprint() : labelled_->fingerprint(),
                       options_.label);
  }
  const std::vector<LeftOut>& left_out() const override { return left_out_; }

 private:
  const DatasetOptions options_;
  std::vector<std::string> paths_;
  std::optional<Tar<Bytes>> plain_;
  std::optional<Tar<Bytes, std::int64_t>> labelled_;
  std::vector<LeftOut> left_out_;
};

template <class D>
std::shared_ptr<const Dataset> open_as(const char* option, const DatasetOptions& options,
                                       const std::shared_ptr<JpegIndex>& index) {
  try {
    return std::make_shared<D>(options, index);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw UsageError(fmt::format("{}: {}", option, error.what()));
  }
}

}  // namespace

std::shared_ptr<const Dataset> open_dataset(const DatasetOptions& options,
                                            const std::shared_ptr<JpegIndex>& index) {
  if (!options.list.empty()) return open_as<Rows>("--list", options, index);
  if (!options.tar.empty()) return open_as<Archives>("--tar", options, index);
  return std::make_shared<Folder>(options.data, index);
}

void check_dataset(const DatasetOptions& options, const char* command) {
  const int given = (options.data.empty() ? 0 : 1) + (options.list.empty() ? 0 : 1) +
                    (options.tar.empty() ? 0 : 1);
  if (given != 1) {
    throw UsageError(
        fmt::format("say what to look at: one of --data DIR, --list FILE and --tar FILE... "
                    "(sluice {} --help tells more)",
                    command));
  }
  if (!options.label.empty() && !options.data.empty()) {
    throw UsageError(
        "--label is a column of --list or --tar: labels of --data are the folders that the files "
        "lie in");
  }
}

std::vector<std::string> archives_of(const std::vector<std::string>& patterns) {
  std::vector<std::string> archives;
  for (const std::string& pattern : patterns) {
    std::error_code ignored;
    if (fs::exists(pattern, ignored) || pattern.find_first_of("*?[") == std::string::npos) {
      archives.push_back(pattern);
      continue;
    }
    glob_t found{};
    const int status = ::glob(pattern.c_str(), 0, nullptr, &found);
    for (std::size_t i = 0; status == 0 && i < found.gl_pathc; ++i)
      archives.emplace_back(found.gl_pathv[i]);
    ::globfree(&found);
    if (status != 0)
      throw UsageError(fmt::format("--tar {}: there is no file whose name fits", pattern));
  }
  return archives;
}

}  // namespace sluice::app
