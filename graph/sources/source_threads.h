// SourceThreads: threads of a dataset's own, for code that may stand still.
//
// Ownership: owns the threads; refers to what `work` refers to. Destroying it asks them to stop, by
// their token, and waits for them; in a child of fork(), which has no such threads, it leaves them
// alone. Threads: one. Errors: throws Error when not even one can be made; fewer than wanted will
// do.
#pragma once

#include <sluice/runtime/process.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>

namespace sluice::detail {

class SourceThreads {
 public:
  // Each calls work(token), which throws nothing and returns soon after the token is told to stop.
  SourceThreads(std::size_t wanted, const std::function<void(const std::stop_token&)>& work);
  ~SourceThreads();
  SourceThreads(const SourceThreads&) = delete;
  SourceThreads& operator=(const SourceThreads&) = delete;

 private:
  HomeProcess home_;
  struct Threads;
  std::unique_ptr<Threads> threads_;
};

}  // namespace sluice::detail
