// Bytes of JPEG files that a kernel fetches itself from pinned memory of the host: the CPU only
// says where they lie. Bodies for both kinds of devices.
//
// A line is JpegPiece::kLine bytes. Reads of neighbouring lines by neighbouring threads are what
// PCI Express is fast at: 50 GB/s of H200's 53 by a copy engine, and no call for each file.
//
// Ownership: values. Threads: each has lines of its own. Errors: none.
#pragma once

#include <sluice/cuda/jpeg/job.h>
#include <sluice/cuda/last_before.h>

#include <cstddef>
#include <cstdint>

namespace sluice::device {

struct alignas(JpegPiece::kLine) JpegLine {
  std::uint64_t words[2] = {};
};

// The last of these, sorted by `at`, that is not after `at`.
template <class Part>
SLUICE_HOST_DEVICE std::uint32_t jpeg_last_before(const Part* parts, std::uint32_t count,
                                                  std::uint32_t at) {
  return last_before(count, at, [=](std::uint32_t i) { return parts[i].at; });
}

// Line number `line` of the sample; what lies beyond a file's end is zero.
SLUICE_HOST_DEVICE inline JpegLine fetch_jpeg_line(const JpegSample& sample,
                                                   const JpegPiece* pieces, std::uint32_t line) {
  constexpr std::uint32_t kLine = JpegPiece::kLine;
  const JpegPiece* const own = pieces + sample.first_piece;
  const JpegPiece& piece = own[jpeg_last_before(own, sample.pieces, line * kLine)];
  const std::uint32_t offset = line * kLine - piece.at, left = piece.bytes - offset;
  if (left >= kLine) return load_as<JpegLine>(pinned_view(piece.from + offset, kLine));
  const std::uint8_t* const from = pinned_view(piece.from + offset, left);
  JpegLine value;
  for (std::uint32_t i = 0; i < left; ++i)
    value.words[i / 8] |= std::uint64_t{from[i]} << 8 * (i % 8);
  return value;
}

// Line number `line` of a file that no index knows, without what is stuffed in; `raw`: what was
// fetched of it.
SLUICE_HOST_DEVICE inline JpegLine unstuff_jpeg_line(const JpegSample& sample, const JpegRun* runs,
                                                     const std::uint8_t* raw, std::uint32_t line) {
  const JpegRun* const own = runs + sample.first_run;
  const std::uint32_t begin = line * JpegPiece::kLine;
  std::uint32_t run = jpeg_last_before(own, sample.runs, begin);
  JpegLine value;
  for (std::uint32_t i = 0; i < JpegPiece::kLine && begin + i < sample.unindexed.bytes; ++i) {
    const std::uint32_t at = begin + i;
    if (run + 1 < sample.runs && own[run + 1].at == at) ++run;
    value.words[i / 8] |= std::uint64_t{raw[own[run].from + at - own[run].at]} << 8 * (i % 8);
  }
  return value;
}

// Where the bytes of a sample lie: `block` is what was uploaded, `fetched` what was fetched.
SLUICE_HOST_DEVICE inline const std::uint32_t* jpeg_words(const JpegSample& sample,
                                                          const std::byte* block,
                                                          const std::byte* fetched) {
  return reinterpret_cast<const std::uint32_t*>((sample.fetched > 0 ? fetched : block) +
                                                sample.bytes_at);
}

}  // namespace sluice::device
