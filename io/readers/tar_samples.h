// TarSampleReader: reads the samples of one archive from front to end. list_tar_stream(): lists
// them. Internal to tar_stream, and for programs that print a list.
//
// Only the files of wanted columns are read. The files of one sample follow each other, so a sample
// is complete when another one begins. A sample that cannot be read carries its error and does not
// affect others. If an archive is damaged or cut, the samples before that place are returned, and
// then one with the error: the sample that is lost there, or one that stands for all lost samples.
//
// Ownership: TarSampleReader owns its input. Threads: one at a time. Errors: TarStopped, and
// std::bad_alloc if there is no memory even for an error; all others are stored in a sample.
// list_tar_stream() throws IoError, with the archive and the place in it; the samples before it
// have been reported.
#pragma once

#include <sluice/io/readers/files.h>
#include <sluice/io/readers/tar.h>
#include <sluice/io/readers/tar_headers.h>
#include <sluice/runtime/bytes.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::detail {

struct StreamedSample {
  std::string name;                 // "a.tar/x/0001"
  std::vector<Bytes> columns = {};  // the wanted columns
  std::string error = {};           // not empty: it cannot be read
  std::size_t bytes = 0;            // the memory of all of these
};

struct TarStreamLimits {
  std::uint64_t sample_bytes = 0;
  std::uint64_t expansion = 0;   // see open_tar_input
  std::uint64_t link_bytes = 0;  // see TarLinkTargets
};

class TarSampleReader {
 public:
  using Columns = std::vector<std::vector<std::string>>;
  // Opens nothing before the first call of next(). The referenced objects must outlive the reader.
  // `left_out` counts the files that belong to no sample.
  TarSampleReader(std::string path, const Columns& columns, const TarStreamLimits& limits,
                  const TarStop& stop, LeftOutCounter& left_out);
  ~TarSampleReader();
  TarSampleReader(const TarSampleReader&) = delete;
  TarSampleReader& operator=(const TarSampleReader&) = delete;

  // Returns nothing at the end.
  std::optional<StreamedSample> next();
  // True if the open archive is a pipe.
  bool reads_pipe() const;

 private:
  // A column of the sample that is being read.
  struct Found {
    std::size_t rank = 0;  // of its name among those of the column
    bool twice = false;
    std::string error = {};
    Bytes bytes = {};
  };
  struct Open;

  std::optional<StreamedSample> next_of_archive();
  std::optional<TarMember> next_member();
  void take(const TarMember& member, std::string_view column);
  void read(const TarMember& member, Found& found);
  Bytes content(std::uint64_t size);
  bool lacks_any() const;
  std::string why_not(std::size_t column) const;
  std::optional<StreamedSample> finished();

  std::string path_;
  const Columns& columns_;
  TarStreamLimits limits_;
  const TarStop& stop_;
  LeftOutCounter& left_out_;
  std::unique_ptr<Open> open_;
  bool over_ = false;
  std::string damage_;  // reported by the next call of next()
  std::string last_;    // the name of the last sample that was read

  // The sample that is being read.
  std::string stem_;
  std::vector<std::optional<Found>> found_;
  std::vector<std::string> there_;  // the names of its first columns
  std::size_t files_ = 0;
  std::int64_t dotted_ = 0;  // files that end like a column: see ends_like_tar_column()
  std::string first_;        // the name of its first file, or of its first dotted one
  std::uint64_t bytes_ = 0;
  std::optional<TarMember> ahead_;  // the first file of the next sample
};

// Returns an error message about a column of a sample.
std::string tar_column_error(const std::string& sample, const std::string& column,
                             const std::string& what);

}  // namespace sluice::detail

namespace sluice {

// True if the archive is compressed or a pipe. False if it cannot be read at all.
bool is_tar_stream(const std::string& path);

// For an archive that must be read from front to end. Calls take(name, files) for each sample, in
// order, until it returns false. The samples are those of tar_in with this column; a link has 0
// bytes. `left_out` counts the files that tar_in leaves out.
void list_tar_stream(
    const std::string& path, const std::string& column,
    const std::function<bool(const std::string&, const std::vector<TarFile>&)>& take,
    detail::LeftOutCounter& left_out);

}  // namespace sluice
