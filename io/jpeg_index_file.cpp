#include <sluice/io/files.h>
#include <sluice/io/jpeg_index_file.h>
#include <sluice/io/whole_file.h>
#include <sluice/runtime/printable.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <tuple>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sluice {

// Records and rows are used where they lie in the file.
static_assert(std::endian::native == std::endian::little,
              "index files are little-endian: a big-endian machine has to turn what it maps");

struct JpegIndexFile::Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t row_size;
  std::uint64_t files;
  std::uint64_t records;
  std::uint64_t table_checksum;
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
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kComplete = 1;
static_assert(sizeof(JpegIndexFile::Header) == 48 && sizeof(JpegIndexFile::Row) == 48);

template <class T>
std::uint64_t checksum(std::span<T> items) {
  return digest_of({reinterpret_cast<const std::uint8_t*>(items.data()), items.size_bytes()}).hash;
}

std::uint64_t checksum(const JpegIndexFile::Header& header) {
  return digest_of({reinterpret_cast<const std::uint8_t*>(&header),
                    offsetof(JpegIndexFile::Header, checksum)})
      .hash;
}

std::string reason() { return std::error_code(errno, std::generic_category()).message(); }

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw IoError(fmt::format("the index '{}' {}", printable(path), what));
}
[[noreturn]] void fail_damaged(const std::string& path, const char* where) {
  fail(path, fmt::format("is damaged ({}); make it again with 'sluice index'", where));
}

auto key(const JpegIndexFile::Row& row) { return std::tuple(row.hash, row.size); }

}  // namespace

JpegIndexFile::JpegIndexFile(const std::string& path) : path_(path) {
  map();
  try {
    check();
  } catch (...) {
    ::munmap(mapping_, size_);
    ::close(file_);
    throw;
  }
}

JpegIndexFile::~JpegIndexFile() {
  ::munmap(mapping_, size_);
  ::close(file_);
}

void JpegIndexFile::map() {
  // A pipe that nobody writes to is not waited for.
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0) fail(path_, "cannot be opened: " + reason());
  const auto give_up = [&](const std::string& what) {
    ::close(file_);
    fail(path_, what);
  };
  struct stat status {};
  if (::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) give_up("is not a file");
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ < sizeof(Header)) give_up("is not an index file: it is too short");
  mapping_ = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file_, 0);
  if (mapping_ == MAP_FAILED) give_up("cannot be mapped: " + reason());

  const auto* begin = static_cast<const std::uint8_t*>(mapping_);
  const auto* header = reinterpret_cast<const Header*>(begin);
  const std::size_t room = size_ - sizeof(Header);
  const std::size_t files = std::min<std::uint64_t>(header->files, room / sizeof(Row));
  table_ = {reinterpret_cast<const Row*>(begin + sizeof(Header)), files};
  const std::size_t rest = room - table_.size_bytes();
  records_ = {reinterpret_cast<const JpegIndexRecord*>(begin + size_ - rest),
              rest / sizeof(JpegIndexRecord)};
}

void JpegIndexFile::check() const {
  const auto& header = *static_cast<const Header*>(mapping_);
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) {
    fail(path_, "is not an index file of Sluice");
  }
  if (header.checksum != checksum(header)) fail_damaged(path_, "its header");
  if (header.version != kVersion || header.row_size != sizeof(Row)) {
    fail(path_, fmt::format("has version {}, but this is a program for version {}; make it again "
                            "with 'sluice index'",
                            header.version, kVersion));
  }
  if (header.files != table_.size() || header.records != records_.size() ||
      sizeof(Header) + table_.size_bytes() + records_.size_bytes() != size_) {
    fail_damaged(path_, "it is not as long as it should be");
  }
  if (header.table_checksum != checksum(table_)) fail_damaged(path_, "its table");
  for (const Row& row : table_) check(row);
}

void JpegIndexFile::check(const Row& row) const {
  if (row.first > records_.size() || row.records > records_.size() - row.first) {
    fail_damaged(path_, "its table");
  }
}

bool JpegIndexFile::is_one(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  char magic[sizeof(kMagic)] = {};
  std::ifstream(path, std::ios::binary).read(magic, sizeof(magic));
  return std::memcmp(magic, kMagic, sizeof(kMagic)) == 0;
}

std::optional<JpegIndexEntry> JpegIndexFile::find(const JpegDigest& digest) const {
  // What is no longer there cannot be read. Whoever writes an index anew puts another file in its
  // place; this is for those who write over it.
  struct stat status {};
  if (::fstat(file_, &status) != 0 || static_cast<std::size_t>(status.st_size) != size_) {
    fail(path_, "was changed while it was in use; open it again");
  }
  const auto wanted = std::tuple(digest.hash, digest.size);
  const auto row = std::lower_bound(table_.begin(), table_.end(), wanted,
                                    [](const Row& a, const auto& b) { return key(a) < b; });
  if (row == table_.end() || key(*row) != wanted) return {};
  check(*row);
  JpegIndexEntry entry;
  entry.grain = row->grain;
  entry.per_row = row->per_row;
  entry.complete = (row->flags & kComplete) != 0;
  entry.records = records_.subspan(row->first, row->records);
  if (checksum(entry.records) != row->checksum) fail_damaged(path_, "records of a file");
  return entry;
}

void JpegIndexFile::write(const std::string& path, std::vector<Named> all) {
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
  header.table_checksum = checksum(std::span<const Row>(table));
  header.checksum = checksum(header);

  const auto raw = [](auto items) {
    return std::span(reinterpret_cast<const std::uint8_t*>(items.data()), items.size_bytes());
  };
  std::vector<std::span<const std::uint8_t>> pieces = {raw(std::span<const Header>(&header, 1)),
                                                       raw(std::span<const Row>(table))};
  for (const Named& one : all) pieces.push_back(raw(one.entry.records));
  // What a process that was killed has left.
  const std::string folder = std::filesystem::path(path).parent_path().string();
  (void)remove_parts(folder.empty() ? "." : folder);
  write_whole(path, pieces, Keep::system);
}

}  // namespace sluice
