#include <sluice/cuda/jpeg/file_header.h>
#include <sluice/cuda/jpeg/pixels.h>
#include <sluice/io/jpeg/decompressor.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/zigzag.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace sluice::device {

namespace {

using namespace jpeg_marker;
using Segment = std::span<const std::uint8_t>;  // the bytes after its length

constexpr JpegZigzag kZigzag;

class PlainReader {
 public:
  explicit PlainReader(JpegFileHeader& out) : out_(out) {}

  bool read(Segment file) {
    if (file.size() < 2 || file[0] != 0xff || file[1] != kStartOfImage) return false;
    std::size_t at = 2;
    while (file.size() - at >= 4 && file[at] == 0xff) {
      const std::uint8_t marker = file[at + 1];
      const std::size_t length = static_cast<std::size_t>(file[at + 2]) << 8 | file[at + 3];
      if (length < 2 || length > file.size() - at - 2) return false;
      const Segment segment = file.subspan(at + 4, length - 2);
      at += 2 + length;
      if (marker == kStartOfScan) {
        out_.first_byte = at;
        return read_scan(segment);
      }
      if (!read_segment(marker, segment)) return false;
    }
    return false;
  }

 private:
  bool read_segment(std::uint8_t marker, Segment segment) {
    switch (marker) {
      case kStartOfFrame0:
      case kStartOfFrame1:
        return read_frame(segment);
      case kHuffmanTables:
        return read_codes(segment);
      case kQuantizers:
        return read_quantizers(segment);
      case kRestartInterval:
        if (segment.size() != 2) return false;
        out_.interval = static_cast<std::uint16_t>(segment[0] << 8 | segment[1]);
        return true;
      case kApp0:
        jfif_ |= segment.size() >= 14 && std::memcmp(segment.data(), "JFIF", 5) == 0;
        return true;
      case kApp14:
        if (segment.size() < 12 || std::memcmp(segment.data(), "Adobe", 5) != 0) return true;
        adobe_ = true;
        return segment[11] == 1;  // YCbCr
      default:
        return (marker >= kApp0 && marker <= kApp15) || marker == kComment;
    }
  }

  bool read_frame(Segment segment) {
    constexpr int kLargest = 65500;  // libjpeg's limit
    if (out_.components != 0 || segment.size() < 6) return false;
    out_.height = segment[1] << 8 | segment[2];
    out_.width = segment[3] << 8 | segment[4];
    const std::size_t components = segment[5];
    if (segment[0] != 8 || (components != 1 && components != 3) ||
        segment.size() != 6 + 3 * components)
      return false;
    if (std::min(out_.height, out_.width) == 0 || std::max(out_.height, out_.width) > kLargest)
      return false;
    out_.components = static_cast<int>(components);
    for (std::size_t i = 0; i < components; ++i) {
      JpegFileHeader::Component& component = out_.component[i];
      const std::uint8_t* const from = &segment[6 + 3 * i];
      component.id = from[0];
      component.across = from[1] >> 4;
      component.down = from[1] & 15;
      component.quantizers = from[2];
      const int most = i == 0 ? 2 : 1;
      if (component.across < 1 || component.across > most || component.down < 1 ||
          component.down > most)
        return false;
    }
    return true;
  }

  bool read_quantizers(Segment segment) {
    while (!segment.empty()) {
      const std::size_t wide = segment[0] >> 4, number = segment[0] & 15;
      const std::size_t bytes = std::size_t{64} << wide;
      if (wide > 1 || number >= JpegFileHeader::kTables || segment.size() < 1 + bytes) return false;
      const std::uint8_t* const from = &segment[1];
      std::uint16_t* const to = out_.quantizers[number];
      for (std::size_t i = 0; i < 64; ++i) {
        const std::size_t k = kZigzag.at[i];
        to[i] =
            wide == 0 ? from[k] : static_cast<std::uint16_t>(from[2 * k] << 8 | from[2 * k + 1]);
      }
      out_.known |= 1u << number;
      segment = segment.subspan(1 + bytes);
    }
    return true;
  }

  bool read_codes(Segment segment) {
    while (!segment.empty()) {
      const std::size_t kind = segment[0] >> 4, number = segment[0] & 15;
      if (kind > 1 || number >= JpegFileHeader::kTables || segment.size() < 17) return false;
      JpegCodeSource& to = out_.codes[kind][number];
      std::size_t count = 0;
      for (std::size_t i = 0; i < 16; ++i) count += to.bits[i] = segment[1 + i];
      if (count > sizeof to.values || count > segment.size() - 17) return false;
      segment = segment.subspan(17);
      std::copy_n(segment.begin(), count, to.values);
      std::fill(to.values + count, std::end(to.values), std::uint8_t{0});
      out_.known_codes[kind] |= 1u << number;
      segment = segment.subspan(count);
    }
    return true;
  }

  bool read_scan(Segment segment) {
    const auto components = static_cast<std::size_t>(out_.components);
    if (components == 0 || segment.size() != 4 + 2 * components || segment[0] != components)
      return false;
    for (std::size_t i = 0; i < components; ++i) {
      JpegFileHeader::Component& component = out_.component[i];
      if (segment[1 + 2 * i] != component.id) return false;
      component.codes[0] = segment[2 + 2 * i] >> 4;
      component.codes[1] = segment[2 + 2 * i] & 15;
    }
    const std::uint8_t* const range = &segment[1 + 2 * components];
    return range[0] == 0 && range[1] == 63 && range[2] == 0 && has_usual_colors();
  }

  bool has_usual_colors() const {
    if (out_.components == 1) return true;
    const int a = out_.component[0].id, b = out_.component[1].id, c = out_.component[2].id;
    if (a == b || a == c || b == c) return false;
    return jfif_ || adobe_ || (a == 1 && b == 2 && c == 3);
  }

  JpegFileHeader& out_;
  bool jfif_ = false, adobe_ = false;
};

}  // namespace

bool read_plain(std::span<const std::uint8_t> file, JpegFileHeader& out) {
  return PlainReader(out).read(file);
}

namespace {

const char* check_scan(const jpeg_decompress_struct& info) {
  if (info.comps_in_scan != info.num_components) return "in several scans";
  if (info.Ss != 0 || info.Se != 63 || info.Ah != 0 || info.Al != 0) return "an unusual scan";
  if (info.num_components == 1) {
    return info.jpeg_color_space == JCS_GRAYSCALE ? nullptr : "an unusual color space";
  }
  if (info.jpeg_color_space != JCS_YCbCr) return "not YCbCr";
  const jpeg_component_info* of = info.comp_info;
  for (int i = 0; i < 3; ++i) {
    if (info.cur_comp_info[i] != of + i) return "components in an unusual order";
  }
  const bool usual = of[0].h_samp_factor <= 2 && of[0].v_samp_factor <= 2 &&
                     of[1].h_samp_factor == 1 && of[1].v_samp_factor == 1 &&
                     of[2].h_samp_factor == 1 && of[2].v_samp_factor == 1;
  return usual ? nullptr : "an unusual sampling of colors";
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
    std::copy(std::begin(table->quantval), std::end(table->quantval), out.quantizers[i]);
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

bool is_legal(const JpegCodeSource& source, bool dc) {
  std::uint32_t code = 0, count = 0;
  for (std::uint32_t length = 1; length <= 16; ++length) {
    code = (code << 1) + source.bits[length - 1];
    count += source.bits[length - 1];
    // No code is all ones, so at least one code must stay free.
    if (source.bits[length - 1] > 0 && (code >= 1u << length || count > 256)) return false;
  }
  const auto is_symbol_of_dc = [](std::uint8_t value) { return value <= 15; };
  return count > 0 && (!dc || std::all_of(source.values, source.values + count, is_symbol_of_dc));
}

std::uint64_t hash_of(const JpegCodeSource (&sources)[4]) {
  static_assert(std::has_unique_object_representations_v<JpegCodeSource>);
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t of[4] = {1, 2, 3, 4};
  for (std::size_t at = 0; at < sizeof(JpegCodeSource); at += sizeof(std::uint64_t)) {
    // Four independent chains, because each multiplication waits for the one before.
    for (int i = 0; i < 4; ++i) {
      const auto* const bytes = reinterpret_cast<const std::byte*>(&sources[i]);
      of[i] = (of[i] ^ load_as<std::uint64_t>(bytes + at)) * kOdd;
    }
  }
  return ((of[0] * kOdd ^ of[1]) * kOdd ^ of[2]) * kOdd ^ of[3];
}

}  // namespace sluice::device
