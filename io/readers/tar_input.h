// TarInput: reads the bytes of an archive from front to end. ArchiveDecompressor: a TarInput that
// decompresses them. Internal: users do not include it.
//
// The input is a regular file, a pipe, the standard input, or a decompressor on one of these. A
// regular file is read in large pieces and can skip bytes. The kind of a file is detected from its
// first bytes, never from its name.
//
// Ownership: an input owns its descriptor and its buffers, and an ArchiveDecompressor its input.
// Threads: one at a time; TarStop::stop() may be called on any. Errors: IoError with the name and
// the reason, and for compressed archives the format and the number of bytes decompressed before.
#pragma once

#include <sluice/io/readers/files.h>
#include <sluice/io/readers/open_file.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

class TarInput {
 public:
  TarInput() = default;
  TarInput(const TarInput&) = delete;
  TarInput& operator=(const TarInput&) = delete;
  virtual ~TarInput() = default;

  // Reads into `to`. Returns the number of bytes: fewer than fit only at the end of the archive.
  virtual std::size_t read(std::span<std::uint8_t> to) = 0;
  // Skips this number of bytes. Returns how many there were; an input of known size returns `bytes`
  // without a check.
  virtual std::uint64_t skip(std::uint64_t bytes) = 0;
  // The size of the archive, if it is known before it is read.
  virtual std::optional<std::uint64_t> size() const { return {}; }
  // The file itself, if it can be read at any place; else null.
  virtual const RandomAccess* file() const { return nullptr; }
  // The state of the underlying file; nothing for a pipe.
  virtual std::optional<FileState> state() const { return {}; }
  // 'its path', for messages.
  virtual std::string name() const = 0;
};

// Reads a file that is kept open elsewhere. `ahead`: the bytes to read ahead at once.
class TarFileInput : public TarInput {
 public:
  TarFileInput(const RandomAccess& file, std::size_t ahead);
  std::size_t read(std::span<std::uint8_t> to) override;
  std::uint64_t skip(std::uint64_t bytes) override;
  std::optional<std::uint64_t> size() const override { return size_; }
  const RandomAccess* file() const override { return &file_; }
  std::string name() const override { return file_.name(); }

 private:
  const RandomAccess& file_;
  std::uint64_t size_;
  std::uint64_t at_ = 0;
  std::vector<std::uint8_t> ahead_;
  std::size_t begin_ = 0;  // of the unread bytes in ahead_
  std::size_t end_ = 0;
};

// Stops readers that wait for a pipe.
class TarStop {
 public:
  TarStop();
  ~TarStop();
  TarStop(const TarStop&) = delete;
  TarStop& operator=(const TarStop&) = delete;
  void stop() const noexcept;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// Thrown by a read that was stopped.
class TarStopped : public IoError {
 public:
  TarStopped() : IoError("reading was stopped") {}
};

// The standard input.
inline constexpr std::string_view kStandardInput = "-";
// True if it can be read only once: the standard input, a pipe, a terminal. Throws if it does not
// exist or is a folder.
bool is_read_once(const std::string& path);

// `stop` must outlive the input. A compressed input may expand to 16 MiB plus `max_expansion` times
// its size.
std::unique_ptr<TarInput> open_tar_input(const std::string& path, const TarStop& stop,
                                         std::uint64_t max_expansion);

// A compression format, detected from the first bytes of a file.
struct TarCompression {
  std::string_view begin;
  const char* name;
  const char* tool;  // decompresses it
};
// Returns null if the bytes do not begin a known compression format.
const TarCompression* tar_compression(std::span<const std::uint8_t> begin);

// Returns the decompressed `from`, of which `begin` has already been read. Throws if this build
// cannot decompress it.
std::unique_ptr<TarInput> expand_tar(std::unique_ptr<TarInput> from,
                                     const TarCompression& compression,
                                     std::vector<std::uint8_t> begin, std::uint64_t max_expansion);

// ArchiveDecompressor: decompresses an archive while it is read. A derived class for each format
// produces the next bytes. The limit on the expansion and the error messages are the same for all.
class ArchiveDecompressor : public TarInput {
 public:
  std::size_t read(std::span<std::uint8_t> to) final;
  std::uint64_t skip(std::uint64_t bytes) final;
  std::optional<FileState> state() const final { return from_->state(); }
  std::string name() const final { return from_->name(); }

 protected:
  // `begin` was already read from `from`.
  ArchiveDecompressor(std::unique_ptr<TarInput> from, const TarCompression& compression,
                      std::vector<std::uint8_t> begin, std::uint64_t max_expansion);

  // Writes decompressed bytes into `to`, which is not empty. Returns their number; 0 at the end.
  virtual std::size_t expand(std::span<std::uint8_t> to) = 0;

  // Returns the next bytes of the file, valid until the next call; empty at its end.
  std::span<const std::uint8_t> next_piece();
  [[noreturn]] void fail(const std::string& what);

 private:
  void check_expansion();

  std::unique_ptr<TarInput> from_;
  const TarCompression& compression_;
  std::uint64_t max_expansion_;
  std::vector<std::uint8_t> piece_;
  std::vector<std::uint8_t> scratch_;
  std::uint64_t in_ = 0;
  std::uint64_t out_ = 0;
  bool is_over_ = false;
};

}  // namespace sluice
