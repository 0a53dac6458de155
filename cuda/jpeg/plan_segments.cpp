#include <sluice/cuda/jpeg/plan.h>

#include <algorithm>
#include <cstring>

namespace sluice::device {
namespace {

constexpr const char* kDoesNotFit = "what the index says does not fit the file";

// The marker that ends the scan; the file's size when there is none.
std::size_t find_end(std::span<const std::uint8_t> file, std::size_t at, bool restarts) {
  while (at + 1 < file.size()) {
    const void* found = std::memchr(file.data() + at, 0xff, file.size() - at - 1);
    if (found == nullptr) break;
    at = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - file.data());
    const bool goes_on = file[at + 1] == 0 || (restarts && (file[at + 1] & 0xf8) == 0xd0);
    if (!goes_on) return at;
    at += 2;
  }
  return file.size();
}

}  // namespace

const char* JpegPlan::find_segments(std::span<const std::uint8_t> file, const JpegIndexEntry& entry,
                                    const Groups& groups, std::size_t first_byte) {
  const std::uint64_t per_row = entry.per_row, grain = entry.grain;
  const std::uint64_t all = per_row * groups.rows;
  const std::span<const JpegIndexRecord> records = entry.records;
  if (grain == 0 || per_row != (groups.columns + grain - 1) / grain || records.size() > all ||
      records[0].place / 8 < first_byte)
    return kDoesNotFit;
  // A segment ends where the next one begins, the last one with a complete file.
  const bool complete = entry.complete && records.size() == all;
  const std::uint64_t known = records.size() - (complete ? 0 : 1);
  const std::uint64_t left = groups.left / grain, right = (groups.right + grain - 1) / grain;
  segments_.reserve((groups.bottom - groups.top) * (right - left));
  for (std::uint32_t row = groups.top; row < groups.bottom; ++row) {
    for (std::uint64_t in_row = left; in_row < right; ++in_row) {
      const std::uint64_t number = row * per_row + in_row;
      if (number >= known) return find_intervals(file, groups, first_byte);
      const bool last = number + 1 == all;
      const std::uint64_t begin = in_row * grain;
      const std::uint64_t end = std::min<std::uint64_t>(begin + grain, groups.columns);
      const std::uint64_t from = records[number].place;
      const std::uint64_t to =
          last ? std::uint64_t{find_end(file, from / 8, sample_.interval > 0)} * 8
               : records[number + 1].place;

      // In its place, since a copy would have to wait for all that is written.
      JpegSegment& segment = segments_.emplace_back();
      segment.row = static_cast<std::uint16_t>(row - groups.top);
      segment.column = static_cast<std::int32_t>(begin) - static_cast<std::int32_t>(groups.left);
      segment.count =
          static_cast<std::uint16_t>(std::min<std::uint64_t>(end, groups.right) - begin);
      std::copy_n(records[number].predictors, 3, segment.predictors);
      if (!last) std::copy_n(records[number + 1].predictors, 3, segment.predictors_left);
      segment.bits_left = end > groups.right ? JpegSegment::kAnything
                          : last             ? JpegSegment::kBelowAByte
                                             : static_cast<std::uint8_t>((8 - to % 8) % 8);
      if (sample_.interval > 0) {
        const std::uint64_t at = std::uint64_t{row} * groups.columns + begin;
        segment.to_restart = static_cast<std::uint16_t>(sample_.interval - at % sample_.interval);
        segment.turn = static_cast<std::uint8_t>(at / sample_.interval % 8);
        segment.marker_ends = !last && end <= groups.right;
      }
      if (!place_segment(file.size(), from, to, segment)) return kDoesNotFit;
    }
  }
  sample_.segments = static_cast<std::uint32_t>(segments_.size());
  return nullptr;
}

bool JpegPlan::place_segment(std::size_t file_bytes, std::uint64_t from, std::uint64_t to,
                             JpegSegment& segment) {
  const std::size_t begin = from / 8;
  std::size_t end = (to + 7) / 8;
  if (begin >= end || end > file_bytes || (!pieces_.empty() && begin < pieces_.back().begin))
    return false;
  // A stuffed zero belongs to the byte before it. Whether it is one is for the device to see: the
  // host would wait for each of these bytes to come from memory.
  segment.zero_ends = to % 8 != 0 && end < file_bytes;
  if (segment.zero_ends) ++end;
  // In whole lines, so that neighbours become one.
  constexpr std::size_t kLine = JpegPiece::kLine;
  const std::size_t first = begin / kLine * kLine;
  const std::size_t behind = std::min((end + kLine - 1) / kLine * kLine, file_bytes);
  if (pieces_.empty() || first > pieces_.back().begin + pieces_.back().bytes)
    pieces_.push_back({first, 0, bytes_});
  Piece& piece = pieces_.back();
  piece.bytes = std::max(piece.bytes, behind - piece.begin);
  bytes_ = piece.at + piece.bytes;
  segment.begin = static_cast<std::uint32_t>(piece.at + begin - piece.begin);
  segment.end = static_cast<std::uint32_t>(piece.at + end - piece.begin);
  segment.bits_behind = static_cast<std::uint8_t>(from % 8);
  return true;
}

}  // namespace sluice::device
