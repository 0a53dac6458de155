#include <sluice/io/packs/pack_in.h>
#include <sluice/io/packs/shard.h>
#include <sluice/io/readers/image_reader.h>
#include <sluice/io/readers/open_file.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

namespace sluice::detail {
namespace {

// Returns the packs of a folder, by name; the path itself if it is no folder.
std::vector<std::string> packs_at(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return {path};
  std::vector<std::string> found;
  FolderEntries entries(path);
  while (const char* const name = entries.next()) {
    const std::string_view text = name;
    if (text.front() != '.' && text.ends_with(PackShard::kEnding))
      found.push_back((std::filesystem::path(path) / name).string());
  }
  const std::string folder = "the folder '" + escape_control_chars(path) + "' ";
  if (entries.error() != 0)
    throw IoError(folder + "cannot be read: " + std::generic_category().message(entries.error()));
  if (found.empty())
    throw IoError(folder + "holds no packs (" + std::string(PackShard::kEnding) +
                  "); 'sluice pack' writes them");
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

struct PackSamples::Shared {
  PackTable table;
  std::vector<std::string> paths;  // of the packs
  std::vector<FileState> states;
  std::string fingerprint;
  ReadParts parts = ReadParts::cached;
  std::shared_ptr<ReadCounts> counts = std::make_shared<ReadCounts>();

  using Place = PackTable::Place;
  void open(const std::string& path);
  Bytes read_whole(const Place& place, const OpenFile& file) const;
  // Reads the head. The rest will be read on demand.
  Bytes begin(const Place& place, const OpenFile& file) const;
  void require_unchanged(const Place& place, const OpenFile& file) const;
  [[noreturn]] void fail_changed(const Place& place) const;
};

void PackSamples::Shared::open(const std::string& path) {
  const OpenFile file(path);
  const FileState before = file.state();
  PackShard shard = PackShard::open(file, {.before = table.last()});
  if (file.state() != before)
    throw IoError("the pack " + file.name() + " was written while it was opened");
  table.add(path, std::move(shard));
  paths.push_back(path);
  states.push_back(before);
}

void PackSamples::Shared::require_unchanged(const Place& place, const OpenFile& file) const {
  if (file.state() != states[place.pack]) fail_changed(place);
}

void PackSamples::Shared::fail_changed(const Place& place) const {
  throw IoError("the pack '" + escape_control_chars(paths[place.pack]) +
                "' has changed since it was opened; do not change packs while a pipeline reads "
                "them");
}

Bytes PackSamples::Shared::read_whole(const Place& place, const OpenFile& file) const {
  const PackShard::Entry& entry = table.entry(place);
  const std::span<const std::uint8_t> begin = table.shard(place).begin_of(entry);
  Bytes bytes(begin.size() + entry.bytes);
  std::uint8_t* const to = bytes.data();
  std::copy(begin.begin(), begin.end(), to);
  const std::span<std::uint8_t> rest(to + begin.size(), entry.bytes);
  if (file.read(entry.offset, rest) < rest.size()) fail_changed(place);
  table.check(place, rest);
  counts->add({.files = 1,
               .file_bytes = entry.bytes,
               .bytes_read = entry.bytes,
               .repeated = file.take_repeated()});
  return bytes;
}

Bytes PackSamples::Shared::begin(const Place& place, const OpenFile& file) const {
  const PackShard::Entry& entry = table.entry(place);
  const std::span<const std::uint8_t> begin = table.shard(place).begin_of(entry);
  Bytes bytes(begin.size() + entry.bytes);
  const std::size_t there = begin.size() + entry.head;
  std::copy(begin.begin(), begin.end(), bytes.data());
  // The bytes before the head are not those of the pack, which are further ahead in it.
  auto source = std::make_unique<FileParts>(file.path(), states[place.pack],
                                            entry.offset - begin.size(), counts);
  const ByteRange head{begin.size(), there};
  if (!source->read(file, {&head, 1}, {bytes.data(), bytes.size()})) fail_changed(place);
  counts->add({.files = 1, .file_bytes = entry.bytes, .bytes_read = 0});
  return Bytes::on_demand(std::move(bytes), there, std::move(source));
}

PackSamples::PackSamples(const std::vector<std::string>& paths, const PackOptions& options,
                         std::size_t types) {
  if (paths.empty()) throw BuildError("pack_in: there are no packs; give a folder or files");
  auto shared = std::make_shared<Shared>();
  for (const std::string& path : paths)
    for (const std::string& pack : packs_at(path)) shared->open(pack);
  shared->table.choose("pack_in", options.columns, types);
  shared->fingerprint = shared->table.fingerprint();
  shared->parts = options.parts;
  shared_ = std::move(shared);
}

std::int64_t PackSamples::size() const { return shared_->table.size(); }
std::string PackSamples::name(std::int64_t i) const {
  return shared_->table.name(shared_->table.place(i));
}
bool PackSamples::is_packed(std::int64_t i) const {
  return shared_->table.entry(shared_->table.place(i)).is_packed();
}
std::int64_t PackSamples::bytes(std::int64_t i) const {
  return shared_->table.entry(shared_->table.place(i)).bytes;
}
const std::vector<std::string>& PackSamples::paths() const { return shared_->paths; }
const std::vector<std::string>& PackSamples::all_columns() const {
  return shared_->table.columns();
}
std::string_view PackSamples::cell(std::int64_t i, const std::string& column) const {
  return shared_->table.cell(i, column);
}
const std::string& PackSamples::fingerprint() const { return shared_->fingerprint; }
SourceReads PackSamples::reads() const { return shared_->counts->now(); }

Bytes PackSamples::read(std::int64_t i) const {
  const PackTable::Place place = shared_->table.place(i);
  const PackShard::Entry& entry = shared_->table.entry(place);
  const OpenFile file(shared_->paths[place.pack]);
  shared_->require_unchanged(place, file);
  const bool in_parts =
      entry.is_packed() && (shared_->parts == ReadParts::always ||
                            (shared_->parts == ReadParts::cached && file.is_cached(entry.offset) &&
                             file.is_cached(entry.offset + entry.bytes - 1)));
  return in_parts ? shared_->begin(place, file) : shared_->read_whole(place, file);
}

Bytes PackSamples::read_whole(std::int64_t i) const {
  const PackTable::Place place = shared_->table.place(i);
  const OpenFile file(shared_->paths[place.pack]);
  shared_->require_unchanged(place, file);
  return shared_->read_whole(place, file);
}

std::string_view PackSamples::text(std::int64_t i, std::size_t column) const {
  return shared_->table.text(i, column);
}
void PackSamples::fail(std::int64_t i, std::size_t column, const char* what) const {
  shared_->table.fail(i, column, what);
}

}  // namespace sluice::detail

namespace sluice {

Pack<std::int64_t> pack_in(const std::vector<std::string>& paths, const PackOptions& options) {
  return Pack<std::int64_t>(paths, options);
}
Pack<std::int64_t> pack_in(const std::string& path, const PackOptions& options) {
  return Pack<std::int64_t>({path}, options);
}

}  // namespace sluice
