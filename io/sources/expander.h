// Expander: what a compressed archive decompresses to. Internal: no user includes it.
//
// An expander for a format says how the next bytes are made of what the file has; how much a file
// may become, and how errors are told, is the same for all.
//
// Ownership: owns its input. Threads: one at a time. Errors: IoError with the name, the format and
// how much had come before.
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
  // `begin` was read of `from` already.
  Expander(std::unique_ptr<TarInput> from, const TarCompression& compression,
           std::vector<std::uint8_t> begin, std::uint64_t max_expansion);

  // How many bytes it has put into `to`, which is not empty; 0 at the end.
  virtual std::size_t expand(std::span<std::uint8_t> to) = 0;

  // The next bytes of the file, until it is called again; empty at its end.
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

// By zlib, as libarchive looks at none of the sums in such a file.
std::unique_ptr<TarInput> expand_gzip(std::unique_ptr<TarInput> from,
                                      const TarCompression& compression,
                                      std::vector<std::uint8_t> begin, std::uint64_t max_expansion);

}  // namespace sluice
