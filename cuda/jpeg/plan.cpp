#include <sluice/cuda/jpeg/plan.h>
#include <sluice/io/jpeg/header.h>
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
  // With `verify`, a region's file is read to its end, as if there was no JPEG index.
  const bool known = entry != nullptr && !entry->records.empty() && !(region && options.verify);
  const int channels = options.color == ColorSpace::rgb ? 3 : 1;
  if (std::int64_t{header.width} * header.height * channels > options.max_output_bytes)
    return "more pixels than max_output_bytes";

  JpegFileHeader from;
  const bool plain = read_plain(file, from) && from.height == header.height &&
                     from.width == header.width && from.components == header.components;
  if (!plain) {
    if (const char* reason = read_with_library(file, header, options, from)) return reason;
  }
  if (const char* reason = take_components(from)) return reason;
  if (const char* reason = take_codes(from)) return reason;

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
  return known ? find_segments(file, *entry, groups, from.first_byte)
               : find_intervals(file, groups, from.first_byte);
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
    const std::uint16_t* const quantisers = from.find_quantisers(of.quantisers);
    if (quantisers == nullptr) return "a quantisation table is missing";
    std::copy_n(quantisers, 64, component.quantisers);
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

}  // namespace sluice::device
