#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/orientation.h>
#include <sluice/io/jpeg/rows.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <tuple>
#include <utility>

namespace sluice {
namespace {

// Adds the time of its life, if somebody wants it.
class Watch {
 public:
  explicit Watch(std::chrono::nanoseconds* sum) : sum_(sum) {
    if (sum_ != nullptr) since_ = Clock::now();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    if (sum_ != nullptr) *sum_ += Clock::now() - since_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::chrono::nanoseconds* const sum_;
  Clock::time_point since_;
};

}  // namespace

JpegRows& JpegRows::for_this_thread() {
  thread_local JpegRows rows;
  return rows;
}

bool JpegRows::begin(const Bytes& file, const std::optional<Rectangle>& region,
                     const JpegOptions& options, const JpegRowsOptions& how) {
  discard();
  how_ = how;
  took_ = {};
  file_ = known_jpeg(file);
  require_jpeg(file_);
  if (options.apply_orientation && peek_jpeg_orientation(file_.there) != 1) return false;
  request_ = {.region = region, .shrink = 1};
  options_ = options;
  options_.apply_orientation = false;
  learner_ = learner_of(file_, request_, options_);
  way_ = !begins_with_own_entropy(options_) ? Way::library
         : file_.on_demand != nullptr       ? Way::in_parts
                                            : Way::own_entropy;
  try {
    if (way_ == Way::library && file_.on_demand != nullptr) file_.read_all();
    begin_attempts();
  } catch (...) {
    discard();
    throw;
  }
  return true;
}

// The first attempt that can be begun, from this way on.
void JpegRows::begin_attempts() {
  while (!begin_attempt()) give_up_attempt();
}

bool JpegRows::begin_attempt() {
  attempt_.emplace(decompressor_, way_ == Way::library ? nothing_ : learner_);
  try {
    if (!attempt_->begin(file_, request_, options_, way_ != Way::library)) return false;
    const Rectangle& region = attempt_->region();
    const bool margins = attempt_->may_have_margins();
    const JpegDecompressor::Columns columns =
        margins ? attempt_->columns() : JpegDecompressor::Columns{region.x, region.width};
    height_ = region.height;
    width_ = region.width;
    channels_ = attempt_->channels();
    made_ = 0;
    stride_ = std::ptrdiff_t{columns.width} * channels_;
    rows_ = std::min(height_, std::max(2 * kKept, static_cast<int>(how_.ring_bytes / stride_)));
    const auto bytes = static_cast<std::size_t>(stride_) * static_cast<std::size_t>(rows_);
    if (ring_.size() < bytes) ring_.resize(bytes);
    std::uint8_t* const first = ring_.data() + (region.x - columns.left) * channels_;
    first_ = first;
    bytes_ = ring_.data() + ring_.size() - first;
    // Rows that do not come of a damaged picture are black.
    if (options_.damage == DamagePolicy::tolerant) std::memset(ring_.data(), 0, bytes);
    return attempt_->begin_rows(first, stride_, rows_, margins);
  } catch (const JpegError&) {
    if (way_ != Way::in_parts) throw;
    return false;
  }
}

void JpegRows::give_up_attempt() {
  if (way_ == Way::in_parts) file_.read_all();
  way_ = way_ == Way::in_parts ? Way::own_entropy : Way::library;
}

// `reads` says whether the attempt goes on.
template <class F>
void JpegRows::attempt(F&& reads) {
  if (failure_ != nullptr) return;
  const Watch watch(how_.timed ? &took_ : nullptr);
  try {
    try {
      if (reads()) return;
    } catch (const JpegError&) {
      if (way_ != Way::in_parts) throw;
    }
    const auto before = std::tuple{height_, width_, channels_};
    give_up_attempt();
    begin_attempts();
    if (before != std::tuple{height_, width_, channels_})
      throw JpegError("the file has changed while it was read");
  } catch (...) {
    failure_ = std::current_exception();
    // Any row does, as long as it is one.
    first_ = ring_.data();
    stride_ = 0;
    bytes_ = static_cast<std::ptrdiff_t>(ring_.size());
    return;
  }
  throw Restarted();
}

void JpegRows::make_until(int end) {
  attempt([&] {
    const int made = rows_ == height_ ? height_ : std::min(end + rows_ - kKept, height_);
    if (!attempt_->read_rows(made)) return false;
    made_ = made;
    return true;
  });
}

void JpegRows::end() {
  attempt([&] { return attempt_->read_rows(height_) && attempt_->end_rows(); });
}

JpegReport JpegRows::finish() {
  const std::exception_ptr failure = std::exchange(failure_, nullptr);
  std::optional<JpegReport> report;
  if (failure == nullptr) {
    report = attempt_->report();
    if (begins_with_own_entropy(options_) && way_ == Way::library)
      report->path = JpegPath::fell_back;
    report->index_damage = std::move(learner_.damage());
  }
  discard();
  if (failure != nullptr) std::rethrow_exception(failure);
  return *std::move(report);
}

void JpegRows::discard() noexcept {
  attempt_.reset();
  decompressor_.discard();
  failure_ = nullptr;
  file_ = {};
}

}  // namespace sluice
