#include "dataset.h"

#include "input_paths.h"
#include "output_paths.h"
#include "summary.h"
#include "usage.h"
#include <sluice/io/images/decode_image.h>
#include <sluice/io/packs/pack_in.h>
#include <sluice/io/readers/list.h>
#include <sluice/io/readers/tar.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <glob.h>

namespace sluice::app {
namespace {
namespace fs = std::filesystem;

constexpr std::int64_t kNoLabel = -1;

Verify verify_of(const DatasetOptions& options) {
  return options.verify ? Verify::always : Verify::never;
}

class Folder final : public Dataset {
 public:
  Folder(const DatasetOptions& options, std::shared_ptr<JpegIndex> index)
      : folder_(options.data),
        files_(data_files(options.data, std::move(index), verify_of(options))),
        left_out_(left_out_of(files_)) {}
  std::int64_t size() const override { return files_.size(); }
  std::string words() const override {
    return fmt::format("{} in {}", counted(size(), "file"), escape_control_chars(folder_));
  }
  std::string name(std::int64_t i) const override { return files_.name(i); }
  std::string title(std::int64_t i) const override { return name_below(folder_, files_.name(i)); }
  std::string place(std::int64_t i) const override { return std::string(files_.name_below(i)); }
  DatasetSample read(std::int64_t i) const override {
    auto [file, label] = files_.read(i);
    return {.file = std::move(file), .label = label};
  }
  SourceReads reads() const override { return files_.reads(); }
  std::string fingerprint() const override { return files_.fingerprint(); }
  std::vector<std::string> classes() const override { return files_.classes(); }
  const std::vector<LeftOut>& left_out() const override { return left_out_; }

 private:
  const std::string folder_;
  const Files files_;
  const std::vector<LeftOut> left_out_;
};

// Converts the numbers to edges in pixels.
Tensor boxes_of(const std::vector<float>& numbers, BoxFormat format) {
  constexpr std::size_t kSides = 4;
  if (numbers.size() % kSides != 0) {
    throw Error(fmt::format("the sample has {}, but each box has {}",
                            counted(numbers.size(), "number"), kSides));
  }
  Tensor boxes({static_cast<std::int64_t>(numbers.size() / kSides), kSides}, DType::f32);
  float* to = boxes.data<float>();
  for (std::size_t i = 0; i < numbers.size(); i += kSides, to += kSides) {
    const float x = numbers[i], y = numbers[i + 1], third = numbers[i + 2], last = numbers[i + 3];
    const bool sized = format != BoxFormat::xyxy;
    const float before = format == BoxFormat::cxcywh ? 0.5f : 0.f;
    to[0] = x - before * third;
    to[1] = y - before * last;
    to[2] = sized ? to[0] + third : third;
    to[3] = sized ? to[1] + last : last;
  }
  return boxes;
}

Tensor labels_of(const std::vector<std::int64_t>& numbers, std::size_t boxes) {
  if (numbers.size() != boxes) {
    throw Error(
        fmt::format("the sample has the wrong number of labels (got {}, expected {}); give one "
                    "label for each box",
                    numbers.size(), boxes));
  }
  Tensor labels({static_cast<std::int64_t>(numbers.size())}, DType::i64);
  std::copy(numbers.begin(), numbers.end(), labels.data<std::int64_t>());
  return labels;
}

class Rows final : public Dataset {
 public:
  Rows(const DatasetOptions& options, const std::shared_ptr<JpegIndex>& index)
      : options_(options),
        folder_(fs::path(options.list).parent_path().string()),
        list_(open(options, index)) {}
  std::int64_t size() const override {
    return std::visit([](const auto& list) { return list.size(); }, list_);
  }
  std::string words() const override {
    return fmt::format("{} of {}", counted(size(), "row"), escape_control_chars(options_.list));
  }
  std::string name(std::int64_t i) const override {
    return std::visit([i](const auto& list) { return list.name(i); }, list_);
  }
  std::string title(std::int64_t i) const override { return escape_control_chars(below(name(i))); }
  std::string place(std::int64_t i) const override { return safe_path(below(name(i))); }
  DatasetSample read(std::int64_t i) const override {
    return std::visit([&](const auto& list) { return sample_of(list.read(i)); }, list_);
  }
  SourceReads reads() const override {
    return std::visit([](const auto& list) { return list.reads(); }, list_);
  }
  std::string fingerprint() const override {
    std::string all = std::visit([](const auto& list) { return list.fingerprint(); }, list_);
    all += fmt::format(", path {}, label {}", options_.path, options_.label);
    if (options_.wants == Wants::boxes)
      all += fmt::format(", boxes {} as {}", options_.boxes, name_of(options_.box_format));
    if (options_.wants == Wants::mask) all += fmt::format(", mask {}", options_.mask);
    return all;
  }
  const std::vector<LeftOut>& left_out() const override { return none_; }

 private:
  using Plain = List<>;
  using Labeled = List<std::int64_t>;
  using Boxed = List<std::vector<float>, std::vector<std::int64_t>>;
  using Masked = List<Bytes>;
  using AnyList = std::variant<Plain, Labeled, Boxed, Masked>;

  static AnyList open(const DatasetOptions& options, const std::shared_ptr<JpegIndex>& index) {
    const auto columns = [&](std::vector<std::string> names) {
      return ListOptions{.path = options.path,
                         .columns = std::move(names),
                         .index = index,
                         .verify = verify_of(options)};
    };
    if (options.wants == Wants::boxes) {
      return Boxed(options.list,
                   columns({options.boxes, options.label.empty() ? "labels" : options.label}));
    }
    if (options.wants == Wants::mask) return Masked(options.list, columns({options.mask}));
    if (options.label.empty()) return Plain(options.list, columns({}));
    return Labeled(options.list, columns({options.label}));
  }

  static DatasetSample sample_of(std::tuple<Bytes> row) {
    return {.file = std::move(std::get<0>(row)), .label = kNoLabel};
  }
  static DatasetSample sample_of(std::tuple<Bytes, std::int64_t> row) {
    return {.file = std::move(std::get<0>(row)), .label = std::get<1>(row)};
  }
  DatasetSample sample_of(
      std::tuple<Bytes, std::vector<float>, std::vector<std::int64_t>> row) const {
    auto& [file, boxes, labels] = row;
    return {.file = std::move(file),
            .label = kNoLabel,
            .boxes = boxes_of(boxes, options_.box_format),
            .labels = labels_of(labels, boxes.size() / 4)};
  }
  // Rejects masks of another size, which nothing else would detect.
  static DatasetSample sample_of(std::tuple<Bytes, Bytes> row) {
    auto& [file, mask] = row;
    const ImageSize image = peek_image(file), ids = peek_image(mask);
    if (image.height != ids.height || image.width != ids.width) {
      throw Error(fmt::format("the mask has {} x {} pixels, but its image {} x {}", ids.width,
                              ids.height, image.width, image.height));
    }
    return {.file = std::move(file), .label = kNoLabel, .mask = std::move(mask)};
  }

  // The path relative to the list's folder, if the file is below it.
  std::string below(const std::string& path) const {
    const fs::path relative = fs::path(path).lexically_normal().lexically_relative(
        fs::path(folder_.empty() ? "." : folder_).lexically_normal());
    return relative.empty() || *relative.begin() == ".." ? path : relative.string();
  }

  const DatasetOptions options_;
  const std::string folder_;
  const AnyList list_;
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
      labeled_.emplace(paths_, tar);
    }
    left_out_ = plain_ ? plain_->left_out() : labeled_->left_out();
    // Longest first, because one path may be the beginning of another.
    std::sort(paths_.begin(), paths_.end(),
              [](const auto& a, const auto& b) { return a.size() > b.size(); });
  }
  std::int64_t size() const override { return plain_ ? plain_->size() : labeled_->size(); }
  std::string words() const override {
    return fmt::format("{} in {}", counted(size(), "sample"),
                       paths_.size() == 1 ? escape_control_chars(paths_.front())
                                          : counted(paths_.size(), "archive"));
  }
  std::string name(std::int64_t i) const override {
    return plain_ ? plain_->name(i) : labeled_->name(i);
  }
  std::string title(std::int64_t i) const override { return escape_control_chars(name(i)); }
  std::string place(std::int64_t i) const override {
    const std::string whole = name(i);
    for (const std::string& path : paths_) {
      if (!whole.starts_with(path + "/")) continue;
      return safe_path(fs::path(path).stem().string() + whole.substr(path.size()));
    }
    return safe_path(whole);
  }
  DatasetSample read(std::int64_t i) const override {
    if (!labeled_) return {.file = std::get<0>(plain_->read(i)), .label = kNoLabel};
    auto [file, label] = labeled_->read(i);
    return {.file = std::move(file), .label = label};
  }
  SourceReads reads() const override { return plain_ ? plain_->reads() : labeled_->reads(); }
  std::string fingerprint() const override {
    return fmt::format("{}, label {}", plain_ ? plain_->fingerprint() : labeled_->fingerprint(),
                       options_.label);
  }
  const std::vector<LeftOut>& left_out() const override { return left_out_; }

 private:
  const DatasetOptions options_;
  std::vector<std::string> paths_;
  std::optional<Tar<Bytes>> plain_;
  std::optional<Tar<Bytes, std::int64_t>> labeled_;
  std::vector<LeftOut> left_out_;
};

class Packs final : public Dataset {
 public:
  Packs(const DatasetOptions& options, const std::shared_ptr<JpegIndex>& /*index*/)
      : options_(options), packs_(options.pack, {.columns = {}}) {
    const bool boxes = options_.wants == Wants::boxes;
    if (boxes && options_.label.empty()) options_.label = "labels";
    if (options_.label.empty() && has("label")) options_.label = "label";
    for (const std::string& column : {options_.label, boxes ? options_.boxes : std::string()}) {
      if (column.empty() || has(column)) continue;
      throw Error(fmt::format("the packs have no column {}; their columns are {}",
                              detail::in_quotes(column), fmt::join(packs_.all_columns(), ", ")));
    }
    has_names_ = has(kName);
  }
  std::int64_t size() const override { return packs_.size(); }
  std::string words() const override {
    return fmt::format("{} in {}", counted(size(), "sample"),
                       options_.pack.size() == 1 ? escape_control_chars(options_.pack.front())
                                                 : counted(options_.pack.size(), "pack"));
  }
  std::string name(std::int64_t i) const override { return packs_.name(i); }
  std::string title(std::int64_t i) const override {
    return has_names_ ? escape_control_chars(packs_.cell(i, kName)) : name(i);
  }
  std::string place(std::int64_t i) const override {
    return has_names_ ? safe_path(packs_.cell(i, kName)) : fmt::format("{:08}", i);
  }
  DatasetSample read(std::int64_t i) const override {
    DatasetSample sample{.file = std::get<0>(packs_.read(i)), .label = kNoLabel};
    if (options_.wants == Wants::boxes) {
      const auto boxes = cell<std::vector<float>>(i, options_.boxes);
      sample.boxes = boxes_of(boxes, options_.box_format);
      sample.labels =
          labels_of(cell<std::vector<std::int64_t>>(i, options_.label), boxes.size() / 4);
    } else if (!options_.label.empty()) {
      sample.label = cell<std::int64_t>(i, options_.label);
    }
    return sample;
  }
  SourceReads reads() const override { return packs_.reads(); }
  std::string fingerprint() const override {
    std::string all = fmt::format("{}, label {}", packs_.fingerprint(), options_.label);
    if (options_.wants == Wants::boxes)
      all += fmt::format(", boxes {} as {}", options_.boxes, name_of(options_.box_format));
    return all;
  }
  const std::vector<LeftOut>& left_out() const override { return none_; }

 private:
  static constexpr const char* kName = "name";

  bool has(const std::string& column) const {
    const std::vector<std::string>& all = packs_.all_columns();
    return std::find(all.begin(), all.end(), column) != all.end();
  }
  template <class T>
  T cell(std::int64_t i, const std::string& column) const {
    T value{};
    try {
      detail::read_cell({packs_.cell(i, column)}, value);
    } catch (const detail::CellError& error) {
      throw Error(fmt::format("column {}: {}", detail::in_quotes(column), error.what()));
    }
    return value;
  }

  DatasetOptions options_;
  const Pack<> packs_;
  bool has_names_ = false;
  std::vector<LeftOut> none_;
};

template <class D>
std::shared_ptr<const Dataset> open_as(const char* option, const DatasetOptions& options,
                                       const std::shared_ptr<JpegIndex>& index) {
  try {
    return std::make_shared<D>(options, index);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    const std::string cure = list_with(options.wants);
    throw UsageError(
        fmt::format("{}: {}{}{}", option, error.what(), cure.empty() ? "" : "; ", cure));
  }
}

}  // namespace

std::string list_with(Wants wants) {
  switch (wants) {
    case Wants::boxes:
      return R"(boxes come from --list FILE with two columns, --boxes NAME (default: boxes) and )"
             R"(--label NAME for the label of each (default: labels), in lines such as )"
             R"({"path": "a.jpg", "boxes": [[10, 20, 110, 220]], "labels": [3]})";
    case Wants::mask:
      return R"(masks come from --list FILE with a column for the mask's file, --mask NAME )"
             R"((default: mask), in lines such as {"path": "a.jpg", "mask": "a.png"})";
    case Wants::label:
      break;
  }
  return {};
}

std::shared_ptr<const Dataset> open_dataset(const DatasetOptions& options,
                                            const std::shared_ptr<JpegIndex>& index) {
  if (!options.list.empty()) return open_as<Rows>("--list", options, index);
  if (!options.tar.empty()) return open_as<Archives>("--tar", options, index);
  if (!options.pack.empty()) return open_as<Packs>("--pack", options, index);
  return std::make_shared<Folder>(options, index);
}

void check_dataset(const DatasetOptions& options, const char* command) {
  const int given = (options.data.empty() ? 0 : 1) + (options.list.empty() ? 0 : 1) +
                    (options.tar.empty() ? 0 : 1) + (options.pack.empty() ? 0 : 1);
  if (given != 1) {
    throw UsageError(fmt::format(
        "{} --data DIR, --list FILE, --tar FILE... and --pack PACK... (sluice {} --help "
        "tells more)",
        given == 0 ? "name the input: one of" : "give only one of", command));
  }
  if (!options.label.empty() && !options.data.empty()) {
    throw UsageError(
        "--label is a column of --list, --tar or --pack: labels of --data are the folders that the "
        "files "
        "lie in");
  }
}

std::vector<std::string> archives_of(const std::vector<std::string>& patterns) {
  std::vector<std::string> archives;
  for (const std::string& pattern : patterns) {
    std::error_code ignored;
    if (fs::is_directory(pattern, ignored)) {
      throw UsageError(fmt::format(
          "--tar {0} is a folder: name the archives in it, as in --tar '{0}/*.tar', or read the "
          "files in it with --data {0}",
          pattern));
    }
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
