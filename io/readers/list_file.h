// ListFile: the rows of a list in memory, and their wanted columns. Internal: see io/readers/list.h
// for what users hold.
//
// A list is read once, when it is opened, and the beginning of each row is stored in 16 bytes. A
// row is parsed on access, so an error in it fails only its sample.
//
// Ownership: owns the text of the list. Threads: any number at once; the object is immutable.
// Errors: IoError with the list, the line and the column; BuildError for invalid options.
#pragma once

#include <sluice/io/readers/list.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::detail {

class ListFile {
 public:
  // Splits rows into cells.
  class Format;

  ListFile(std::string path, const ListOptions& options);
  ~ListFile();

  std::size_t size() const { return rows_.size(); }
  const std::string& fingerprint() const { return fingerprint_; }
  ListRow row(std::size_t i) const;
  std::uint64_t line(std::size_t i) const { return rows_.at(i).line; }
  const std::string& path() const { return path_; }
  // Throws "the list 'train.csv', line 3, column 'label': WHAT".
  [[noreturn]] void fail(std::uint64_t line, std::size_t column, const std::string& what) const;

 private:
  struct Start {
    std::uint64_t offset;
    std::uint64_t line;
  };

  void find_rows(const ListOptions& options, ListFormat format);

  std::string path_;
  std::vector<std::string> columns_;  // the column of the paths is the last
  bool csv_ = false;
  std::string text_;
  std::string fingerprint_;  // of the text
  std::unique_ptr<Format> format_;
  std::vector<Start> rows_;
};

}  // namespace sluice::detail
