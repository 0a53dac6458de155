#include <sluice/io/jpeg/parts.h>

#include <algorithm>
#include <cstdint>

namespace sluice {
namespace {

// The first and the last row of groups that the library decodes.
struct Rows {
  std::uint32_t first;
  std::uint32_t last;
};
Rows rows_of(const jpeg_decompress_struct& info, const Rectangle& region) {
  const int group = jpeg_group_height(info);
  // If colors have fewer rows than pixels, upsampling uses the rows around. The library skips only
  // what precedes the row above, and holds back the last rows of a group until it has the next one.
  const int around =
      info.num_components > 1 && info.max_v_samp_factor > 1 ? info.max_v_samp_factor : 0;
  const int above = around > 0 && region.y > 0 ? 1 : 0;
  const auto rows = static_cast<std::uint32_t>(info.MCU_rows_in_scan);
  return {static_cast<std::uint32_t>((region.y - above) / group),
          std::min(static_cast<std::uint32_t>((region.y + region.height - 1 + around) / group),
                   rows - 1)};
}

}  // namespace

std::vector<ByteRange> find_jpeg_parts(const JpegDecompressor& picture, const Rectangle& region,
                                       const JpegIndexEntry& known, std::size_t file_bytes) {
  const jpeg_decompress_struct& info = picture.info();
  // Gray images with a vertical sampling factor, which has no meaning there, count rows in twos.
  const bool odd = info.num_components == 1 && info.max_v_samp_factor > 1;
  if (odd || !JpegEntropy::fits(info, known)) return {};
  const Rows rows = rows_of(info, region);
  const JpegDecompressor::Columns columns = picture.columns(region);
  const int group = jpeg_group_width(info);
  const auto first = static_cast<std::uint32_t>(columns.left / group) / known.grain;
  const auto last = std::min(static_cast<std::uint32_t>((columns.left + columns.width - 1) / group),
                             info.MCUs_per_row - 1) /
                    known.grain;
  std::vector<ByteRange> parts;
  for (std::uint32_t row = rows.first; row <= rows.last; ++row) {
    const std::size_t from = std::size_t{row} * known.per_row + first;
    const std::size_t to = std::size_t{row} * known.per_row + last + 1;
    const bool to_end = to == known.records.size() && known.complete;
    if (to >= known.records.size() && !to_end) return {};
    // The last byte of a group may also be the first of the next one. If it is 0xff, the zero after
    // it belongs to it.
    const ByteRange part{
        known.records[from].place / 8,
        to_end ? file_bytes : std::min(known.records[to].place / std::size_t{8} + 2, file_bytes)};
    if (part.begin >= part.end || part.end > file_bytes) return {};
    parts.push_back(part);
  }
  return parts;
}

}  // namespace sluice
