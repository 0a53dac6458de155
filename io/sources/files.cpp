#include <sluice/io/sources/file_hashes.h>
#include <sluice/io/sources/files.h>
#include <sluice/io/sources/folder_entries.h>
#include <sluice/runtime/printable.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

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
  std::shared_ptr<JpegIndex> index;
  std::unique_ptr<FileHashes> hashes;  // with an index
};

namespace {

bool is_jpeg_name(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".jpg" || ending == ".jpeg" || ending == ".jpe";
}

[[noreturn]] void throw_folder(const std::string& folder, const std::string& why) {
  throw IoError("the folder '" + printable(folder) + "' " + why);
}

std::string reason_of(int error) { return std::generic_category().message(error); }

// Where a folder really is, so that a link that leads back to one above is noticed.
using FolderId = std::pair<dev_t, ino_t>;

struct Found {
  std::vector<std::string> paths;
  std::vector<LeftOut> left_out;
  std::int64_t hidden = 0;
};

// Adds the JPEG files in `folder` and below. Links to folders are followed, as data sets are often
// put together from links. `above` are the folders on the way.
void find_below(const fs::path& folder, std::vector<FolderId>& above, Found& found) {
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
    const bool is_picture = is_jpeg_name(path) && !is_folder && !fs::is_other(kind);
    if (*name == '.') {
      found.hidden += is_folder || is_picture ? 1 : 0;
    } else if (is_folder) {
      find_below(path, above, found);
    } else if (is_picture) {
      found.paths.push_back(path.string());
    } else if (!fs::exists(kind)) {
      // It may have been a folder of pictures, unless it is gone.
      std::error_code ignored;
      if (fs::symlink_status(path, ignored).type() != fs::file_type::not_found)
        leave_out(path, kind.type() == fs::file_type::not_found ? "a link that leads nowhere"
                                                                : unknown.message());
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

Found find_jpegs(const std::string& folder, Unreadable unreadable) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status))
    throw_folder(folder, "does not exist; give the path of a folder with JPEG files");
  if (!fs::is_directory(status))
    throw_folder(folder, "is not a folder; give the folder that holds the files");
  Found found;
  std::vector<FolderId> above;
  find_below(folder, above, found);
  std::sort(found.paths.begin(), found.paths.end());
  std::sort(found.left_out.begin(), found.left_out.end(),
            [](const LeftOut& a, const LeftOut& b) { return a.path < b.path; });
  if (!found.left_out.empty() &&
      (unreadable == Unreadable::fail || found.left_out.front().path == folder)) {
    throw_folder(folder, "cannot be read as a whole: " + in_words(found.left_out) +
                             "; mend that, or leave it out with FilesOptions::unreadable");
  }
  if (found.paths.empty()) {
    std::string why = "holds no JPEG files (.jpg, .jpeg, .jpe), nor do the folders below it";
    if (found.hidden > 0) why += "; hidden entries are left out: " + std::to_string(found.hidden);
    if (!found.left_out.empty()) why += "; what cannot be read: " + in_words(found.left_out);
    throw_folder(folder, why);
  }
  return found;
}

class File {
 public:
  explicit File(const std::string& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0) fail("cannot be opened");
  }
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // For a regular file that may be a picture.
  FileState state() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) fail("cannot be examined");
    if (S_ISDIR(status.st_mode)) throw IoError(name() + " is a folder, not a file");
    if (!S_ISREG(status.st_mode)) throw IoError(name() + " is not a regular file");
    constexpr off_t kMost = off_t{1} << 30;
    if (status.st_size > kMost) {
      throw IoError(name() + " has " + std::to_string(status.st_size) +
                    " bytes; more than 1 GiB is no picture");
    }
    return state_of(status);
  }

  // Whether the system itself keeps the times, and nobody writes but through it. What lies
  // elsewhere may have changed before its times do, as these are remembered for a while, and some
  // file systems let programs set them all.
  bool is_local() const {
    constexpr std::uint32_t kZfs = 0x2fc12fc1;
    constexpr std::uint32_t kLocal[] = {EXT4_SUPER_MAGIC,
                                        XFS_SUPER_MAGIC,
                                        BTRFS_SUPER_MAGIC,
                                        F2FS_SUPER_MAGIC,
                                        TMPFS_MAGIC,
                                        RAMFS_MAGIC,
                                        kZfs,
                                        SQUASHFS_MAGIC,
                                        OVERLAYFS_SUPER_MAGIC};
    struct statfs system {};
    return ::fstatfs(descriptor_, &system) == 0 &&
           std::find(std::begin(kLocal), std::end(kLocal),
                     static_cast<std::uint32_t>(system.f_type)) != std::end(kLocal);
  }

  Bytes read(std::size_t size) const {
    Bytes bytes(size);
    std::uint8_t* const to = bytes.data();
    std::size_t done = 0;
    while (done < size) {
      const ssize_t got = ::read(descriptor_, to + done, size - done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail("cannot be read");
      if (got == 0) {
        throw IoError(name() + " became shorter while it was read: " + std::to_string(done) +
                      " of " + std::to_string(size) + " bytes");
      }
      done += static_cast<std::size_t>(got);
    }
    return bytes;
  }

 private:
  std::string name() const { return "'" + printable(path_) + "'"; }
  [[noreturn]] void fail(const char* what) const {
    throw IoError(name() + " " + what + ": " + reason_of(errno));
  }
  const std::string& path_;
  int descriptor_;
};

}  // namespace

Files::Files(const std::string& folder, const FilesOptions& options) {
  auto list = std::make_shared<List>();
  list->index = options.index;
  const fs::path root(folder);
  Found found = find_jpegs(folder, options.unreadable);
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
  if (list->index != nullptr) list->hashes = std::make_unique<FileHashes>(list->files.size());
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
std::int64_t Files::hidden() const { return list_->hidden; }

std::tuple<Bytes, std::int64_t> Files::read(std::int64_t i) const {
  if (list_->index == nullptr) return {read_file(name(i)), label(i)};
  const auto began = std::chrono::system_clock::now();
  const File file(name(i));
  const FileState before = file.state();
  Bytes bytes = file.read(before.size);
  std::optional<std::uint64_t> hash;
  if (file.is_local())
    hash = list_->hashes->of(static_cast<std::size_t>(i), bytes, {before, file.state(), began});
  bytes.set_index(list_->index, hash);
  return {std::move(bytes), label(i)};
}

std::tuple<Bytes, std::int64_t> Files::operator()(const SampleInfo& info) const {
  return read(info.index);
}

Files files_in(const std::string& folder, const FilesOptions& options) {
  return Files(folder, options);
}

Bytes read_file(const std::string& path) {
  const File file(path);
  return file.read(file.state().size);
}

}  // namespace sluice
