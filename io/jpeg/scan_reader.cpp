#include <sluice/io/jpeg/scan_reader.h>

#include <algorithm>
#include <cstring>

namespace sluice {

void ScanReader::open(std::span<const std::uint8_t> file, std::span<const ByteRange> parts) {
  file_ = file;
  parts_ = parts;
  limit_ = 0;
  // A group that begins before the end may be read, and then the eight bytes of a refill.
  piece_.resize(kPiece + kGroupBytes + 16);
  stuffed_.reserve(kPiece);  // at most one for each byte of a piece
}

// Parts may touch or overlap.
std::size_t ScanReader::limit_of(std::size_t place) const {
  if (parts_.empty()) return file_.size();
  std::size_t limit = place;
  for (const ByteRange& part : parts_) {
    if (part.begin > limit) break;
    limit = std::max(limit, part.end);
  }
  return limit;
}

void ScanReader::seek(Place place, EntropyState& state, std::size_t bytes) noexcept {
  bytes = std::min(bytes, kPiece);
  const std::uint8_t* from = file_.data() + place.byte;
  limit_ = limit_of(place.byte);
  const std::uint8_t* const part_end = file_.data() + limit_;
  std::uint8_t* to = piece_.data();
  const std::uint8_t* const full = to + bytes;
  stuffed_.clear();
  passed_ = 0;
  at_end_ = false;
  origin_ = place.byte;
  bool part_ends = false;
  while (to < full && !at_end_ && !part_ends) {
    const auto most = static_cast<std::size_t>(std::min(part_end - from, full - to));
    const auto* found = static_cast<const std::uint8_t*>(std::memchr(from, 0xff, most));
    const std::size_t run = found != nullptr ? static_cast<std::size_t>(found - from) : most;
    std::memcpy(to, from, run);
    to += run;
    from += run;
    if (found == nullptr) {
      part_ends = from == part_end;
    } else if (from + 1 == part_end) {
      part_ends = true;
    } else if (from[1] == 0) {
      *to++ = 0xff;
      from += 2;
      stuffed_.push_back(static_cast<std::uint32_t>(to - piece_.data()));
    } else {
      at_end_ = true;
    }
  }
  at_end_ = at_end_ || (part_ends && limit_ == file_.size());
  size_ = static_cast<std::size_t>(to - piece_.data());
  end_ = static_cast<std::size_t>(from - file_.data());

  state.buffer = std::uint64_t{piece_[0]} << 56 << place.bit;
  state.count = 8 - place.bit;
  state.next = base() + 1;
  // At the end, a group may begin up to where a correct refill has moved `next`.
  const bool whole = at_end_ || part_ends || bytes < kPiece;
  state.stop = whole ? base() + size_ + 9 : base() + size_ - kGroupBytes;
}

bool ScanReader::is_cut() const {
  if (!at_end_) return false;
  const auto rest = file_.subspan(end_, limit_ - end_);
  const auto code =
      std::find_if(rest.begin(), rest.end(), [](std::uint8_t byte) { return byte != 0xff; });
  return code == rest.end() || *code == 0;
}

ScanReader::Place ScanReader::place(const EntropyState& state) {
  const std::size_t bits = static_cast<std::size_t>(state.next - base()) * 8 - state.count;
  const std::size_t byte = bits / 8;
  while (passed_ < stuffed_.size() && stuffed_[passed_] <= byte) ++passed_;
  return {origin_ + byte + passed_, static_cast<std::uint32_t>(bits % 8)};
}

std::int64_t ScanReader::bits_left(const EntropyState& state) const {
  return (base() + size_ - state.next) * 8 + state.count;
}

}  // namespace sluice
