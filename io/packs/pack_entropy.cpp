#include <sluice/io/jpeg/entropy.h>
#include <sluice/io/packs/pack_entropy.h>

#include <algorithm>
#include <cstdio>

namespace sluice {

const PackedJpeg& PackEntropy::open(std::span<const std::uint8_t> bytes) {
  packed_.open(bytes);
  return packed_;
}

void PackEntropy::attach(jpeg_decompress_struct& info, JpegErrors& errors,
                         std::span<const std::uint8_t> whole, std::uint32_t first,
                         std::uint32_t last, bool verify) {
  if (info.MCUs_per_row != packed_.groups_per_row() || info.MCU_rows_in_scan != packed_.rows() ||
      info.comps_in_scan != info.num_components || info.progressive_mode != FALSE ||
      info.arith_code != FALSE || jpeg_has_multiple_scans(&info) != FALSE)
    throw PackError("the packed JPEG is damaged: its header has another size than its rows");
  if (verify) packed_.check_rows(whole);
  if (!tokens_ || tokens_checksum_ != packed_.dictionary_checksum() ||
      !tokens_->is_of(packed_.dictionary())) {
    tokens_.emplace(packed_.tokens());
    tokens_checksum_ = packed_.dictionary_checksum();
  }
  layout_ = {};
  layout_.blocks = info.blocks_in_MCU;
  for (int i = 0; i < info.blocks_in_MCU; ++i) {
    const int component = info.MCU_membership[i];
    layout_.block[i].component = static_cast<std::uint8_t>(component);
    layout_.block[i].needed = info.cur_comp_info[component]->component_needed != FALSE;
  }
  whole_ = whole;
  info_ = &info;
  errors_ = &errors;
  first_row_ = first;
  last_row_ = last;
  first_column_ = 0;
  last_column_ = packed_.groups_per_row() - 1;
  row_ = column_ = 0;
  reads_ = false;
  info.client_data = this;
  reinterpret_cast<LibraryEntropy*>(info.entropy)->decode_mcu = decode_mcu;
}

void PackEntropy::set_columns(JDIMENSION left, JDIMENSION width) {
  const auto group = static_cast<JDIMENSION>(jpeg_group_width(*info_));
  first_column_ = left / group;
  last_column_ = std::min((left + width - 1) / group, packed_.groups_per_row() - 1);
}

boolean PackEntropy::decode_mcu(j_decompress_ptr info, JBLOCKROW* blocks) noexcept {
  static_cast<PackEntropy*>(info->client_data)->give(blocks);
  return TRUE;
}

void PackEntropy::give(JBLOCKROW* blocks) {
  if (blocks != nullptr && column_ >= first_column_ && column_ <= last_column_) {
    go_to_column();
    unpack_group(*tokens_, reader_, layout_, blocks);
    ++at_;
    // All bytes of a segment must be used up.
    const bool ends = at_ == std::min(begin_ + packed_.grain(), packed_.groups_per_row());
    if (reader_.doubt || (ends && !has_ended(reader_))) fail("its tokens are damaged");
  }
  if (++column_ < packed_.groups_per_row()) return;
  column_ = 0;
  ++row_;
}

void PackEntropy::go_to_column() {
  const std::uint32_t begin = column_ / packed_.grain() * packed_.grain();
  if (!reads_ || in_ != row_ || begin_ != begin || at_ > column_) {
    if (row_ < first_row_ || row_ > last_row_) fail("a row of it was not read");
    if ((!reads_ || in_ != row_) && !packed_.is_sound(whole_, row_))
      fail("a row of it has another checksum");
    begin_segment(reader_, packed_.segment(whole_, row_, begin / packed_.grain()));
    reads_ = true;
    in_ = row_;
    begin_ = at_ = begin;
  }
  if (at_ == column_) return;
  skip_groups(*tokens_, reader_, layout_, column_ - at_);
  at_ = column_;
}

void PackEntropy::fail(const char* what) {
  char message[JMSG_LENGTH_MAX];
  std::snprintf(message, sizeof message, "the packed JPEG is damaged: %s", what);
  errors_->fail(reinterpret_cast<j_common_ptr>(info_), message);
}

}  // namespace sluice
