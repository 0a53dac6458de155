// Numbers in files, which are little-endian: read_little() and append_little(). Internal.
//
// Threads: pure functions. Errors: read_little() reads only bytes that are there; the caller checks
// the size before.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace sluice::detail {

static_assert(std::endian::native == std::endian::little,
              "these files are little-endian: a big-endian machine has to turn what it reads");

template <class T>
T read_little(std::span<const std::uint8_t> bytes, std::size_t offset) {
  assert(offset <= bytes.size() && sizeof(T) <= bytes.size() - offset);
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

template <class T>
void append_little(std::vector<std::uint8_t>& bytes, T value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(T));
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

}  // namespace sluice::detail
