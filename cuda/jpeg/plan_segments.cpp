#include <sluice/cuda/jpeg/plan.h>
#include <sluice/io/jpeg/markers.h>

#include <algorithm>
#include <cstring>

namespace sluice::device {
namespace {

constexpr const char* kDoesNotFit = "what the index says does not fit the file";

// Returns the position of the marker that ends the scan, or the file's size if there is none.
std::size_t find_end(std::span<const std::uint8_t> file, std::size_t at, bool restarts) {
  while (at + 1 < file.size()) {
    const void* found = std::memchr(file.data() + at, 0xff, file.size() - at - 1);
    if (found == nullptr) break;
    at = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - file.data());
    const bool goes_on =
        file[at + 1] == 0 || (restarts && (file[at + 1] & 0xf8) == jpeg_marker::kRestart0);
    if (!goes_on) return at;
    at += 2;
  }
  return file.size();
}

// Assigns segments to positions in the uploaded or fetched bytes, in whole lines, so that neighbors
// become one piece.
class Places {
 public:
  Places(std::vector<JpegPlan::Piece>& pieces, std::size_t file_bytes)
      : pieces_(pieces), file_bytes_(file_bytes) {}

  // Adds the bits from `from` to `to` of the file; false if that is impossible.
  bool add(std::uint64_t from, std::uint64_t to, JpegSegment& segment) {
    constexpr std::size_t kLine = JpegPiece::kLine;
    const std::size_t begin = from / 8, end = (to + 7) / 8;
    if (begin >= end || end > file_bytes_ || begin < begin_) return false;
    // A stuffed zero belongs to the byte before it. The device checks for it: the host would wait
    // for each of these bytes to arrive from memory.
    const bool zero_ends = to % 8 != 0 && end < file_bytes_;
    const std::size_t behind = end + (zero_ends ? 1 : 0), line = begin / kLine * kLine;
    if (line > end_) finish_piece(line);
    end_ = std::max(end_, std::min((behind + kLine - 1) / kLine * kLine, file_bytes_));
    segment.begin = static_cast<std::uint32_t>(at_ + begin - begin_);
    segment.end = static_cast<std::uint32_t>(at_ + behind - begin_);
    segment.bits_behind = static_cast<std::uint8_t>(from % 8);
    segment.zero_ends = zero_ends;
    return true;
  }
  // Ends the piece; the next one begins at this line of the file.
  void finish_piece(std::size_t next) {
    if (end_ > begin_) pieces_.push_back({begin_, end_ - begin_, at_});
    at_ += end_ - begin_;
    begin_ = end_ = next;
  }
  // The bytes of the finished pieces.
  std::size_t bytes() const { return at_; }

 private:
  std::vector<JpegPlan::Piece>& pieces_;
  std::size_t file_bytes_;
  std::size_t begin_ = 0, end_ = 0;  // of the current piece, in the file
  std::size_t at_ = 0;
};

}  // namespace

const char* JpegPlan::find_segments(std::span<const std::uint8_t> file, const JpegIndexEntry& entry,
                                    const Groups& groups, std::size_t first_byte) {
  const std::uint32_t grain = entry.grain, columns = groups.columns, interval = sample_.interval;
  const std::uint64_t per_row = entry.per_row, all = per_row * groups.rows;
  const std::span<const JpegIndexRecord> records = entry.records;
  if (grain == 0 || per_row != (std::uint64_t{columns} + grain - 1) / grain ||
      records.size() > all || records[0].place / 8 < first_byte)
    return kDoesNotFit;
  // A segment ends where the next one begins. The end of the last one is known only in a complete
  // file.
  const bool complete = entry.complete && records.size() == all;
  const std::uint64_t known = records.size() - (complete ? 0 : 1);
  const std::uint32_t in_row = groups.left / grain;
  const std::uint64_t behind = (std::uint64_t{groups.right} + grain - 1) / grain;
  segments_.resize((groups.bottom - groups.top) * (behind - in_row));
  JpegSegment* next = segments_.data();
  Places places(pieces_, file.size());
  for (std::uint32_t row = groups.top; row < groups.bottom; ++row) {
    std::uint64_t number = row * per_row + in_row;
    for (std::uint64_t begin = std::uint64_t{in_row} * grain; begin < groups.right;
         begin += grain, ++number) {
      if (number >= known) return find_intervals(file, groups, first_byte);
      const JpegIndexRecord* const record = &records[number];
      const bool last = number + 1 == all;
      const std::uint64_t end = std::min<std::uint64_t>(begin + grain, columns);
      const std::uint64_t to =
          last ? std::uint64_t{find_end(file, record->place / 8, interval > 0)} * 8
               : record[1].place;
      JpegSegment& segment = *next++;
      if (!places.add(record->place, to, segment)) return kDoesNotFit;
      segment.row = static_cast<std::uint16_t>(row - groups.top);
      segment.column = static_cast<std::int32_t>(begin) - static_cast<std::int32_t>(groups.left);
      segment.count =
          static_cast<std::uint16_t>(std::min<std::uint64_t>(end, groups.right) - begin);
      std::copy_n(record->predictors, 3, segment.predictors);
      if (!last) std::copy_n(record[1].predictors, 3, segment.predictors_left);
      segment.bits_left = end > groups.right ? JpegSegment::kAnything
                          : last             ? JpegSegment::kBelowAByte
                                             : static_cast<std::uint8_t>((8 - to % 8) % 8);
      if (interval == 0) continue;
      const std::uint64_t at = std::uint64_t{row} * columns + begin;
      segment.to_restart = static_cast<std::uint16_t>(interval - at % interval);
      segment.turn = static_cast<std::uint8_t>(at / interval % 8);
      segment.marker_ends = !last && end <= groups.right;
    }
  }
  places.finish_piece(file.size());
  bytes_ = places.bytes();
  sample_.segments = static_cast<std::uint32_t>(segments_.size());
  return nullptr;
}

}  // namespace sluice::device
