#include <sluice/cuda/jpeg/plan.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/orientation.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace sluice::device {

namespace {

const char* check_kind(const JpegHeader& header) {
  if (header.lossless) return "lossless";
  if (header.arithmetic) return "arithmetic coding";
  if (header.progressive) return "progressive";
  if (header.bits != 8) return "samples of more than 8 bits";
  if (header.components != 1 && header.components != 3) return "neither gray nor of three colors";
  return nullptr;
}

bool is_inside(const Rectangle& region, int height, int width) {
  return region.y >= 0 && region.x >= 0 && region.height >= 1 && region.width >= 1 &&
         region.height <= height && region.width <= width && region.y <= height - region.height &&
         region.x <= width - region.width;
}

int parts_of(int size, int parts) { return (size + parts - 1) / parts; }

}  // namespace

bool JpegPlan::make(const Bytes& file, const JpegHeader& header, const JpegIndexEntry* entry,
                    const std::optional<Rectangle>& region, const JpegOptions& options) {
  segments_.clear();
  intervals_.clear();
  pieces_.clear();
  bytes_ = 0;
  needed_ = {0, file.size()};
  tokens_ = nullptr;
  refusal_.clear();
  sample_ = {};
  try {
    const char* reason = plan(file, header, entry, region, options);
    if (reason != nullptr) refusal_ = reason;
    return reason == nullptr;
  } catch (const JpegError& error) {
    refusal_ = error.what();
    return false;
  }
}

bool JpegPlan::fetch(std::span<const std::uint8_t> file, const Device& device) {
  constexpr std::size_t kLine = JpegPiece::kLine;
  const bool lines = reinterpret_cast<std::uintptr_t>(file.data()) % kLine == 0;
  if (!lines || !device.reads(file.data(), file.size())) return false;
  if (sample_.unindexed.bytes == 0) {
    sample_.fetched = static_cast<std::uint32_t>(bytes_);
    sample_.pieces = static_cast<std::uint32_t>(pieces_.size());
    return true;
  }
  const std::size_t end = pieces_.back().begin + pieces_.back().bytes;
  fetched_from_ = pieces_.front().begin / kLine * kLine;
  sample_.fetched = static_cast<std::uint32_t>(
      std::min((end + kLine - 1) / kLine * kLine, file.size()) - fetched_from_);
  sample_.runs = static_cast<std::uint32_t>(pieces_.size());
  return true;
}

std::size_t JpegPlan::upload_bytes() const {
  const JpegTiles tiles = tiles_of(sample_);
  const std::size_t bytes =
      sample_.fetched > 0 ? sizeof(JpegPiece) * sample_.pieces + sizeof(JpegRun) * sample_.runs
                          : bytes_ + sizeof(std::uint32_t);
  const std::size_t tables = tokens_ != nullptr ? tokens_->tokens().size_bytes() : sizeof(Sources);
  return bytes + sizeof(JpegSample) + tables + sizeof(JpegSegment) * segments_.size() +
         sizeof(JpegInterval) * intervals_.size() +
         sizeof(std::uint32_t) *
             (1 + tiles.huffman + tiles.dct + tiles.pixels + tiles.subsequences + tiles.starts +
              tiles.fetch + tiles.unstuff + tiles.tokens);
}

std::size_t JpegPlan::scratch_bytes() const {
  const std::size_t fetched =
      sample_.fetched == 0
          ? 0
          : sample_.fetched + (sample_.runs > 0 ? bytes_ : 0) + 2 * JpegPiece::kLine;
  return sizeof(std::uint32_t) + sizeof(JpegCodes) + fetched +
         64 * (sizeof(std::int16_t) + 1) * sample_.blocks +
         (sizeof(JpegTally) + sizeof(JpegStart) + sizeof(JpegStates)) *
             sample_.unindexed.subsequences;
}

const char* JpegPlan::plan(const Bytes& file, const JpegHeader& header, const JpegIndexEntry* entry,
                           const std::optional<Rectangle>& region, const JpegOptions& options) {
  if (const char* reason = check_kind(header)) return reason;
  if (file.size() >> 32 != 0) return "4 GiB or more";
  // With `verify`, a region's file is read to its end, as if there was no JPEG index.
  const bool known = entry != nullptr && !entry->records.empty() && !(region && options.verify);
  const int channels = options.color == ColorSpace::rgb ? 3 : 1;
  if (std::int64_t{header.width} * header.height * channels > options.max_output_bytes)
    return "more pixels than max_output_bytes";

  const bool packed = is_packed_jpeg(file.prefix());
  if (packed) packed_.open(file.prefix());
  const std::span<const std::uint8_t> bytes = packed ? packed_.header() : file;
  JpegFileHeader from;
  const bool plain = read_plain(bytes, from) && from.height == header.height &&
                     from.width == header.width && from.components == header.components;
  if (!plain) {
    if (const char* reason = read_with_library(bytes, header, options, from)) return reason;
  }
  if (const char* reason = take_components(from)) return reason;
  if (packed) {
    sample_.coding = JpegCoding::tokens;
  } else if (const char* reason = take_codes(from)) {
    return reason;
  }

  sample_.channels = static_cast<std::uint8_t>(channels);
  sample_.shown = channels == 1 ? 1 : sample_.coded;
  sample_.orientation =
      static_cast<std::uint8_t>(options.apply_orientation ? header.orientation : 1);
  const bool swap = swaps_sides(sample_.orientation);
  const int height = swap ? stored_width_ : stored_height_;
  const int width = swap ? stored_height_ : stored_width_;
  const Rectangle wanted = region ? *region : Rectangle{0, 0, height, width};
  if (!is_inside(wanted, height, width)) return "the region does not lie inside the image";
  const Groups groups =
      lay_out(stored_region(wanted, sample_.orientation, stored_height_, stored_width_));
  if (packed) return find_packed_segments(file, groups, options.verify);
  return known ? find_segments(bytes, *entry, groups, from.first_byte)
               : find_intervals(bytes, groups, from.first_byte);
}

const char* JpegPlan::take_components(const JpegFileHeader& from) {
  stored_height_ = from.height;
  stored_width_ = from.width;
  sample_.coded = from.components;
  sample_.interval = from.interval;
  for (int i = 0; i < sample_.coded; ++i) {
    JpegComponent& component = sample_.components[i];
    const JpegFileHeader::Component& of = from.component[i];
    const bool alone = sample_.coded == 1;
    component.across = static_cast<std::uint8_t>(alone ? 1 : of.across);
    component.down = static_cast<std::uint8_t>(alone ? 1 : of.down);
    const std::uint16_t* const quantizers = from.find_quantizers(of.quantizers);
    if (quantizers == nullptr) return "a quantization table is missing";
    std::copy_n(quantizers, 64, component.quantizers);
  }
  return nullptr;
}

const char* JpegPlan::take_codes(const JpegFileHeader& from) {
  // Up to two tables of each kind, by their numbers in the file.
  int used[4] = {-1, -1, -1, -1};
  for (JpegCodeSource& source : sources_) source = {};
  for (int i = 0; i < sample_.coded; ++i) {
    for (int kind = 0; kind < 2; ++kind) {
      const int number = from.component[i].codes[kind];
      const JpegCodeSource* const source = from.find_codes(kind, number);
      if (source == nullptr) return "a Huffman table is missing";
      int slot = 2 * kind;
      if (used[slot] != -1 && used[slot] != number) ++slot;
      if (used[slot] != -1 && used[slot] != number) return "more than two Huffman tables of a kind";
      used[slot] = number;
      sources_[slot] = *source;
      (kind == 0 ? sample_.components[i].dc : sample_.components[i].ac) =
          static_cast<std::uint8_t>(slot);
    }
  }
  for (int slot = 0; slot < 4; ++slot) {
    if (used[slot] != -1 && !is_legal(sources_[slot], slot < 2)) return "an invalid Huffman table";
  }
  sources_hash_ = hash_of(sources_);
  return nullptr;
}

JpegPlan::Groups JpegPlan::lay_out(const Rectangle& stored) {
  const JpegComponent& first = sample_.components[0];
  const int across = first.across, down = first.down;  // 1 or 2
  const int half_width = parts_of(stored_width_, across),
            half_height = parts_of(stored_height_, down);
  if (sample_.shown == 3) {
    // libjpeg only repeats samples for very narrow images.
    const bool narrow = across == 2 && half_width <= 2;
    const JpegStretch stretch = narrow ? JpegStretch::repeat : JpegStretch::fancy;
    sample_.across = across == 2 ? stretch : JpegStretch::none;
    sample_.down = down == 2 ? stretch : JpegStretch::none;
  }
  // Returns the first and the last sample that are needed of a component of half (or full) size.
  const auto looked_at = [](int begin, int size, int parts, JpegStretch stretch, int last) {
    const int end = begin + size;
    if (stretch != JpegStretch::fancy) return std::pair(begin / parts, (end - 1) / parts);
    return std::pair(std::max(begin - 1, 0) / 2, std::min(end / 2, last));
  };
  const auto rows = looked_at(stored.y, stored.height, down, sample_.down, half_height - 1);
  const auto columns = looked_at(stored.x, stored.width, across, sample_.across, half_width - 1);
  Groups groups;
  groups.top = static_cast<std::uint32_t>(rows.first / 8);
  groups.bottom = static_cast<std::uint32_t>(rows.second / 8 + 1);
  groups.left = static_cast<std::uint32_t>(columns.first / 8);
  groups.right = static_cast<std::uint32_t>(columns.second / 8 + 1);
  groups.rows = static_cast<std::uint32_t>(parts_of(half_height, 8));
  groups.columns = static_cast<std::uint32_t>(parts_of(half_width, 8));

  const int top = static_cast<int>(groups.top) * 8, left = static_cast<int>(groups.left) * 8;
  for (int i = 0; i < sample_.shown; ++i) {
    JpegComponent& component = sample_.components[i];
    component.blocks_wide = (groups.right - groups.left) * component.across;
    component.blocks = component.blocks_wide * (groups.bottom - groups.top) * component.down;
    component.first_block = sample_.blocks;
    component.last_column = half_width - 1 - left;
    component.last_row = half_height - 1 - top;
    sample_.blocks += component.blocks;
  }
  for (int i = 0; i < sample_.coded; ++i) {
    const JpegComponent& component = sample_.components[i];
    for (std::uint32_t y = 0; y < component.down; ++y) {
      for (std::uint32_t x = 0; x < component.across; ++x) {
        JpegGroupBlock& block = sample_.group[sample_.group_blocks++];
        block.first = component.first_block + y * component.blocks_wide + x;
        block.row_step = component.down * component.blocks_wide;
        block.across = component.across;
        block.component = static_cast<std::uint8_t>(i);
        block.dc = component.dc;
        block.ac = component.ac;
      }
    }
  }
  sample_.x = stored.x - left * across;
  sample_.y = stored.y - top * down;
  sample_.width = stored.width;
  sample_.height = stored.height;
  return groups;
}

namespace {

constexpr const char* kDoesNotFit = "the index does not match the file";

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

const char* JpegPlan::find_packed_segments(const Bytes& file, const Groups& groups, bool all) {
  if (packed_.rows() != groups.rows || packed_.groups_per_row() != groups.columns)
    return "its header has another size than its rows";
  if (file.is_on_demand() && packed_.size() != file.size())
    return "it has another size than its head says";
  tokens_ = JpegTokenTables::all().find(packed_);
  const std::uint32_t first = all ? 0 : groups.top, end = all ? groups.rows : groups.bottom;
  // Pieces consist of whole lines.
  constexpr std::size_t kLine = JpegPiece::kLine;
  const ByteRange rows = packed_.range_of_rows(first, end - 1);
  needed_ = {rows.begin / kLine * kLine,
             std::min((rows.end + kLine - 1) / kLine * kLine, file.size())};
  const std::span<const std::uint8_t> bytes = bytes_of(file);
  for (std::uint32_t row = first; row < end; ++row)
    if (!packed_.is_sound(bytes, row)) return "a row of it has another checksum";

  const std::uint32_t grain = packed_.grain(), in_row = groups.left / grain;
  segments_.reserve((groups.bottom - groups.top) * ((groups.right - 1) / grain + 1 - in_row));
  Places places(pieces_, bytes.size());
  for (std::uint32_t row = groups.top; row < groups.bottom; ++row) {
    std::uint64_t at = packed_.range_of_rows(row, row).begin;
    for (std::uint32_t number = 0; number * grain < groups.right; ++number) {
      const std::uint64_t behind = at + packed_.segment_bytes(row, number);
      const std::uint32_t begin = number * grain, ends = std::min(begin + grain, groups.columns);
      if (number >= in_row) {
        JpegSegment& segment = segments_.emplace_back();
        if (!places.add(8 * at, 8 * behind, segment)) return "a segment of it is empty";
        segment.row = static_cast<std::uint16_t>(row - groups.top);
        segment.column = static_cast<std::int32_t>(begin) - static_cast<std::int32_t>(groups.left);
        segment.count = static_cast<std::uint16_t>(std::min(ends, groups.right) - begin);
        if (ends > groups.right) segment.bits_left = JpegSegment::kAnything;
      }
      at = behind;
    }
  }
  places.finish_piece(bytes.size());
  bytes_ = places.bytes();
  sample_.segments = static_cast<std::uint32_t>(segments_.size());
  return nullptr;
}

const char* JpegPlan::find_intervals(std::span<const std::uint8_t> file, const Groups& groups,
                                     std::size_t first_byte) {
  constexpr const char* kMarkers = "unexpected markers in its scan";
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
