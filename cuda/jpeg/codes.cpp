#include <sluice/cuda/jpeg/codes.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>
#include <type_traits>

namespace sluice::device {

bool build_jpeg_codes(const JpegCodeSource& source, int table, JpegCodes& codes) {
  auto& entries = codes.entries[table];
  std::fill(std::begin(entries), std::end(entries), std::uint16_t{0});
  std::copy(std::begin(source.values), std::end(source.values), codes.values[table]);
  std::uint32_t code = 0, index = 0;
  for (std::uint32_t length = 1; length <= 16; ++length, code <<= 1) {
    const std::uint32_t first = code, first_index = index, count = source.bits[length];
    code += count;
    index += count;
    // No code is all ones, which is why there is always one more.
    if (count > 0 && (code >= 1u << length || index > 256)) return false;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint8_t value = source.values[first_index + i];
      if (table < 2 && value > 15) return false;
      if (length > kJpegLookupBits) continue;
      const std::uint32_t spare = kJpegLookupBits - length;
      std::fill_n(entries + ((first + i) << spare), 1u << spare,
                  static_cast<std::uint16_t>(length << 8 | value));
    }
    if (length <= kJpegLookupBits) continue;
    const std::uint32_t i = length - kJpegLookupBits - 1;
    codes.end[table][i] = code << (16 - length);
    codes.offset[table][i] =
        static_cast<std::int32_t>(first_index) - static_cast<std::int32_t>(first);
  }
  return index > 0;
}

std::uint64_t hash_of(const JpegCodeSource (&sources)[4]) {
  static_assert(std::has_unique_object_representations_v<JpegCodeSource>);
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(sources), sizeof sources});
}

}  // namespace sluice::device
