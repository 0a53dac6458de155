#include <sluice/io/sources/files.h>
#include <sluice/io/sources/fingerprint.h>
#include <sluice/io/sources/folder_entries.h>
#include <sluice/io/sources/picture_reader.h>
#include <sluice/runtime/letter_case.h>
#include <sluice/runtime/printable.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <sys/stat.h>

namespace sluice {
namespace fs = std::filesystem;

struct Files::List {
  struct File {
    std::string path;
    std::int64_t label = -1;
  };
  std::vector<File> files;
  std::vector<std::string> classes;
  std::vector<LeftOut> left_out;
  std::int64_t hidden = 0;
  std::string fingerprint;
  std::optional<PictureReader> reader;
};

namespace {

bool ends_as_one_of(const std::string& name, const std::vector<std::string>& endings) {
  return std::any_of(endings.begin(), endings.end(), [&name](const std::string& ending) {
    return name.size() > ending.size() &&
           equal_in_any_case(std::string_view(name).substr(name.size() - ending.size()), ending);
  });
}

[[noreturn]] void throw_folder(const std::string& folder, const std::string& why) {
  throw IoError("the folder '" + printable(folder) + "' " + why);
}

std::string reason_of(int error) { return std::generic_category().message(error); }

const std::vector<std::string> kOtherPictures{".png", ".webp", ".gif"};

// Where a folder really is, so that a link that leads back to one above is noticed.
using FolderId = std::pair<dev_t, ino_t>;

struct Found {
  std::vector<std::string> paths;
  std::vector<LeftOut> left_out;
  std::int64_t hidden = 0;
  std::int64_t others = 0;  // pictures of other formats that decode_image takes
};

// Adds the JPEG files in `folder` and below. Links to folders are followed, as data sets are often
// put together from links. `above` are the folders on the way.
void find_below(const fs::path& folder, const FilesOptions& options, std::vector<FolderId>& above,
                Found& found) {
  const auto leave_out = [&found](const fs::path& path, std::string reason) {
    found.left_out.push_back({path.string(), std::move(reason)});
  };
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return leave_out(folder, reason_of(errno));
  const FolderId id{status.st_dev, status.st_ino};
  if (std::find(above.begin(), above.end(), id) != above.end())
    return leave_out(folder, "a link that leads back to a folder above it");
  above.push_back(id);
  FolderEntries entries(folder.string());
  while (const char* const name = entries.next()) {
    const fs::path path = folder / name;
    std::error_code unknown;
    const fs::file_status kind = fs::status(path, unknown);
    const bool is_folder = fs::is_directory(kind);
    // A link to nowhere, too, if it is called so: that is the error of its sample.
    const bool is_picture =
        ends_as_one_of(name, options.endings) && !is_folder && !fs::is_other(kind);
    if (*name == '.') {
      found.hidden += is_folder || is_picture ? 1 : 0;
    } else if (is_folder) {
      find_below(path, options, above, found);
    } else if (is_picture) {
      found.paths.push_back(path.string());
    } else if (!fs::exists(kind)) {
      // It may have been a folder of pictures, unless it is gone.
      std::error_code ignored;
      if (fs::symlink_status(path, ignored).type() != fs::file_type::not_found)
        leave_out(path, kind.type() == fs::file_type::not_found ? "a link that leads nowhere"
                                                                : unknown.message());
    } else if (ends_as_one_of(name, kOtherPictures)) {
      ++found.others;
    }
  }
  if (entries.error() != 0) leave_out(folder, reason_of(entries.error()));
  above.pop_back();
}

std::string in_words(const std::vector<LeftOut>& left_out) {
  const LeftOut& first = left_out.front();
  std::string text = "'" + printable(first.path) + "': " + first.reason;
  if (left_out.size() > 1) text += " (and " + std::to_string(left_out.size() - 1) + " more)";
  return text;
}

Found find_files(const std::string& folder, const FilesOptions& options) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status))
    throw_folder(folder, "does not exist; give the path of a folder with JPEG files");
  if (!fs::is_directory(status))
    throw_folder(folder, "is not a folder; give the folder that holds the files");
  Found found;
  std::vector<FolderId> above;
  find_below(folder, options, above, found);
  std::sort(found.paths.begin(), found.paths.end());
  std::sort(found.left_out.begin(), found.left_out.end(),
            [](const LeftOut& a, const LeftOut& b) { return a.path < b.path; });
  if (!found.left_out.empty() &&
      (options.unreadable == Unreadable::fail || found.left_out.front().path == folder)) {
    throw_folder(folder, "cannot be read as a whole: " + in_words(found.left_out) +
                             "; mend that, or leave it out with FilesOptions::unreadable");
  }
  if (found.paths.empty()) {
    std::string endings;
    for (const std::string& ending : options.endings)
      endings += (endings.empty() ? "" : ", ") + ending;
    const bool only_jpeg = options.endings == FilesOptions().endings;
    std::string why = std::string("holds no ") + (only_jpeg ? "JPEG " : "") + "files (" + endings +
                      "), nor do the folders below it";
    if (only_jpeg && found.others > 0) {
      why += "; there are " + std::to_string(found.others) +
             " PNG, WebP or GIF files: give their endings, and decode them with decode_image";
    }
    if (found.hidden > 0) why += "; hidden entries are left out: " + std::to_string(found.hidden);
    if (!found.left_out.empty()) why += "; what cannot be read: " + in_words(found.left_out);
    throw_folder(folder, why);
  }
  return found;
}

}  // namespace

Files::Files(const std::string& folder, const FilesOptions& options) {
  auto list = std::make_shared<List>();
  const fs::path root(folder);
  Found found = find_files(folder, options);
  list->left_out = std::move(found.left_out);
  list->hidden = found.hidden;
  for (std::string& path : found.paths) {
    const fs::path inside = fs::path(path).lexically_relative(root);
    const bool in_class = std::distance(inside.begin(), inside.end()) > 1;
    if (in_class) {
      // Paths are sorted, so that the files of a class come one after the other.
      const std::string name = inside.begin()->string();
      if (list->classes.empty() || list->classes.back() != name) list->classes.push_back(name);
    }
    list->files.push_back({std::move(path), -1});
  }
  std::sort(list->classes.begin(), list->classes.end());
  for (List::File& file : list->files) {
    const fs::path inside = fs::path(file.path).lexically_relative(root);
    if (std::distance(inside.begin(), inside.end()) <= 1) continue;
    const auto at =
        std::lower_bound(list->classes.begin(), list->classes.end(), inside.begin()->string());
    file.label = at - list->classes.begin();
  }
  detail::Fingerprint print;
  for (const List::File& file : list->files)
    print.add(fs::path(file.path).lexically_relative(root).native());
  list->fingerprint = print.text();
  list->reader.emplace(options.index, list->files.size(),
                       PictureReader::Options{.parts = options.parts});
  list_ = std::move(list);
}

std::int64_t Files::size() const { return static_cast<std::int64_t>(list_->files.size()); }
const std::string& Files::name(std::int64_t i) const {
  return list_->files.at(static_cast<std::size_t>(i)).path;
}
std::int64_t Files::label(std::int64_t i) const {
  return list_->files.at(static_cast<std::size_t>(i)).label;
}
const std::vector<std::string>& Files::classes() const { return list_->classes; }

const std::vector<LeftOut>& Files::left_out() const { return list_->left_out; }
const std::string& Files::fingerprint() const { return list_->fingerprint; }
std::int64_t Files::hidden() const { return list_->hidden; }

SourceReads Files::reads() const { return list_->reader->reads(); }

std::tuple<Bytes, std::int64_t> Files::read(std::int64_t i) const {
  return {list_->reader->read(static_cast<std::size_t>(i), name(i)), label(i)};
}

std::tuple<Bytes, std::int64_t> Files::operator()(const SampleInfo& info) const {
  return read(info.index);
}

Files files_in(const std::string& folder, const FilesOptions& options) {
  return Files(folder, options);
}

}  // namespace sluice
