// TarWindow: the windowed shuffle of samples whose number is not known before. Internal to
// tar_stream.
//
// The order is that of WindowedShuffle for the number that there turn out to be. So a sample is
// given when all of its block have come. Held are what is left of that block and what has come of
// the next one: no more than window + 1 samples.
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

  // Nothing: it is over.
  std::optional<StreamedSample> next();

 private:
  bool take();
  void begin_block();

  TarReaders& from_;
  const std::int64_t window_;
  const ShuffleKey key_;
  const std::shared_ptr<HeldBytes> held_;
  std::optional<WindowedShuffle> order_;
  std::int64_t taken_ = 0;  // from the readers
  bool is_end_ = false;     // there are no more than that
  std::int64_t given_ = 0;
  WindowedShuffle::Block block_;                        // the one that is given
  std::vector<std::optional<StreamedSample>> samples_;  // of that block
  std::deque<StreamedSample> coming_;                   // behind it
};

}  // namespace sluice::detail
