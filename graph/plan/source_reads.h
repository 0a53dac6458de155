// SourceReads: what a source has read of its files, as plain data. DatasetRecord: the functions of
// a source that checkpoints and stats call. Threads: like any data. No errors.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace sluice {

struct SourceReads {
  std::int64_t files = 0;       // that samples were made of; one of two samples counts twice
  std::int64_t file_bytes = 0;  // which these files have
  std::int64_t bytes_read = 0;  // of them: less than they have where only parts were needed

  SourceReads& operator+=(const SourceReads& more) {
    files += more.files;
    file_bytes += more.file_bytes;
    bytes_read += more.bytes_read;
    return *this;
  }
  SourceReads operator-(const SourceReads& before) const {
    return {files - before.files, file_bytes - before.file_bytes, bytes_read - before.bytes_read};
  }
  bool operator==(const SourceReads&) const = default;
};

namespace detail {

// The functions of a source that checkpoints and stats call.
struct DatasetRecord {
  std::string step;
  std::function<std::string()> fingerprint = {};  // each may be empty
  // Gives the source's state just before this sample of this epoch.
  std::function<std::string(std::int64_t epoch, std::int64_t position)> save = {};
  std::function<void(std::int64_t epoch, std::int64_t position, const std::string& state)> restore =
      {};
  // What it has read since it was made, for whatever pipelines; empty where it does not count.
  std::function<SourceReads()> reads = {};
};

}  // namespace detail
}  // namespace sluice
