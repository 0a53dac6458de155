#include <sluice/io/sources/tar_window.h>

#include <algorithm>
#include <utility>

namespace sluice::detail {

TarWindow::TarWindow(TarReaders& from, std::int64_t window, const ShuffleKey& key,
                     std::shared_ptr<HeldBytes> held)
    : from_(from), window_(window), key_(key), held_(std::move(held)) {}

TarWindow::~TarWindow() {
  for (const auto& sample : samples_)
    if (sample) held_->remove(sample->bytes);
  for (const StreamedSample& sample : coming_) held_->remove(sample.bytes);
}

bool TarWindow::take() {
  std::optional<StreamedSample> sample = from_.next();
  if (!sample) {
    is_end_ = true;
    return false;
  }
  coming_.push_back(*std::move(sample));
  ++taken_;
  return true;
}

// A block is complete when its last sample and one more, or the end, have been read.
void TarWindow::begin_block() {
  if (!order_) {
    // A window of 1 keeps the order, so the number of samples does not matter.
    while (window_ > 1 && taken_ <= window_ && !is_end_) take();
    order_.emplace(is_end_ ? taken_ : kMostPermuted, window_, key_);
  }
  if (!is_end_) {
    const std::int64_t end = order_->block(given_).end;
    while (taken_ < end && !is_end_) take();
  }
  if (is_end_) order_.emplace(taken_, window_, key_);
  if (given_ == taken_) return;
  block_ = order_->block(given_);
  samples_.clear();
  for (std::int64_t i = block_.begin; i < block_.end; ++i) {
    samples_.emplace_back(std::move(coming_.front()));
    coming_.pop_front();
  }
}

std::optional<StreamedSample> TarWindow::next() {
  if (given_ == block_.end) begin_block();
  if (given_ == block_.end) return {};
  const auto place = static_cast<std::size_t>((*order_)(given_++) - block_.begin);
  StreamedSample sample = *std::exchange(samples_[place], {});
  held_->remove(sample.bytes);
  // Refill with samples that are ready, so that the next block is complete when it begins.
  const auto held = [&] { return block_.end - given_ + std::ssize(coming_); };
  while (!is_end_ && held() <= window_ && from_.ready()) take();
  return sample;
}

}  // namespace sluice::detail
