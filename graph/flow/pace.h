// pace: how long tokens take, as far as it is known, and how many threads they are worth. Internal
// to window.
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

  // A token took so long. Threads that are in each other's way make each token take longer, and one
  // that the system stops much longer: the shorter times count more.
  void learn(duration each) {
    short_since_ = each < kShort ? short_since_ + 1 : 0;
    light_since_ = each < kLight ? light_since_ + 1 : 0;
    each = std::min(each, 2 * each_ + duration(1));
    each_ += (each - each_) / (each < each_ ? 2 : 4);
  }
  // Threads were missing. More short tokens in a row are asked for from now on.
  void was_wrong() {
    short_since_ = light_since_ = 0;
    short_until_ = std::min(2 * short_until_, kShortAtMost);
  }

  // Whether tokens are known to take next to no time: enough of them in a row did.
  bool is_short() const { return short_since_ >= short_until_; }
  // Or so little that a thread is not worth waking for one of them.
  bool is_light() const { return light_since_ >= short_until_; }

  // Threads for so many tokens. Light ones do not need all: to wake a thread takes longer than
  // several of them. What tokens take is not known at first, and all that there are get to work.
  std::size_t threads_for(std::size_t tokens) const {
    if (!is_light() || tokens == 0) return tokens;
    const auto threads =
        static_cast<std::size_t>(static_cast<duration::rep>(tokens) * each_ / kWorthAThread);
    return std::clamp<std::size_t>(threads, 1, tokens);
  }

  // How many a thread may take at once.
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
