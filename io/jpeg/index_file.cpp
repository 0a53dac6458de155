#include <sluice/io/jpeg/index_file.h>
#include <sluice/io/sources/files.h>
#include <sluice/io/whole_file.h>
#include <sluice/runtime/printable.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <system_error>
#include <tuple>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sluice {

// Records and rows are used in the file's byte order.
static_assert(std::endian::native == std::endian::little,
              "index files are little-endian: a big-endian machine has to turn what it reads");

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
constexpr std::uint32_t kVersion = 2;  // 1 had another hash
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

JpegIndexFile::Descriptor::~Descriptor() {
  if (number >= 0) ::close(number);
}

JpegIndexFile::JpegIndexFile(const std::string& path, std::uint64_t bytes_in_memory) : path_(path) {
  // Do not wait for the writer of a pipe.
  file_.number = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_.number < 0) fail(path_, "cannot be opened: " + reason());
  struct stat status {};
  if (::fstat(file_.number, &status) != 0 || !S_ISREG(status.st_mode)) fail(path_, "is not a file");
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (size_ < sizeof(Header)) fail(path_, "is not an index file: it is too short");

  Header header;
  read(0, &header, sizeof(header));
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) {
    fail(path_, "is not an index file of Sluice");
  }
  if (header.checksum != checksum(header)) fail_damaged(path_, "its header");
  if (header.version != kVersion || header.row_size != sizeof(Row)) {
    fail(path_, fmt::format("has version {}, but this is a program for version {}; make it again "
                            "with 'sluice index'",
                            header.version, kVersion));
  }
  const std::uint64_t room = size_ - sizeof(Header);
  const std::uint64_t rest = room - std::min(header.files, room / sizeof(Row)) * sizeof(Row);
  if (header.files > room / sizeof(Row) || rest % sizeof(JpegIndexRecord) != 0 ||
      header.records != rest / sizeof(JpegIndexRecord)) {
    fail_damaged(path_, "it is not as long as it should be");
  }
  records_ = header.records;
  table_.resize(header.files);
  read(sizeof(Header), table_.data(), table_.size() * sizeof(Row));
  if (header.table_checksum != checksum(std::span<const Row>(table_))) {
    fail_damaged(path_, "its table");
  }
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
    const ssize_t got = ::pread(file_.number, at, bytes, static_cast<off_t>(offset));
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
  read(sizeof(Header) + table_.size() * sizeof(Row) + first * sizeof(JpegIndexRecord),
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

std::optional<JpegIndexEntry> JpegIndexFile::find(const JpegDigest& digest) const {
  const auto wanted = std::tuple(digest.hash, digest.size);
  const auto row = std::lower_bound(table_.begin(), table_.end(), wanted,
                                    [](const Row& a, const auto& b) { return key(a) < b; });
  if (row == table_.end() || key(*row) != wanted) return {};
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
  // Remove files that a killed process has left.
  const std::string folder = std::filesystem::path(path).parent_path().string();
  (void)remove_parts(folder.empty() ? "." : folder);
  write_whole(path, pieces, Keep::system);
}

}  // namespace sluice
