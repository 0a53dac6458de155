#include <sluice/io/jpeg/attempt.h>
#include <sluice/io/jpeg/decompressor.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/orientation.h>
#include <sluice/io/jpeg/rows.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice {
namespace {

// Adds its lifetime to `sum`, unless that is null.
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

enum class Way : std::uint8_t { in_parts, own_entropy, library };

}  // namespace

struct JpegRows::State {
  JpegDecompressor decompressor;
  JpegRequest request;
  JpegOptions options;
  JpegRowsOptions how;
  KnownJpeg file;
  Way way = Way::library;
  JpegIndexLearner learner, nothing;
  std::optional<JpegAttempt> attempt;
  std::exception_ptr failure;
  std::vector<std::uint8_t> ring;
};

JpegRows::JpegRows() : state_(std::make_unique<State>()) {}
JpegRows::~JpegRows() = default;

JpegRows& JpegRows::for_this_thread() {
  thread_local JpegRows rows;
  return rows;
}

bool JpegRows::begin(const Bytes& file, const std::optional<Rectangle>& region,
                     const JpegOptions& options, const JpegRowsOptions& how) {
  State& s = *state_;
  discard();
  s.how = how;
  took_ = {};
  s.file = known_jpeg(file);
  require_jpeg(s.file);
  unpack_for_library(s.file, options);
  if (options.apply_orientation && peek_jpeg_orientation(s.file.there) != 1) return false;
  s.request = {.region = region, .shrink = 1};
  s.options = options;
  s.options.apply_orientation = false;
  s.learner = learner_of(s.file, s.request, s.options);
  s.way = !begins_with_own_entropy(s.options) ? Way::library
          : s.file.on_demand != nullptr       ? Way::in_parts
                                              : Way::own_entropy;
  try {
    if (s.way == Way::library && s.file.on_demand != nullptr) s.file.read_all();
    begin_attempts();
  } catch (...) {
    discard();
    throw;
  }
  return true;
}

// Tries the values of Way in order, from the current one on, until an attempt can begin.
void JpegRows::begin_attempts() {
  while (!begin_attempt()) give_up_attempt();
}

bool JpegRows::begin_attempt() {
  State& s = *state_;
  s.attempt.emplace(s.decompressor, s.way == Way::library ? s.nothing : s.learner);
  try {
    if (!s.attempt->begin(s.file, s.request, s.options, s.way != Way::library)) return false;
    const Rectangle& region = s.attempt->region();
    const bool margins = s.attempt->may_have_margins();
    const JpegDecompressor::Columns columns =
        margins ? s.attempt->columns() : JpegDecompressor::Columns{region.x, region.width};
    height_ = region.height;
    width_ = region.width;
    channels_ = s.attempt->channels();
    made_ = 0;
    stride_ = std::ptrdiff_t{columns.width} * channels_;
    rows_ = std::min(height_, std::max(2 * kKept, static_cast<int>(s.how.ring_bytes / stride_)));
    const auto bytes = static_cast<std::size_t>(stride_) * static_cast<std::size_t>(rows_);
    if (s.ring.size() < bytes) s.ring.resize(bytes);
    std::uint8_t* const first = s.ring.data() + (region.x - columns.left) * channels_;
    first_ = first;
    bytes_ = s.ring.data() + s.ring.size() - first;
    // Missing rows of a damaged image are black.
    if (s.options.damage == DamagePolicy::tolerant) std::memset(s.ring.data(), 0, bytes);
    return s.attempt->begin_rows(first, stride_, rows_, margins);
  } catch (const JpegError&) {
    if (s.way != Way::in_parts) throw;
    return false;
  }
}

void JpegRows::give_up_attempt() {
  State& s = *state_;
  if (s.way == Way::in_parts) s.file.read_all();
  s.way = s.way == Way::in_parts ? Way::own_entropy : Way::library;
}

// `reads` returns true if the attempt goes on.
template <class F>
void JpegRows::attempt(F&& reads) {
  State& s = *state_;
  if (s.failure != nullptr) return;
  const Watch watch(s.how.timed ? &took_ : nullptr);
  try {
    try {
      if (reads()) return;
    } catch (const JpegError&) {
      if (s.way != Way::in_parts) throw;
    }
    const auto before = std::tuple{height_, width_, channels_};
    give_up_attempt();
    begin_attempts();
    if (before != std::tuple{height_, width_, channels_})
      throw JpegError("the file has changed while it was read");
  } catch (...) {
    s.failure = std::current_exception();
    // Rows may hold anything now, but must be readable memory.
    first_ = s.ring.data();
    stride_ = 0;
    bytes_ = static_cast<std::ptrdiff_t>(s.ring.size());
    return;
  }
  throw Restarted();
}

void JpegRows::make_until(int end) {
  State& s = *state_;
  attempt([&] {
    const int made = rows_ == height_ ? height_ : std::min(end + rows_ - kKept, height_);
    if (!s.attempt->read_rows(made)) return false;
    made_ = made;
    return true;
  });
}

void JpegRows::end() {
  State& s = *state_;
  attempt([&] { return s.attempt->read_rows(height_) && s.attempt->end_rows(); });
}

JpegReport JpegRows::finish() {
  State& s = *state_;
  const std::exception_ptr failure = std::exchange(s.failure, nullptr);
  std::optional<JpegReport> report;
  if (failure == nullptr) {
    report = s.attempt->report();
    report->index_damage = std::move(s.learner.damage());
  }
  discard();
  if (failure != nullptr) std::rethrow_exception(failure);
  return *std::move(report);
}

bool JpegRows::is_open() const { return state_->attempt.has_value(); }

void JpegRows::discard() noexcept {
  State& s = *state_;
  s.attempt.reset();
  s.decompressor.discard();
  s.failure = nullptr;
  s.file = {};
}

}  // namespace sluice
