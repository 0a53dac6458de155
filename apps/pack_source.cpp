#include "pack_source.h"

#include "dataset.h"
#include "input_paths.h"
#include "summary.h"
#include "usage.h"
#include <sluice/io/readers/list.h>
#include <sluice/io/readers/list_file.h>
#include <sluice/io/readers/tar.h>
#include <sluice/io/readers/tar_headers.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sluice::app {
namespace {
namespace fs = std::filesystem;

class FolderToPack final : public PackSource {
 public:
  explicit FolderToPack(const std::string& folder) : folder_(folder), files_(data_files(folder)) {
    columns_ = {kName, kLabel};
    left_out_ = left_out_of(files_);
  }
  std::int64_t size() const override { return files_.size(); }
  std::string words() const override {
    return fmt::format("{} in {}", counted(size(), "file"), escape_control_chars(folder_));
  }
  std::string name(std::int64_t i) const override { return files_.name(i); }
  Bytes file(std::int64_t i) const override { return read_file(files_.name(i)); }
  std::vector<std::string> cells(std::int64_t i) const override {
    return {fs::path(files_.name(i)).lexically_relative(folder_).string(),
            std::to_string(files_.label(i))};
  }

 private:
  const std::string folder_;
  const Files files_;
};

// Throws unless the columns differ from each other and from "name".
void require_distinct(const char* option, const std::vector<std::string>& columns) {
  for (auto column = columns.begin(); column != columns.end(); ++column) {
    if (std::find(columns.begin(), column, *column) == column) continue;
    throw UsageError(fmt::format(
        "{}: two columns of the packs would be called {}{}; choose others with --columns NAMES",
        option, detail::in_quotes(*column),
        *column == PackSource::kName ? ", which is the name of each file" : ""));
  }
}

// The columns of a list that can be packed, and those that cannot.
struct ListColumns {
  std::vector<std::string> names, others;
};

// Splits the first row of a CSV or TSV list, as list_in does.
std::vector<std::string> names_in_row(const std::string& row, bool csv) {
  std::vector<std::string> names(1);
  bool quoted = false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool doubled = quoted && i + 1 < row.size() && row[i + 1] == '"';
    if (csv && row[i] == '"' && (quoted || names.back().empty())) {
      if (doubled) names.back() += row[i++];
      if (!doubled) quoted = !quoted;
    } else if (row[i] == (csv ? ',' : '\t') && !quoted) {
      names.emplace_back();
    } else {
      names.back() += row[i];
    }
  }
  return names;
}

ListColumns columns_in_json(const std::string& row) {
  ListColumns columns;
  const nlohmann::json object = nlohmann::json::parse(row, nullptr, false);
  if (!object.is_object()) return columns;  // the row's own error tells more
  const auto is_number = [](const nlohmann::json& item) { return item.is_number(); };
  const auto is_numbers = [&](const nlohmann::json& list) {
    return list.is_array() && std::all_of(list.begin(), list.end(), is_number);
  };
  for (const auto& [name, value] : object.items()) {
    const bool fits = !value.is_structured() || is_numbers(value) ||
                      (value.is_array() && std::all_of(value.begin(), value.end(), is_numbers));
    (fits ? columns.names : columns.others).push_back(name);
  }
  return columns;
}

// Finds the names of the columns in the first row. Errors of the list are left to list_in.
ListColumns columns_in_list(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string row;
  while (std::getline(file, row)) {
    if (row.starts_with("\xef\xbb\xbf")) row.erase(0, 3);
    if (row.ends_with('\r')) row.pop_back();
    if (!row.empty()) break;
  }
  const std::string name = lower(path);
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return columns_in_json(row);
  return {names_in_row(row, name.ends_with(".csv")), {}};
}

class ListToPack final : public PackSource {
 public:
  explicit ListToPack(const PackSourceOptions& options)
      : list_(options.list), folder_(fs::path(options.list).parent_path().string()) {
    std::vector<std::string> wanted = options.columns;
    if (wanted.empty()) {
      ListColumns found = columns_in_list(list_);
      left_out_columns_ = std::move(found.others);
      std::erase(found.names, options.path);
      wanted = std::move(found.names);
    }
    columns_ = {kName};
    columns_.insert(columns_.end(), wanted.begin(), wanted.end());
    require_distinct("--list", columns_);
    wanted.insert(wanted.begin(), options.path);
    const std::size_t types = wanted.size();
    rows_.emplace(list_, ListOptions{.path = options.path, .columns = std::move(wanted)}, types);
  }
  std::int64_t size() const override { return rows_->size(); }
  std::string words() const override {
    return fmt::format("{} of {}", counted(size(), "row"), escape_control_chars(list_));
  }
  std::string name(std::int64_t i) const override { return rows_->name(i); }
  Bytes file(std::int64_t i) const override { return rows_->read(i, rows_->row(i)); }
  std::vector<std::string> cells(std::int64_t i) const override {
    detail::ListRow row = rows_->row(i);
    std::vector<std::string> cells;
    for (detail::ListRow::Text& cell : row.cells) cells.push_back(std::move(cell.text));
    cells.front() = name_in_pack(cells.front(), folder_);
    return cells;
  }

 private:
  const std::string list_, folder_;
  std::optional<detail::ListRows> rows_;
};

// Text has no zero bytes, and is not long.
bool is_text(const std::string& content) {
  constexpr std::size_t kMost = std::size_t{1} << 16;
  return content.size() <= kMost && content.find('\0') == std::string::npos;
}

class TarToPack final : public PackSource {
 public:
  explicit TarToPack(const PackSourceOptions& options) : paths_(archives_of(options.tar)) {
    const TarIndex known =
        options.offsets.empty()
            ? TarIndex::of(paths_, Unreadable::leave_out, &left_out_)
            : TarIndex::open(options.offsets).for_archives(paths_, options.offsets);
    const std::vector<std::string> wanted =
        options.columns.empty() ? text_columns(known) : options.columns;
    std::vector<std::string> columns = {kImages, std::string(detail::kTarKeyColumn)};
    columns.insert(columns.end(), wanted.begin(), wanted.end());
    const std::size_t types = columns.size();
    samples_.emplace(paths_, TarOptions{.columns = std::move(columns)}, known, types);
    left_out_.insert(left_out_.end(), samples_->left_out().begin(), samples_->left_out().end());
    columns_ = {kName};
    columns_.insert(columns_.end(), wanted.begin(), wanted.end());
    if (std::find(columns_.begin(), columns_.end(), kLabel) == columns_.end())
      std::replace(columns_.begin(), columns_.end(), std::string("cls"), std::string(kLabel));
    require_distinct("--tar", columns_);
  }
  std::int64_t size() const override { return samples_->size(); }
  std::string words() const override {
    return fmt::format("{} in {}", counted(size(), "sample"),
                       paths_.size() == 1 ? escape_control_chars(paths_.front())
                                          : counted(paths_.size(), "archive"));
  }
  std::string name(std::int64_t i) const override { return samples_->name(i); }
  Bytes file(std::int64_t i) const override {
    return detail::TarSamples::Sample(*samples_, i).get<Bytes>(0);
  }
  std::vector<std::string> cells(std::int64_t i) const override {
    const detail::TarSamples::Sample sample(*samples_, i);
    std::vector<std::string> cells;
    for (std::size_t column = 0; column < columns_.size(); ++column)
      cells.push_back(sample.get<std::string>(column + 1));
    cells.front() += ending_of(samples_->files(i));
    return cells;
  }

 private:
  static constexpr const char* kImages = "jpg;jpeg;png;webp;gif";

  // Returns the column of the image as it is written in the archive, with a dot.
  std::string ending_of(const std::vector<TarFile>& files) const {
    for (const std::string& image : images_) {
      for (const TarFile& file : files)
        if (detail::is_tar_column(file.column, image)) return "." + file.column;
    }
    return {};
  }
  // The columns of the first sample that hold text.
  std::vector<std::string> text_columns(const TarIndex& known) {
    const detail::TarSamples images(paths_, {.columns = {kImages}}, known, 1);
    std::vector<std::string> columns = {kImages};
    const std::vector<TarFile> files = images.files(0);
    const std::string ending = ending_of(files);
    for (const TarFile& file : files) {
      const bool is_image = std::any_of(
          images_.begin(), images_.end(),
          [&](const std::string& image) { return detail::is_tar_column(file.column, image); });
      if (!is_image) {
        columns.push_back(file.column);
      } else if ("." + file.column != ending) {
        left_out_columns_.push_back(file.column);
      }
    }
    const std::size_t types = columns.size();
    const detail::TarSamples samples(paths_, {.columns = columns}, known, types);
    const detail::TarSamples::Sample first(samples, 0);
    std::vector<std::string> text;
    for (std::size_t i = 1; i < columns.size(); ++i)
      (is_text(first.get<std::string>(i)) ? text : left_out_columns_).push_back(columns[i]);
    return text;
  }

  const std::vector<std::string> images_ = detail::names_of_tar_column("pack", kImages);
  const std::vector<std::string> paths_;
  std::optional<detail::TarSamples> samples_;
};

}  // namespace

std::unique_ptr<const PackSource> open_pack_source(const PackSourceOptions& options) {
  if (!options.list.empty())
    return opened("--list", [&] { return std::make_unique<const ListToPack>(options); });
  if (!options.tar.empty())
    return opened("--tar", [&] { return std::make_unique<const TarToPack>(options); });
  return std::make_unique<const FolderToPack>(options.data);
}

std::string name_in_pack(const std::string& path, const std::string& folder) {
  std::error_code ignored;
  fs::path name = fs::path(path).lexically_normal();
  if (name.is_absolute()) {
    const fs::path below = name.lexically_relative(
        fs::absolute(folder.empty() ? "." : folder, ignored).lexically_normal());
    if (!below.empty() && *below.begin() != "..") name = below;
  }
  fs::path safe;
  for (const fs::path& part : name.relative_path())
    if (part != "..") safe /= part;
  return safe.string();
}

}  // namespace sluice::app
