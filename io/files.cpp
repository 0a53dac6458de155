#include <sluice/io/files.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
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
  std::shared_ptr<JpegIndex> index;
};

namespace {

bool is_jpeg_name(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".jpg" || ending == ".jpeg" || ending == ".jpe";
}

[[noreturn]] void throw_folder(const std::string& folder, const std::string& why) {
  throw IoError("the folder '" + folder + "' " + why);
}

// Where a folder really is, so that a link that leads back to one above is noticed.
using FolderId = std::pair<dev_t, ino_t>;

// Adds the JPEG files in `folder` and below to `paths`. Links to folders are followed, as data sets
// are often put together from links. `above` are the folders on the way.
void find_below(const std::string& root, const fs::path& folder, std::vector<FolderId>& above,
                std::vector<std::string>& paths) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) {
    throw_folder(
        root, "cannot be read: " + folder.string() + ": " + std::generic_category().message(errno));
  }
  const FolderId id{status.st_dev, status.st_ino};
  if (std::find(above.begin(), above.end(), id) != above.end()) {
    throw_folder(root, "holds a link that leads back to a folder above it: " + folder.string());
  }
  above.push_back(id);
  std::error_code error;
  for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    std::error_code unknown;
    const fs::file_status kind = it->status(unknown);
    if (fs::is_directory(kind)) {
      find_below(root, it->path(), above, paths);
    } else if (is_jpeg_name(it->path()) && !fs::is_other(kind)) {
      paths.push_back(
          it->path().string());  // a link to nowhere, too: it is the error of its sample
    }
  }
  if (error) throw_folder(root, "cannot be read: " + folder.string() + ": " + error.message());
  above.pop_back();
}

std::vector<std::string> find_jpegs(const std::string& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status))
    throw_folder(folder, "does not exist; give the path of a folder with JPEG files");
  if (!fs::is_directory(status))
    throw_folder(folder, "is not a folder; give the folder that holds the files");
  std::vector<std::string> paths;
  std::vector<FolderId> above;
  find_below(folder, folder, above, paths);
  if (paths.empty())
    throw_folder(folder, "holds no JPEG files (.jpg, .jpeg, .jpe), nor do the folders below it");
  std::sort(paths.begin(), paths.end());
  return paths;
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

  std::size_t size() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) fail("cannot be examined");
    if (S_ISDIR(status.st_mode)) throw IoError("'" + path_ + "' is a folder, not a file");
    if (!S_ISREG(status.st_mode)) throw IoError("'" + path_ + "' is not a regular file");
    constexpr off_t kMost = off_t{1} << 30;
    if (status.st_size > kMost) {
      throw IoError("'" + path_ + "' has " + std::to_string(status.st_size) +
                    " bytes; more than 1 GiB is no picture");
    }
    return static_cast<std::size_t>(status.st_size);
  }

  void read(std::uint8_t* to, std::size_t size) const {
    std::size_t done = 0;
    while (done < size) {
      const ssize_t got = ::read(descriptor_, to + done, size - done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail("cannot be read");
      if (got == 0) {
        throw IoError("'" + path_ + "' became shorter while it was read: " + std::to_string(done) +
                      " of " + std::to_string(size) + " bytes");
      }
      done += static_cast<std::size_t>(got);
    }
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw IoError("'" + path_ + "' " + what + ": " + std::generic_category().message(errno));
  }
  const std::string& path_;
  int descriptor_;
};

}  // namespace

Files::Files(const std::string& folder, const FilesOptions& options) {
  auto list = std::make_shared<List>();
  list->index = options.index;
  const fs::path root(folder);
  for (std::string& path : find_jpegs(folder)) {
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

std::tuple<Bytes, std::int64_t> Files::operator()(const SampleInfo& info) const {
  Bytes bytes = read_file(name(info.index_in_epoch));
  bytes.set_index(list_->index);
  return {std::move(bytes), label(info.index_in_epoch)};
}

Files files_in(const std::string& folder, const FilesOptions& options) {
  return Files(folder, options);
}

Bytes read_file(const std::string& path) {
  const File file(path);
  Bytes bytes(file.size());
  file.read(bytes.data(), bytes.size());
  return bytes;
}

}  // namespace sluice
