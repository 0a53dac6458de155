// tar_in: a dataset of the samples in tar archives, in WebDataset's format, for Graph::read. Also
// TarIndex, which stores where the samples lie.
//
//   auto [jpeg, label] = g.read(tar_in({"a.tar", "b.tar"}));                    // jpg;jpeg and cls
//   auto [jpeg, text, label] = g.read(tar_in<Bytes, std::string, std::int64_t>(
//       {"a.tar"}, {.columns = {"jpg;jpeg;png", "txt", "cls"}}));
//
// Consecutive files whose paths are equal up to the first dot of their last part are one sample:
// `x/0001.jpg` and `x/0001.cls`. The text after that dot, in any letter case, is the name of a
// column. Alternative names of a column are separated by semicolons, and the first one that a
// sample has is used. A column is Bytes, or text, or a number or bool in text (csv_cell.h). The
// column "__key__" is the sample's name in its archive, `x/0001`. Files without a dot, and samples
// that have none of the other columns, are left out; left_out() counts them.
//
// A dot within a sample's own name is easily missed: `shot_v1.3.jpg` is the column "3.jpg" of the
// sample `shot_v1`, as in WebDataset. A sample that has only such files, and none of the columns
// themselves, fails. Such a file beside others that are read is counted in left_out().
//
// The headers are read when the archives are opened, or come from an index that was made before
// (TarIndex). Then samples can be read one by one, in any order. For archives on disks that seek
// slowly there is a shuffle that moves samples by less than a window:
//
//   g.read(tar_in(archives), {.shuffle = true, .window = 10'000})
//
// Archives must not be compressed: use tar_stream for those. Links to files of the same archive are
// followed. Nothing is extracted: names in an archive are names of samples, not paths. With an
// index of JPEG files, decoders use it as with files_in.
//
// An archive that ends after a whole file, without an end marker, is read, as GNU tar does;
// left_out() names it, since it may have been truncated there. TarIndex::of without a list for such
// entries, tar_at and tar_stream refuse it.
//
// Ownership: Tar is a small handle on what is known about the archives; copies are cheap. No file
// is kept open or mapped. If an archive is cut while in use, only the samples that it has lost
// fail; if it is overwritten, the headers of its files show that. Threads: any number at once.
// Errors: IoError for archives that are missing, damaged, cut in the middle of a file, or
// compressed, for an index that does not fit, and for a column that no sample has; BuildError for
// options that do not fit. A sample that lacks a column, has one twice or cannot be read fails
// alone, and its error names archive, sample and column.
#pragma once

#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/io/readers/csv_cell.h>
#include <sluice/io/readers/files.h>
#include <sluice/runtime/bytes.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice {

// TarIndex: the places of the files in tar archives, so that each can be read alone.
//
//   TarIndex::of({"a.tar", "b.tar"}).save("train.offsets");     // as `sluice index --tar` does
//   g.read(tar_in({"a.tar", "b.tar"}, {.offsets = "train.offsets"}));
//
// Without a saved index, one is made when archives are opened. That reads only the headers: at most
// one small read for each file. A saved index has for each archive its name without the folder, its
// size, its modification time, and a hash of its entries and names. If only the time differs, as
// after a copy, the headers are read again and must have the same hash. Any other difference means
// that the archive has changed, and is an error. So the index may be moved along with its archives.
//
// The file, all numbers little-endian: 8 "SLUICETX", 4 version, 4 size of an entry, 8 archives, 8
// hash of all that follows; for each archive 8 size, 8 time, 8 hash, 8 entries, 8 bytes of names, 8
// bytes of its own name; then for each its entries, names and name. All of it is copied into memory
// and checked there.
//
// Ownership: a value, 32 bytes plus the name for each file. Threads: like a vector. Errors: IoError
// that names the archive or the index.

class RandomAccess;

class TarIndex {
 public:
  struct Entry {
    std::uint64_t data = 0;  // the offset of its bytes
    std::uint64_t size = 0;
    std::uint64_t name = 0;  // the offset of its name in `names`
    std::uint32_t name_size = 0;
    std::uint32_t header_hash = 0;  // of its header
  };
  struct Archive {
    std::string name;  // without the folder
    std::uint64_t size = 0;
    std::int64_t modified = 0;  // nanoseconds since 1970
    std::uint64_t hash = 0;     // of entries and names
    std::vector<Entry> entries;
    std::string names;
    std::string_view name_of(const Entry& entry) const {
      return std::string_view(names).substr(entry.name, entry.name_size);
    }
  };

  // Reads the headers of these archives. With Unreadable::leave_out, only the files before the
  // damage of an archive are included, and `left_out` gets an entry for it. With either value, an
  // archive that ends after a whole file, without an end marker, is read, and `left_out` gets an
  // entry. If `left_out` is null, such an archive is treated as damaged.
  static TarIndex of(const std::vector<std::string>& paths,
                     Unreadable unreadable = Unreadable::fail,
                     std::vector<LeftOut>* left_out = nullptr);
  static TarIndex open(const std::string& file);
  // The same from the content of such a file; `file` is for errors.
  static TarIndex of_content(std::string_view content, const std::string& file);
  void save(const std::string& file) const;
  static bool is_one(const std::string& file);

  // Returns the index of these archives, in their order. Throws for one that is unknown or has
  // changed.
  TarIndex for_archives(const std::vector<std::string>& paths, const std::string& file) const;

  // Adds one more archive, whose headers are read.
  void add(const std::string& archive, const RandomAccess& file);
  // Returns the archive with this name and size, or null. If there are several: the one after
  // `earlier` others, or the last.
  const Archive* find(std::string_view name, std::uint64_t size, std::size_t earlier) const;
  void add(const Archive& archive);

  const std::vector<Archive>& archives() const { return archives_; }
  std::int64_t files() const;

 private:
  std::vector<Archive> archives_;
};

struct TarOptions {
  std::vector<std::string> columns = {"jpg;jpeg", "cls"};
  std::string offsets = {};  // file of a TarIndex; empty: headers are read
  // leave_out: for an archive that is damaged or cut, the samples before the damage are read, and
  // left_out() names it.
  Unreadable unreadable = Unreadable::fail;
  std::shared_ptr<JpegIndex> index = {};
  ReadParts parts = ReadParts::cached;
};

// The types that a column of an archive can be read as.
template <class T>
concept TarColumn = std::same_as<T, Bytes> || CellType<T>;

// One of the files of a sample.
struct TarFile {
  std::string column;
  std::uint64_t bytes = 0;
};

namespace detail {

class TarSamples {
 public:
  // `types`: the number of types for the columns.
  TarSamples(const std::vector<std::string>& archives, const TarOptions& options,
             std::size_t types);
  // For archives elsewhere, with these names, whose index is `known`.
  TarSamples(const std::vector<std::string>& archives, const TarOptions& options, TarIndex known,
             std::size_t types);

  std::int64_t size() const;
  std::string name(std::int64_t i) const;
  std::vector<TarFile> files(std::int64_t i) const;
  std::string fingerprint() const;
  const std::vector<LeftOut>& left_out() const;
  SourceReads reads() const;

  // Returns the range of the archive with the wanted files of sample i and their headers. Throws if
  // one is missing.
  struct Extent {
    std::size_t archive = 0;
    std::uint64_t first = 0;
    std::uint64_t size = 0;
  };
  Extent extent(std::int64_t i) const;

  // One sample while it is read.
  class Sample;

 private:
  struct Shared;
  std::shared_ptr<const Shared> shared_;
};

class TarSamples::Sample {
 public:
  Sample(const TarSamples& samples, std::int64_t i);
  // `archive` provides at least the sample's extent and must outlive this.
  Sample(const TarSamples& samples, std::int64_t i, const RandomAccess* archive);
  ~Sample();
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  template <TarColumn T>
  T get(std::size_t column) const {
    T value{};
    read(column, value);
    return value;
  }

 private:
  friend class TarSamples;
  void read(std::size_t column, Bytes& out) const;
  template <CellType T>
  void read(std::size_t column, T& out) const {
    const std::string text = this->text(column);
    try {
      read_cell({text}, out);
    } catch (const CellError& error) {
      fail(column, error.what());
    }
  }
  std::string text(std::size_t column) const;
  [[noreturn]] void fail(std::size_t column, const char* what) const;
  struct Place;
  std::unique_ptr<Place> place_;
};

}  // namespace detail

template <TarColumn... T>
class Tar {
 public:
  explicit Tar(const std::vector<std::string>& archives, const TarOptions& options = {})
      : samples_(archives, options, sizeof...(T)) {}

  std::int64_t size() const { return samples_.size(); }
  // "a.tar/x/0001".
  std::string name(std::int64_t i) const { return samples_.name(i); }
  // All files of sample i, those that are not read included.
  std::vector<TarFile> files(std::int64_t i) const { return samples_.files(i); }
  // For checkpoints: identifies archives by the names and sizes of the files in them.
  std::string fingerprint() const { return samples_.fingerprint(); }
  // The files in the archives that belong to no sample, and archives that cannot be read. Other
  // columns of samples are not counted.
  const std::vector<LeftOut>& left_out() const { return samples_.left_out(); }

  // The amount read for columns of type Bytes so far; for stats().
  SourceReads reads() const { return samples_.reads(); }

  std::tuple<T...> read(std::int64_t i) const {
    const detail::TarSamples::Sample sample(samples_, i);
    return detail::tuple_of_columns<T...>(
        [&]<class C>(std::size_t column) { return sample.template get<C>(column); });
  }

  // For Graph::read.
  static constexpr bool blocks = true;
  std::tuple<T...> operator()(const SampleInfo& info) const { return read(info.index); }

 private:
  detail::TarSamples samples_;
};

// The samples of archives, with their columns as these types.
template <TarColumn... T>
Tar<T...> tar_in(const std::vector<std::string>& archives, const TarOptions& options = {}) {
  return Tar<T...>(archives, options);
}
// A file and an integer for each sample.
Tar<Bytes, std::int64_t> tar_in(const std::vector<std::string>& archives,
                                const TarOptions& options = {});

}  // namespace sluice
