#include <sluice/cuda/jpeg/plan.h>
#include <sluice/io/jpeg/markers.h>

#include <cstring>

namespace sluice::device {
const char* JpegPlan::find_intervals(std::span<const std::uint8_t> file, const Groups& groups,
                                     std::size_t first_byte) {
  constexpr const char* kMarkers = "other markers in its scan than there should be";
  // Bit positions have 32 bits.
  if (file.size() >> 28 != 0) return "256 MiB or more";
  // Each piece costs memory. Ordinary files have a stuffed zero in every 200 bytes or so; a
  // malicious one could have far more.
  const std::size_t most_pieces = file.size() / 8 + 64;
  segments_.clear();
  pieces_.clear();
  bytes_ = 0;
  sample_.segments = 0;
  JpegUnindexed& told = sample_.unindexed;
  const std::uint64_t all = std::uint64_t{groups.rows} * groups.columns;
  const std::uint64_t intervals =
      sample_.interval == 0 ? 1 : (all + sample_.interval - 1) / sample_.interval;

  const auto add_piece = [this](std::size_t begin, std::size_t end) {
    if (begin == end) return;
    pieces_.push_back({begin, end - begin, bytes_});
    bytes_ += end - begin;
  };
  intervals_.push_back({});
  std::size_t at = first_byte, begin = at;
  while (true) {
    const void* found =
        at + 1 < file.size() ? std::memchr(file.data() + at, 0xff, file.size() - at - 1) : nullptr;
    if (found == nullptr) return "it ends within its scan";
    at = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - file.data());
    const std::uint8_t code = file[at + 1];
    add_piece(begin, code == 0 ? at + 1 : at);
    if (pieces_.size() > most_pieces) return "too many stuffed zeros or restart markers";
    begin = at += 2;
    if (code == 0) continue;
    // A marker.
    JpegInterval& interval = intervals_.back();
    interval.end = static_cast<std::uint32_t>(bytes_);
    if (interval.begin == interval.end) return kMarkers;
    told.subsequences +=
        (interval.end - interval.begin + subsequence_bytes_ - 1) / subsequence_bytes_;
    const bool last = intervals_.size() == intervals;
    if (code !=
        (last ? jpeg_marker::kEndOfImage : jpeg_marker::kRestart0 + (intervals_.size() - 1) % 8))
      return kMarkers;
    if (last) break;
    intervals_.push_back({interval.end, interval.end, told.subsequences});
  }

  told.bytes = static_cast<std::uint32_t>(bytes_);
  told.subsequence_bits = 8 * subsequence_bytes_;
  told.intervals = static_cast<std::uint32_t>(intervals_.size());
  told.columns = groups.columns;
  told.rows = groups.rows;
  told.top = groups.top;
  told.bottom = groups.bottom;
  told.left = groups.left;
  told.right = groups.right;
  for (std::uint32_t i = 0; i < sample_.group_blocks; ++i) {
    const JpegGroupBlock& block = sample_.group[i];
    const std::uint32_t of = block.dc | (block.ac - 2u) << 1 | std::uint32_t{block.component} << 2;
    told.pattern |= of << 4 * i;
  }
  return nullptr;
}

}  // namespace sluice::device
