// JpegEntropy: decodes only the groups of blocks that the output needs. entropy.h has the contract.
//
// Problem: libjpeg asks for every group of the scan in order, and even decodes those that it drops.
// Codes differ in length, and each DC coefficient is coded as a difference. So a group's start and
// its DC predictors depend on all groups before it.
//
// Example: an image has 4 rows of 6 groups. A crop needs columns 2 and 3 of rows 1 and 2: groups 8,
// 9, 14 and 15. The JPEG index has the reader's state before every third group: 0, 3, 6, ..., 21.
//
//     row 0     0 - 5      not read
//     row 1     6   7      skipped: read from the record of group 6, but not stored
//               8   9      decoded into libjpeg's blocks
//               10  11     not read
//     row 2     12 - 17    the same, from the record of group 12
//
// 1. libjpeg calls decode_mcu() for each group, and passes no blocks in rows that it skips. give()
//    counts the call in `asked_`. If the group is not needed, it reads nothing.
// 2. `at_` is the group that the reader reads next. For a needed group, go_to() moves `at_` there.
//    It jumps to the last record up to that group, if this record is ahead. Then it skips groups:
//    it reads their codes, and keeps only the position and the predictors.
// 3. prepare() provides the next bytes (see ScanReader), and reads a restart marker if one is due.
//    A jump provides bytes only up to the record behind the last needed column.
// 4. At the end of a row, libjpeg counts the row as read. So give() reads the rest of it to find
//    damage, unless the index vouches for the row. It does if it has a record of the next row, or
//    if the entry is complete. Without an index, no group is jumped over.
// 5. finish() reads up to the marker after the scan. It then sets libjpeg's source to this marker.
//
// Invariants:
// - Between two calls of give(), at_ <= asked_. The reader never moves back.
// - `state_` and `to_restart_` belong to group `at_`.
// - A skip ends at a restart marker, at the next record to note, and at the end of the provided
//   bytes. So none of these is passed over.
// - Only attach() and record() allocate, because no exception may cross libjpeg. If the reserved
//   records are used up, note() stops recording.
// - One thread uses the object; there are no locks.
//
// Errors: fall_back_to_libjpeg() jumps out of libjpeg's step, to jpeg_guarded(). The reasons are
// codes that a baseline file cannot have, a wrong or missing marker, leftover bits, or an index
// that does not fit. decode.cpp and rows.cpp then decode the image again from its start: with the
// whole file if they used parts of it, else with libjpeg's own entropy decoder.
//
// Read give() first, then go_to().
#include <sluice/io/jpeg/entropy.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/libjpeg.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace sluice {
namespace {

bool is_ordinary(jpeg_decompress_struct& info) {
  return info.progressive_mode == FALSE && info.arith_code == FALSE && info.data_precision == 8 &&
         info.comps_in_scan == info.num_components && info.num_components <= 4 &&
         info.blocks_in_MCU <= 10 && info.Ss == 0 && info.Se == 63 && info.Ah == 0 &&
         info.Al == 0 && info.unread_marker == 0;
}

int pixels_of(int sampling, const jpeg_decompress_struct& info) {
  const int blocks = info.num_components == 1 ? 1 : sampling;
  return blocks * DCTSIZE * static_cast<int>(info.scale_num) / static_cast<int>(info.scale_denom);
}
}  // namespace

int jpeg_group_width(const jpeg_decompress_struct& info) {
  return pixels_of(info.max_h_samp_factor, info);
}
int jpeg_group_height(const jpeg_decompress_struct& info) {
  return pixels_of(info.max_v_samp_factor, info);
}

const HuffmanLookup* JpegEntropy::lookup(Table& table, const JHUFF_TBL& source,
                                         HuffmanLookup::Kind kind) {
  const bool same = table.built &&
                    std::memcmp(table.source.bits, source.bits, sizeof(source.bits)) == 0 &&
                    std::memcmp(table.source.huffval, source.huffval, sizeof(source.huffval)) == 0;
  if (!same) {
    table.lookup.build(source, kind);
    table.source = source;
    table.built = true;
  }
  return &table.lookup;
}

bool JpegEntropy::fits(const jpeg_decompress_struct& info, const JpegIndexEntry& known) {
  return !known.records.empty() && known.grain > 0 &&
         known.per_row == (info.MCUs_per_row + known.grain - 1) / known.grain &&
         known.records.size() <= std::uint64_t{known.per_row} * info.MCU_rows_in_scan;
}

bool JpegEntropy::attach(jpeg_decompress_struct& info, std::span<const std::uint8_t> file,
                         JpegErrors& errors, const JpegIndexEntry* index,
                         std::span<const ByteRange> parts) {
  fell_back_ = false;
  notes_ = nullptr;
  if (!is_ordinary(info)) return false;
  const std::uint8_t* const begin = info.src->next_input_byte;
  if (begin < file.data() || begin > file.data() + file.size()) return false;

  state_ = EntropyState{};
  state_.blocks = info.blocks_in_MCU;
  for (int i = 0; i < info.blocks_in_MCU; ++i) {
    const int component = info.MCU_membership[i];
    const jpeg_component_info& of = *info.cur_comp_info[component];
    EntropyState::Block& block = state_.block[i];
    block.dc =
        lookup(dc_[of.dc_tbl_no], *info.dc_huff_tbl_ptrs[of.dc_tbl_no], HuffmanLookup::Kind::dc);
    block.ac =
        lookup(ac_[of.ac_tbl_no], *info.ac_huff_tbl_ptrs[of.ac_tbl_no], HuffmanLookup::Kind::ac);
    block.component = static_cast<std::uint32_t>(component);
    block.needed = of.component_needed != FALSE;
  }
  info_ = &info;
  errors_ = &errors;
  file_ = file;
  per_row_ = info.MCUs_per_row;
  groups_ = std::uint64_t{per_row_} * info.MCU_rows_in_scan;
  first_column_ = 0;
  last_column_ = per_row_ - 1;
  column_ = 0;
  asked_ = 0;
  at_ = 0;
  piece_end_ = kUnknown;
  interval_ = info.restart_interval;
  to_restart_ = interval_;
  index_ = index != nullptr && fits(info, *index) ? index : nullptr;
  vouched_ = 0;
  if (index_ != nullptr) {
    // A row is known to be sound once the next one has a record.
    vouched_ =
        index_->complete ? groups_ : (index_->records.size() - 1) / index_->per_row * per_row_;
  }
  const auto first_code = static_cast<std::size_t>(begin - file.data());
  // The scan must begin where the index says.
  if (!parts.empty() && (index_ == nullptr || index_->records.front().place != first_code * 8))
    return false;
  reader_.open(file, parts);
  reader_.seek({first_code, 0}, state_);
  if (reader_.is_cut()) return false;

  info.client_data = this;
  reinterpret_cast<LibraryEntropy*>(info.entropy)->decode_mcu = decode_mcu;
  return true;
}

void JpegEntropy::set_columns(JDIMENSION left, JDIMENSION width) {
  const auto group = static_cast<JDIMENSION>(jpeg_group_width(*info_));
  first_column_ = left / group;
  last_column_ = std::min((left + width - 1) / group, per_row_ - 1);
}

void JpegEntropy::record(JpegIndexNotes& notes, std::uint32_t rows,
                         std::span<const JpegIndexRecord> known) {
  // For upsampling, the library may read a row more than is needed.
  const std::uint64_t read = std::min<std::uint64_t>(rows + 1, groups_ / per_row_);
  notes.records.reserve(std::max<std::size_t>(read * notes.per_row, known.size()));
  notes.records.assign(known.begin(), known.end());
  next_note_ = known.size() / notes.per_row * per_row_ + known.size() % notes.per_row * notes.grain;
  notes_ = &notes;
}

boolean JpegEntropy::decode_mcu(j_decompress_ptr info, JBLOCKROW* blocks) noexcept {
  static_cast<JpegEntropy*>(info->client_data)->give(blocks);
  return TRUE;
}

void JpegEntropy::give(JBLOCKROW* blocks) {
  if (blocks != nullptr && column_ >= first_column_ && column_ <= last_column_) {
    if (at_ != asked_) go_to(asked_);
    prepare();
    decode_group(state_, blocks);
    ++at_;
    --to_restart_;
    check();
  }
  ++asked_;
  if (++column_ < per_row_) return;
  column_ = 0;
  // Find damage in this row now.
  if (asked_ > vouched_) go_to(asked_);
}

std::uint64_t JpegEntropy::group_of(std::size_t record) const {
  return std::uint64_t{record / index_->per_row} * per_row_ +
         record % index_->per_row * index_->grain;
}

void JpegEntropy::go_to(std::uint64_t group) {
  if (index_ != nullptr) {
    const std::size_t wanted = static_cast<std::size_t>(group / per_row_ * index_->per_row +
                                                        group % per_row_ / index_->grain);
    const std::size_t known = std::min(wanted, index_->records.size() - 1);
    if (group_of(known) > at_) jump(known);
  }
  while (at_ < group) {
    prepare();
    std::uint64_t most = group - at_;
    if (interval_ > 0) most = std::min<std::uint64_t>(most, to_restart_);
    if (notes_ != nullptr && next_note_ > at_) most = std::min(most, next_note_ - at_);
    if (piece_end_ > at_) most = std::min(most, piece_end_ - at_);
    const std::uint32_t done = skip_groups(state_, static_cast<std::uint32_t>(most));
    at_ += done;
    to_restart_ -= done;
    check();
  }
}

void JpegEntropy::jump(std::size_t record) {
  at_ = group_of(record);
  const std::uint64_t end = at_ / per_row_ * per_row_ + last_column_ + 1;
  std::size_t after = record + 1;
  while (after < index_->records.size() && group_of(after) < end) ++after;
  const bool bounded = after < index_->records.size();
  const JpegIndexRecord& from = index_->records[record];
  const ScanReader::Place place{from.place / 8, from.place % 8};
  const std::size_t to = bounded ? index_->records[after].place / 8 + 1 : file_.size();
  if (place.byte >= to || to > file_.size()) fall_back_to_libjpeg();
  piece_end_ = bounded ? group_of(after) : kUnknown;
  seek(place, to - place.byte);
  std::copy(std::begin(from.predictors), std::end(from.predictors), state_.predictors);
  if (interval_ > 0) to_restart_ = interval_ - static_cast<std::uint32_t>(at_ % interval_);
}

// The library decodes files that end within their scan. It reads a little ahead of what it needs,
// and so may notice the end where we would not.
void JpegEntropy::seek(ScanReader::Place place, std::size_t bytes) {
  reader_.seek(place, state_, bytes);
  if (reader_.is_cut()) fall_back_to_libjpeg();
}

void JpegEntropy::prepare() {
  if (interval_ > 0 && to_restart_ == 0) restart();
  if (at_ >= piece_end_) {
    piece_end_ = kUnknown;
    seek(reader_.place(state_));
  }
  if (state_.next >= state_.stop) {
    if (reader_.at_end()) fall_back_to_libjpeg();
    seek(reader_.place(state_));
  }
  if (notes_ != nullptr && at_ == next_note_) note();
}

void JpegEntropy::note() {
  const ScanReader::Place place = reader_.place(state_);
  const bool full = notes_->records.size() == notes_->records.capacity();
  if (full || place.byte >= std::size_t{1} << 29) {
    notes_ = nullptr;
    return;
  }
  JpegIndexRecord record;
  record.place = static_cast<std::uint32_t>(place.byte * 8 + place.bit);
  std::copy(std::begin(state_.predictors), std::end(state_.predictors), record.predictors);
  notes_->records.push_back(record);
  const std::uint64_t row_end = at_ / per_row_ * per_row_ + per_row_;
  next_note_ = std::min(at_ + notes_->grain, row_end);
}

void JpegEntropy::check() {
  if (state_.doubt != 0 || reader_.bits_left(state_) < 0) fall_back_to_libjpeg();
}

// Between two restart markers all bytes must be used up, and the marker must have the next number.
void JpegEntropy::restart() {
  if (!reader_.at_end()) seek(reader_.place(state_));
  const std::size_t marker = reader_.end();
  const auto turn = static_cast<std::uint8_t>((at_ / interval_ - 1) % 8);
  if (!reader_.at_end() || reader_.bits_left(state_) >= 8 || marker + 2 > reader_.limit() ||
      file_[marker] != 0xff || file_[marker + 1] != jpeg_marker::kRestart0 + turn) {
    fall_back_to_libjpeg();
  }
  piece_end_ = kUnknown;
  seek({marker + 2, 0});
  std::fill(std::begin(state_.predictors), std::end(state_.predictors), 0);
  to_restart_ = interval_;
}

void JpegEntropy::finish() {
  go_to(groups_);
  if (!reader_.at_end()) seek(reader_.place(state_));
  if (!reader_.at_end() || reader_.bits_left(state_) >= 8 || reader_.end() + 2 > file_.size()) {
    fall_back_to_libjpeg();
  }
  info_->src->next_input_byte = file_.data() + reader_.end();
  info_->src->bytes_in_buffer = file_.size() - reader_.end();
}

void JpegEntropy::require_end_of_image() {
  const std::size_t marker = reader_.end();
  if (file_[marker] != 0xff || file_[marker + 1] != jpeg_marker::kEndOfImage)
    fall_back_to_libjpeg();
}

void JpegEntropy::fall_back_to_libjpeg() {
  fell_back_ = true;
  errors_->fail(reinterpret_cast<j_common_ptr>(info_), "left to the library");
}

namespace {

constexpr std::uint32_t entry(std::uint32_t step, std::uint32_t size, std::uint32_t doubtful) {
  return size | step << 8 | size << 16 | doubtful << 31;
}

constexpr std::uint32_t with_code(std::uint32_t symbol, std::uint32_t length) {
  return symbol + (length << 24 | length);
}

std::uint32_t symbol_entry(std::uint8_t value, HuffmanLookup::Kind kind) {
  const std::uint32_t size = value & 15;
  if (kind == HuffmanLookup::Kind::dc) {
    return value <= 11 ? entry(1, size, 0) : entry(1, 0, 1);
  }
  const std::uint32_t run = value >> 4;
  if (size > 10) return entry(HuffmanLookup::kDoubtful, 0, 1);
  if (size == 0 && run != 15) return entry(HuffmanLookup::kEndOfBlock, 0, 0);
  return entry(run + 1, size, 0);
}

// Returns an entry as a pair.
constexpr std::uint64_t alone(std::uint32_t entry) {
  const std::uint64_t total = entry & 255, step = entry >> 8 & 255, size = entry >> 16 & 63;
  const std::uint64_t code = entry >> 24 & 63;
  return total | step << 8 | step << 16 | (63 - size) << 24 | code << 32 | total << 40;
}

// Returns what `entry` adds to the first symbol of a pair, as the second symbol.
constexpr std::uint64_t as_second(std::uint32_t entry) {
  const std::uint64_t total = entry & 255, step = entry >> 8 & 255, size = entry >> 16 & 63;
  const std::uint64_t code = entry >> 24 & 63;
  return total | step << 16 | (63 - size) << 24 | code << 32;
}

// Returns `entry` as the first symbol of a pair; its extra bits are `extra`.
constexpr std::uint64_t as_first(std::uint32_t entry, std::uint32_t extra) {
  const std::uint64_t total = entry & 255, step = entry >> 8 & 255;
  const std::uint32_t size = entry >> 16 & 63;
  const bool negative = size > 0 && extra >> (size - 1) == 0;
  const std::uint32_t value = negative ? extra + 1 - (1U << size) : extra;
  return total | step << 8 | step << 16 | total << 32 | total << 40 | std::uint64_t{value} << 48;
}

}  // namespace

void HuffmanLookup::build(const JHUFF_TBL& table, Kind kind) {
  std::fill(std::begin(entries), std::end(entries), 0);
  std::fill(std::begin(symbols), std::end(symbols), symbol_entry(kind == Kind::dc ? 15 : 11, kind));
  std::uint32_t code = 0;
  std::uint32_t index = 0;
  for (std::uint32_t length = 1; length <= 16; ++length) {
    offset[length] = static_cast<std::int32_t>(index) - static_cast<std::int32_t>(code);
    const std::uint32_t count = table.bits[length];
    for (std::uint32_t i = 0; i < count && index < 256; ++i, ++code, ++index) {
      symbols[index] = symbol_entry(table.huffval[index], kind);
      if (length > kBits) continue;
      const std::uint32_t spare = kBits - length;
      std::fill_n(entries + (code << spare), std::size_t{1} << spare,
                  with_code(symbols[index], length));
    }
    max_code[length] = code << (16 - length);
    code <<= 1;
  }
  if (kind == Kind::ac) build_pairs();
}

void HuffmanLookup::build_pairs() {
  // For each symbol whose code fits in kBits bits: what it adds as the second symbol. 0 for all
  // others.
  std::uint64_t seconds[1 << kBits];
  for (std::uint32_t i = 0; i < std::size(entries); ++i) {
    const std::uint32_t entry = entries[i];
    seconds[i] = entry == 0 || entry >> 31 != 0 ? 0 : as_second(entry);
  }
  std::fill(std::begin(pairs), std::end(pairs), kLongCode);
  for (std::uint32_t at = 0; at < std::size(entries);) {
    const std::uint32_t entry = entries[at];
    const std::uint32_t code = entry >> 24 & 63, size = entry >> 16 & 63, step = entry >> 8 & 255;
    const std::uint32_t begin = at << (kPairBits - kBits);
    if (entry == 0) {
      ++at;
      continue;
    }
    at += 1U << (kBits - code);
    const std::uint32_t end = at << (kPairBits - kBits);
    std::fill(pairs + begin, pairs + end, alone(entry));
    const int spare = kPairBits - static_cast<int>(code + size);
    if (spare < 1 || step > 16) continue;
    for (std::uint32_t extra = 0; extra < 1U << size; ++extra) {
      const std::uint64_t first = as_first(entry, extra);
      std::uint64_t* const to = pairs + begin + (extra << spare);
      for (std::uint32_t rest = 0; rest < 1U << spare; ++rest) {
        const std::uint64_t second = seconds[rest << kBits >> spare];
        if (second != 0 && (second >> 32) <= static_cast<std::uint64_t>(spare))
          to[rest] = first + second;
      }
    }
  }
}

std::uint32_t HuffmanLookup::find_long(std::uint64_t buffer) const noexcept {
  const auto next = static_cast<std::uint32_t>(buffer >> 48);
  for (std::uint32_t length = kBits + 1; length <= 16; ++length) {
    if (next >= max_code[length]) continue;
    const auto code = static_cast<std::int32_t>(next >> (16 - length));
    return with_code(symbols[(code + offset[length]) & 255], length);
  }
  return entry(kDoubtful, 0, 1);
}

std::uint64_t HuffmanLookup::find_long_alone(std::uint64_t buffer) const noexcept {
  return alone(find_long(buffer));
}

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
