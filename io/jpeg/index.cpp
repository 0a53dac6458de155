#include <sluice/io/descriptor.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/io/readers/files.h>
#include <sluice/io/whole_file.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

// Header-only, so that nothing has to be linked.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sluice {
// JpegIndexFile: a saved JpegIndex, read piece by piece.
//
// The file, all numbers little-endian:
//
//   offset  bytes
//        0      8  "SLUICEIX"
//        8      4  version, 3
//       12      4  size of a table row, 48
//       16      8  files, F
//       24      8  records, R
//       32      8  names, N
//       40      8  checksum of two: those of the table and of the names
//       48      8  checksum of the 48 bytes before
//       56   48 F  the table, sorted by hash and size, a row for each file:
//                    8 hash, 8 size of the file's content (see digest_of)
//                    8 number of its first record
//                    4 records, 4 records in a row of groups, 4 grain, 4 flags (1: complete)
//                    8 checksum of its records
//  56 + 48 F  24 N  the names, sorted, a row for each: 8 hash of the name; 8 hash and 8 size of the
//                   content that the file of this name has
//  and then   12 R  the records: 4 place, 4 x 2 predictors (see JpegIndexRecord)
//
// Checksums are digest_of's hash. All data is first copied into our own memory, and the copy is
// checked, because others may cut or overwrite the file at any moment. So the file is not mapped (a
// process that reads a truncated mapping is killed), and no check of the file itself is trusted.
// The table and the names are copied when the file is opened. So are all records if they take no
// more than `bytes_in_memory`. Otherwise an image's records are copied on each use, which costs
// less than decoding one row with them.
//
// Ownership: keeps the file open and owns a copy of its table, or of everything. Threads: any
// number; the object is immutable. Errors: IoError, std::bad_alloc.
class JpegIndexFile {
 public:
  JpegIndexFile(const std::string& path, std::uint64_t bytes_in_memory);
  ~JpegIndexFile();
  JpegIndexFile(const JpegIndexFile&) = delete;
  JpegIndexFile& operator=(const JpegIndexFile&) = delete;

  // The digest of the file with a name.
  struct Name {
    std::uint64_t name = 0;  // hash
    std::uint64_t hash = 0;
    std::uint64_t size = 0;
    bool operator==(const Name&) const = default;
    bool operator<(const Name& other) const {
      return std::tie(name, hash, size) < std::tie(other.name, other.hash, other.size);
    }
  };
  // `names`: from the first one with the hash of the wanted one on, sorted. Two names may have the
  // same hash, though hardly ever; then the digest of either matches.
  template <class Iterator>
  static std::optional<bool> match(Iterator names, Iterator end, const Name& wanted) {
    if (names == end || names->name != wanted.name) return {};
    for (; names != end && names->name == wanted.name; ++names)
      if (*names == wanted) return true;
    return false;
  }

  static bool is_one(const std::string& path);
  bool knows(const JpegDigest& digest) const { return row_of(digest) != nullptr; }
  std::optional<JpegIndexEntry> find(const JpegDigest& digest) const;
  std::optional<bool> matches(const Name& wanted) const {
    return match(std::lower_bound(names_.begin(), names_.end(), Name{.name = wanted.name}),
                 names_.end(), wanted);
  }
  std::int64_t files() const;
  std::int64_t names() const { return static_cast<std::int64_t>(names_.size()); }
  std::int64_t records() const { return static_cast<std::int64_t>(records_); }
  std::int64_t bytes() const { return static_cast<std::int64_t>(size_); }

  struct Named {
    JpegDigest digest;
    JpegIndexEntry entry;
  };
  // `names` are sorted.
  static void write(const std::string& path, std::vector<Named> all, std::span<const Name> names);

  struct Header;
  struct Row;

 private:
  using Records = std::shared_ptr<JpegIndexRecord[]>;

  // The file's row of the table; null if there is none.
  const Row* row_of(const JpegDigest& digest) const;
  void read(std::uint64_t offset, void* to, std::size_t bytes) const;
  Records read_records(std::uint64_t first, std::uint64_t count) const;

  std::string path_;
  detail::Descriptor file_;
  std::uint64_t size_ = 0;     // of the file
  std::uint64_t records_ = 0;  // records in the file
  std::vector<Row> table_;
  std::vector<Name> names_;
  Records all_;  // null: records are read on each find()
};

// Records and rows are used in the file's byte order.
static_assert(std::endian::native == std::endian::little,
              "index files are little-endian: a big-endian machine has to turn what it reads");

struct JpegIndexFile::Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t row_size;
  std::uint64_t files;
  std::uint64_t records;
  std::uint64_t names;
  std::uint64_t tables_checksum;
  std::uint64_t checksum;
};

struct JpegIndexFile::Row {
  std::uint64_t hash;
  std::uint64_t size;
  std::uint64_t first;
  std::uint32_t records;
  std::uint32_t per_row;
  std::uint32_t grain;
  std::uint32_t flags;
  std::uint64_t checksum;
};

namespace {

constexpr char kMagic[8] = {'S', 'L', 'U', 'I', 'C', 'E', 'I', 'X'};
constexpr std::uint32_t kVersion = 3;  // 1 had another hash, 2 no names
constexpr std::uint32_t kComplete = 1;
static_assert(sizeof(JpegIndexFile::Header) == 56 && sizeof(JpegIndexFile::Row) == 48);

template <class T>
std::span<const std::uint8_t> raw(std::span<const T> items) {
  return {reinterpret_cast<const std::uint8_t*>(items.data()), items.size_bytes()};
}

std::uint64_t checksum(std::span<const JpegIndexRecord> records) {
  return digest_of(raw(records)).hash;
}

std::uint64_t checksum(std::span<const JpegIndexFile::Row> table,
                       std::span<const JpegIndexFile::Name> names) {
  const std::uint64_t both[] = {digest_of(raw(table)).hash, digest_of(raw(names)).hash};
  return digest_of(raw(std::span<const std::uint64_t>(both))).hash;
}

std::uint64_t checksum(const JpegIndexFile::Header& header) {
  return digest_of({reinterpret_cast<const std::uint8_t*>(&header),
                    offsetof(JpegIndexFile::Header, checksum)})
      .hash;
}

std::string reason() { return std::error_code(errno, std::generic_category()).message(); }

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw IoError(fmt::format("the index '{}' {}", escape_control_chars(path), what));
}
[[noreturn]] void fail_damaged(const std::string& path, const char* where) {
  fail(path, fmt::format("is damaged ({}); make it again with 'sluice index'", where));
}

auto key(const JpegIndexFile::Row& row) { return std::tuple(row.hash, row.size); }

}  // namespace

JpegIndexFile::JpegIndexFile(const std::string& path, std::uint64_t bytes_in_memory) : path_(path) {
  // Do not wait for the writer of a pipe.
  file_ = detail::Descriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file_) fail(path_, "cannot be opened: " + reason());
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0 || !S_ISREG(status.st_mode))
    fail(path_, "is not a file");
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (size_ < sizeof(Header)) fail(path_, "is not an index file: it is too short");

  Header header;
  read(0, &header, sizeof(header));
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) {
    fail(path_, "is not an index file of Sluice");
  }
  // First, since headers of other versions have other checksums.
  if (header.version != kVersion || header.row_size != sizeof(Row)) {
    fail(path_, fmt::format("has version {}, but this is a program for version {}; make it again "
                            "with 'sluice index'",
                            header.version, kVersion));
  }
  if (header.checksum != checksum(header)) fail_damaged(path_, "its header");
  std::uint64_t rest = size_ - sizeof(Header);
  const auto take = [&](std::uint64_t count, std::size_t bytes) {
    if (count > rest / bytes) fail_damaged(path_, "its length is wrong");
    rest -= count * bytes;
  };
  take(header.files, sizeof(Row));
  take(header.names, sizeof(Name));
  take(header.records, sizeof(JpegIndexRecord));
  if (rest != 0) fail_damaged(path_, "its length is wrong");
  records_ = header.records;
  table_.resize(header.files);
  read(sizeof(Header), table_.data(), table_.size() * sizeof(Row));
  names_.resize(header.names);
  read(sizeof(Header) + table_.size() * sizeof(Row), names_.data(), names_.size() * sizeof(Name));
  if (header.tables_checksum != checksum(table_, names_)) fail_damaged(path_, "its table");
  for (const Row& row : table_) {
    if (row.first > records_ || row.records > records_ - row.first) {
      fail_damaged(path_, "its table");
    }
  }
  if (records_ > bytes_in_memory / sizeof(JpegIndexRecord)) return;
  try {
    all_ = read_records(0, records_);
  } catch (const std::bad_alloc&) {  // then records are read for one image at a time
  }
}

JpegIndexFile::~JpegIndexFile() = default;

std::int64_t JpegIndexFile::files() const { return static_cast<std::int64_t>(table_.size()); }

void JpegIndexFile::read(std::uint64_t offset, void* to, std::size_t bytes) const {
  auto* at = static_cast<std::uint8_t*>(to);
  while (bytes > 0) {
    const ssize_t got = ::pread(file_.number(), at, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, "cannot be read: " + reason());
    if (got == 0) fail_damaged(path_, "it ends before what it should hold");
    at += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

JpegIndexFile::Records JpegIndexFile::read_records(std::uint64_t first, std::uint64_t count) const {
  Records records(new JpegIndexRecord[count]);
  read(sizeof(Header) + table_.size() * sizeof(Row) + names_.size() * sizeof(Name) +
           first * sizeof(JpegIndexRecord),
       records.get(), count * sizeof(JpegIndexRecord));
  return records;
}

bool JpegIndexFile::is_one(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  char magic[sizeof(kMagic)] = {};
  std::ifstream(path, std::ios::binary).read(magic, sizeof(magic));
  return std::memcmp(magic, kMagic, sizeof(kMagic)) == 0;
}

const JpegIndexFile::Row* JpegIndexFile::row_of(const JpegDigest& digest) const {
  const auto wanted = std::tuple(digest.hash, digest.size);
  const auto row = std::lower_bound(table_.begin(), table_.end(), wanted,
                                    [](const Row& a, const auto& b) { return key(a) < b; });
  return row == table_.end() || key(*row) != wanted ? nullptr : &*row;
}

std::optional<JpegIndexEntry> JpegIndexFile::find(const JpegDigest& digest) const {
  const Row* const row = row_of(digest);
  if (row == nullptr) return {};
  Records records = all_ != nullptr ? Records(all_, all_.get() + row->first)
                                    : read_records(row->first, row->records);
  JpegIndexEntry entry;
  entry.grain = row->grain;
  entry.per_row = row->per_row;
  entry.complete = (row->flags & kComplete) != 0;
  entry.records = {records.get(), row->records};
  entry.keeps = std::move(records);
  if (checksum(entry.records) != row->checksum) fail_damaged(path_, "records of a file");
  return entry;
}

void JpegIndexFile::write(const std::string& path, std::vector<Named> all,
                          std::span<const Name> names) {
  std::sort(all.begin(), all.end(), [](const Named& a, const Named& b) {
    return std::tuple(a.digest.hash, a.digest.size) < std::tuple(b.digest.hash, b.digest.size);
  });
  std::vector<Row> table;
  table.reserve(all.size());
  std::uint64_t records = 0;
  for (const Named& one : all) {
    const JpegIndexEntry& entry = one.entry;
    table.push_back({one.digest.hash, one.digest.size, records,
                     static_cast<std::uint32_t>(entry.records.size()), entry.per_row, entry.grain,
                     entry.complete ? kComplete : 0, checksum(entry.records)});
    records += entry.records.size();
  }
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.version = kVersion;
  header.row_size = sizeof(Row);
  header.files = table.size();
  header.records = records;
  header.names = names.size();
  header.tables_checksum = checksum(table, names);
  header.checksum = checksum(header);

  std::vector<std::span<const std::uint8_t>> pieces = {
      raw(std::span<const Header>(&header, 1)), raw(std::span<const Row>(table)), raw(names)};
  for (const Named& one : all) pieces.push_back(raw(one.entry.records));
  // Remove files that a killed process has left.
  const std::string folder = std::filesystem::path(path).parent_path().string();
  (void)remove_parts(folder.empty() ? "." : folder);
  write_whole(path, pieces, Keep::system);
}

namespace {

struct HashOfDigest {
  std::size_t operator()(const JpegDigest& digest) const {
    return static_cast<std::size_t>(digest.hash);
  }
};

// The memory of an entry: its records, and about 64 bytes for a node of the table.
std::int64_t cost(const JpegIndexEntry& entry) {
  return static_cast<std::int64_t>(entry.records.size_bytes() + sizeof(JpegIndexEntry) + 64);
}

JpegIndexFile::Name name_of(std::string_view name, const JpegDigest& digest) {
  return {XXH3_64bits(name.data(), name.size()), digest.hash, digest.size};
}

}  // namespace

struct JpegIndex::Memory {
  std::mutex mutex;
  std::unordered_map<JpegDigest, JpegIndexEntry, HashOfDigest> entries;
  std::set<JpegIndexFile::Name> names;
  std::int64_t bytes = 0;
  std::int64_t records = 0;
};

JpegDigest digest_of(std::span<const std::uint8_t> file,
                     std::optional<std::uint64_t> hash) noexcept {
  return {hash ? *hash : XXH3_64bits(file.data(), file.size()), file.size()};
}

std::shared_ptr<JpegIndex> JpegIndex::in_memory(const JpegIndexOptions& options) {
  std::shared_ptr<JpegIndex> index(new JpegIndex);
  index->options_ = options;
  return index;
}

std::shared_ptr<JpegIndex> JpegIndex::open(const std::string& path, std::int64_t bytes_in_memory) {
  std::shared_ptr<JpegIndex> index(new JpegIndex);
  index->file_ = std::make_unique<const JpegIndexFile>(
      path, static_cast<std::uint64_t>(std::max<std::int64_t>(bytes_in_memory, 0)));
  return index;
}

bool JpegIndex::is_one(const std::string& path) { return JpegIndexFile::is_one(path); }

JpegIndex::JpegIndex() : memory_(std::make_unique<Memory>()) {}

JpegIndex::~JpegIndex() = default;

std::optional<JpegIndexEntry> JpegIndex::find(const JpegDigest& digest) const {
  if (file_ != nullptr) return file_->find(digest);
  const std::lock_guard lock(memory_->mutex);
  const auto it = memory_->entries.find(digest);
  if (it == memory_->entries.end()) return {};
  return it->second;
}

bool JpegIndex::knows(const JpegDigest& digest) const {
  if (file_ != nullptr) return file_->knows(digest);
  const std::lock_guard lock(memory_->mutex);
  return memory_->entries.contains(digest);
}

bool JpegIndex::grows() const {
  if (file_ != nullptr) return false;
  const std::lock_guard lock(memory_->mutex);
  return memory_->bytes < options_.bytes;
}

void JpegIndex::keep(const JpegDigest& digest, JpegIndexNotes notes, bool complete) {
  if (file_ != nullptr || notes.records.empty()) return;
  notes.records.shrink_to_fit();
  const auto records =
      std::make_shared<const std::vector<JpegIndexRecord>>(std::move(notes.records));
  JpegIndexEntry entry;
  entry.grain = notes.grain;
  entry.per_row = notes.per_row;
  entry.complete = complete;
  entry.keeps = records;
  entry.records = *records;

  const std::lock_guard lock(memory_->mutex);
  const auto before = memory_->entries.find(digest);
  std::int64_t more = cost(entry);
  auto more_records = static_cast<std::int64_t>(entry.records.size());
  if (before != memory_->entries.end()) {
    const JpegIndexEntry& known = before->second;
    if (known.complete || (!complete && known.records.size() >= entry.records.size())) return;
    more -= cost(known);
    more_records -= static_cast<std::int64_t>(known.records.size());
  }
  if (memory_->bytes + more > options_.bytes) return;
  memory_->entries[digest] = std::move(entry);  // first, since it may throw
  memory_->bytes += more;
  memory_->records += more_records;
}

void JpegIndex::keep_name(std::string_view name, const JpegDigest& digest) {
  if (file_ != nullptr) return;
  const std::lock_guard lock(memory_->mutex);
  memory_->names.insert(name_of(name, digest));
}

std::optional<bool> JpegIndex::matches(std::string_view name, const JpegDigest& digest) const {
  const JpegIndexFile::Name wanted = name_of(name, digest);
  if (file_ != nullptr) return file_->matches(wanted);
  const std::lock_guard lock(memory_->mutex);
  const auto& names = memory_->names;
  return JpegIndexFile::match(names.lower_bound({.name = wanted.name}), names.end(), wanted);
}

std::int64_t JpegIndex::names() const {
  if (file_ != nullptr) return file_->names();
  const std::lock_guard lock(memory_->mutex);
  return static_cast<std::int64_t>(memory_->names.size());
}

void JpegIndex::save(const std::string& path) const {
  if (file_ != nullptr)
    throw IoError(
        "this index was opened from a file and has learned nothing since; copy that file");
  std::vector<JpegIndexFile::Named> all;
  std::vector<JpegIndexFile::Name> names;
  {
    const std::lock_guard lock(memory_->mutex);
    names.assign(memory_->names.begin(), memory_->names.end());
    all.reserve(memory_->entries.size());
    for (const auto& [digest, entry] : memory_->entries) all.push_back({digest, entry});
  }
  JpegIndexFile::write(path, std::move(all), names);
}

std::int64_t JpegIndex::files() const {
  if (file_ != nullptr) return file_->files();
  const std::lock_guard lock(memory_->mutex);
  return static_cast<std::int64_t>(memory_->entries.size());
}

std::int64_t JpegIndex::records() const {
  if (file_ != nullptr) return file_->records();
  const std::lock_guard lock(memory_->mutex);
  return memory_->records;
}

std::int64_t JpegIndex::bytes() const {
  if (file_ != nullptr) return file_->bytes();
  const std::lock_guard lock(memory_->mutex);
  return memory_->bytes;
}

}  // namespace sluice
