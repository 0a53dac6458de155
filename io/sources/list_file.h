// ListFile: the rows of a list in memory, and the columns that are wanted of them. Internal: see
// io/sources/list.h for what users hold.
//
// A list is read once, when it is opened; where its rows begin is noted, 16 bytes each. A row is
// parsed when it is asked for, so what is wrong with it is the error of its sample.
//
// Ownership: the text of the list. Threads: any number at once; nothing changes. Errors: IoError
// with the list, the line and the column; BuildError for options that cannot be.
#pragma once

#include <sluice/io/sources/list.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::detail {

class ListFile {
 public:
  // How the rows of a text are found, and taken apart.
  class Format;

  ListFile(std::string path, const ListOptions& options);
  ~ListFile();

  std::size_t size() const { return rows_.size(); }
  const std::string& fingerprint() const { return fingerprint_; }
  ListRow row(std::size_t i) const;
  std::uint64_t line(std::size_t i) const { return rows_.at(i).line; }
  const std::string& path() const { return path_; }
  // "the list 'train.csv', line 3, column 'label': WHAT".
  [[noreturn]] void fail(std::uint64_t line, std::size_t column, const std::string& what) const;

 private:
  struct Start {
    std::uint64_t offset;
    std::uint64_t line;
  };

  void find_rows(const ListOptions& options, ListFormat format);

  std::string path_;
  std::vector<std::string> columns_;  // the one of the paths is the last
  bool csv_ = false;
  std::string text_;
  std::string fingerprint_;  // of the text
  std::unique_ptr<Format> format_;
  std::vector<Start> rows_;
};

}  // namespace sluice::detail
