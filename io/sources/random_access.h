// RandomAccess: something of known size that is read at any place: an open file, a file at a URL, a
// part of one in memory. Internal: no user includes it.
//
// Threads: as whoever implements it says. Errors: IoError with the name and the reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sluice {

class RandomAccess {
 public:
  RandomAccess() = default;
  RandomAccess(const RandomAccess&) = delete;
  RandomAccess& operator=(const RandomAccess&) = delete;
  virtual ~RandomAccess() = default;

  virtual std::uint64_t size() const = 0;
  // How many bytes there are from `offset` on, at most those of `first` and `then`, which they fill
  // in this order. Fewer than that: it ends there.
  virtual std::size_t read(std::uint64_t offset, std::span<std::uint8_t> first,
                           std::span<std::uint8_t> then = {}) const = 0;
  // 'its path', for messages.
  virtual std::string name() const = 0;
};

}  // namespace sluice
