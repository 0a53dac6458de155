// ReadCounts: counts the files and bytes that are read. Internal: users do not include it.
//
// Ownership: shared by a source and the bytes that it has returned. Threads: any number at once,
// without locks. Errors: none.
#pragma once

#include <sluice/graph/plan/source_record.h>

#include <atomic>
#include <cstdint>

namespace sluice {

class ReadCounts {
 public:
  void add(const SourceReads& more) {
    files_.fetch_add(more.files, std::memory_order_relaxed);
    file_bytes_.fetch_add(more.file_bytes, std::memory_order_relaxed);
    bytes_read_.fetch_add(more.bytes_read, std::memory_order_relaxed);
  }
  SourceReads now() const {
    return {.files = files_.load(std::memory_order_relaxed),
            .file_bytes = file_bytes_.load(std::memory_order_relaxed),
            .bytes_read = bytes_read_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<std::int64_t> files_{0};
  std::atomic<std::int64_t> file_bytes_{0};
  std::atomic<std::int64_t> bytes_read_{0};
};

}  // namespace sluice
