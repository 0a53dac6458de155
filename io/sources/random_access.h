// RandomAccess: data of known size that can be read at any place: an open file, a file at a URL, a
// part of one in memory. Internal: users do not include it.
//
// Threads: as the derived class says. Errors: IoError with the name and the reason.
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
  // Reads the bytes from `offset` on into `first` and then `then`. Returns the number of bytes
  // read; fewer than fit means that the data ends there.
  virtual std::size_t read(std::uint64_t offset, std::span<std::uint8_t> first,
                           std::span<std::uint8_t> then = {}) const = 0;
  // 'its path', for messages.
  virtual std::string name() const = 0;
};

}  // namespace sluice
