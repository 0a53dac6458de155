#include <sluice/io/jpeg/index.h>
#include <sluice/io/readers/csv_cell.h>
#include <sluice/io/readers/files.h>
#include <sluice/io/readers/tar_headers.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace sluice::detail {

std::optional<TarNameParts> tar_name_parts(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  const std::size_t last_part = slash == std::string_view::npos ? 0 : slash + 1;
  const std::size_t dot = name.find('.', last_part);
  if (dot == std::string_view::npos || dot == last_part) return {};
  return TarNameParts{name.substr(0, dot), name.substr(dot + 1)};
}

std::string_view why_not_tar_name(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('/') + 1);
  return last.starts_with('.') ? "hidden: a name that begins with a dot"
                               : "without a dot in the name";
}

bool is_tar_column(std::string_view in_archive, std::string_view wanted) {
  return equal_in_any_case(in_archive, wanted);
}

bool ends_like_tar_column(std::string_view in_archive,
                          const std::vector<std::vector<std::string>>& wanted) {
  for (const std::vector<std::string>& names : wanted) {
    for (const std::string& name : names) {
      if (in_archive.size() <= name.size()) continue;
      const std::size_t begin = in_archive.size() - name.size();
      if (in_archive[begin - 1] == '.' && is_tar_column(in_archive.substr(begin), name))
        return true;
    }
  }
  return false;
}

std::string no_tar_column(const std::string& there) {
  return "there is none; the files of a sample follow each other (tar --sort=name), and here are " +
         there + std::string(dots_in_tar_columns(there));
}

std::string_view dots_in_tar_columns(std::string_view there) {
  return there.find('.') == std::string_view::npos
             ? ""
             : "; a sample's name ends at the first dot of its files' names";
}

std::vector<std::string> names_of_tar_column(const char* who, const std::string& column) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= column.size();) {
    const std::size_t end = std::min(column.find(';', at), column.size());
    if (end == at)
      throw BuildError(std::string(who) + ": a name is missing in the column " + in_quotes(column));
    names.push_back(column.substr(at, end - at));
    at = end + 1;
  }
  if (names.size() > 1 && std::find(names.begin(), names.end(), kTarKeyColumn) != names.end()) {
    throw BuildError(std::string(who) + ": the column " + in_quotes(column) +
                     " joins the sample's name with files; make " + in_quotes(kTarKeyColumn) +
                     " a column of its own");
  }
  return names;
}

void check_tar_columns(const char* who, const std::vector<std::string>& archives,
                       const std::vector<std::string>& columns, std::size_t types) {
  if (archives.empty()) throw BuildError(std::string(who) + ": no archives are named");
  if (types > 0 && columns.size() == types) {
    const bool only_keys = std::all_of(columns.begin(), columns.end(),
                                       [](const std::string& one) { return one == kTarKeyColumn; });
    if (!only_keys) return;
    throw BuildError(std::string(who) + ": .columns names no file; give one besides " +
                     in_quotes(kTarKeyColumn) + ", such as \"jpg\"");
  }
  throw BuildError(std::string(who) + ": .columns names " + std::to_string(columns.size()) +
                   ", but there are types for " + std::to_string(types) + "; give as many: " + who +
                   "<Bytes, std::int64_t>(archives, {.columns = {\"jpg;jpeg\", \"cls\"}})");
}

}  // namespace sluice::detail

namespace sluice {
namespace {

using detail::in_quotes;

// Returns a field of a header, up to its first zero byte.
std::string_view text_in(const TarBlock& block, std::size_t at, std::size_t size) {
  const std::string_view field(reinterpret_cast<const char*>(block.data()) + at, size);
  return field.substr(0, field.find('\0'));
}

// Parses a number in octal digits, with spaces around it, or in GNU's binary format. Nothing if it
// is neither, or too large.
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

// True if the checksum of the header is right. Old programs added signed bytes.
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

std::string up_to_zero(std::string text) {
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

bool is_link(char type) { return type == '1' || type == '2'; }

}  // namespace

void TarHeaders::fail(std::uint64_t at, const std::string& what) const {
  throw IoError("the archive " + input_.name() + ", at byte " + std::to_string(at) + ": " + what);
}

void TarHeaders::fail_cut(std::uint64_t got) const {
  fail(header_, in_quotes(name_) + " is said to have " + std::to_string(size_) +
                    " bytes, but the archive ends after " + std::to_string(got) +
                    " of them: it was truncated, or is damaged");
}

void TarHeaders::read_block() {
  header_ = at_;
  const std::size_t got = input_.read(block_);
  if (got < kTarBlock) {
    fail(at_, got == 0 && at_ > 0
                  ? "it has no end marker: it was truncated, or is still being written"
              : at_ == 0 ? "it is too short for a tar archive"
                         : "it ends in the middle of a header: it was truncated");
  }
  at_ += kTarBlock;
}

void TarHeaders::skip_rest() {
  const std::uint64_t got = input_.skip(left_ + padding_);
  if (got < left_) fail_cut(size_ - left_ + got);
  at_ += left_ + padding_;
  left_ = padding_ = 0;
}

void TarHeaders::read(std::span<std::uint8_t> to) {
  const std::size_t got = input_.read(to);
  at_ += got;
  left_ -= got;
  if (got < to.size()) fail_cut(size_ - left_);
}

std::optional<TarMember> TarHeaders::next(bool may_lack_end) {
  for (;;) {
    skip_rest();
    const bool is_between = !long_name_ && !long_target_ && !pax_size_ && !is_sparse_;
    if (may_lack_end && is_between && at_ > 0 && end_ == at_) {
      lacks_end_ = true;
      return {};
    }
    read_block();
    if (is_empty(block_)) {
      check_end();
      return {};
    }
    if (std::optional<TarMember> member = take_header()) return member;
  }
}

// Reads what follows the end mark: zeros to the end of a tape's block, or a short rest of anything.
// A header there, or a longer rest, means another archive, or that the mark replaces lost data.
// Reading on also checks the checksums of a compressed archive, and lets the writer of a pipe
// finish.
void TarHeaders::check_end() {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
  TarBlock rest;
  bool is_zero = true;
  std::size_t got = kTarBlock;
  std::uint64_t passed = 0;
  for (; passed < kMost && got == kTarBlock; passed += kTarBlock) {
    rest.fill(0);
    got = input_.read(rest);
    if (is_empty(rest)) continue;
    is_zero = false;
    if (sum_is_right(rest)) break;
  }
  if (is_zero || got < kTarBlock) return;
  fail(header_,
       "the end marker is here, but more data follows: it is damaged, or several archives in one "
       "file");
}

// Processes the header in block_ and what belongs to it. Returns nothing for headers that describe
// the next member, and for members that are skipped.
std::optional<TarMember> TarHeaders::take_header() {
  if (!sum_is_right(block_)) {
    if (header_ == 0) fail(0, "this is not a tar archive");
    fail(header_, "a header is missing here: the archive is damaged");
  }
  const char type = static_cast<char>(block_[156]);
  std::optional<std::uint64_t> size = number_in(block_, 124, 12);
  name_ = long_name_ ? *long_name_ : name_in_header();
  const bool is_file = type == '0' || type == '\0' || type == '7' || type == 'S';
  if (is_file && pax_size_) size = pax_size_;
  // Folders, links and devices have no bytes, even if their header has a size.
  if (std::string_view("123456").find(type) != std::string_view::npos) size = 0;
  if (!size) fail(header_, "the size of " + in_quotes(name_) + " is not a number");
  size_ = left_ = *size;
  padding_ = (kTarBlock - *size % kTarBlock) % kTarBlock;
  if (end_ && (at_ > *end_ || *size > *end_ - at_)) fail_cut(*end_ - std::min(at_, *end_));
  if (type == 'S') skip_map_of_holes();
  switch (type) {
    case 'L':
      long_name_ = up_to_zero(text());
      return {};
    case 'K':
      long_target_ = up_to_zero(text());
      return {};
    case 'x':
      read_pax(text());
      return {};
    case 'g':  // applies to all files, such as a comment
      return {};
    default:
      break;
  }
  std::optional<TarMember> member;
  // In the old format only the slash marks a folder.
  if ((is_file && !name_.ends_with('/')) || is_link(type)) {
    member.emplace();
    member->name = name_;
    member->kind = type == '1'                   ? TarMember::Kind::hard_link
                   : type == '2'                 ? TarMember::Kind::symbolic_link
                   : (type == 'S' || is_sparse_) ? TarMember::Kind::sparse
                                                 : TarMember::Kind::file;
    if (is_link(type))
      member->target = long_target_.value_or(std::string(text_in(block_, 157, 100)));
    member->data = at_;
    member->size = *size;
    member->header_hash = hash_of_tar_header(block_);
  }
  forget();
  return member;
}

// Skips the further blocks of GNU's old sparse format, which say where the bytes lie.
void TarHeaders::skip_map_of_holes() {
  bool has_more = block_[482] != 0;
  for (TarBlock more{}; has_more; has_more = more[504] != 0) {
    if (input_.read(more) < kTarBlock)
      fail(at_, "it ends in the middle of a header: it was truncated");
    at_ += kTarBlock;
  }
}

void TarHeaders::forget() {
  long_name_.reset();
  long_target_.reset();
  pax_size_.reset();
  is_sparse_ = false;
}

std::string TarHeaders::name_in_header() const {
  const std::string name(text_in(block_, 0, 100));
  const bool has_prefix = std::memcmp(block_.data() + 257, "ustar", 6) == 0;
  const std::string_view prefix = has_prefix ? text_in(block_, 345, 155) : std::string_view();
  return prefix.empty() ? name : std::string(prefix) + "/" + name;
}

// Reads the text of a header that describes the next member.
std::string TarHeaders::text() {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
  if (left_ > kMost) {
    fail(header_, "a header of " + std::to_string(left_) +
                      " bytes describes the next file: more than 1 MiB is no header");
  }
  std::string text(left_, '\0');
  read({reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
  return text;
}

// Parses records "LENGTH KEY=VALUE\n", where LENGTH counts the whole record.
void TarHeaders::read_pax(std::string_view text) {
  while (!text.empty()) {
    std::size_t length = 0;
    const auto [space, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    const auto digits = static_cast<std::size_t>(space - text.data());
    if (error != std::errc() || length > text.size() || length < digits + 3 ||
        text[digits] != ' ' || text[length - 1] != '\n')
      fail(header_, "the pax header is damaged");
    const std::string_view record = text.substr(digits + 1, length - digits - 2);
    text.remove_prefix(length);
    const std::size_t equals = record.find('=');
    if (equals == std::string_view::npos) fail(header_, "the pax header is damaged");
    take_pax(record.substr(0, equals), record.substr(equals + 1));
  }
}

void TarHeaders::take_pax(std::string_view key, std::string_view value) {
  if (key.starts_with("GNU.sparse.")) is_sparse_ = true;
  if (key == "path" || key == "GNU.sparse.name") long_name_ = value;
  if (key == "linkpath") long_target_ = value;
  if (key != "size") return;
  std::uint64_t size = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), size);
  if (error != std::errc() || end != value.data() + value.size() || value.empty())
    fail(header_, "the size in the pax header, " + in_quotes(value) + ", is not a number");
  pax_size_ = size;
}

bool is_tar_header(std::span<const std::uint8_t> begin) {
  TarBlock block{};
  if (begin.size() < block.size()) return false;
  std::copy_n(begin.begin(), block.size(), block.begin());
  return sum_is_right(block);
}

std::uint32_t hash_of_tar_header(const TarBlock& header) {
  return static_cast<std::uint32_t>(digest_of(header).hash);
}

std::optional<std::string> target_in_tar_header(const TarBlock& header) {
  if (!is_link(static_cast<char>(header[156]))) return {};
  return std::string(text_in(header, 157, 100));
}

std::string tar_path(std::string_view name) {
  return std::filesystem::path(name).lexically_normal().string();
}

std::string tar_path_of_target(const TarMember& link) {
  if (link.kind == TarMember::Kind::hard_link) return tar_path(link.target);
  return tar_path((std::filesystem::path(link.name).parent_path() / link.target).string());
}

}  // namespace sluice

namespace sluice::detail {

Bytes TarLinkTargets::Target::read(const TarInput& input) const {
  if (kept != nullptr) return Bytes::copy_of(*kept);
  TarBlock header;
  Bytes bytes(file.size);
  const std::size_t got =
      input.file()->read(file.data - kTarBlock, header, {bytes.data(), bytes.size()});
  if (got < kTarBlock + bytes.size() || hash_of_tar_header(header) != file.header_hash)
    throw IoError("the archive " + input.name() + " has changed while it was read: " +
                  in_quotes(file.name) + " is no longer at byte " + std::to_string(file.data));
  return bytes;
}

// A link to a known file becomes a name of that file.
void TarLinkTargets::add(Files& files, const TarMember& member) {
  if (member.kind == TarMember::Kind::file) files.insert_or_assign(tar_path(member.name), member);
  if (!member.is_link()) return;
  const auto target = files.find(tar_path_of_target(member));
  if (target == files.end()) return;
  const TarMember file = target->second;
  files.insert_or_assign(tar_path(member.name), file);
}

TarLinkTargets::Target TarLinkTargets::find(const TarMember& link, const TarInput& input) {
  const std::string path = tar_path_of_target(link);
  const std::string what = "it is a link to " + in_quotes(link.target);
  if (input.file() == nullptr) {
    const auto kept = std::find_if(kept_.rbegin(), kept_.rend(),
                                   [&](const Kept& one) { return one.path == path; });
    if (kept != kept_.rend()) return {.kept = &kept->bytes};
    return {.error = what +
                     ", which is not among the files before it; of an archive that is compressed "
                     "or a pipe, only the last ones of the columns that are read are kept for "
                     "links: make the archive with --hard-dereference, or see .max_link_bytes"};
  }
  if (!files_) {
    files_.emplace();
    constexpr std::size_t kAhead = 8 * kTarBlock;
    TarFileInput again(*input.file(), kAhead);
    TarHeaders headers(again);
    for (auto member = headers.next(); member && member->data < link.data; member = headers.next())
      add(*files_, *member);
  }
  const auto file = files_->find(path);
  if (file == files_->end())
    return {.error = what + ", and no such file comes before it in the archive"};
  return {.file = file->second};
}

void TarLinkTargets::passed(const TarMember& member) {
  if (files_) add(*files_, member);
}

void TarLinkTargets::keep(const TarMember& member, const Bytes& bytes, const TarInput& input,
                          std::uint64_t most) {
  if (input.file() != nullptr) return;
  constexpr std::size_t kBeside = 128;  // the memory of an empty entry
  const std::string path = tar_path(member.name);
  const std::uint64_t taken = bytes.size() + path.size() + kBeside;
  if (taken > most) return;
  while (kept_bytes_ > most - taken) {
    kept_bytes_ -= kept_.front().taken;
    kept_.pop_front();
  }
  kept_.push_back({path, Bytes::copy_of(bytes), taken});
  kept_bytes_ += taken;
}

}  // namespace sluice::detail
