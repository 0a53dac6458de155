#include <sluice/io/readers/files.h>
#include <sluice/io/readers/open_file.h>
#include <sluice/io/readers/tar_headers.h>
#include <sluice/io/readers/tar_input.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sluice {
namespace {

// As large as the read-ahead of the system.
constexpr std::size_t kAhead = std::size_t{256} << 10;

std::string shown(const std::string& path) {
  return path == kStandardInput ? "'-' (the standard input)"
                                : "'" + escape_control_chars(path) + "'";
}

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw IoError(shown(path) + " " + what + ": " + std::generic_category().message(errno));
}

// A file and its reader.
class WholeFile : public TarInput {
 public:
  explicit WholeFile(const std::string& path) : file_(path), input_(file_, kAhead) {}
  std::size_t read(std::span<std::uint8_t> to) override { return input_.read(to); }
  std::uint64_t skip(std::uint64_t bytes) override { return input_.skip(bytes); }
  std::optional<std::uint64_t> size() const override { return input_.size(); }
  const RandomAccess* file() const override { return &file_; }
  std::optional<FileState> state() const override { return file_.state(); }
  std::string name() const override { return file_.name(); }

 private:
  OpenFile file_;
  TarFileInput input_;
};

class Pipe : public TarInput {
 public:
  Pipe(std::string path, const TarStop& stop)
      : path_(std::move(path)),
        stop_(stop),
        descriptor_(path_ == kStandardInput
                        ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                        : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0) fail(path_, "cannot be opened");
  }
  ~Pipe() override { ::close(descriptor_); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  std::size_t read(std::span<std::uint8_t> to) override {
    std::size_t done = 0;
    while (done < to.size()) {
      await();
      const ssize_t got = ::read(descriptor_, to.data() + done, to.size() - done);
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got < 0) fail(path_, "cannot be read");
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }
  std::uint64_t skip(std::uint64_t bytes) override {
    std::uint64_t done = 0;
    while (done < bytes) {
      scratch_.resize(std::size_t{64} << 10);
      const std::size_t most = std::min<std::uint64_t>(bytes - done, scratch_.size());
      const std::size_t got = read({scratch_.data(), most});
      done += got;
      if (got < most) break;
    }
    return done;
  }
  std::string name() const override { return shown(path_); }

 private:
  // Waits for bytes, also for the first writer to open the pipe.
  void await() const {
    pollfd those[] = {{descriptor_, POLLIN, 0}, {stop_.descriptor(), POLLIN, 0}};
    while (::poll(those, 2, -1) < 0) {
      if (errno != EINTR) fail(path_, "cannot be waited for");
    }
    if (those[1].revents != 0) throw TarStopped();
  }

  std::string path_;
  const TarStop& stop_;
  int descriptor_;
  std::vector<std::uint8_t> scratch_;
};

// An input whose first bytes were already read to detect its format.
class Resumed : public TarInput {
 public:
  Resumed(std::unique_ptr<TarInput> from, std::vector<std::uint8_t> begin)
      : from_(std::move(from)), begin_(std::move(begin)) {}
  std::size_t read(std::span<std::uint8_t> to) override {
    const std::size_t first = std::min(to.size(), begin_.size() - at_);
    std::copy_n(begin_.data() + at_, first, to.data());
    at_ += first;
    return first == to.size() ? first : first + from_->read(to.subspan(first));
  }
  std::uint64_t skip(std::uint64_t bytes) override {
    const std::uint64_t first = std::min<std::uint64_t>(bytes, begin_.size() - at_);
    at_ += first;
    return first == bytes ? first : first + from_->skip(bytes - first);
  }
  std::string name() const override { return from_->name(); }

 private:
  std::unique_ptr<TarInput> from_;
  std::vector<std::uint8_t> begin_;
  std::size_t at_ = 0;
};

}  // namespace

TarFileInput::TarFileInput(const RandomAccess& file, std::size_t ahead)
    : file_(file), size_(file.size()), ahead_(ahead) {}

std::size_t TarFileInput::read(std::span<std::uint8_t> to) {
  const std::size_t first = std::min(to.size(), end_ - begin_);
  std::copy_n(ahead_.data() + begin_, first, to.data());
  begin_ += first;
  at_ += first;
  const std::span<std::uint8_t> rest = to.subspan(first);
  if (rest.empty()) return first;
  const std::size_t got = file_.read(at_, rest, ahead_);
  const std::size_t of_rest = std::min(got, rest.size());
  begin_ = 0;
  end_ = got - of_rest;
  at_ += of_rest;
  return first + of_rest;
}

std::uint64_t TarFileInput::skip(std::uint64_t bytes) {
  begin_ += static_cast<std::size_t>(std::min<std::uint64_t>(bytes, end_ - begin_));
  at_ += bytes;
  return bytes;
}

TarStop::TarStop() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (descriptor_ < 0)
    throw IoError("no descriptor to stop a reader by: " + std::generic_category().message(errno));
}
TarStop::~TarStop() { ::close(descriptor_); }
void TarStop::stop() const noexcept {
  const std::uint64_t one = 1;
  // It can fail only if the counter is full, so the stop is already signaled.
  [[maybe_unused]] const ssize_t written = ::write(descriptor_, &one, sizeof(one));
}

bool is_read_once(const std::string& path) {
  struct stat status {};
  if (path == kStandardInput) {  // which may be closed
    if (::fstat(STDIN_FILENO, &status) != 0) fail(path, "cannot be read");
    return true;
  }
  if (::stat(path.c_str(), &status) != 0) fail(path, "cannot be opened");
  if (S_ISDIR(status.st_mode)) throw IoError(shown(path) + " is a folder, not a file");
  return !S_ISREG(status.st_mode);
}

const TarCompression* tar_compression(std::span<const std::uint8_t> begin) {
  static constexpr TarCompression kKnown[] = {{"\x1f\x8b", "gzip", "gunzip"},
                                              {"\x28\xb5\x2f\xfd", "zstd", "unzstd"},
                                              {"\xfd\x37zXZ", "xz", "unxz"},
                                              {"BZh", "bzip2", "bunzip2"}};
  for (const TarCompression& one : kKnown) {
    if (begin.size() >= one.begin.size() &&
        std::memcmp(begin.data(), one.begin.data(), one.begin.size()) == 0)
      return &one;
  }
  return nullptr;
}

std::unique_ptr<TarInput> open_tar_input(const std::string& path, const TarStop& stop,
                                         std::uint64_t max_expansion) {
  std::unique_ptr<TarInput> input;
  if (is_read_once(path)) {
    input = std::make_unique<Pipe>(path, stop);
  } else {
    input = std::make_unique<WholeFile>(path);
  }
  std::vector<std::uint8_t> begin(kTarBlock);
  begin.resize(input->read(begin));
  const TarCompression* compression = is_tar_header(begin) ? nullptr : tar_compression(begin);
  if (compression != nullptr)
    return expand_tar(std::move(input), *compression, std::move(begin), max_expansion);
  if (input->file() != nullptr) return std::make_unique<WholeFile>(path);
  return std::make_unique<Resumed>(std::move(input), std::move(begin));
}

ArchiveDecompressor::ArchiveDecompressor(std::unique_ptr<TarInput> from,
                                         const TarCompression& compression,
                                         std::vector<std::uint8_t> begin,
                                         std::uint64_t max_expansion)
    : from_(std::move(from)),
      compression_(compression),
      max_expansion_(max_expansion),
      piece_(std::move(begin)) {}

std::size_t ArchiveDecompressor::read(std::span<std::uint8_t> to) {
  std::size_t done = 0;
  while (done < to.size() && !is_over_) {
    const std::size_t got = expand(to.subspan(done));
    is_over_ = got == 0;
    done += got;
    out_ += got;
    check_expansion();
  }
  return done;
}

std::uint64_t ArchiveDecompressor::skip(std::uint64_t bytes) {
  std::uint64_t done = 0;
  while (done < bytes && !is_over_) {
    scratch_.resize(std::size_t{64} << 10);
    done +=
        read({scratch_.data(),
              static_cast<std::size_t>(std::min<std::uint64_t>(bytes - done, scratch_.size()))});
  }
  return done;
}

std::span<const std::uint8_t> ArchiveDecompressor::next_piece() {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  if (in_ > 0) {
    piece_.resize(kPiece);
    piece_.resize(from_->read(piece_));
  }
  in_ += piece_.size();
  return piece_;
}

void ArchiveDecompressor::check_expansion() {
  // Always allowed: a first piece alone may expand to this, such as zeros at the end of an archive.
  constexpr std::uint64_t kAlways = std::uint64_t{16} << 20;
  if (out_ <= kAlways || (out_ - kAlways) / max_expansion_ < in_) return;
  fail("it has become more than " + std::to_string(max_expansion_) +
       " times as large as the bytes read, which images never do; if this is correct, raise "
       ".max_expansion");
}

void ArchiveDecompressor::fail(const std::string& what) {
  is_over_ = true;
  throw IoError("the archive " + name() + " (" + compression_.name + "), after " +
                std::to_string(out_) + " bytes of what is in it: " + what);
}

}  // namespace sluice
