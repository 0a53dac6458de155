// TarReaders: several archives read at once, and their samples in one order. Internal to
// tar_stream.
//
// So many archives are open in turn: `interleave` of them give their samples by turns, one each,
// and when one is over the next archive takes its turn. What the order is follows from the order of
// the archives, from `interleave` and from what is in them. Threads read ahead, each in an archive
// that has room for more; how many there are changes nothing. With more threads than `interleave`
// the archives that come next are begun early.
//
// Ownership: owns its threads, what they have open, and what was read and not taken: of each
// archive that is open no more than `read_ahead` bytes and what was read at once. Threads: next()
// and ready() on one; stop() on any. Errors: those of samples are in the samples; next() throws
// std::bad_alloc and the like when a thread had to give up.
#pragma once

#include <sluice/graph/sources/source_threads.h>
#include <sluice/io/sources/tar_samples.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace sluice::detail {

// How many bytes of samples are held, and were at most. Any thread.
class HeldBytes {
 public:
  void add(std::size_t bytes) noexcept {
    const std::uint64_t now = now_.fetch_add(bytes) + bytes;
    std::uint64_t most = most_.load();
    while (most < now && !most_.compare_exchange_weak(most, now)) {
    }
  }
  void remove(std::size_t bytes) noexcept { now_.fetch_sub(bytes); }
  std::uint64_t now() const { return now_.load(); }
  std::uint64_t most() const { return most_.load(); }

 private:
  std::atomic<std::uint64_t> now_{0};
  std::atomic<std::uint64_t> most_{0};
};

struct TarReading {
  std::vector<std::string> archives = {};  // in the order in which they are begun
  TarSampleReader::Columns columns = {};
  TarStreamLimits limits = {};
  std::size_t interleave = 1;
  std::size_t threads = 1;
  std::size_t pipes = 0;  // how many archives are such, each of which may keep a thread waiting
  std::uint64_t read_ahead = 0;
};

class TarReaders {
 public:
  // `held` counts what is here and what was taken, until the one who took it says otherwise.
  TarReaders(TarReading reading, std::shared_ptr<HeldBytes> held,
             std::shared_ptr<LeftOutCounter> left_out);
  ~TarReaders();
  TarReaders(const TarReaders&) = delete;
  TarReaders& operator=(const TarReaders&) = delete;

  // The next sample; waits for it. Nothing: there is none any more, or it was stopped.
  std::optional<StreamedSample> next();
  // Whether next() need not wait.
  bool ready();
  void stop() noexcept;
  bool stopped();

 private:
  // An archive that is open.
  struct Lane {
    std::unique_ptr<TarSampleReader> reader;
    std::deque<StreamedSample> read;
    std::uint64_t bytes = 0;  // of those
    bool busy = false;        // a thread reads
    bool over = false;        // there are no more
  };

  void work() noexcept;
  Lane* lane_to_read();
  void read_some(Lane& lane, std::vector<StreamedSample>& samples, bool& over);
  void open_lanes();
  bool has_answer();
  void drop_finished();

  const TarReading reading_;
  const std::shared_ptr<HeldBytes> held_;
  const std::shared_ptr<LeftOutCounter> left_out_;
  const std::size_t most_open_;
  TarStop stop_pipes_;

  std::mutex mutex_;
  std::condition_variable room_;       // for the threads
  std::condition_variable came_;       // for next()
  std::map<std::size_t, Lane> lanes_;  // by the archive's place in the order
  std::vector<std::size_t> turns_;     // those whose samples are taken by turns
  std::size_t turn_ = 0;
  std::size_t opened_ = 0;    // so many archives have had a lane
  std::size_t assigned_ = 0;  // so many have had a turn
  bool stopped_ = false;
  std::exception_ptr error_;
  SourceThreads threads_;  // last: they use all of the above
};

}  // namespace sluice::detail
