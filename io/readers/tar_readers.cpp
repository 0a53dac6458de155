#include <sluice/io/readers/tar_readers.h>

#include <algorithm>
#include <utility>

namespace sluice::detail {

TarReaders::TarReaders(TarReading reading, std::shared_ptr<HeldBytes> held,
                       std::shared_ptr<LeftOutCounter> left_out)
    : reading_(std::move(reading)),
      held_(std::move(held)),
      left_out_(std::move(left_out)),
      most_open_(std::max(reading_.interleave, reading_.threads)) {
  open_lanes();
  const std::size_t useful = std::min(most_open_, reading_.archives.size());
  const std::size_t threads = std::max(reading_.threads, reading_.pipes);
  if (useful > 0) threads_.start(std::min(threads, useful), [this] { work(); });
}

TarReaders::~TarReaders() {
  stop();
  threads_.end();
  for (const auto& [place, lane] : lanes_) held_->remove(lane.bytes);
}

void TarReaders::stop() noexcept {
  stop_pipes_.stop();
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  came_.notify_all();
  room_.notify_all();
}

bool TarReaders::stopped() {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

void TarReaders::open_lanes() {
  while (lanes_.size() < most_open_ && opened_ < reading_.archives.size()) {
    lanes_[opened_].reader = std::make_unique<TarSampleReader>(
        reading_.archives[opened_], reading_.columns, reading_.limits, stop_pipes_, *left_out_);
    ++opened_;
  }
  while (turns_.size() < reading_.interleave && assigned_ < opened_) turns_.push_back(assigned_++);
}

// Prefers the lane with the fewest bytes: next() may be waiting for it.
TarReaders::Lane* TarReaders::lane_to_read() {
  Lane* best = nullptr;
  for (auto& [place, lane] : lanes_) {
    if (lane.busy || lane.over || lane.bytes >= reading_.read_ahead) continue;
    if (best == nullptr || lane.bytes < best->bytes) best = &lane;
  }
  return best;
}

// Runs without the lock. Reads several samples if they are small.
void TarReaders::read_some(Lane& lane, std::vector<StreamedSample>& samples, bool& over) {
  // A pipe may pause at any time, so its samples are passed on one by one.
  const auto most_samples = [&] { return lane.reader->reads_pipe() ? std::size_t{1} : 64; };
  const std::uint64_t most_bytes = std::min<std::uint64_t>(reading_.read_ahead / 4, 256 << 10);
  std::uint64_t bytes = 0;
  while (samples.size() < most_samples() && bytes <= most_bytes) {
    std::optional<StreamedSample> sample = lane.reader->next();
    if (!sample) {
      over = true;
      return;
    }
    bytes += sample->bytes;
    held_->add(sample->bytes);
    samples.push_back(*std::move(sample));
  }
}

void TarReaders::work() noexcept {
  std::unique_lock lock(mutex_);
  std::vector<StreamedSample> samples;
  for (;;) {
    Lane* lane = nullptr;
    const auto has_work = [&] { return stopped_ || (lane = lane_to_read()) != nullptr; };
    room_.wait(lock, has_work);
    if (stopped_) return;
    lane->busy = true;
    lock.unlock();
    bool over = false;
    std::exception_ptr error;
    try {
      read_some(*lane, samples, over);
    } catch (const TarStopped&) {
      over = true;
    } catch (...) {
      error = std::current_exception();
      over = true;
    }
    lock.lock();
    try {
      for (StreamedSample& sample : samples) {
        const std::size_t bytes = sample.bytes;
        lane->read.push_back(std::move(sample));
        lane->bytes += bytes;
      }
    } catch (...) {
      error = std::current_exception();
    }
    samples.clear();
    lane->busy = false;
    lane->over = over;
    if (over) lane->reader.reset();
    if (error != nullptr) error_ = error;
    came_.notify_one();
  }
}

// Lanes that are finished and empty pass their turns to the next archives.
void TarReaders::drop_finished() {
  for (bool again = true; again && !turns_.empty();) {
    const auto lane = lanes_.find(turns_[turn_]);
    again = lane->second.over && lane->second.read.empty();
    if (!again) return;
    lanes_.erase(lane);
    open_lanes();
    room_.notify_all();
    if (assigned_ < opened_) {
      turns_[turn_] = assigned_++;
    } else {
      turns_.erase(turns_.begin() + static_cast<std::ptrdiff_t>(turn_));
      if (turn_ == turns_.size()) turn_ = 0;
    }
  }
}

// True if next() can return. Call with the lock held.
bool TarReaders::has_answer() {
  drop_finished();
  return stopped_ || error_ != nullptr || turns_.empty() || !lanes_.at(turns_[turn_]).read.empty();
}

bool TarReaders::ready() {
  const std::lock_guard lock(mutex_);
  return has_answer();
}

std::optional<StreamedSample> TarReaders::next() {
  std::unique_lock lock(mutex_);
  came_.wait(lock, [&] { return has_answer(); });
  if (error_ != nullptr) std::rethrow_exception(error_);
  if (stopped_ || turns_.empty()) return {};
  Lane& lane = lanes_.at(turns_[turn_]);
  StreamedSample sample = std::move(lane.read.front());
  lane.read.pop_front();
  lane.bytes -= sample.bytes;
  turn_ = (turn_ + 1) % turns_.size();
  room_.notify_one();
  return sample;
}

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
