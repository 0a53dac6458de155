// The headers in a tar archive, one after the other. Internal: no user includes it.
//
// Read are POSIX ustar, GNU's long names and large sizes, pax (path, linkpath, size), and the old
// format without a magic. Nothing is extracted, so a name is just a name, whatever it is. No header
// makes more than 1 MiB be read.
//
// Ownership: TarHeaders refers to its input. Threads: one at a time. Errors: IoError with the
// archive, the place in it (of one that is compressed: in what it decompresses to) and the member.
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

// Something that has a name and bytes of its own or of another one. Folders and devices are left
// out.
struct TarMember {
  enum class Kind : std::uint8_t { file, hard_link, symbolic_link, sparse };
  std::string name;
  Kind kind = Kind::file;
  std::string target = {};  // of a link, as it stands there
  std::uint64_t data = 0;   // where its bytes begin; its header is the block before
  std::uint64_t size = 0;
  std::uint32_t seal = 0;  // of its header
  bool is_link() const { return kind == Kind::hard_link || kind == Kind::symbolic_link; }
};

class TarHeaders {
 public:
  explicit TarHeaders(TarInput& input) : input_(input), end_(input.size()) {}

  // The next one; what is left of the one before is left out. Nothing: the mark of the end. Throws
  // for what is no archive, is damaged, or ends without that mark.
  std::optional<TarMember> next();
  // The next bytes of the member that next() gave last: no more than it has.
  void read(std::span<std::uint8_t> to);
  // How many it has still.
  std::uint64_t left() const { return left_; }
  // Where its header lies.
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
  std::uint64_t header_ = 0;   // where block_ lies
  std::uint64_t left_ = 0;     // of the member's bytes
  std::uint64_t padding_ = 0;  // behind them
  std::uint64_t size_ = 0;
  std::string name_;  // of what is read, for messages
  TarBlock block_{};
  // Of the next member.
  std::optional<std::string> long_name_;
  std::optional<std::string> long_target_;
  std::optional<std::uint64_t> pax_size_;
  bool is_sparse_ = false;
};

// Whether a file that begins so begins with a header.
bool is_tar_header(std::span<const std::uint8_t> begin);

// Of a header, so that another one in its place is noticed.
std::uint32_t seal_of_tar_header(const TarBlock& header);

// Where a link leads to that lies in this block: nothing for what is none.
std::optional<std::string> target_in_tar_header(const TarBlock& header);

// A member's name, and a link's target, as they are compared: "./x" is "x".
std::string tar_path(std::string_view name);
// The member that a link leads to, as tar_path() gives it.
std::string tar_path_of_target(const TarMember& link);

}  // namespace sluice
