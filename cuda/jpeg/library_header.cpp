#include <sluice/cuda/jpeg/file_header.h>
#include <sluice/io/jpeg/decompressor.h>

#include <algorithm>
#include <iterator>

namespace sluice::device {
namespace {

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

const char* check(const jpeg_decompress_struct& info, const JpegHeader& header) {
  const bool same = static_cast<int>(info.image_height) == header.height &&
                    static_cast<int>(info.image_width) == header.width &&
                    info.num_components == header.components && info.data_precision == 8 &&
                    info.progressive_mode == FALSE && info.arith_code == FALSE &&
                    info.unread_marker == 0;
  return same ? check_scan(info) : "an unusual header";
}

void copy_codes(JHUFF_TBL* const (&from)[NUM_HUFF_TBLS], int kind, JpegFileHeader& out) {
  static_assert(NUM_HUFF_TBLS == JpegFileHeader::kTables);
  for (int i = 0; i < NUM_HUFF_TBLS; ++i) {
    if (from[i] == nullptr) continue;
    std::copy_n(from[i]->bits + 1, 16, out.codes[kind][i].bits);
    std::copy(std::begin(from[i]->huffval), std::end(from[i]->huffval), out.codes[kind][i].values);
    out.known_codes[kind] |= 1u << i;
  }
}

void copy(const jpeg_decompress_struct& info, JpegFileHeader& out) {
  static_assert(NUM_QUANT_TBLS == JpegFileHeader::kTables);
  out.height = static_cast<int>(info.image_height);
  out.width = static_cast<int>(info.image_width);
  out.components = info.num_components;
  out.interval = static_cast<std::uint16_t>(info.restart_interval);
  for (int i = 0; i < out.components; ++i) {
    const jpeg_component_info& of = info.comp_info[i];
    out.component[i] = {static_cast<std::uint8_t>(of.component_id),
                        of.h_samp_factor,
                        of.v_samp_factor,
                        of.quant_tbl_no,
                        {of.dc_tbl_no, of.ac_tbl_no}};
  }
  for (int i = 0; i < NUM_QUANT_TBLS; ++i) {
    const JQUANT_TBL* const table = info.quant_tbl_ptrs[i];
    if (table == nullptr) continue;
    std::copy(std::begin(table->quantval), std::end(table->quantval), out.quantisers[i]);
    out.known |= 1u << i;
  }
  copy_codes(info.dc_huff_tbl_ptrs, 0, out);
  copy_codes(info.ac_huff_tbl_ptrs, 1, out);
}

}  // namespace

const char* read_with_library(std::span<const std::uint8_t> file, const JpegHeader& header,
                              const JpegOptions& options, JpegFileHeader& out) {
  // Like the decoder, use a new object for each file.
  static thread_local JpegDecompressor decompressor;
  struct Discard {
    ~Discard() { decompressor.discard(); }
  } const discard;
  decompressor.open(file, options);
  if (decompressor.errors().damaged) return "its header is damaged";
  const jpeg_decompress_struct& info = decompressor.info();
  if (const char* reason = check(info, header)) return reason;
  out = {};
  copy(info, out);
  out.first_byte = static_cast<std::size_t>(info.src->next_input_byte - file.data());
  return nullptr;
}

}  // namespace sluice::device
