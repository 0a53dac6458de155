// Where the links of an archive lead that is read from its front on. Internal to tar_stream.
//
// A link means a file that came before it. Of an archive in which any place can be read these are
// all: the headers before the first link are read again when it comes, so archives without links
// pay nothing. Else they are those that were kept, the last ones, of so many bytes together.
//
// Ownership: owns what is kept. Threads: one at a time. Errors: IoError, std::bad_alloc.
#pragma once

#include <sluice/io/sources/tar_headers.h>
#include <sluice/runtime/bytes.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

namespace sluice::detail {

class TarLinkTargets {
 public:
  // What a link leads to.
  struct Target {
    std::string error = {};  // not empty: to nothing
    TarMember file = {};     // that can be read
    const Bytes* kept = nullptr;
    std::uint64_t size() const { return kept != nullptr ? kept->size() : file.size; }
    Bytes read(const TarInput& input) const;
  };

  // The header of `link` was the last one that was read of the input.
  Target find(const TarMember& link, const TarInput& input);
  // `member` is behind.
  void passed(const TarMember& member);
  // What was read of it, up to `most` bytes of all files together.
  void keep(const TarMember& member, const Bytes& bytes, const TarInput& input, std::uint64_t most);

 private:
  using Files = std::unordered_map<std::string, TarMember>;
  static void add(Files& files, const TarMember& member);

  struct Kept {
    std::string path;
    Bytes bytes;
    std::uint64_t taken;
  };
  std::optional<Files> files_;  // from the first link on
  std::deque<Kept> kept_;
  std::uint64_t kept_bytes_ = 0;
};

}  // namespace sluice::detail
