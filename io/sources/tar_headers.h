// TarHeaders: reads the headers in a tar archive, one after the other. Internal: users do not
// include it.
//
// Supported are POSIX ustar, GNU's long names and large sizes, pax (path, linkpath, size), and the
// old format without a magic. Nothing is extracted, so names are not interpreted. No header causes
// more than 1 MiB to be read.
//
// Ownership: TarHeaders refers to its input. Threads: one at a time. Errors: IoError with the
// archive, the place in it (for a compressed archive: in the decompressed data) and the member.
#pragma once

#include <sluice/io/sources/tar_input.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sluice {

constexpr std::size_t kTarBlock = 512;
using TarBlock = std::array<std::uint8_t, kTarBlock>;

// A member of an archive: a file or a link. Folders and devices are skipped.
struct TarMember {
  enum class Kind : std::uint8_t { file, hard_link, symbolic_link, sparse };
  std::string name;
  Kind kind = Kind::file;
  std::string target = {};  // of a link, as stored
  std::uint64_t data = 0;   // the offset of its bytes; its header is the block before
  std::uint64_t size = 0;
  std::uint32_t seal = 0;  // of its header
  bool is_link() const { return kind == Kind::hard_link || kind == Kind::symbolic_link; }
};

class TarHeaders {
 public:
  explicit TarHeaders(TarInput& input) : input_(input), end_(input.size()) {}

  // Returns the next member; skips the rest of the current one. Returns nothing at the end mark.
  // Throws for data that is no archive, is damaged, or ends without that mark.
  std::optional<TarMember> next();
  // Reads the next bytes of the current member: no more than left().
  void read(std::span<std::uint8_t> to);
  // The number of its bytes that are not read yet.
  std::uint64_t left() const { return left_; }
  // The offset of its header.
  std::uint64_t header() const { return header_; }
  [[noreturn]] void fail(std::uint64_t at, const std::string& what) const;

 private:
  void read_block();
  void skip_rest();
  void skip_map_of_holes();
  void check_end();
  std::optional<TarMember> take_header();
  std::string name_in_header() const;
  std::string text();
  void read_pax(std::string_view text);
  void take_pax(std::string_view key, std::string_view value);
  [[noreturn]] void fail_cut(std::uint64_t got) const;
  void forget();

  TarInput& input_;
  std::optional<std::uint64_t> end_;
  std::uint64_t at_ = 0;
  std::uint64_t header_ = 0;   // the offset of block_
  std::uint64_t left_ = 0;     // of the member's bytes
  std::uint64_t padding_ = 0;  // after them
  std::uint64_t size_ = 0;
  std::string name_;  // of the current member, for messages
  TarBlock block_{};
  // From headers that describe the next member.
  std::optional<std::string> long_name_;
  std::optional<std::string> long_target_;
  std::optional<std::uint64_t> pax_size_;
  bool is_sparse_ = false;
};

// True if these first bytes of a file are a tar header.
bool is_tar_header(std::span<const std::uint8_t> begin);

// Returns a checksum of a header, to notice when another one has replaced it.
std::uint32_t seal_of_tar_header(const TarBlock& header);

// Returns the target of the link whose header this is; nothing if it is not a link.
std::optional<std::string> target_in_tar_header(const TarBlock& header);

// Normalizes a member's name or a link's target for comparison: "./x" becomes "x".
std::string tar_path(std::string_view name);
// Returns the name of the member that a link leads to, as tar_path() returns it.
std::string tar_path_of_target(const TarMember& link);

}  // namespace sluice
