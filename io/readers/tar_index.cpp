#include <sluice/io/jpeg/index.h>
#include <sluice/io/readers/csv_cell.h>
#include <sluice/io/readers/open_file.h>
#include <sluice/io/readers/tar.h>
#include <sluice/io/readers/tar_headers.h>
#include <sluice/io/whole_file.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace sluice {
namespace {

static_assert(std::endian::native == std::endian::little,
              "these files are little-endian: a big-endian machine has to turn what it reads");
static_assert(std::has_unique_object_representations_v<TarIndex::Entry> &&
              sizeof(TarIndex::Entry) == 32);

constexpr char kMagic[8] = {'S', 'L', 'U', 'I', 'C', 'E', 'T', 'X'};
constexpr std::uint32_t kVersion = 2;

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t entry_size;
  std::uint64_t archives;
  std::uint64_t hash;  // of what follows
};
struct Row {
  std::uint64_t size;
  std::int64_t modified;
  std::uint64_t hash;
  std::uint64_t entries;
  std::uint64_t names;
  std::uint64_t name;
};

std::string last_part(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

template <class T>
std::span<const std::uint8_t> raw(const T* items, std::size_t count) {
  return {reinterpret_cast<const std::uint8_t*>(items), count * sizeof(T)};
}

std::uint64_t hash_of(const TarIndex::Archive& archive) {
  const std::uint64_t both[] = {digest_of(raw(archive.entries.data(), archive.entries.size())).hash,
                                digest_of(raw(archive.names.data(), archive.names.size())).hash};
  return digest_of(raw(both, 2)).hash;
}

// Replaces entries that are links by their targets. A hard link means the last file of its name
// before it, a symbolic link the last of all. A link that leads nowhere stays as it is: no bytes
// after a header with its target.
class Links {
 public:
  Links(TarIndex::Archive& archive, const std::vector<std::pair<std::size_t, TarMember>>& links)
      : entries_(archive.entries) {
    for (const auto& [entry, link] : links) links_.emplace(entry, &link);
    for (std::size_t i = 0; i < entries_.size(); ++i)
      named_[tar_path(archive.name_of(entries_[i]))].push_back(i);
  }

  void follow() {
    for (const auto& [entry, link] : links_) {
      if (const auto file = file_of(entry)) {
        const TarIndex::Entry& from = entries_[*file];
        TarIndex::Entry& to = entries_[entry];
        to.data = from.data;
        to.size = from.size;
        to.header_hash = from.header_hash;
      }
    }
  }

 private:
  std::optional<std::size_t> file_of(std::size_t entry) const {
    constexpr int kMostLinks = 40;  // in a row, as many as the system follows
    for (int step = 0; step < kMostLinks; ++step) {
      const auto link = links_.find(entry);
      if (link == links_.end()) return entry;
      const auto those = named_.find(tar_path_of_target(*link->second));
      if (those == named_.end()) return {};
      auto next = those->second.end();
      if (link->second->kind == TarMember::Kind::hard_link)
        next = std::lower_bound(those->second.begin(), next, entry);
      if (next == those->second.begin()) return {};
      entry = *std::prev(next);
    }
    return {};
  }

  std::vector<TarIndex::Entry>& entries_;
  std::map<std::size_t, const TarMember*> links_;                    // by entry
  std::unordered_map<std::string, std::vector<std::size_t>> named_;  // entries, in order
};

void refuse_compressed(const RandomAccess& file) {
  TarBlock begin{};
  const std::size_t got = file.read(0, begin);
  const TarCompression* compression = tar_compression({begin.data(), got});
  if (compression == nullptr || is_tar_header(begin)) return;
  throw IoError("the archive " + file.name() + " is compressed (" + compression->name +
                "), so its samples cannot be read individually; decompress it with " +
                compression->tool + ", or read it sequentially with tar_stream");
}

// Returns false if there is no end marker, which is possible with `may_lack_end`.
bool scan_members(const RandomAccess& file, TarIndex::Archive& archive, bool may_lack_end,
                  std::vector<std::pair<std::size_t, TarMember>>& links) {
  constexpr std::size_t kAhead = 8 * kTarBlock;  // small files follow each other closely
  TarFileInput input(file, kAhead);
  TarHeaders headers(input);
  while (std::optional<TarMember> member = headers.next(may_lack_end)) {
    if (member->kind == TarMember::Kind::sparse) {
      headers.fail(headers.header(),
                   detail::in_quotes(member->name) +
                       " is stored as a sparse file; make the archive without --sparse");
    }
    if (archive.entries.size() == std::numeric_limits<std::uint32_t>::max() / 2)
      throw IoError("the archive " + file.name() + " has more files than can be counted");
    archive.entries.push_back({member->data, member->size, archive.names.size(),
                               static_cast<std::uint32_t>(member->name.size()),
                               member->header_hash});
    archive.names += member->name;
    if (member->is_link()) links.emplace_back(archive.entries.size() - 1, *std::move(member));
  }
  return !headers.lacks_end();
}

// Throws at damage; `archive` then has what comes before it. Returns false if there is no end
// marker, which is damage without `may_lack_end`.
bool scan(const RandomAccess& file, TarIndex::Archive& archive, bool may_lack_end = false) {
  archive.size = file.size();
  refuse_compressed(file);
  std::vector<std::pair<std::size_t, TarMember>> links;
  std::exception_ptr damage;
  bool has_end = false;
  try {
    has_end = scan_members(file, archive, may_lack_end, links);
  } catch (const IoError&) {
    damage = std::current_exception();
  }
  if (!links.empty()) Links(archive, links).follow();
  if (damage != nullptr) std::rethrow_exception(damage);
  return has_end;
}

class Reader {
 public:
  Reader(std::string path, std::span<const std::uint8_t> bytes)
      : path_(std::move(path)), bytes_(bytes) {}
  [[noreturn]] void fail(const std::string& what) const {
    throw IoError("the index '" + escape_control_chars(path_) + "' " + what);
  }
  [[noreturn]] void fail_damaged() const {
    fail("is damaged; make it again with 'sluice index --tar'");
  }
  template <class T>
  void read(T* to, std::uint64_t count) {
    if (count > bytes_.size() / sizeof(T)) fail_damaged();
    if (count > 0) std::memcpy(to, bytes_.data(), count * sizeof(T));
    bytes_ = bytes_.subspan(count * sizeof(T));
  }
  template <class Items>
  void read_items(Items& items, std::uint64_t count) {
    if (count > bytes_.size() / sizeof(items[0])) fail_damaged();
    items.resize(count);
    read(items.data(), count);
  }
  std::span<const std::uint8_t> rest() const { return bytes_; }

 private:
  std::string path_;
  std::span<const std::uint8_t> bytes_;
};

void check_entries(const Reader& reader, const TarIndex::Archive& archive) {
  for (const TarIndex::Entry& entry : archive.entries) {
    const bool lies_inside = entry.data >= kTarBlock && entry.data <= archive.size &&
                             entry.size <= archive.size - entry.data;
    const bool is_named =
        entry.name <= archive.names.size() && entry.name_size <= archive.names.size() - entry.name;
    if (!lies_inside || !is_named) reader.fail_damaged();
  }
}

bool scan(const OpenFile& file, TarIndex::Archive& archive, bool may_lack_end = false) {
  archive.modified = file.state().modified;
  return scan(static_cast<const RandomAccess&>(file), archive, may_lack_end);
}

// True if the archive is the one that the index knows.
bool is_same(const std::string& path, const FileState& state, const TarIndex::Archive& known) {
  if (state.size != known.size) return false;
  if (state.modified == known.modified) return true;
  try {
    TarIndex::Archive now;
    scan(OpenFile(path), now);
    return hash_of(now) == known.hash;
  } catch (const IoError&) {
    return false;
  }
}

}  // namespace

TarIndex TarIndex::of(const std::vector<std::string>& paths, Unreadable unreadable,
                      std::vector<LeftOut>* left_out) {
  TarIndex index;
  for (const std::string& path : paths) {
    Archive& archive = index.archives_.emplace_back();
    archive.name = last_part(path);
    try {
      if (!scan(OpenFile(path), archive, left_out != nullptr)) {
        left_out->push_back({path,
                             "ends at byte " + std::to_string(archive.size) +
                                 " without an end marker; files after that may be missing",
                             0, false});
      }
    } catch (const IoError& error) {
      if (unreadable == Unreadable::fail) throw;
      if (left_out != nullptr) left_out->push_back({path, error.what()});
    }
    archive.hash = hash_of(archive);
  }
  return index;
}

bool TarIndex::is_one(const std::string& file) {
  try {
    const OpenFile open(file);
    (void)open.state();
    std::uint8_t magic[sizeof(kMagic)] = {};
    (void)open.read(0, magic);
    return std::memcmp(magic, kMagic, sizeof(kMagic)) == 0;
  } catch (const IoError&) {
    return false;
  }
}

TarIndex TarIndex::open(const std::string& file) {
  return of_content(OpenFile(file).content(), file);
}

TarIndex TarIndex::of_content(std::string_view content, const std::string& file) {
  Reader reader(file, raw(content.data(), content.size()));
  Header header{};
  if (content.size() < sizeof(header)) reader.fail("is not an index of archives: it is too short");
  reader.read(&header, 1);
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0)
    reader.fail("is not an index of archives");
  if (header.version == kVersion && header.entry_size != sizeof(Entry)) reader.fail_damaged();
  if (header.version != kVersion) {
    reader.fail("has version " + std::to_string(header.version) +
                ", but this is a program for version " + std::to_string(kVersion) +
                "; make it again with 'sluice index --tar'");
  }
  if (header.hash != digest_of(reader.rest()).hash) reader.fail_damaged();
  std::vector<Row> rows;
  reader.read_items(rows, header.archives);
  TarIndex index;
  for (const Row& row : rows) {
    Archive& archive = index.archives_.emplace_back();
    archive.size = row.size;
    archive.modified = row.modified;
    archive.hash = row.hash;
    reader.read_items(archive.entries, row.entries);
    reader.read_items(archive.names, row.names);
    reader.read_items(archive.name, row.name);
    check_entries(reader, archive);
  }
  return index;
}

void TarIndex::save(const std::string& file) const {
  std::vector<std::uint8_t> content;
  const auto add = [&content](std::span<const std::uint8_t> bytes) {
    content.insert(content.end(), bytes.begin(), bytes.end());
  };
  for (const Archive& archive : archives_) {
    const Row row{archive.size,           archive.modified,     archive.hash,
                  archive.entries.size(), archive.names.size(), archive.name.size()};
    add(raw(&row, 1));
  }
  for (const Archive& archive : archives_) {
    add(raw(archive.entries.data(), archive.entries.size()));
    add(raw(archive.names.data(), archive.names.size()));
    add(raw(archive.name.data(), archive.name.size()));
  }
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.version = kVersion;
  header.entry_size = sizeof(Entry);
  header.archives = archives_.size();
  header.hash = digest_of(content).hash;
  const std::span<const std::uint8_t> pieces[] = {raw(&header, 1), content};
  write_whole(file, pieces, Keep::system);
}

TarIndex TarIndex::for_archives(const std::vector<std::string>& paths,
                                const std::string& file) const {
  TarIndex found;
  for (const std::string& path : paths) {
    const OpenFile opened(path);
    const FileState state = opened.state();
    const std::string name = last_part(path);
    const Archive* same = nullptr;
    bool is_known = false;
    for (const Archive& archive : archives_) {
      if (archive.name != name) continue;
      is_known = true;
      if (same == nullptr && is_same(path, state, archive)) same = &archive;
    }
    if (same == nullptr) {
      throw IoError("the index '" + escape_control_chars(file) + "' " +
                    (is_known ? "does not match the archive " + opened.name()
                              : "does not contain the archive " + opened.name()) +
                    "; make it again with 'sluice index --tar'");
    }
    found.archives_.push_back(*same);
  }
  return found;
}

void TarIndex::add(const std::string& archive, const RandomAccess& file) {
  Archive& added = archives_.emplace_back();
  added.name = archive;
  scan(file, added);
  added.hash = hash_of(added);
}

void TarIndex::add(const Archive& archive) { archives_.push_back(archive); }

const TarIndex::Archive* TarIndex::find(std::string_view name, std::uint64_t size,
                                        std::size_t earlier) const {
  const Archive* found = nullptr;
  for (const Archive& one : archives_) {
    if (one.name != name || one.size != size) continue;
    found = &one;
    if (earlier-- == 0) break;
  }
  return found;
}

std::int64_t TarIndex::files() const {
  std::int64_t files = 0;
  for (const Archive& archive : archives_)
    files += static_cast<std::int64_t>(archive.entries.size());
  return files;
}

}  // namespace sluice
