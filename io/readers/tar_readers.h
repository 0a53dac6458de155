// TarReaders: reads several archives at once and returns their samples in one order. TarWindow: a
// windowed shuffle of these samples, without knowing their number. Internal to tar_stream.
//
// `interleave` archives take turns and provide one sample each. When one ends, the next archive
// takes its turn. The order depends only on the order of the archives, on `interleave` and on their
// content. Threads read ahead, each in an archive that has room for more; their number does not
// change the order. With more threads than `interleave`, the next archives are begun early.
//
// The order of a TarWindow equals that of WindowedShuffle for the final number of samples. So a
// sample is returned only when its whole block has been read. TarWindow holds the rest of that
// block and the samples of the next one that have been read: at most window + 1 samples.
//
// Ownership: TarReaders owns its threads, their open archives, and the samples that were read and
// not taken: for each open archive at most `read_ahead` bytes plus one read. TarWindow owns its
// samples and refers to the readers. Threads: TarReaders::next() and ready() on one, stop() on any;
// a TarWindow one. Errors: errors of samples are stored in the samples; next() throws
// std::bad_alloc and the like if a thread had to give up.
#pragma once

#include <sluice/graph/sampling/sampler.h>
#include <sluice/graph/sources/source_threads.h>
#include <sluice/io/readers/tar_samples.h>

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

// Counts the bytes of samples that are held now, and the most so far. Threads: any.
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
  std::size_t pipes = 0;  // the number of archives that are pipes, each of which may block a thread
  std::uint64_t read_ahead = 0;
};

class TarReaders {
 public:
  // `held` counts the samples held here and those taken, until the taker removes them.
  TarReaders(TarReading reading, std::shared_ptr<HeldBytes> held,
             std::shared_ptr<LeftOutCounter> left_out);
  ~TarReaders();
  TarReaders(const TarReaders&) = delete;
  TarReaders& operator=(const TarReaders&) = delete;

  // Waits for the next sample and returns it. Returns nothing at the end, or after stop().
  std::optional<StreamedSample> next();
  // True if next() would not wait.
  bool ready();
  void stop() noexcept;
  bool stopped();

 private:
  // An archive that is open.
  struct Lane {
    std::unique_ptr<TarSampleReader> reader;
    std::deque<StreamedSample> read;
    std::uint64_t bytes = 0;  // of the samples in `read`
    bool busy = false;        // a thread reads
    bool over = false;        // the archive has no more samples
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
  std::vector<std::size_t> turns_;     // the archives whose samples are taken by turns
  std::size_t turn_ = 0;
  std::size_t opened_ = 0;    // the number of archives that have had a lane
  std::size_t assigned_ = 0;  // the number of archives that have had a turn
  bool stopped_ = false;
  std::exception_ptr error_;
  SourceThreads threads_;  // last: they use all of the above
};

class TarWindow {
 public:
  TarWindow(TarReaders& from, std::int64_t window, const ShuffleKey& key,
            std::shared_ptr<HeldBytes> held);
  ~TarWindow();
  TarWindow(const TarWindow&) = delete;
  TarWindow& operator=(const TarWindow&) = delete;

  // Returns nothing at the end.
  std::optional<StreamedSample> next();

 private:
  bool take();
  void begin_block();

  TarReaders& from_;
  const std::int64_t window_;
  const ShuffleKey key_;
  const std::shared_ptr<HeldBytes> held_;
  std::optional<WindowedShuffle> order_;
  std::int64_t taken_ = 0;  // the number taken from the readers
  bool is_end_ = false;     // the readers have no more samples
  std::int64_t given_ = 0;
  WindowedShuffle::Block block_;                        // the block that is returned now
  std::vector<std::optional<StreamedSample>> samples_;  // of that block
  std::deque<StreamedSample> coming_;                   // samples after that block
};

}  // namespace sluice::detail
