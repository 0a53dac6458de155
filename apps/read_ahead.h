// ReadAhead: reads the files of a PackSource in order, ahead of the caller, on a few threads. So
// the disk works while the caller packs.
//
// Ownership: owns its threads and the files that it has read; refers to the source. Threads: one
// calls next(). Errors: next() throws the error of its sample; the next call goes on.
#pragma once

#include "pack_source.h"

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sluice::app {

struct PackRow {
  Bytes file;
  std::vector<std::string> cells;
};

class ReadAhead {
 public:
  // Reads the samples 0 .. samples - 1, the first `without_file` of them without their files. Stops
  // to read while files with `most_bytes` wait for next().
  ReadAhead(const PackSource& source, std::int64_t samples, std::int64_t without_file,
            std::int64_t most_bytes);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // Returns the next sample. Call it at most `samples` times.
  PackRow next();

 private:
  struct Read {
    PackRow row;
    std::exception_ptr error;
    std::int64_t bytes = 0;
  };
  void read_all();
  Read read(std::int64_t i) const;

  const PackSource& source_;
  const std::int64_t samples_, without_file_, most_bytes_;
  std::mutex mutex_;
  std::condition_variable has_room_, is_read_;
  std::map<std::int64_t, Read> waiting_;
  std::int64_t bytes_ = 0;  // of those that wait
  std::int64_t begun_ = 0;
  std::int64_t next_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace sluice::app
