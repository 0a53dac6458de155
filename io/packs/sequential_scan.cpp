// A row of groups is written in two steps. First, its codes are put together as a sequence of bits.
// Then a zero is stuffed in behind each 0xff.
#include <sluice/io/jpeg/entropy.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/packs/block_symbols.h>
#include <sluice/io/packs/sequential_scan.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace sluice {
namespace {

// An ordinary file has DC differences of at most 11 bits.
constexpr std::uint32_t kMostDcBits = 11;

using Span = std::span<const std::uint8_t>;

// Appends entropy-coded bytes, and a zero behind each 0xff.
void append_stuffed(std::vector<std::uint8_t>& out, Span bytes) {
  while (!bytes.empty()) {
    const void* const found = std::memchr(bytes.data(), 0xff, bytes.size());
    const std::size_t run =
        found != nullptr
            ? static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - bytes.data()) + 1
            : bytes.size();
    out.insert(out.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(run));
    if (found != nullptr) out.push_back(0);
    bytes = bytes.subspan(run);
  }
}

// Returns false for a table that libjpeg refuses.
bool make_codes(const JHUFF_TBL& table, HuffmanLookup::Kind kind, HuffmanCodes& out) {
  std::fill(std::begin(out.codes), std::end(out.codes), 0);
  const int largest = kind == HuffmanLookup::Kind::dc ? 15 : 255;
  std::uint32_t next = 0;
  std::size_t used = 0;
  for (std::uint32_t bits = 1; bits <= 16; ++bits, next <<= 1) {
    for (int i = 0; i < table.bits[bits]; ++i, ++next) {
      if (used == 256) return false;
      const std::uint8_t symbol = table.huffval[used++];
      if (symbol > largest || out.codes[symbol] != 0) return false;
      // Larger sizes are never written.
      const std::uint32_t size = std::min<std::uint32_t>(symbol & 15, kMostDcBits);
      out.codes[symbol] = next << size << 5 | (bits + size);
    }
    // No code is all ones.
    if (table.bits[bits] > 0 && next >= 1u << bits) return false;
  }
  return true;
}

bool has_table(const JHUFF_TBL* const* tables, int number) {
  return number >= 0 && number < NUM_HUFF_TBLS && tables[number] != nullptr;
}

}  // namespace

bool SequentialScan::open(const jpeg_decompress_struct& info, const BlockOrder& order) {
  if (info.progressive_mode != FALSE || info.arith_code != FALSE || info.data_precision != 8 ||
      info.comps_in_scan != info.num_components || info.Ss != 0 || info.Se != 63 || info.Ah != 0 ||
      info.Al != 0)
    return false;
  info_ = &info;
  order_ = order;
  int at = 0;
  for (int c = 0; c < info.num_components; ++c) {
    const jpeg_component_info& of = info.comp_info[c];
    if (info.cur_comp_info[c] != &of || !has_table(info.dc_huff_tbl_ptrs, of.dc_tbl_no) ||
        !has_table(info.ac_huff_tbl_ptrs, of.ac_tbl_no))
      return false;
    Block block;
    block.dc = &dc_[of.dc_tbl_no];
    block.ac = &ac_[of.ac_tbl_no];
    if (!make_codes(*info.dc_huff_tbl_ptrs[of.dc_tbl_no], HuffmanLookup::Kind::dc,
                    dc_[of.dc_tbl_no]) ||
        !make_codes(*info.ac_huff_tbl_ptrs[of.ac_tbl_no], HuffmanLookup::Kind::ac,
                    ac_[of.ac_tbl_no]))
      return false;
    block.component = c;
    const bool single = order.layout.blocks == 1;
    const int h = single ? 1 : of.h_samp_factor, v = single ? 1 : of.v_samp_factor;
    for (int y = 0; y < v; ++y) {
      for (int x = 0; x < h; ++x, ++at) {
        block_[at] = block;
        block_[at].beyond_right =
            (order.per_row - 1) * static_cast<std::uint32_t>(h) + static_cast<std::uint32_t>(x) >=
            of.width_in_blocks;
        block_[at].beyond_bottom =
            (order.rows - 1) * static_cast<std::uint32_t>(v) + static_cast<std::uint32_t>(y) >=
            of.height_in_blocks;
      }
    }
  }
  return true;
}

bool SequentialScan::read(Span scan, PackBlock* blocks) const {
  std::unique_ptr<HuffmanLookup> dc[NUM_HUFF_TBLS], ac[NUM_HUFF_TBLS];
  const auto lookup = [](std::unique_ptr<HuffmanLookup>& made, const JHUFF_TBL& table,
                         HuffmanLookup::Kind kind) {
    if (made == nullptr) {
      made = std::make_unique_for_overwrite<HuffmanLookup>();
      made->build(table, kind);
    }
    return made.get();
  };
  EntropyState state;
  state.blocks = order_.layout.blocks;
  for (int i = 0; i < state.blocks; ++i) {
    const jpeg_component_info& of = info_->comp_info[block_[i].component];
    state.block[i] = {
        lookup(dc[of.dc_tbl_no], *info_->dc_huff_tbl_ptrs[of.dc_tbl_no], HuffmanLookup::Kind::dc),
        lookup(ac[of.ac_tbl_no], *info_->ac_huff_tbl_ptrs[of.ac_tbl_no], HuffmanLookup::Kind::ac),
        static_cast<std::uint32_t>(block_[i].component), true};
  }
  ScanReader reader;
  reader.open(scan);
  reader.seek({0, 0}, state);
  const std::size_t groups = std::size_t{order_.rows} * order_.per_row;
  const std::size_t interval = info_->restart_interval;
  for (std::size_t group = 0; group < groups; ++group) {
    if (interval > 0 && group > 0 && group % interval == 0) {
      if (!reader.at_end()) reader.seek(reader.place(state), state);
      const std::size_t marker = reader.end();
      if (!reader.at_end() || reader.bits_left(state) >= 8 || marker + 2 > scan.size() ||
          scan[marker] != 0xff ||
          scan[marker + 1] != jpeg_marker::kRestart0 + (group / interval - 1) % 8)
        return false;
      reader.seek({marker + 2, 0}, state);
      std::fill(std::begin(state.predictors), std::end(state.predictors), 0);
    }
    if (state.next >= state.stop) {
      if (reader.at_end()) return false;
      reader.seek(reader.place(state), state);
    }
    Coefficients* of_group[PackLayout::kMostBlocks];
    for (int i = 0; i < state.blocks; ++i, ++blocks)
      of_group[i] = reinterpret_cast<Coefficients*>(blocks->data());
    decode_group(state, of_group);
    if (state.doubt != 0 || reader.bits_left(state) < 0) return false;
  }
  return true;
}

bool SequentialScan::write_group(const PackBlock* group, bool is_right, bool is_bottom,
                                 std::int16_t* predictors, HuffmanBits& bits) const {
  // In place of a block beyond the image, libjpeg writes one that is the block before without AC.
  static constexpr PackBlock kEmpty{};
  for (int i = 0; i < order_.layout.blocks; ++i) {
    const Block& block = block_[i];
    const bool is_beyond = (is_right && block.beyond_right) || (is_bottom && block.beyond_bottom);
    std::int16_t& predictor = predictors[block.component];
    const std::int32_t difference = is_beyond ? 0 : group[i][0] - predictor;
    if (!put_block(is_beyond ? kEmpty : group[i], difference, *block.dc, *block.ac, bits))
      return false;
    if (!is_beyond) predictor = group[i][0];
  }
  return true;
}

std::vector<std::uint8_t> SequentialScan::write(const PackBlock* blocks,
                                                std::size_t expected) const {
  const auto per_group = static_cast<std::size_t>(order_.layout.blocks);
  const std::size_t interval = info_->restart_interval;
  const std::size_t row_bytes =
      order_.per_row * per_group * kMostHuffmanBytes + sizeof(HuffmanBits::buffer);
  std::vector<std::uint8_t> out, row_of_codes(row_bytes);
  out.reserve(expected);
  HuffmanBits bits{row_of_codes.data()};
  // Moves the full bytes to `out`.
  const auto move = [&] {
    append_stuffed(out, Span(row_of_codes.data(), bits.next));
    bits.next = row_of_codes.data();
  };
  const auto fill_up = [&] {
    if (bits.filled > 0) bits.put((1u << (8 - bits.filled)) - 1, 8 - bits.filled);
    move();
  };
  std::int16_t predictors[MAX_COMPONENTS] = {};
  std::size_t group = 0;
  for (std::uint32_t row = 0; row < order_.rows; ++row) {
    for (std::uint32_t column = 0; column < order_.per_row; ++column, ++group) {
      if (interval > 0 && group > 0 && group % interval == 0) {
        fill_up();
        out.push_back(0xff);
        out.push_back(
            static_cast<std::uint8_t>(jpeg_marker::kRestart0 + (group / interval - 1) % 8));
        std::fill(std::begin(predictors), std::end(predictors), std::int16_t{0});
      }
      if (!write_group(blocks, column + 1 == order_.per_row, row + 1 == order_.rows, predictors,
                       bits))
        return {};
      blocks += per_group;
    }
    move();
  }
  fill_up();
  return out;
}

}  // namespace sluice
