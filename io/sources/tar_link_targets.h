// TarLinkTargets: finds the targets of links in an archive that is read from front to end. Internal
// to tar_stream.
//
// A link refers to a file before it. If the archive can be read at any place, all files before it
// are candidates: the headers before the first link are read again when it comes, so archives
// without links pay nothing. Otherwise only the last files are kept, up to a total number of bytes.
//
// Ownership: owns the kept files. Threads: one at a time. Errors: IoError, std::bad_alloc.
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
  // The target of a link.
  struct Target {
    std::string error = {};  // not empty: there is no target
    TarMember file = {};     // a file that can be read
    const Bytes* kept = nullptr;
    std::uint64_t size() const { return kept != nullptr ? kept->size() : file.size; }
    Bytes read(const TarInput& input) const;
  };

  // `link` must be the last header read from the input.
  Target find(const TarMember& link, const TarInput& input);
  // Call after `member` has been processed.
  void passed(const TarMember& member);
  // Keeps the bytes of a member, up to `most` bytes of all files together.
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
