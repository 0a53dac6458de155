// Expander: decompresses an archive while it is read. Internal: users do not include it.
//
// A derived class for each format produces the next bytes. The limit on the expansion and the error
// messages are the same for all.
//
// Ownership: owns its input. Threads: one at a time. Errors: IoError with the name, the format and
// the number of bytes decompressed before.
#pragma once

#include <sluice/io/sources/tar_input.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sluice {

class Expander : public TarInput {
 public:
  std::size_t read(std::span<std::uint8_t> to) final;
  std::uint64_t skip(std::uint64_t bytes) final;
  std::optional<FileState> state() const final { return from_->state(); }
  std::string name() const final { return from_->name(); }

 protected:
  // `begin` was already read from `from`.
  Expander(std::unique_ptr<TarInput> from, const TarCompression& compression,
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

// Uses zlib, because libarchive does not check the checksums in such a file.
std::unique_ptr<TarInput> expand_gzip(std::unique_ptr<TarInput> from,
                                      const TarCompression& compression,
                                      std::vector<std::uint8_t> begin, std::uint64_t max_expansion);

}  // namespace sluice
