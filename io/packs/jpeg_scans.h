// Splits a JPEG file into its scans and what stands around them, and rebuilds the scans. Internal
// to packing.
//
// A JPEG file is its scans (entropy-coded bytes) and what stands around them: markers, tables,
// comments, bytes behind the end. The scans follow from the coefficients and the tables:
//
//     file:       SOI APP0 DQT SOF DHT SOS | scan | SOS | scan | EOI ...
//     pieces:     SOI APP0 DQT SOF DHT SOS          SOS          EOI ...
//     libjpeg:    SOI APP0 DQT SOF DHT SOS | scan | DHT SOS | scan | EOI
//
// rebuild_jpeg() writes the scan of an ordinary file by itself (sequential_scan.h). For other
// files, it lets libjpeg write a file with these coefficients, and with the sampling, tables, scans
// and restart interval that the pieces name. Then it takes the scans from that file.
//
// Ownership: SplitJpeg refers to the file. Threads: any. Errors: std::bad_alloc.
#pragma once

#include <sluice/io/jpeg/libjpeg.h>
#include <sluice/io/packs/tokens.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <vector>

#include <jpeglib.h>

namespace sluice {

// The pieces of a file around its scans: one more than there are scans. Each but the last ends with
// a scan's header.
struct SplitJpeg {
  std::vector<std::span<const std::uint8_t>> pieces, scans;
};
SplitJpeg split_jpeg(std::span<const std::uint8_t> file);

// Appends a segment of a JPEG header: FF, the marker, the length and the bytes.
void append_jpeg_segment(std::vector<std::uint8_t>& out, std::uint8_t marker,
                         std::span<const std::uint8_t> bytes);

// The order of blocks: that of one scan with all components.
struct BlockOrder {
  PackLayout layout;
  std::uint32_t rows = 0, per_row = 0;  // of groups

  // Returns false if there is no such scan. Call after jpeg_read_header.
  bool read(const jpeg_decompress_struct& info);
  bool operator==(const BlockOrder&) const = default;
  std::size_t blocks() const {
    return std::size_t{rows} * per_row * static_cast<std::size_t>(layout.blocks);
  }
};

// Copies blocks between libjpeg's arrays, one for each component, and the order of a scan. For a
// step: allocates nothing.
template <bool kWrite, class Block>
void copy_blocks(j_common_ptr object, jvirt_barray_ptr* arrays,
                 const jpeg_component_info* components, const BlockOrder& order, Block* blocks) {
  const bool single = order.layout.blocks == 1;
  for (std::uint32_t row = 0; row < order.rows; ++row) {
    int in_group = 0;
    while (in_group < order.layout.blocks) {
      const int c = order.layout.block[in_group].component;
      const int h = single ? 1 : components[c].h_samp_factor;
      const int v = single ? 1 : components[c].v_samp_factor;
      for (int y = 0; y < v; ++y, in_group += h) {
        const auto at = static_cast<JDIMENSION>(row * static_cast<std::uint32_t>(v) +
                                                static_cast<std::uint32_t>(y));
        JBLOCKROW line =
            *object->mem->access_virt_barray(object, arrays[c], at, 1, kWrite ? TRUE : FALSE);
        for (std::uint32_t group = 0; group < order.per_row; ++group) {
          Block* const of_group = blocks + (std::size_t{row} * order.per_row + group) *
                                               static_cast<std::size_t>(order.layout.blocks);
          for (int x = 0; x < h; ++x, ++line) {
            if constexpr (kWrite) {
              std::memcpy(*line, of_group[in_group + x].data(), sizeof(JBLOCK));
            } else {
              std::memcpy(of_group[in_group + x].data(), *line, sizeof(JBLOCK));
            }
          }
        }
      }
    }
  }
}

// Returns the file with these pieces around its scans and these blocks. `bytes`: its expected size.
// Returns nothing if libjpeg cannot write it.
std::vector<std::uint8_t> rebuild_jpeg(const std::vector<std::span<const std::uint8_t>>& pieces,
                                       const BlockOrder& order, const PackBlock* blocks,
                                       std::size_t bytes);

}  // namespace sluice
