// The members of a tar archive. TarHeaders reads their headers, one after the other.
// tar_name_parts() and related functions split their names into samples and columns. TarLinkTargets
// finds the targets of links. Internal: users do not include it.
//
// Supported are POSIX ustar, GNU's long names and large sizes, pax (path, linkpath, size), and the
// old format without a magic. Nothing is extracted, so names are not interpreted. No header causes
// more than 1 MiB to be read.
//
// Ownership: TarHeaders refers to its input, TarLinkTargets owns the kept files, and parts of names
// are views. Threads: one at a time. Errors: IoError with the archive, the place in it (for a
// compressed archive: in the decompressed data) and the member; BuildError for invalid columns;
// std::bad_alloc.
#pragma once

#include <sluice/io/readers/tar_input.h>
#include <sluice/runtime/bytes.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sluice::detail {

// "x/0001.seg.png": the sample "x/0001" and the column "seg.png".
struct TarNameParts {
  std::string_view stem;
  std::string_view column;
};
// Returns nothing for a name without these parts.
std::optional<TarNameParts> tar_name_parts(std::string_view name);

// The reasons why files are left out; each completes "left out 3 ...".
std::string_view why_not_tar_name(std::string_view name);  // of a name without parts
inline constexpr std::string_view kOtherTarSample = "of samples without a wanted column";
inline constexpr std::string_view kDottedTarColumn =
    "that end like a wanted column, but a sample's name ends at its first dot";

// Compares without regard to letter case.
bool is_tar_column(std::string_view in_archive, std::string_view wanted);

// True if the column ends like one of these after a further dot: "2.jpg" when "jpg" is wanted. The
// file may be meant to belong to another sample, whose own name has a dot.
bool ends_like_tar_column(std::string_view in_archive,
                          const std::vector<std::vector<std::string>>& wanted);

// Returns an error about a missing column; `there` are the sample's columns.
std::string no_tar_column(const std::string& there);
// Returns a hint about dots in these columns; empty if they have none.
std::string_view dots_in_tar_columns(std::string_view there);

// The column with the sample's name in its archive, "x/0001".
inline constexpr std::string_view kTarKeyColumn = "__key__";

// Splits "jpg;jpeg" into {"jpg", "jpeg"}. `who`: the function whose options these are.
std::vector<std::string> names_of_tar_column(const char* who, const std::string& column);

// Throws unless there is one type for each named column, at least one archive, and a column besides
// kTarKeyColumn.
void check_tar_columns(const char* who, const std::vector<std::string>& archives,
                       const std::vector<std::string>& columns, std::size_t types);

}  // namespace sluice::detail

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
  std::uint32_t header_hash = 0;  // of its header
  bool is_link() const { return kind == Kind::hard_link || kind == Kind::symbolic_link; }
};

// Reads the headers of an archive, one after the other.
class TarHeaders {
 public:
  explicit TarHeaders(TarInput& input) : input_(input), end_(input.size()) {}

  // Returns the next member; skips the rest of the current one. Returns nothing at the end mark.
  // Throws for data that is no archive, is damaged, or ends without that mark. With `may_lack_end`,
  // an archive that ends after a whole member counts as ended; lacks_end() is then true.
  std::optional<TarMember> next(bool may_lack_end = false);
  bool lacks_end() const { return lacks_end_; }
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
  bool lacks_end_ = false;
};

// True if these first bytes of a file are a tar header.
bool is_tar_header(std::span<const std::uint8_t> begin);

// Returns a checksum of a header, to notice when another one has replaced it.
std::uint32_t hash_of_tar_header(const TarBlock& header);

// Returns the target of the link whose header this is; nothing if it is not a link.
std::optional<std::string> target_in_tar_header(const TarBlock& header);

// Normalizes a member's name or a link's target for comparison: "./x" becomes "x".
std::string tar_path(std::string_view name);
// Returns the name of the member that a link leads to, as tar_path() returns it.
std::string tar_path_of_target(const TarMember& link);

}  // namespace sluice

namespace sluice::detail {

// TarLinkTargets: finds the targets of links in an archive that is read from front to end.
//
// A link refers to a file before it. If the archive can be read at any place, all files before it
// are candidates: the headers before the first link are read again when it comes, so archives
// without links pay nothing. Otherwise only the last files are kept, up to a total number of bytes.
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
