// Huffman tables of JPEG files: what the host checks of them, and how a device lays them out for
// its kernels. Bodies for both kinds of devices.
//
// Plain functions without state. Errors: none; tables must be legal before a device gets them.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/jpeg/job.h>
#include <sluice/cuda/jpeg/team.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

// False for a table that libjpeg refuses. `dc`: whether it is one of DC's.
bool is_legal(const JpegCodeSource& source, bool dc);

// A number for each content, almost surely another one.
std::uint64_t hash_of(const JpegCodeSource (&sources)[4]);

// Threads that build one table.
inline constexpr std::uint32_t kJpegCodeBuilders = 256;

// The entry for the bits `next` (see JpegCodes).
SLUICE_HOST_DEVICE inline std::uint16_t make_jpeg_entry(const JpegCodeSource& source,
                                                        std::uint32_t next) {
  // Codes of a length follow each other, and come after the shorter ones.
  std::uint32_t code = 0, index = 0;
  for (std::uint32_t length = 1; length <= kJpegLookupBits; ++length, code <<= 1) {
    const std::uint32_t count = source.bits[length - 1];
    const std::uint32_t prefix = next >> (kJpegLookupBits - length);
    if (prefix < code + count)
      return static_cast<std::uint16_t>(length << 8 | source.values[index + prefix - code]);
    code += count;
    index += count;
  }
  return 0;
}

// Fills in table 0 to 3 from a legal source, or one of zeros.
SLUICE_HOST_DEVICE inline void build_jpeg_codes(const JpegTeam& team, const JpegCodeSource& source,
                                                std::uint32_t table, JpegCodes& codes) {
  for (std::uint32_t i = team.thread; i < 1u << kJpegLookupBits; i += team.threads)
    codes.entries[table][i] = make_jpeg_entry(source, i);
  for (std::uint32_t i = team.thread; i < sizeof source.values; i += team.threads)
    codes.values[table][i] = source.values[i];
  if (team.thread != 0) return;
  std::uint32_t code = 0, index = 0;
  for (std::uint32_t length = 1; length <= 16; ++length, code <<= 1) {
    const std::uint32_t first = code, first_index = index, count = source.bits[length - 1];
    code += count;
    index += count;
    if (length <= kJpegLookupBits) continue;
    const std::uint32_t i = length - kJpegLookupBits - 1;
    codes.end[table][i] = code << (16 - length);
    codes.offset[table][i] =
        static_cast<std::int32_t>(first_index) - static_cast<std::int32_t>(first);
  }
}

// The tables of a sample, in the launch's scratch memory.
SLUICE_HOST_DEVICE inline const JpegCodes& jpeg_codes(const JpegLaunch& launch,
                                                      const std::byte* scratch,
                                                      const JpegSample& sample) {
  return reinterpret_cast<const JpegCodes*>(scratch + launch.codes_at)[sample.codes];
}

}  // namespace sluice::device
