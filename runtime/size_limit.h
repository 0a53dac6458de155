// SizeLimit: the most bytes of an image or tensor that is made on this thread.
//
// A pipeline sets the limit while a step runs (PipelineOptions::max_image_bytes). Tensor::create()
// checks it before it takes memory, so a small file cannot make a step ask for gigabytes.
//
// Ownership: none. Threads: each has a limit of its own; scopes nest, and the innermost one counts.
// Outside of all scopes there is no limit. Errors: check() throws TooLarge.
#pragma once

#include <sluice/runtime/error.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace sluice {

// A result would be larger than the limit.
class TooLarge : public Error {
 public:
  using Error::Error;
};

namespace detail {

inline constexpr std::int64_t kMaxImageBytes = std::int64_t{1} << 29;

class SizeLimit {
 public:
  explicit SizeLimit(std::int64_t bytes) noexcept
      : outer_(std::exchange(most_, static_cast<std::size_t>(bytes))) {}
  ~SizeLimit() { most_ = outer_; }
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;

  // Returns the bytes of a value of this spec.
  static std::size_t check(const ValueSpec& spec) {
    const std::size_t bytes = spec.bytes();
    if (bytes > most_) refuse(spec, most_);
    return bytes;
  }

 private:
  [[noreturn]] static void refuse(const ValueSpec& spec, std::size_t most);
  static constinit thread_local std::size_t most_;
  std::size_t outer_;
};

inline constinit thread_local std::size_t SizeLimit::most_ =
    std::numeric_limits<std::size_t>::max();

}  // namespace detail
}  // namespace sluice
