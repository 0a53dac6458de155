// Trail: which way a sample has gone: the arms that it took, and the loops that it is or was in. Of
// a loop there is one entry with the number of the iteration; the arms are those of that iteration
// alone. So a trail is never longer than the longest way through the plan. The iterations also say
// with which seed the sample draws: see runtime/random.h.
//
// Ownership: refers to the plan, which outlives it. Threads: the task that carries the sample;
// loops() from any thread, at any time. Errors: none; once it is made only text() and loops() take
// memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sluice::detail {

struct Branch;
struct Loop;
struct Plan;

// The time in milliseconds, for whoever looks for a stall. The coarse clock costs a few
// nanoseconds, and its few milliseconds of error do not matter for that.
std::int64_t milliseconds_now();

class Trail {
 public:
  explicit Trail(const Plan& plan);

  // A sample begins, whose draws outside of loops have this seed.
  void clear(std::uint64_t seed = 0);
  void take(const Branch& branch, std::uint32_t arm);
  // Arms that were taken one after the other, without a loop between them, by the number of the
  // first: which they are, what the device has chosen instead, and that they were not taken after
  // all.
  std::size_t length() const { return entries_.size(); }
  std::size_t arm(std::size_t at) const { return static_cast<std::size_t>(entries_[at].number); }
  void set_arm(std::size_t at, std::size_t arm) {
    entries_[at].number = static_cast<std::int64_t>(arm);
  }
  void cut_back(std::size_t length) { entries_.resize(length); }
  // A loop begins, goes on with its next iteration, is over.
  void enter(const Loop& loop);
  void repeat(const Loop& loop);
  void leave(const Loop& loop);
  // The sample has ended, perhaps in loops: it is in none any more. What text() says stays.
  void end();

  // Of what is drawn here: outside of loops the sample's own, else that of the iteration.
  // Computed when it is first asked for, so that iterations without draws pay nothing.
  std::uint64_t seed() const { return depth_ == 0 ? seed_ : seed_in_loops(); }

  // "if_else:then/while_loop (iteration 52)/select#2:arm 3"; iterations are numbered from 0. Of a
  // loop that is over, "while_loop (53 iterations)". The middle of a long one is left out.
  std::string text() const;

  // The loops that the sample is in, the outermost first.
  struct Place {
    const Loop* loop = nullptr;
    std::int64_t iteration = 0;
    std::int64_t since = 0;  // milliseconds_now() when it began
  };
  std::vector<Place> loops() const;

 private:
  struct Entry {
    const Branch* branch = nullptr;  // null for a loop
    const Loop* loop = nullptr;
    std::int64_t number = 0;  // the arm; the iteration, or how many there were
    bool over = false;
  };
  // Each on cache lines of its own: samples are at work on different threads.
  struct alignas(64) Watched {
    std::atomic<const Loop*> loop{nullptr};
    std::atomic<std::int64_t> iteration{0};
    std::atomic<std::int64_t> since{0};
    // For the task that carries the sample alone: the seed of the iteration, and whether it is
    // known. Where it is, those of the loops around are, too.
    std::uint64_t seed = 0;
    bool has_seed = false;
  };
  // Drops what came after the loop began.
  Entry& cut_back_to(const Loop& loop);
  // The innermost loop is at this iteration.
  void set_iteration(std::int64_t iteration);
  std::uint64_t seed_in_loops() const;
  static std::string text_of(const Entry& entry);

  std::vector<Entry> entries_;
  std::size_t deepest_ = 0;             // how many loops of the plan lie in each other
  std::unique_ptr<Watched[]> watched_;  // the loops that the sample is in
  std::size_t depth_ = 0;
  std::uint64_t seed_ = 0;
};

}  // namespace sluice::detail
