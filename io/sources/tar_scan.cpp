#include <sluice/io/jpeg/index.h>
#include <sluice/io/sources/cell.h>
#include <sluice/io/sources/files.h>
#include <sluice/io/sources/tar_scan.h>
#include <sluice/runtime/printable.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace sluice {
namespace {

using detail::in_quotes;

// A field of a header, up to its first zero byte.
std::string_view text_in(const TarBlock& block, std::size_t at, std::size_t size) {
  const std::string_view field(reinterpret_cast<const char*>(block.data()) + at, size);
  return field.substr(0, field.find('\0'));
}

// A number in octal digits, with spaces around it, or GNU's in binary. Nothing when it is neither,
// or too large.
std::optional<std::uint64_t> number_in(const TarBlock& block, std::size_t at, std::size_t size) {
  constexpr std::uint8_t kBinary = 0x80;
  std::uint64_t number = 0;
  if ((block[at] & kBinary) != 0) {
    if (block[at] != kBinary) return {};  // negative, or beyond 2^88
    for (std::size_t i = at + 1; i < at + size; ++i) {
      if (number >> 55 != 0) return {};
      number = number << 8 | block[i];
    }
    return number;
  }
  std::string_view text = text_in(block, at, size);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  text = text.substr(0, text.find(' '));
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 8);
  if (text.empty()) return 0;
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

// Whether the sum over the header is what the header says it is. Old programs added signed bytes.
bool sum_is_right(const TarBlock& block) {
  constexpr std::size_t kAt = 148;
  constexpr std::size_t kSize = 8;
  std::int64_t unsigned_sum = 0;
  std::int64_t signed_sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const std::uint8_t byte = i >= kAt && i < kAt + kSize ? ' ' : block[i];
    unsigned_sum += byte;
    signed_sum += static_cast<std::int8_t>(byte);
  }
  const auto said = number_in(block, kAt, kSize);
  return said && (static_cast<std::int64_t>(*said) == unsigned_sum ||
                  static_cast<std::int64_t>(*said) == signed_sum);
}

bool is_empty(const TarBlock& block) {
  return std::all_of(block.begin(), block.end(), [](std::uint8_t byte) { return byte == 0; });
}

class Scan {
 public:
  Scan(const RandomAccess& file, const std::function<void(TarEntry&&)>& take)
      : file_(file), take_(take), end_(file.size()) {}

  void run() {
    refuse_compressed();
    while (!is_empty(block())) step();
  }

 private:
  [[noreturn]] void fail(std::uint64_t at, const std::string& what) const {
    throw IoError("the archive " + file_.name() + ", at byte " + std::to_string(at) + ": " + what);
  }

  void refuse_compressed() {
    struct Kind {
      std::string_view begin;
      const char* name;
      const char* tool;
    };
    constexpr Kind kKinds[] = {{"\x1f\x8b", "gzip", "gunzip"},
                               {"\x28\xb5\x2f\xfd", "zstd", "unzstd"},
                               {"\xfd\x37zXZ", "xz", "unxz"},
                               {"BZh", "bzip2", "bunzip2"}};
    TarBlock begin{};
    (void)file_.read(0, begin);
    if (sum_is_right(begin)) return;
    for (const Kind& kind : kKinds) {
      if (std::memcmp(begin.data(), kind.begin.data(), kind.begin.size()) != 0) continue;
      throw IoError("the archive " + file_.name() + " is compressed (" + kind.name +
                    "), and its samples cannot be read one by one; decompress it with " +
                    kind.tool);
    }
  }

  // The block at at_. Several are read at once, as small files follow each other closely.
  const TarBlock& block() {
    if (at_ < ahead_from_ || at_ + kTarBlock > ahead_from_ + ahead_bytes_) {
      ahead_from_ = at_;
      ahead_bytes_ = file_.read(at_, ahead_);
      if (ahead_bytes_ < kTarBlock) {
        fail(at_, ahead_bytes_ == 0 && at_ > 0
                      ? "it ends without the mark of its end: it was cut, or is still being written"
                  : at_ == 0 ? "it is too short for a tar archive"
                             : "it ends in the middle of a header: it was cut");
      }
    }
    std::copy_n(ahead_.begin() + static_cast<std::ptrdiff_t>(at_ - ahead_from_), kTarBlock,
                block_.begin());
    return block_;
  }

  // One header, which is in block_, and what belongs to it.
  void step() {
    if (!sum_is_right(block_)) {
      fail(at_, at_ == 0 ? "this is no tar archive"
                         : "there is no header where one should be: the archive is damaged");
    }
    const char type = static_cast<char>(block_[156]);
    std::optional<std::uint64_t> size = number_in(block_, 124, 12);
    const std::string name = long_name_ ? *long_name_ : name_in_header();
    const bool is_file = type == '0' || type == '\0' || type == '7';
    if (is_file && pax_size_) size = pax_size_;
    // Folders, links and devices have no bytes, whatever they say.
    if (std::string_view("123456").find(type) != std::string_view::npos) size = 0;
    if (!size) fail(at_, "the size of " + in_quotes(name) + " is no number");
    const std::uint64_t data = at_ + kTarBlock;
    if (data > end_ || *size > end_ - data) {
      fail(at_, in_quotes(name) + " is said to have " + std::to_string(*size) +
                    " bytes, but the archive ends after " +
                    std::to_string(end_ - std::min(data, end_)) +
                    " of them: it was cut, or is damaged");
    }
    switch (type) {
      case 'L':
        long_name_ = content(*size);
        long_name_->resize(std::min(long_name_->find('\0'), long_name_->size()));
        break;
      case 'x':
        read_pax(content(*size));
        break;
      case 'S':
        fail_sparse(name);
      case 'K':  // the target of a link
      case 'g':  // what holds for all files, such as a comment
        break;
      default:
        // A folder was once told by its name alone.
        if (is_file && !name.ends_with('/')) take_({name, data, *size, seal_of_tar_header(block_)});
        long_name_.reset();
        pax_size_.reset();
    }
    at_ = data + *size;
    if (const std::uint64_t rest = *size % kTarBlock; rest != 0) at_ += kTarBlock - rest;
  }

  std::string name_in_header() const {
    const std::string name(text_in(block_, 0, 100));
    const bool has_prefix = std::memcmp(block_.data() + 257, "ustar", 6) == 0;
    const std::string_view prefix = has_prefix ? text_in(block_, 345, 155) : std::string_view();
    return prefix.empty() ? name : std::string(prefix) + "/" + name;
  }

  // Of a header that describes the next one.
  std::string content(std::uint64_t size) const {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
    if (size > kMost) {
      fail(at_, "a header of " + std::to_string(size) +
                    " bytes describes the next file: more than 1 MiB is no header");
    }
    std::string text(size, '\0');
    const std::size_t got =
        file_.read(at_ + kTarBlock, {reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
    if (got < size) fail(at_, "it became shorter while it was read");
    return text;
  }

  // Records "LENGTH KEY=VALUE\n", where LENGTH counts all of the record.
  void read_pax(std::string_view text) {
    while (!text.empty()) {
      std::size_t length = 0;
      const auto [space, error] = std::from_chars(text.data(), text.data() + text.size(), length);
      const auto digits = static_cast<std::size_t>(space - text.data());
      if (error != std::errc() || length > text.size() || length < digits + 3 ||
          text[digits] != ' ' || text[length - 1] != '\n')
        fail(at_, "the pax header is damaged");
      const std::string_view record = text.substr(digits + 1, length - digits - 2);
      text.remove_prefix(length);
      const std::size_t equals = record.find('=');
      if (equals == std::string_view::npos) fail(at_, "the pax header is damaged");
      take_pax(record.substr(0, equals), record.substr(equals + 1));
    }
  }
  void take_pax(std::string_view key, std::string_view value) {
    if (key.starts_with("GNU.sparse.")) fail_sparse(long_name_.value_or("a file"));
    if (key == "path") long_name_ = value;
    if (key != "size") return;
    std::uint64_t size = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), size);
    if (error != std::errc() || end != value.data() + value.size() || value.empty())
      fail(at_, "the size in the pax header, " + in_quotes(value) + ", is no number");
    pax_size_ = size;
  }

  [[noreturn]] void fail_sparse(const std::string& name) const {
    fail(at_, in_quotes(name) + " is stored with holes; make the archive without --sparse");
  }

  const RandomAccess& file_;
  const std::function<void(TarEntry&&)>& take_;
  std::uint64_t end_;
  std::uint64_t at_ = 0;
  TarBlock block_{};
  std::array<std::uint8_t, 8 * kTarBlock> ahead_{};
  std::uint64_t ahead_from_ = 0;
  std::size_t ahead_bytes_ = 0;
  // Of the next file.
  std::optional<std::string> long_name_;
  std::optional<std::uint64_t> pax_size_;
};

}  // namespace

void scan_tar(const RandomAccess& file, const std::function<void(TarEntry&&)>& take) {
  Scan(file, take).run();
}

std::uint32_t seal_of_tar_header(const TarBlock& header) {
  return static_cast<std::uint32_t>(digest_of(header).hash);
}

}  // namespace sluice
