#include <sluice/io/packs/pack_jpeg.h>
#include <sluice/io/packs/pack_writer.h>
#include <sluice/io/packs/packed_jpeg.h>
#include <sluice/io/packs/shard.h>
#include <sluice/io/readers/files.h>
#include <sluice/io/whole_file.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/process.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace sluice {
namespace {

constexpr std::size_t kTeachers = 48;  // files that a dictionary is learnt from

std::string name_in_quotes(const std::string& path) {
  return "'" + escape_control_chars(path) + "'";
}

// Calls work(i, thread) once for each i below `count`, on up to `threads` threads, the calling one
// included. Throws the first exception when all have ended.
template <class Work>
void for_all(std::size_t count, std::size_t threads, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
  const auto run = [&](std::size_t thread) {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i, thread);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (error == nullptr) error = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  others.reserve(threads);
  try {
    for (std::size_t i = 1; i < std::min(threads, count); ++i) others.emplace_back(run, i);
  } catch (...) {  // fewer threads do the same work
  }
  run(0);
  for (std::thread& other : others) other.join();
  if (error != nullptr) std::rethrow_exception(error);
}

}  // namespace

struct PackWriter::State {
  struct File {
    Bytes bytes;
    std::vector<std::string> cells;
  };

  std::string folder;
  std::vector<std::string> columns;
  PackWriterOptions options;
  std::size_t threads;

  std::vector<PackShard> finished;  // when writing was begun
  // The dictionary of the first pack that has enough teachers. Later packs use it, too: with many
  // threads, learning takes longer than packing.
  std::vector<std::uint8_t> shared_dictionary;
  std::int64_t skip = 0, skipped = 0;

  std::vector<File> files;      // of the next pack
  std::int64_t bytes = 0;       // with the texts of their columns
  std::int64_t file_bytes = 0;  // without
  std::int64_t next_pack = 0;

  std::atomic<bool> cancelled{false};
  mutable std::mutex mutex;
  PackStats stats;

  State(std::string in, std::vector<std::string> names, const PackWriterOptions& how)
      : folder(std::move(in)),
        columns(std::move(names)),
        options(how),
        threads(static_cast<std::size_t>(how.threads > 0 ? how.threads : cpu_count())) {}

  std::string path_of(std::int64_t number) const {
    return (std::filesystem::path(folder) / fmt::format("part-{:05}{}", number, PackShard::kEnding))
        .string();
  }
  void find_finished();
  void require_same(const std::vector<std::string>& cells) const;
  std::vector<std::uint8_t> learn() const;
  // Keeps the dictionary of a pack with so many packed files, if it is the first with enough.
  void share(std::span<const std::uint8_t> dictionary, std::int64_t packed);
  PackSample pack(File& file, PackTokenWriter& writer, std::span<const std::uint8_t> dictionary,
                  const PackTokens& tokens);
  void require_wanted() const {
    if (cancelled) throw PackCancelled();
  }
  void write();
  void write_next();
};

// Packs are numbered from 0 without gaps. A later one without an earlier one is not ours.
void PackWriter::State::find_finished() {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder, error))
    throw IoError("the folder " + name_in_quotes(folder) + " cannot be made");
  (void)remove_parts(folder);
  std::set<std::string> ours;
  for (; std::filesystem::exists(path_of(next_pack), error); ++next_pack) {
    const std::string path = path_of(next_pack);
    ours.insert(std::filesystem::path(path).filename().string());
    if (!options.resume) {
      throw IoError("the folder " + name_in_quotes(folder) +
                    " has packs already; give another folder, remove them, or continue them with "
                    "resume (sluice pack --resume)");
    }
    const PackShard* const before = finished.empty() ? nullptr : &finished.back();
    finished.push_back(PackShard::open(OpenFile(path), {.before = before}));
    if (finished.back().columns() != columns) {
      throw IoError("the pack " + name_in_quotes(path) +
                    " has other columns than those to be written; give another folder");
    }
    skip += finished.back().size();
    const PackShard& shard = finished.back();
    std::int64_t packed = 0;
    for (std::int64_t i = 0; i < shard.size(); ++i) packed += shard.entry(i).is_packed() ? 1 : 0;
    share(shard.dictionary(), packed);
  }
  if (error) {
    throw IoError("the folder " + name_in_quotes(folder) + " cannot be read: " + error.message());
  }
  // Packs that would be overwritten, or be mixed with these.
  FolderEntries entries(folder);
  while (const char* const name = entries.next()) {
    const std::string_view text = name;
    if (text.front() == '.' || !text.ends_with(PackShard::kEnding)) continue;
    if (ours.contains(name)) continue;
    throw IoError("the folder " + name_in_quotes(folder) + " has another pack, " +
                  name_in_quotes(name) + "; give another folder, or move it away");
  }
}

void PackWriter::State::share(std::span<const std::uint8_t> dictionary, std::int64_t packed) {
  if (shared_dictionary.empty() && packed >= static_cast<std::int64_t>(kTeachers))
    shared_dictionary.assign(dictionary.begin(), dictionary.end());
}

void PackWriter::State::require_same(const std::vector<std::string>& cells) const {
  std::int64_t number = skipped;
  for (const PackShard& shard : finished) {
    if (number >= shard.size()) {
      number -= shard.size();
      continue;
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (shard.cell(number, i) == cells[i]) continue;
      throw IoError(fmt::format(
          "the packs in {} are of other files: sample {} has {} {} there, but {} here; give "
          "another folder",
          name_in_quotes(folder), skipped, columns[i],
          name_in_quotes(std::string(shard.cell(number, i))), name_in_quotes(cells[i])));
    }
    return;
  }
}

// Learns from files at equal distances, always the same.
std::vector<std::uint8_t> PackWriter::State::learn() const {
  const std::size_t count = std::min(files.size(), kTeachers);
  PackTokenLearner learner;
  // As many at once as there are threads, since coefficients take much memory.
  std::vector<std::optional<JpegCoefficients>> some(std::min(threads, count));
  for (std::size_t begin = 0; begin < count; begin += some.size()) {
    for_all(std::min(some.size(), count - begin), threads, [&](std::size_t i, std::size_t) {
      require_wanted();
      const File& file = files[(begin + i) * files.size() / count];
      some[i] = JpegCoefficients::read(file.bytes, nullptr, options.limits);
    });
    for (auto& one : some) {
      if (one) one->teach(learner);
      one.reset();
    }
  }
  auto dictionary = learner.learn(&cancelled);
  require_wanted();
  return dictionary;
}

PackSample PackWriter::State::pack(File& file, PackTokenWriter& writer,
                                   std::span<const std::uint8_t> dictionary,
                                   const PackTokens& tokens) {
  PackSample sample;
  std::string why_not;
  const std::span<const std::uint8_t> content = file.bytes;
  {
    const auto coefficients = JpegCoefficients::read(content, &why_not, options.limits);
    if (coefficients) {
      coefficients->write(writer, checksum_of_dictionary(dictionary), sample.bytes);
      sample.is_packed = coefficients->equals(sample.bytes, dictionary, tokens);
      if (!sample.is_packed) why_not = "it would not be read back as it is";
    }
  }
  if (!sample.is_packed) sample.bytes.assign(content.begin(), content.end());
  sample.cells = std::move(file.cells);
  const std::lock_guard lock(mutex);
  if (sample.is_packed) {
    ++stats.packed;
  } else {
    ++stats.stored;
    ++stats.reasons[why_not];
  }
  file.bytes.release();
  return sample;
}

void PackWriter::State::write() {
  if (files.empty()) return;
  const PackStats before = [this] {
    const std::lock_guard lock(mutex);
    return stats;
  }();
  try {
    write_next();
  } catch (...) {  // the files that were packed are in no pack
    const std::lock_guard lock(mutex);
    stats = before;
    throw;
  }
}

void PackWriter::State::write_next() {
  std::vector<PackSample> samples(files.size());
  const std::vector<std::uint8_t> dictionary =
      shared_dictionary.empty() ? learn() : shared_dictionary;
  const PackTokens tokens(dictionary);
  std::vector<std::optional<PackTokenWriter>> writers(threads);
  for_all(files.size(), threads, [&](std::size_t i, std::size_t thread) {
    require_wanted();
    if (!writers[thread]) writers[thread].emplace(dictionary);
    samples[i] = pack(files[i], *writers[thread], dictionary, tokens);
  });
  require_wanted();
  const std::string path = path_of(next_pack++);
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    throw IoError("the pack " + name_in_quotes(path) +
                  " was written by another writer meanwhile; let only one writer use the folder");
  }
  write_shard(path, dictionary, columns, samples);
  share(dictionary, std::count_if(samples.begin(), samples.end(),
                                  [](const PackSample& sample) { return sample.is_packed; }));
  const auto written = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
  const std::lock_guard lock(mutex);
  stats.file_bytes += file_bytes;
  stats.pack_bytes += written;
  ++stats.packs;
  files.clear();
  bytes = file_bytes = 0;
}

PackWriter::PackWriter(std::string folder, std::vector<std::string> columns,
                       const PackWriterOptions& options) {
  if (columns.size() > PackShard::kMostColumns)
    throw BuildError(fmt::format("PackWriter: {} columns are more than {}", columns.size(),
                                 PackShard::kMostColumns));
  for (auto name = columns.begin(); name != columns.end(); ++name) {
    if (name->empty() || std::find(columns.begin(), name, *name) != name)
      throw BuildError("PackWriter: a column has no name, or the name of another one");
  }
  if (options.pack_bytes < 1 || options.threads < 0)
    throw BuildError("PackWriter: pack_bytes must be at least 1, and threads at least 0");
  if (options.limits.max_scans > PackLimits().max_scans) {
    throw BuildError(
        fmt::format("PackWriter: limits.max_scans is at most {}", PackLimits().max_scans));
  }
  state_ = std::make_unique<State>(std::move(folder), std::move(columns), options);
  state_->find_finished();
}

PackWriter::~PackWriter() = default;

std::int64_t PackWriter::to_skip() const { return state_->skip - state_->skipped; }

void PackWriter::add(Bytes file, std::vector<std::string> cells) {
  State& s = *state_;
  if (cells.size() != s.columns.size()) {
    throw BuildError(fmt::format("PackWriter::add: {} texts were given for {} columns",
                                 cells.size(), s.columns.size()));
  }
  if (s.skipped < s.skip) {
    s.require_same(cells);
    ++s.skipped;
    const std::lock_guard lock(s.mutex);
    ++s.stats.skipped;
    return;
  }
  file.own();
  if (is_packed_jpeg(file))
    throw IoError("a file is a packed JPEG already; unpack it before you pack it");
  s.file_bytes += static_cast<std::int64_t>(file.size());
  auto bytes = static_cast<std::int64_t>(file.size());
  for (const std::string& cell : cells) bytes += static_cast<std::int64_t>(cell.size());
  if (file.size() > ~std::uint32_t{0}) throw IoError("a file of more than 4 GiB cannot be packed");
  s.files.push_back({std::move(file), std::move(cells)});
  s.bytes += bytes;
  {
    const std::lock_guard lock(s.mutex);
    ++s.stats.files;
  }
  if (s.bytes >= s.options.pack_bytes) s.write();
}

void PackWriter::finish() {
  State& s = *state_;
  if (s.skipped < s.skip) {
    throw IoError(
        fmt::format("the packs in {} hold {} samples, but only {} were passed again; "
                    "give another folder",
                    name_in_quotes(s.folder), s.skip, s.skipped));
  }
  s.write();
}

void PackWriter::cancel() noexcept { state_->cancelled = true; }

PackStats PackWriter::stats() const {
  const std::lock_guard lock(state_->mutex);
  return state_->stats;
}

}  // namespace sluice
