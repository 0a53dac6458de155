// HttpEpochs: the epochs of one dataset, so that requests of one that has ended are known.
// Internal: for the datasets of this room.
//
// Ownership: requests share what tells whether they are wanted. A copy is of a dataset by itself.
// Threads: all. Errors: std::bad_alloc when one is made.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace sluice::detail {

// Whether somebody still wants an answer. By itself: as long as there is somebody to ask.
class HttpWanted {
 public:
  HttpWanted() = default;
  explicit HttpWanted(std::shared_ptr<const std::atomic<std::int64_t>> epoch)
      : epoch_(std::move(epoch)), asked_in_(*epoch_) {}
  explicit operator bool() const { return epoch_ == nullptr || *epoch_ == asked_in_; }

 private:
  std::shared_ptr<const std::atomic<std::int64_t>> epoch_;
  std::int64_t asked_in_ = 0;
};

class HttpEpochs {
 public:
  HttpEpochs() : epoch_(std::make_shared<std::atomic<std::int64_t>>(0)) {}
  HttpEpochs(const HttpEpochs& /*other*/) : HttpEpochs() {}
  HttpEpochs(HttpEpochs&&) noexcept = default;
  HttpEpochs& operator=(const HttpEpochs&) = delete;
  HttpEpochs& operator=(HttpEpochs&&) = delete;
  ~HttpEpochs() = default;

  HttpWanted wanted() const { return HttpWanted(epoch_); }
  void end() const noexcept { ++*epoch_; }

 private:
  std::shared_ptr<std::atomic<std::int64_t>> epoch_;
};

}  // namespace sluice::detail
