// pack_in: a dataset of the samples in packs, for Graph::read. A pack is a file with many packed
// images and their columns, which PackWriter or `sluice pack` has written.
//
//   auto [image, label] = g.read(pack_in("imagenet-packed"));            // a folder of packs
//   auto [image, name, weight] = g.read(pack_in<std::string, float>(
//       "imagenet-packed", {.columns = {"name", "weight"}}), {.shuffle = true});
//
// JPEG files in packs decode faster, and the pixels are the same. Pass the bytes to decode_jpeg,
// random_resized_crop or any other operator that takes a JPEG file. A crop reads only its rows from
// the disk. Files of other kinds, and those that could not be packed, are in the pack
// as they were.
//
// Ownership: Pack is a small handle on the indices of the packs; copies are cheap. No file is kept
// open. Threads: any number at once. Errors: IoError for packs that are missing, damaged, cut or of
// another version, that have other columns than the first one, and for a column that they lack;
// BuildError for options that do not fit. A sample that is damaged fails alone. If a pack is
// written or replaced while it is in use, its samples fail.
#pragma once

#include <sluice/graph/exec/sample.h>
#include <sluice/graph/plan/source_record.h>
#include <sluice/io/readers/csv_cell.h>
#include <sluice/io/readers/files.h>
#include <sluice/runtime/bytes.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice {

struct PackOptions {
  std::vector<std::string> columns = {"label"};
  // Says when only the needed rows are read from the disk.
  ReadParts parts = ReadParts::cached;
};

namespace detail {

class PackSamples {
 public:
  // `types`: the number of types for the columns.
  PackSamples(const std::vector<std::string>& paths, const PackOptions& options, std::size_t types);

  std::int64_t size() const;
  std::string name(std::int64_t i) const;
  bool is_packed(std::int64_t i) const;
  std::int64_t bytes(std::int64_t i) const;
  const std::vector<std::string>& paths() const;
  const std::vector<std::string>& all_columns() const;
  std::string_view cell(std::int64_t i, const std::string& column) const;
  const std::string& fingerprint() const;
  SourceReads reads() const;
  Bytes read(std::int64_t i) const;
  Bytes read_whole(std::int64_t i) const;
  template <CellType T>
  T get(std::int64_t i, std::size_t column) const {
    T value{};
    try {
      read_cell({text(i, column)}, value);
    } catch (const CellError& error) {
      fail(i, column, error.what());
    }
    return value;
  }

 private:
  struct Shared;
  std::string_view text(std::int64_t i, std::size_t column) const;
  [[noreturn]] void fail(std::int64_t i, std::size_t column, const char* what) const;
  std::shared_ptr<const Shared> shared_;
};

}  // namespace detail

template <CellType... T>
class Pack {
 public:
  // `paths`: packs, and folders of packs, whose packs are read in the order of their names.
  explicit Pack(const std::vector<std::string>& paths, const PackOptions& options = {})
      : samples_(paths, options, sizeof...(T)) {}

  std::int64_t size() const { return samples_.size(); }
  // "a.pack:17", or with a column "name": "a.pack:cat/1.jpg".
  std::string name(std::int64_t i) const { return samples_.name(i); }
  // True for a packed JPEG, false for a file that is stored as it is.
  bool is_packed(std::int64_t i) const { return samples_.is_packed(i); }
  // The bytes that sample i takes in its pack.
  std::int64_t bytes(std::int64_t i) const { return samples_.bytes(i); }
  // The paths of the packs, in order.
  const std::vector<std::string>& paths() const { return samples_.paths(); }
  // The names of all columns in the packs, and the text of one of a sample.
  const std::vector<std::string>& all_columns() const { return samples_.all_columns(); }
  std::string_view cell(std::int64_t i, const std::string& column) const {
    return samples_.cell(i, column);
  }
  // For checkpoints: identifies the packs by their names and content.
  const std::string& fingerprint() const { return samples_.fingerprint(); }
  // The amount read so far; for stats().
  SourceReads reads() const { return samples_.reads(); }

  // Returns the columns of sample i without its file.
  std::tuple<T...> columns(std::int64_t i) const {
    return detail::tuple_of_columns<T...>(
        [&]<class C>(std::size_t column) { return samples_.template get<C>(i, column); });
  }
  std::tuple<Bytes, T...> read(std::int64_t i) const {
    std::tuple<T...> columns = this->columns(i);
    return std::tuple_cat(std::tuple<Bytes>(samples_.read(i)), std::move(columns));
  }
  // Reads all bytes of sample i at once, and checks them: a packed JPEG, or the file as it was.
  Bytes read_whole(std::int64_t i) const { return samples_.read_whole(i); }

  // For Graph::read.
  static constexpr bool blocks = true;
  std::tuple<Bytes, T...> operator()(const SampleInfo& info) const { return read(info.index); }

 private:
  detail::PackSamples samples_;
};

// The samples of packs, or of a folder of packs, with their columns as these types.
template <CellType... T>
Pack<T...> pack_in(const std::vector<std::string>& paths, const PackOptions& options = {}) {
  return Pack<T...>(paths, options);
}
template <CellType... T>
Pack<T...> pack_in(const std::string& path, const PackOptions& options = {}) {
  return Pack<T...>({path}, options);
}
// A file and its label.
Pack<std::int64_t> pack_in(const std::vector<std::string>& paths, const PackOptions& options = {});
Pack<std::int64_t> pack_in(const std::string& path, const PackOptions& options = {});

}  // namespace sluice
