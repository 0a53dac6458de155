// tar_in: the samples in tar archives as a dataset for Graph::read, in WebDataset's manner.
//
//   auto [jpeg, label] = g.read(tar_in({"a.tar", "b.tar"}));                    // jpg;jpeg and cls
//   auto [jpeg, text, label] = g.read(tar_in<Bytes, std::string, std::int64_t>(
//       {"a.tar"}, {.columns = {"jpg;jpeg;png", "txt", "cls"}}));
//
// Files that follow each other and have the same path up to the first dot of their last part are
// one sample: `x/0001.jpg` and `x/0001.cls`. What follows that dot, in lower case, is the name of a
// column; several names for one stand between semicolons, and the first one that a sample has
// counts. A column is Bytes, or text, or a number or bool in text (cell.h). Files without a dot,
// and samples that have none of the columns, are none; left_out() counts them.
//
// A dot within a sample's own name is easily missed: `shot_v1.3.jpg` is the column "3.jpg" of the
// sample `shot_v1`, as in WebDataset. A sample that has such files only, and not one of the columns
// themselves, fails. Such a file beside others that are read is counted in left_out().
//
// The headers are read when the archives are opened, or an index that was made of them before
// (TarIndex). Then any sample is read alone, in any order. For archives on disks that seek slowly
// there is a shuffle that moves samples by no more than a window:
//
//   g.read(tar_in(archives), {.shuffle = true, .window = 10'000})
//
// Archives may not be compressed: tar_stream reads those. Links to files of the same archive are
// followed. Nothing is extracted: the names in them are names of samples, and
// no paths. With an index of JPEG files, decoders use it as with files_in.
//
// Ownership: Tar is a small handle on what is known of the archives; copies are cheap. No file is
// kept open or mapped: one that is cut while it is in use is the error of those samples that it has
// lost, and one that is written over is noticed by the headers of its files. Threads: any number at
// once. Errors: IoError for archives that are missing, damaged, cut or compressed, for an index
// that does not fit, and for a column that no sample has; BuildError for options that do not fit. A
// sample that lacks a column, has one twice or cannot be read fails alone, and its error names
// archive, sample and column.
#pragma once

#include <sluice/graph/plan/sample.h>
#include <sluice/graph/plan/source_reads.h>
#include <sluice/io/sources/cell.h>
#include <sluice/io/sources/files.h>
#include <sluice/runtime/bytes.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice {

class RandomAccess;
class TarIndex;

struct TarOptions {
  std::vector<std::string> columns = {"jpg;jpeg", "cls"};
  std::string offsets = {};  // file of a TarIndex; empty: headers are read
  // leave_out: of an archive that is damaged or cut, the samples before the damage are read, and
  // left_out() names it.
  Unreadable unreadable = Unreadable::fail;
  std::shared_ptr<JpegIndex> index = {};
  ReadParts parts = ReadParts::cached;
};

// What a column of an archive can be read as.
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
  // `types`: how many there are for the columns.
  TarSamples(const std::vector<std::string>& archives, const TarOptions& options,
             std::size_t types);
  // Of archives elsewhere, of which this is known; they have these names.
  TarSamples(const std::vector<std::string>& archives, const TarOptions& options, TarIndex known,
             std::size_t types);

  std::int64_t size() const;
  std::string name(std::int64_t i) const;
  std::vector<TarFile> files(std::int64_t i) const;
  std::string fingerprint() const;
  const std::vector<LeftOut>& left_out() const;
  SourceReads reads() const;

  // Where the files of sample i lie that are wanted, with their headers. Throws where one lacks.
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
  // Its extent, at least, is in `archive`, which stays for as long.
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
  // For checkpoints: tells archives by the names and sizes of the files in them.
  std::string fingerprint() const { return samples_.fingerprint(); }
  // The files in the archives that belong to no sample, and what cannot be read. Other columns of
  // samples are not counted.
  const std::vector<LeftOut>& left_out() const { return samples_.left_out(); }

  // Of the columns that are Bytes, so far; for stats().
  SourceReads reads() const { return samples_.reads(); }

  std::tuple<T...> read(std::int64_t i) const { return read(i, std::index_sequence_for<T...>()); }

  // For Graph::read.
  static constexpr bool blocks = true;
  std::tuple<T...> operator()(const SampleInfo& info) const { return read(info.index); }

 private:
  template <std::size_t... I>
  std::tuple<T...> read(std::int64_t i, std::index_sequence<I...> /*all*/) const {
    const detail::TarSamples::Sample sample(samples_, i);
    return std::tuple<T...>{sample.get<T>(I)...};
  }
  detail::TarSamples samples_;
};

// The samples of archives, and their columns as these types.
template <TarColumn... T>
Tar<T...> tar_in(const std::vector<std::string>& archives, const TarOptions& options = {}) {
  return Tar<T...>(archives, options);
}
// A file and a whole number of each sample.
inline Tar<Bytes, std::int64_t> tar_in(const std::vector<std::string>& archives,
                                       const TarOptions& options = {}) {
  return Tar<Bytes, std::int64_t>(archives, options);
}

}  // namespace sluice
