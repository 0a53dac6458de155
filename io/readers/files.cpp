#include <sluice/io/jpeg/index.h>
#include <sluice/io/readers/files.h>
#include <sluice/io/readers/fingerprint.h>
#include <sluice/io/readers/image_reader.h>
#include <sluice/io/readers/open_file.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <sys/stat.h>

namespace sluice {

std::string words_of(const std::vector<LeftOut>& left_out) {
  constexpr std::size_t kMostShown = 8;
  std::string words;
  bool has_left_out = false;
  for (std::size_t i = 0; i < left_out.size(); ++i) {
    const LeftOut& one = left_out[i];
    if (i == kMostShown) {
      return words + "; and " + std::to_string(left_out.size() - i) + " more reasons";
    }
    const std::string path = "'" + escape_control_chars(one.path) + "'";
    if (i > 0) words += "; ";
    if (one.count == 0) {
      words += path + " " + one.reason;
      continue;
    }
    words += has_left_out ? "" : "left out ";
    has_left_out = true;
    words += one.unreadable
                 ? path + ": " + one.reason
                 : std::to_string(one.count) + " " + one.reason + " (first: " + path + ")";
  }
  return words;
}

namespace detail {

struct LeftOutCounter::Counts {
  std::mutex mutex;
  std::vector<LeftOut> unreadable;
  std::map<std::string, LeftOut, std::less<>> by_rule;  // by the reason
};

LeftOutCounter::LeftOutCounter() : counts_(std::make_unique<Counts>()) {}

LeftOutCounter::~LeftOutCounter() = default;

void LeftOutCounter::add_unreadable(std::string path, std::string reason) {
  const std::lock_guard lock(counts_->mutex);
  counts_->unreadable.push_back({std::move(path), std::move(reason)});
}

void LeftOutCounter::add(std::string_view path, std::string_view reason, std::int64_t count) {
  const std::lock_guard lock(counts_->mutex);
  const auto known = counts_->by_rule.find(reason);
  if (known == counts_->by_rule.end()) {
    counts_->by_rule.emplace(reason, LeftOut{std::string(path), std::string(reason), count, false});
    return;
  }
  known->second.count += count;
  if (path < known->second.path) known->second.path = path;
}

std::vector<LeftOut> LeftOutCounter::list() const {
  std::vector<LeftOut> all;
  {
    const std::lock_guard lock(counts_->mutex);
    all = counts_->unreadable;
    for (const auto& [reason, one] : counts_->by_rule) all.push_back(one);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const LeftOut& a, const LeftOut& b) { return a.path < b.path; });
  return all;
}

void LeftOutCounter::clear() {
  const std::lock_guard lock(counts_->mutex);
  counts_->unreadable.clear();
  counts_->by_rule.clear();
}

}  // namespace detail

namespace fs = std::filesystem;

struct Files::List {
  struct File {
    std::string path;
    std::int64_t label = -1;
  };
  std::string folder;
  std::size_t prefix = 0;  // the bytes of each path before its part below the folder
  std::vector<File> files;
  std::vector<std::string> classes;
  std::vector<LeftOut> left_out;
  std::string fingerprint;
  std::optional<ImageReader> reader;

  std::string_view name_below(const File& file) const {
    return std::string_view(file.path).substr(prefix);
  }
  void note_names(const JpegIndex& index);
};

namespace {

// Each completes "left out 3 ...".
constexpr std::string_view kHidden = "hidden: a name that begins with a dot";
constexpr std::string_view kSpecial = "that are pipes, sockets or devices";
constexpr std::string_view kSeen = "that were read under another path of the class";
constexpr std::string_view kEmpty = "of the classes, without files; their numbers stay";

bool ends_as_one_of(const std::string& name, const std::vector<std::string>& endings) {
  return std::any_of(endings.begin(), endings.end(), [&name](const std::string& ending) {
    return name.size() > ending.size() &&
           equal_in_any_case(std::string_view(name).substr(name.size() - ending.size()), ending);
  });
}

[[noreturn]] void throw_folder(const std::string& folder, const std::string& why) {
  throw IoError("the folder '" + escape_control_chars(folder) + "' " + why);
}

std::string reason_of(int error) { return std::generic_category().message(error); }

std::string in_a_row(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names)
    all += (all.empty() ? "" : ", ") + escape_control_chars(name);
  return all;
}

// Returns "JPEG files (.jpg, .jpeg, .jpe)".
std::string wanted_files(const FilesOptions& options) {
  const bool only_jpeg = options.endings == FilesOptions().endings;
  return std::string(only_jpeg ? "JPEG " : "") + "files (" + in_a_row(options.endings) + ")";
}

// Returns "; left out 3 with the ending .png (first: 'a/1.png')", or nothing.
std::string and_left_out(const std::vector<LeftOut>& left_out) {
  return left_out.empty() ? "" : "; " + words_of(left_out);
}

// Finds files in a folder and below it.
class Walk {
 public:
  explicit Walk(const FilesOptions& options) : options_(options) {}

  void run(const std::string& folder) { (void)enter(folder); }
  // Returns advice about images of other formats, for the error that there are no files.
  std::string cure() const;

  std::vector<std::string> paths;
  std::vector<std::string> classes;  // names directly below that are folders, or may be
  detail::LeftOutCounter left_out;

 private:
  // Identifies a folder, however many links lead to it.
  using FolderId = std::pair<dev_t, ino_t>;

  // Returns false for a link that leads back.
  bool enter(const fs::path& folder);
  std::vector<std::string> read_entries(const fs::path& folder);
  void take_file(const fs::path& path, const std::string& name, const fs::file_status& kind,
                 const std::error_code& unknown, std::vector<std::string>& folders);
  void count_other(const fs::path& path);

  const FilesOptions& options_;
  std::vector<FolderId> above_;    // the folders that lead to the current one
  std::set<FolderId> seen_;        // in this class
  std::set<std::string> endings_;  // that are left out
};

bool Walk::enter(const fs::path& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) {
    left_out.add_unreadable(folder.string(), reason_of(errno));
    return true;
  }
  const FolderId id{status.st_dev, status.st_ino};
  if (std::find(above_.begin(), above_.end(), id) != above_.end()) {
    left_out.add_unreadable(folder.string(), "a link that leads back to a folder above it");
    return false;
  }
  if (!seen_.insert(id).second) {
    left_out.add(folder.native(), kSeen);
    return true;
  }
  above_.push_back(id);
  const bool is_root = above_.size() == 1;
  // Sorted, so that the first of several paths to a folder counts.
  for (const std::string& name : read_entries(folder)) {
    if (is_root) seen_.clear();
    if (enter(folder / name) && is_root) classes.push_back(name);
  }
  above_.pop_back();
  return true;
}

// Takes the files; returns the names of the folders, sorted.
std::vector<std::string> Walk::read_entries(const fs::path& folder) {
  std::vector<std::string> folders;
  FolderEntries entries(folder.string());
  while (const char* const name = entries.next()) {
    const fs::path path = folder / name;
    std::error_code unknown;
    const fs::file_status kind = fs::status(path, unknown);
    take_file(path, name, kind, unknown, folders);
  }
  if (entries.error() != 0) left_out.add_unreadable(folder.string(), reason_of(entries.error()));
  std::sort(folders.begin(), folders.end());
  return folders;
}

void Walk::take_file(const fs::path& path, const std::string& name, const fs::file_status& kind,
                     const std::error_code& unknown, std::vector<std::string>& folders) {
  const bool is_folder = fs::is_directory(kind);
  const bool is_image = !is_folder && ends_as_one_of(name, options_.endings);
  if (name.front() == '.') {
    if (is_folder || (is_image && !fs::is_other(kind))) left_out.add(path.native(), kHidden);
  } else if (is_folder) {
    folders.push_back(name);
  } else if (is_image) {
    // A broken link with such a name is included: its sample fails.
    fs::is_other(kind) ? left_out.add(path.native(), kSpecial) : paths.push_back(path.string());
  } else if (fs::exists(kind)) {
    count_other(path);
  } else {
    // It may have been a folder of images, unless it is gone.
    std::error_code ignored;
    if (fs::symlink_status(path, ignored).type() == fs::file_type::not_found) return;
    left_out.add_unreadable(path.string(), kind.type() == fs::file_type::not_found
                                               ? "a link that leads nowhere"
                                               : unknown.message());
    if (above_.size() == 1) classes.push_back(name);  // then it is also a class
  }
}

void Walk::count_other(const fs::path& path) {
  const std::string ending = path.extension().string();
  endings_.insert(ending);
  left_out.add(path.native(), ending.empty() ? "without an ending"
                                             : "with the ending " + escape_control_chars(ending));
}

std::string Walk::cure() const {
  for (const std::string& ending : endings_) {
    if (ends_as_one_of("x" + ending, {".png", ".webp", ".gif"})) {
      return "; convert them to JPEG, or give their endings to the source (`endings`) and decode "
             "them with decode_image";
    }
  }
  return "";
}

void require_readable(const std::string& folder, const FilesOptions& options,
                      const std::vector<LeftOut>& left_out) {
  std::vector<LeftOut> unreadable;
  std::copy_if(left_out.begin(), left_out.end(), std::back_inserter(unreadable),
               [](const LeftOut& one) { return one.unreadable; });
  if (unreadable.empty()) return;
  const LeftOut& first = unreadable.front();
  if (options.unreadable == Unreadable::leave_out && first.path != folder) return;
  std::string why = "'" + escape_control_chars(first.path) + "': " + first.reason;
  if (unreadable.size() > 1) why += " (and " + std::to_string(unreadable.size() - 1) + " more)";
  throw_folder(folder, "cannot be read as a whole: " + why +
                           "; fix that, or leave it out with FilesOptions::unreadable");
}

// Returns the folder directly below `root` that a path lies in; empty for a file in `root` itself.
std::string class_of(const fs::path& root, const std::string& path) {
  const fs::path inside = fs::path(path).lexically_relative(root);
  return std::distance(inside.begin(), inside.end()) > 1 ? inside.begin()->string() : "";
}

using Numbers = std::map<std::string, std::int64_t>;

Numbers numbers_of(const std::vector<std::string>& classes) {
  Numbers numbers;
  for (const std::string& name : classes) {
    const auto number = static_cast<std::int64_t>(numbers.size());
    if (name.empty() || !numbers.emplace(name, number).second) {
      throw BuildError(
          "files_in: .classes has " +
          (name.empty() ? "an empty name" : "'" + escape_control_chars(name) + "' twice") +
          "; give the name of each class folder once");
    }
  }
  return numbers;
}

// Throws unless each file lies in a class that has a number.
void require_known(const std::string& folder, const FilesOptions& options, const Walk& walk,
                   const Numbers& numbers) {
  std::set<std::string> unknown;
  const std::string given = "; .classes has " + in_a_row(options.classes);
  for (const std::string& path : walk.paths) {
    const std::string name = class_of(folder, path);
    if (name.empty())
      throw_folder(folder, "has a file in no class: '" + escape_control_chars(path) + "'" + given);
    if (!numbers.contains(name)) unknown.insert(name);
  }
  if (unknown.empty()) return;
  throw_folder(folder, "has classes that are not in .classes: " +
                           in_a_row({unknown.begin(), unknown.end()}) + given);
}

// Adds the classes without files to those that are left out.
void take_empty(const std::string& folder, const FilesOptions& options, Walk& walk) {
  std::set<std::string> used;
  for (const std::string& path : walk.paths) used.insert(class_of(folder, path));
  std::set<std::string> unreadable;  // the reason is already reported
  for (const LeftOut& one : walk.left_out.list()) {
    const fs::path inside = fs::path(one.path).lexically_relative(folder);
    if (one.unreadable) unreadable.insert(inside.begin()->string());
  }
  std::vector<std::string> empty;
  for (const std::string& name : walk.classes)
    if (!used.contains(name) && !unreadable.contains(name)) empty.push_back(name);
  if (empty.empty()) return;
  if (options.classes.empty() && !options.allow_empty) {
    throw_folder(folder, "has classes without " + wanted_files(options) + ": " + in_a_row(empty) +
                             and_left_out(walk.left_out.list()) +
                             "; add files, remove these folders, or keep their numbers with "
                             "FilesOptions::allow_empty (in Python allow_empty=True)");
  }
  for (const std::string& name : empty)
    walk.left_out.add((fs::path(folder) / name).native(), kEmpty);
}

void require_folder(const std::string& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status))
    throw_folder(folder, "does not exist; give the path of a folder with JPEG files");
  if (!fs::is_directory(status))
    throw_folder(folder, "is not a folder; give the folder that holds the files");
}

}  // namespace

// Says which files the index does not know, and how many of those that it knows are gone.
void Files::List::note_names(const JpegIndex& index) {
  const File* first = nullptr;
  std::int64_t unknown = 0;
  for (const File& file : files) {
    if (index.knows_name(name_below(file))) continue;
    if (unknown++ == 0) first = &file;
  }
  const std::int64_t known = static_cast<std::int64_t>(files.size()) - unknown;
  if (known == 0) {
    throw_folder(folder,
                 "has no file that is in the index; make the index of this folder, with "
                 "'sluice index'");
  }
  if (unknown > 0) {
    const std::string others = unknown > 1 ? "and " + std::to_string(unknown - 1) + " more " : "";
    left_out.push_back({first->path, others + "will fail: not in the index", 0, false});
  }
  if (known < index.names()) {
    left_out.push_back(
        {folder, "lacks " + std::to_string(index.names() - known) + " of the files in the index", 0,
         false});
  }
}

Files::Files(const std::string& folder, const FilesOptions& options) {
  auto list = std::make_shared<List>();
  list->folder = folder;
  list->prefix = (fs::path(folder) / "x").native().size() - 1;
  Numbers numbers = numbers_of(options.classes);
  require_folder(folder);
  Walk walk(options);
  walk.run(folder);
  std::sort(walk.paths.begin(), walk.paths.end());
  std::sort(walk.classes.begin(), walk.classes.end());
  require_readable(folder, options, walk.left_out.list());
  if (walk.paths.empty()) {
    throw_folder(folder, "holds no " + wanted_files(options) + ", nor do the folders below it" +
                             and_left_out(walk.left_out.list()) + walk.cure());
  }
  const bool has_classes =
      std::any_of(walk.paths.begin(), walk.paths.end(),
                  [&](const std::string& path) { return !class_of(folder, path).empty(); });
  if (!options.classes.empty()) {
    require_known(folder, options, walk, numbers);
    list->classes = options.classes;
  } else if (has_classes) {
    numbers = numbers_of(walk.classes);
    list->classes = walk.classes;
  }
  if (!list->classes.empty()) take_empty(folder, options, walk);
  list->left_out = walk.left_out.list();
  detail::Fingerprint print;
  for (std::string& path : walk.paths) {
    print.add(std::string_view(path).substr(list->prefix));
    const auto number = numbers.find(class_of(folder, path));
    list->files.push_back({std::move(path), number == numbers.end() ? -1 : number->second});
  }
  for (const std::string& name : list->classes) print.add(name);
  list->fingerprint = print.text();
  list->reader.emplace(options.index, list->files.size(),
                       ImageReader::Options{.parts = options.parts, .verify = options.verify});
  if (options.verify != Verify::never) list->note_names(*options.index);
  list_ = std::move(list);
}

std::int64_t Files::size() const { return static_cast<std::int64_t>(list_->files.size()); }
const std::string& Files::name(std::int64_t i) const {
  return list_->files.at(static_cast<std::size_t>(i)).path;
}
std::string_view Files::name_below(std::int64_t i) const {
  return list_->name_below(list_->files.at(static_cast<std::size_t>(i)));
}
std::int64_t Files::label(std::int64_t i) const {
  return list_->files.at(static_cast<std::size_t>(i)).label;
}
const std::vector<std::string>& Files::classes() const { return list_->classes; }

const std::string& Files::folder() const { return list_->folder; }
const std::vector<LeftOut>& Files::left_out() const { return list_->left_out; }
const std::string& Files::fingerprint() const { return list_->fingerprint; }

SourceReads Files::reads() const { return list_->reader->reads(); }

std::tuple<Bytes, std::int64_t> Files::read(std::int64_t i, std::int64_t epoch) const {
  return {list_->reader->read(static_cast<std::size_t>(i), name(i), epoch,
                              [&] { return name_below(i); }),
          label(i)};
}

std::tuple<Bytes, std::int64_t> Files::operator()(const SampleInfo& info) const {
  return read(info.index, info.epoch);
}

void require_same_classes(const Files& one, const Files& other) {
  if (one.classes() == other.classes()) return;
  const auto only_in = [](const Files& files, const Files& others) {
    std::vector<std::string> names;
    for (const std::string& name : files.classes()) {
      const auto& known = others.classes();
      if (std::find(known.begin(), known.end(), name) == known.end()) names.push_back(name);
    }
    return names.empty()
               ? ""
               : "; only '" + escape_control_chars(files.folder()) + "' has " + in_a_row(names);
  };
  std::string what = only_in(one, other) + only_in(other, one);
  if (what.empty()) what = "; they have the same names in another order";
  throw IoError("the classes of '" + escape_control_chars(one.folder()) + "' and '" +
                escape_control_chars(other.folder()) + "' differ" + what +
                "; give both the same list with FilesOptions::classes (in Python classes=)");
}

Files files_in(const std::string& folder, const FilesOptions& options) {
  return Files(folder, options);
}

}  // namespace sluice
