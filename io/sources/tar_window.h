// TarWindow: a windowed shuffle of samples whose number is not known in advance. Internal to
// tar_stream.
//
// The order equals that of WindowedShuffle for the final number of samples. So a sample is returned
// only when its whole block has been read. TarWindow holds the rest of that block and the samples
// of the next one that have been read: at most window + 1 samples.
//
// Ownership: owns the samples; refers to the readers. Threads: one. Errors: those of the readers.
#pragma once

#include <sluice/graph/order/sampler.h>
#include <sluice/io/sources/tar_readers.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace sluice::detail {

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
