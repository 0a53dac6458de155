// Huffman tables of JPEG files: the checks of the host, and the layout that a device builds for its
// kernels. Bodies for both kinds of devices.
//
// Plain functions without state. Errors: none; a device must only get legal tables.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/jpeg/job.h>
#include <sluice/cuda/jpeg/team.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

// Returns false for a table that libjpeg refuses. `dc`: true for a DC table.
bool is_legal(const JpegCodeSource& source, bool dc);

// Returns a hash of the content: different contents almost surely have different hashes.
std::uint64_t hash_of(const JpegCodeSource (&sources)[4]);

// Threads that build one table.
inline constexpr std::uint32_t kJpegCodeBuilders = 256;

// Returns the entry for the bits `next` (see JpegCodes).
SLUICE_HOST_DEVICE inline std::uint16_t make_jpeg_entry(const JpegCodeSource& source,
                                                        std::uint32_t next) {
  // The codes of one length are consecutive, and come after the shorter ones.
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

// Builds table 0 to 3 from `source`, which is legal or all zeros.
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

// Returns the tables of a sample, in the launch's scratch memory.
SLUICE_HOST_DEVICE inline const JpegCodes& jpeg_codes(const JpegLaunch& launch,
                                                      const std::byte* scratch,
                                                      const JpegSample& sample) {
  return reinterpret_cast<const JpegCodes*>(scratch + launch.codes_at)[sample.codes];
}

}  // namespace sluice::device
