// pace: estimates how long tokens take, and how many threads they are worth. Internal to window.
//
// Ownership: none. Threads: guarded by its user. No errors.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace sluice::flow {

class pace {
 public:
  using duration = std::chrono::steady_clock::duration;
  static constexpr duration kShort = std::chrono::microseconds(5);
  static constexpr duration kLight = std::chrono::microseconds(50);

  // Adds the time of a token. Threads that contend make each token take longer, and a thread that
  // is preempted much longer. So shorter times count more.
  void learn(duration each) {
    short_since_ = each < kShort ? short_since_ + 1 : 0;
    light_since_ = each < kLight ? light_since_ + 1 : 0;
    each = std::min(each, 2 * each_ + duration(1));
    each_ += (each - each_) / (each < each_ ? 2 : 4);
  }
  // Call it if threads were missing. From now on, is_short() and is_light() need more tokens in a
  // row.
  void was_wrong() {
    short_since_ = light_since_ = 0;
    short_until_ = std::min(2 * short_until_, kShortAtMost);
  }

  // True if tokens take less than kShort: enough of them in a row did.
  bool is_short() const { return short_since_ >= short_until_; }
  // True if tokens take less than kLight, so that one is not worth waking a thread.
  bool is_light() const { return light_since_ >= short_until_; }

  // Returns the number of threads for `tokens` tokens. Light ones need fewer: waking a thread takes
  // longer than several of them. At first the time is unknown, and each token gets a thread.
  std::size_t threads_for(std::size_t tokens) const {
    if (!is_light() || tokens == 0) return tokens;
    const auto threads =
        static_cast<std::size_t>(static_cast<duration::rep>(tokens) * each_ / kWorthAThread);
    return std::clamp<std::size_t>(threads, 1, tokens);
  }

  // The number of tokens that a thread may take at once.
  std::size_t at_once() const {
    return is_short() ? static_cast<std::size_t>(kAtOnce / std::max(each_, duration(1))) : 1;
  }

 private:
  static constexpr duration kWorthAThread = std::chrono::microseconds(100);
  static constexpr duration kAtOnce = std::chrono::microseconds(20);
  static constexpr int kShortAtMost = 4096;

  duration each_ = std::chrono::seconds(1);
  int short_since_ = 0;  // tokens in a row
  int light_since_ = 0;
  int short_until_ = 16;
};

}  // namespace sluice::flow
