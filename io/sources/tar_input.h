// TarInput: the bytes of an archive, from its front on. Internal: no user includes it.
//
// They come from a regular file, which is read in large pieces and can leave bytes out, from a pipe
// or the standard input, or from either of them through a decompressor. What a file is, is told by
// its first bytes and never by its name.
//
// Ownership: owns its descriptor and its buffers. Threads: one at a time; a TarStop may be told on
// any. Errors: IoError with the name and the reason.
#pragma once

#include <sluice/io/sources/file_hashes.h>
#include <sluice/io/sources/files.h>
#include <sluice/io/sources/random_access.h>

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

  // How many bytes it has put into `to`: fewer than fit only where the archive ends.
  virtual std::size_t read(std::span<std::uint8_t> to) = 0;
  // Goes on by so many bytes. How many there were is told where the size is not known before.
  virtual std::uint64_t skip(std::uint64_t bytes) = 0;
  // Of the archive, where that is known before it is read.
  virtual std::optional<std::uint64_t> size() const { return {}; }
  // The file itself, where bytes at any place can be read; else null.
  virtual const RandomAccess* file() const { return nullptr; }
  // Of the file that it comes from; nothing for a pipe.
  virtual std::optional<FileState> state() const { return {}; }
  // 'its path', for messages.
  virtual std::string name() const = 0;
};

// What is kept open elsewhere. `ahead`: so many bytes are read at once.
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
  std::size_t begin_ = 0;  // of what lies in ahead_ and has not been read
  std::size_t end_ = 0;
};

// Lets those who wait for a pipe go.
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

// Thrown by the read that was stopped.
class TarStopped : public IoError {
 public:
  TarStopped() : IoError("reading was stopped") {}
};

// The standard input.
inline constexpr std::string_view kStandardInput = "-";
// Whether it can be read only once: the standard input, a pipe, a terminal. Throws for what is not
// there, and for a folder.
bool is_read_once(const std::string& path);

// `stop` outlives the input. No more than `max_expansion` bytes come of one that is compressed.
std::unique_ptr<TarInput> open_tar_input(const std::string& path, const TarStop& stop,
                                         std::uint64_t max_expansion);

// What a file is that begins so.
struct TarCompression {
  std::string_view begin;
  const char* name;
  const char* tool;  // undoes it
};
// Null for what is not compressed in a way that is known.
const TarCompression* tar_compression(std::span<const std::uint8_t> begin);

// What `from` decompresses to; `begin` was read of it already. Throws where this build cannot.
std::unique_ptr<TarInput> expand_tar(std::unique_ptr<TarInput> from,
                                     const TarCompression& compression,
                                     std::vector<std::uint8_t> begin, std::uint64_t max_expansion);

}  // namespace sluice
