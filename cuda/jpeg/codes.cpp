#include <sluice/cuda/jpeg/codes.h>

#include <algorithm>
#include <type_traits>

namespace sluice::device {

bool is_legal(const JpegCodeSource& source, bool dc) {
  std::uint32_t code = 0, count = 0;
  for (std::uint32_t length = 1; length <= 16; ++length) {
    code = (code << 1) + source.bits[length - 1];
    count += source.bits[length - 1];
    // No code is all ones, so at least one code must stay free.
    if (source.bits[length - 1] > 0 && (code >= 1u << length || count > 256)) return false;
  }
  const auto is_symbol_of_dc = [](std::uint8_t value) { return value <= 15; };
  return count > 0 && (!dc || std::all_of(source.values, source.values + count, is_symbol_of_dc));
}

std::uint64_t hash_of(const JpegCodeSource (&sources)[4]) {
  static_assert(std::has_unique_object_representations_v<JpegCodeSource>);
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t of[4] = {1, 2, 3, 4};
  for (std::size_t at = 0; at < sizeof(JpegCodeSource); at += sizeof(std::uint64_t)) {
    // Four independent chains, because each multiplication waits for the one before.
    for (int i = 0; i < 4; ++i) {
      const auto* const bytes = reinterpret_cast<const std::byte*>(&sources[i]);
      of[i] = (of[i] ^ load_as<std::uint64_t>(bytes + at)) * kOdd;
    }
  }
  return ((of[0] * kOdd ^ of[1]) * kOdd ^ of[2]) * kOdd ^ of[3];
}

}  // namespace sluice::device
