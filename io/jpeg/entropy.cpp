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
// Errors: doubt() jumps out of libjpeg's step, to jpeg_guarded(). The reasons are codes that a
// baseline file cannot have, a wrong or missing marker, leftover bits, or an index that does not
// fit. decode.cpp and rows.cpp then decode the image again from its start: with the whole file if
// they used parts of it, else with libjpeg's own entropy decoder.
//
// Read give() first, then go_to().
#include <sluice/io/jpeg/entropy.h>
#include <sluice/io/jpeg/library_entropy.h>
#include <sluice/io/jpeg/markers.h>

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
  doubted_ = false;
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
  if (place.byte >= to || to > file_.size()) doubt();
  piece_end_ = bounded ? group_of(after) : kUnknown;
  seek(place, to - place.byte);
  std::copy(std::begin(from.predictors), std::end(from.predictors), state_.predictors);
  if (interval_ > 0) to_restart_ = interval_ - static_cast<std::uint32_t>(at_ % interval_);
}

// The library decodes files that end within their scan. It reads a little ahead of what it needs,
// and so may notice the end where we would not.
void JpegEntropy::seek(ScanReader::Place place, std::size_t bytes) {
  reader_.seek(place, state_, bytes);
  if (reader_.is_cut()) doubt();
}

void JpegEntropy::prepare() {
  if (interval_ > 0 && to_restart_ == 0) restart();
  if (at_ >= piece_end_) {
    piece_end_ = kUnknown;
    seek(reader_.place(state_));
  }
  if (state_.next >= state_.stop) {
    if (reader_.at_end()) doubt();
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
  if (state_.doubt != 0 || reader_.bits_left(state_) < 0) doubt();
}

// Between two restart markers all bytes must be used up, and the marker must have the next number.
void JpegEntropy::restart() {
  if (!reader_.at_end()) seek(reader_.place(state_));
  const std::size_t marker = reader_.end();
  const auto turn = static_cast<std::uint8_t>((at_ / interval_ - 1) % 8);
  if (!reader_.at_end() || reader_.bits_left(state_) >= 8 || marker + 2 > reader_.limit() ||
      file_[marker] != 0xff || file_[marker + 1] != jpeg_marker::kRestart0 + turn) {
    doubt();
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
    doubt();
  }
  info_->src->next_input_byte = file_.data() + reader_.end();
  info_->src->bytes_in_buffer = file_.size() - reader_.end();
}

void JpegEntropy::doubt() {
  doubted_ = true;
  errors_->fail(reinterpret_cast<j_common_ptr>(info_), "left to the library");
}

}  // namespace sluice
