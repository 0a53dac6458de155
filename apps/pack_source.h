// PackSource: the files that `sluice pack` packs, each with the text of its columns. They come from
// a folder, a list or archives.
//
// A folder has the columns "name", the path below the folder, and "label", the number of the class.
// A list has "name" and its own columns. An archive has "name", the name of the image in the
// archive, and the text columns of its samples. Its column "cls" becomes "label".
//
// Ownership: a PackSource owns its index of the files, not the files. Threads: any number at once.
// Errors: open_pack_source() throws UsageError that names the option; file() and cells() throw the
// error of their sample.
#pragma once

#include <sluice/io/readers/files.h>
#include <sluice/runtime/bytes.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sluice::app {

// Exactly one of data, list and tar is set.
struct PackSourceOptions {
  std::string data;                  // folder with JPEG files
  std::string list;                  // see list_in
  std::vector<std::string> tar;      // archives, or patterns for their names: see tar_in
  std::string path = "path";         // the list's column with the file names
  std::vector<std::string> columns;  // of the list or the archives; empty: all that are text
  std::string offsets;               // for the archives: see TarIndex
};

class PackSource {
 public:
  static constexpr const char* kName = "name";
  static constexpr const char* kLabel = "label";

  PackSource() = default;
  PackSource(const PackSource&) = delete;
  PackSource& operator=(const PackSource&) = delete;
  virtual ~PackSource() = default;

  virtual std::int64_t size() const = 0;
  // For example "160 files in photos".
  virtual std::string words() const = 0;
  // The name of sample i in errors.
  virtual std::string name(std::int64_t i) const = 0;
  virtual Bytes file(std::int64_t i) const = 0;
  // The text of each column of sample i. Does not read its file.
  virtual std::vector<std::string> cells(std::int64_t i) const = 0;

  // The first one is "name".
  const std::vector<std::string>& columns() const { return columns_; }
  // The files and folders that are not packed.
  const std::vector<LeftOut>& left_out() const { return left_out_; }
  // The columns of a list or of archives that are not text.
  const std::vector<std::string>& left_out_columns() const { return left_out_columns_; }

 protected:
  std::vector<std::string> columns_;
  std::vector<LeftOut> left_out_;
  std::vector<std::string> left_out_columns_;
};

std::unique_ptr<const PackSource> open_pack_source(const PackSourceOptions& options);

// Returns the path that the text of a list names, as a name in a pack: relative to the list's
// folder if the file is below it, and without a root or ".." at its beginning.
std::string name_in_pack(const std::string& path, const std::string& folder);

}  // namespace sluice::app
