// Bytes: an encoded file (or any run of bytes) in pooled memory. Moves, does not copy. Threads:
// like a vector.
#pragma once

#include <sluice/runtime/buffer_pool.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace sluice {

class Bytes {
 public:
  Bytes() = default;
  // `size` uninitialised bytes from the current BufferPool.
  explicit Bytes(std::size_t size) : buffer_(BufferPool::current().allocate(size)) {}
  static Bytes copy_of(std::span<const std::uint8_t> source) {
    Bytes bytes(source.size());
    if (!source.empty()) std::memcpy(bytes.data(), source.data(), source.size());
    return bytes;
  }

  std::size_t size() const { return buffer_.size(); }
  bool empty() const { return size() == 0; }
  std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(buffer_.data()); }
  const std::uint8_t* data() const { return reinterpret_cast<const std::uint8_t*>(buffer_.data()); }
  const std::uint8_t* begin() const { return data(); }
  const std::uint8_t* end() const { return data() + size(); }
  operator std::span<const std::uint8_t>() const { return {data(), size()}; }
  // Gives the memory back to the pool.
  void release() noexcept { buffer_.reset(); }

 private:
  Buffer buffer_;
};

}  // namespace sluice
