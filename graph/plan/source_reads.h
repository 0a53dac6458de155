// SourceReads: what a source has read of its files, as plain data. Threads: like any data. No
// errors.
#pragma once

#include <cstdint>

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

}  // namespace sluice
