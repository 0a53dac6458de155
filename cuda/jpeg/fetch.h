// Fetching: the device reads the bytes of JPEG files itself from pinned host memory. The CPU only
// passes their addresses. Bodies for both kinds of devices.
//
// A file without a JPEG index is needed as a whole. The copy engines fetch it, so that no
// multiprocessor is occupied meanwhile: a network that trains on the same GPU may need all of them.
// A file with a JPEG index, or a packed JPEG, needs only the parts with the region's rows. These
// are small, and a copy for each would take too long, so a kernel reads them.
//
// A line is JpegPiece::kLine bytes. Neighboring threads read neighboring lines, which is fast over
// PCI Express: 50 GB/s, where an H200's copy engine reaches 53.
//
// Ownership: values. Threads: each has its own lines. Errors: none.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/jpeg/job.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

struct alignas(JpegPiece::kLine) JpegLine {
  std::uint64_t words[2] = {};
};

// Returns the index of the last of `parts`, sorted by their `at`, that is not after `at`.
template <class Part>
SLUICE_HOST_DEVICE std::uint32_t jpeg_find_range(const Part* parts, std::uint32_t count,
                                                 std::uint32_t at) {
  return find_range(count, at, [=](std::uint32_t i) { return parts[i].at; });
}

// Returns line number `line` of the sample; bytes beyond the file's end are zero.
SLUICE_HOST_DEVICE inline JpegLine fetch_jpeg_line(const JpegSample& sample,
                                                   const JpegPiece* pieces, std::uint32_t line) {
  constexpr std::uint32_t kLine = JpegPiece::kLine;
  const JpegPiece* const own = pieces + sample.first_piece;
  const JpegPiece& piece = own[jpeg_find_range(own, sample.pieces, line * kLine)];
  const std::uint32_t offset = line * kLine - piece.at, left = piece.bytes - offset;
  if (left >= kLine) return load_as<JpegLine>(pinned_view(piece.from + offset, kLine));
  const std::uint8_t* const from = pinned_view(piece.from + offset, left);
  JpegLine value;
  for (std::uint32_t i = 0; i < left; ++i)
    value.words[i / 8] |= std::uint64_t{from[i]} << 8 * (i % 8);
  return value;
}

// Returns line number `line` of a file without a JPEG index, with stuffed zeros and markers
// removed. `raw`: the fetched bytes of the file.
SLUICE_HOST_DEVICE inline JpegLine unstuff_jpeg_line(const JpegSample& sample, const JpegRun* runs,
                                                     const std::uint8_t* raw, std::uint32_t line) {
  const JpegRun* const own = runs + sample.first_run;
  const std::uint32_t begin = line * JpegPiece::kLine;
  std::uint32_t run = jpeg_find_range(own, sample.runs, begin);
  JpegLine value;
  for (std::uint32_t i = 0; i < JpegPiece::kLine && begin + i < sample.unindexed.bytes; ++i) {
    const std::uint32_t at = begin + i;
    if (run + 1 < sample.runs && own[run + 1].at == at) ++run;
    value.words[i / 8] |= std::uint64_t{raw[own[run].from + at - own[run].at]} << 8 * (i % 8);
  }
  return value;
}

// Returns the bytes of a sample. `block`: the uploaded data; `fetched`: the fetched data.
SLUICE_HOST_DEVICE inline const std::uint32_t* jpeg_words(const JpegSample& sample,
                                                          const std::byte* block,
                                                          const std::byte* fetched) {
  return reinterpret_cast<const std::uint32_t*>((sample.fetched > 0 ? fetched : block) +
                                                sample.bytes_at);
}

}  // namespace sluice::device
