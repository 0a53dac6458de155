#include <sluice/cuda/jpeg/plan.h>
#include <sluice/io/jpeg/decompressor.h>
#include <sluice/io/jpeg/error.h>
#include <sluice/io/jpeg/orientation.h>

#include <algorithm>
#include <iterator>

namespace sluice::device {
namespace {

const char* check_kind(const JpegHeader& header) {
  if (header.lossless) return "lossless";
  if (header.arithmetic) return "arithmetic coding";
  if (header.progressive) return "progressive";
  if (header.bits != 8) return "samples of more than 8 bits";
  if (header.components != 1 && header.components != 3) return "neither gray nor of three colours";
  return nullptr;
}

bool is_inside(const Rectangle& region, int height, int width) {
  return region.y >= 0 && region.x >= 0 && region.height >= 1 && region.width >= 1 &&
         region.height <= height && region.width <= width && region.y <= height - region.height &&
         region.x <= width - region.width;
}

const char* check_scan(const jpeg_decompress_struct& info) {
  if (info.comps_in_scan != info.num_components) return "in several scans";
  if (info.Ss != 0 || info.Se != 63 || info.Ah != 0 || info.Al != 0) return "an unusual scan";
  if (info.num_components == 1) {
    return info.jpeg_color_space == JCS_GRAYSCALE ? nullptr : "an unusual colour space";
  }
  if (info.jpeg_color_space != JCS_YCbCr) return "not YCbCr";
  const jpeg_component_info* of = info.comp_info;
  for (int i = 0; i < 3; ++i) {
    if (info.cur_comp_info[i] != of + i) return "components in an unusual order";
  }
  const bool usual = of[0].h_samp_factor <= 2 && of[0].v_samp_factor <= 2 &&
                     of[1].h_samp_factor == 1 && of[1].v_samp_factor == 1 &&
                     of[2].h_samp_factor == 1 && of[2].v_samp_factor == 1;
  return usual ? nullptr : "an unusual sampling of colours";
}

int parts_of(int size, int parts) { return (size + parts - 1) / parts; }

}  // namespace

bool JpegPlan::make(std::span<const std::uint8_t> file, const JpegHeader& header,
                    const JpegIndexEntry* entry, const std::optional<Rectangle>& region,
                    const JpegOptions& options) {
  segments_.clear();
  intervals_.clear();
  pieces_.clear();
  bytes_ = 0;
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
  sample_.pieces = 1;
  sample_.runs = static_cast<std::uint32_t>(pieces_.size());
  return true;
}

std::size_t JpegPlan::upload_bytes() const {
  const JpegTiles tiles = tiles_of(sample_);
  const std::size_t bytes =
      sample_.fetched > 0 ? sizeof(JpegPiece) * sample_.pieces + sizeof(JpegRun) * sample_.runs
                          : bytes_ + sizeof(std::uint32_t);
  return bytes + sizeof(JpegSample) + sizeof(Sources) + sizeof(JpegSegment) * segments_.size() +
         sizeof(JpegInterval) * intervals_.size() +
         sizeof(std::uint32_t) * (1 + tiles.huffman + tiles.dct + tiles.pixels +
                                  tiles.subsequences + tiles.starts + tiles.fetch + tiles.unstuff);
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

const char* JpegPlan::plan(std::span<const std::uint8_t> file, const JpegHeader& header,
                           const JpegIndexEntry* entry, const std::optional<Rectangle>& region,
                           const JpegOptions& options) {
  if (const char* reason = check_kind(header)) return reason;
  if (file.size() >> 32 != 0) return "4 GiB or more";
  // What is to be read to its end is read as if nothing was known of it.
  const bool known = entry != nullptr && !entry->records.empty() && !(region && options.verify);
  const int channels = options.color == ColorSpace::rgb ? 3 : 1;
  if (std::int64_t{header.width} * header.height * channels > options.max_output_bytes)
    return "more pixels than max_output_bytes";

  // As the decoder does, a new object for each file.
  static thread_local JpegDecompressor decompressor;
  struct Discard {
    ~Discard() { decompressor.discard(); }
  } const discard;
  decompressor.open(file, options);
  if (decompressor.errors().damaged) return "its header is damaged";
  const jpeg_decompress_struct& info = decompressor.info();
  if (const char* reason = read_header(info, header)) return reason;
  if (const char* reason = read_tables(info)) return reason;

  sample_.channels = static_cast<std::uint8_t>(channels);
  sample_.shown = channels == 1 ? 1 : sample_.coded;
  sample_.orientation =
      static_cast<std::uint8_t>(options.apply_orientation ? header.orientation : 1);
  const bool swap = swaps_sides(sample_.orientation);
  const int height = swap ? stored_width_ : stored_height_;
  const int width = swap ? stored_height_ : stored_width_;
  const Rectangle wanted = region ? *region : Rectangle{0, 0, height, width};
  if (!is_inside(wanted, height, width)) return "the region does not lie inside the picture";
  const Groups groups =
      lay_out(stored_region(wanted, sample_.orientation, stored_height_, stored_width_));
  const auto first = static_cast<std::size_t>(info.src->next_input_byte - file.data());
  return known ? find_segments(file, *entry, groups, first) : find_intervals(file, groups, first);
}

const char* JpegPlan::read_header(const jpeg_decompress_struct& info, const JpegHeader& header) {
  stored_height_ = static_cast<int>(info.image_height);
  stored_width_ = static_cast<int>(info.image_width);
  const bool same = stored_height_ == header.height && stored_width_ == header.width &&
                    info.num_components == header.components && info.data_precision == 8 &&
                    info.progressive_mode == FALSE && info.arith_code == FALSE &&
                    info.unread_marker == 0;
  if (!same) return "an unusual header";
  if (const char* reason = check_scan(info)) return reason;
  sample_.coded = info.num_components;
  sample_.interval = info.restart_interval;
  for (int i = 0; i < sample_.coded; ++i) {
    JpegComponent& component = sample_.components[i];
    const jpeg_component_info& of = info.comp_info[i];
    const bool alone = sample_.coded == 1;
    component.across = static_cast<std::uint8_t>(alone ? 1 : of.h_samp_factor);
    component.down = static_cast<std::uint8_t>(alone ? 1 : of.v_samp_factor);
    const bool known = of.quant_tbl_no >= 0 && of.quant_tbl_no < NUM_QUANT_TBLS;
    const JQUANT_TBL* table = known ? info.quant_tbl_ptrs[of.quant_tbl_no] : nullptr;
    if (table == nullptr) return "a quantisation table is missing";
    std::copy(std::begin(table->quantval), std::end(table->quantval), component.quantisers);
  }
  return nullptr;
}

const char* JpegPlan::read_tables(const jpeg_decompress_struct& info) {
  // Up to two of each kind: numbers of the file's tables.
  int used[4] = {-1, -1, -1, -1};
  for (JpegCodeSource& source : sources_) source = {};
  for (int i = 0; i < sample_.coded; ++i) {
    for (int kind = 0; kind < 2; ++kind) {
      const jpeg_component_info& of = info.comp_info[i];
      const int number = kind == 0 ? of.dc_tbl_no : of.ac_tbl_no;
      if (number < 0 || number >= NUM_HUFF_TBLS) return "a Huffman table is missing";
      const JHUFF_TBL* table =
          kind == 0 ? info.dc_huff_tbl_ptrs[number] : info.ac_huff_tbl_ptrs[number];
      if (table == nullptr) return "a Huffman table is missing";
      int slot = 2 * kind;
      if (used[slot] != -1 && used[slot] != number) ++slot;
      if (used[slot] != -1 && used[slot] != number) return "more than two Huffman tables of a kind";
      used[slot] = number;
      std::copy_n(table->bits + 1, 16, sources_[slot].bits);
      std::copy(std::begin(table->huffval), std::end(table->huffval), sources_[slot].values);
      (kind == 0 ? sample_.components[i].dc : sample_.components[i].ac) =
          static_cast<std::uint8_t>(slot);
    }
  }
  for (int slot = 0; slot < 4; ++slot) {
    if (used[slot] != -1 && !is_legal(sources_[slot], slot < 2))
      return "a Huffman table that cannot be";
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
    // Of very narrow pictures the library repeats what it has.
    const bool narrow = across == 2 && half_width <= 2;
    const JpegStretch stretch = narrow ? JpegStretch::repeat : JpegStretch::fancy;
    sample_.across = across == 2 ? stretch : JpegStretch::none;
    sample_.down = down == 2 ? stretch : JpegStretch::none;
  }
  // The samples of a component of half the size, or else the full one, from the first that is
  // looked at to the last one.
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

}  // namespace sluice::device
