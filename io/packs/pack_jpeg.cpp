// JpegCoefficients and unpack_jpeg(). pack_jpeg.h has the contract.
//
// A packed JPEG holds the coefficients, and in its restoring part what stands around the scans of
// the file (jpeg_scans.h). When a file is packed, it is rebuilt from these and compared, so nothing
// is assumed about its encoder.
//
// The kept bytes are often the same as in the header for decoders, or tables that most encoders
// use. So they are stored as copies from these and as other bytes.
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/libjpeg.h>
#include <sluice/io/jpeg/orientation.h>
#include <sluice/io/jpeg/zigzag.h>
#include <sluice/io/little_endian.h>
#include <sluice/io/packs/jpeg_scans.h>
#include <sluice/io/packs/pack_jpeg.h>
#include <sluice/io/packs/packed_jpeg.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <unordered_map>

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sluice {
namespace {

using namespace jpeg_marker;
using Span = std::span<const std::uint8_t>;

// Pixels. Shorter segments take more bytes, but a region then reads less beside itself.
constexpr int kSegmentWidth = 32;

// Appends FF, the marker, the length and the bytes.
void append_segment(std::vector<std::uint8_t>& out, std::uint8_t marker, Span bytes) {
  const std::size_t length = bytes.size() + 2;
  out.insert(out.end(), {0xff, marker, static_cast<std::uint8_t>(length >> 8),
                         static_cast<std::uint8_t>(length)});
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// A quantizer table with this number.
void append_quantizers(std::vector<std::uint8_t>& out, std::uint8_t number,
                       const JQUANT_TBL& table) {
  constexpr JpegZigzag kZigzag;
  const bool wide = std::any_of(std::begin(table.quantval), std::end(table.quantval),
                                [](UINT16 value) { return value > 255; });
  std::vector<std::uint8_t> bytes(wide ? 129 : 65);
  bytes[0] = static_cast<std::uint8_t>(number | (wide ? 0x10 : 0));
  for (std::size_t i = 0; i < DCTSIZE2; ++i) {
    const UINT16 value = table.quantval[i];
    const std::size_t at = kZigzag.at[i];
    if (wide) {
      bytes[1 + 2 * at] = static_cast<std::uint8_t>(value >> 8);
      bytes[2 + 2 * at] = static_cast<std::uint8_t>(value);
    } else {
      bytes[1 + at] = static_cast<std::uint8_t>(value);
    }
  }
  append_segment(out, kQuantizers, bytes);
}

// Returns a header of one baseline scan with all components, from which libjpeg chooses the same
// sizes, quantizers and colors. Its Huffman tables are not used: they only have to be there.
std::vector<std::uint8_t> make_header(const jpeg_decompress_struct& info, int orientation) {
  std::vector<std::uint8_t> out = {0xff, kStartOfImage};
  if (info.saw_JFIF_marker != FALSE)
    append_segment(out, kApp0,
                   std::array<std::uint8_t, 14>{'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0});
  if (info.saw_Adobe_marker != FALSE) {
    append_segment(out, kApp14,
                   std::array<std::uint8_t, 12>{'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0,
                                                static_cast<std::uint8_t>(info.Adobe_transform)});
  }
  if (orientation != 1) append_segment(out, kApp1, make_exif_orientation(orientation));
  const auto count = static_cast<std::size_t>(info.num_components);
  std::vector<std::uint8_t> frame = {8,
                                     static_cast<std::uint8_t>(info.image_height >> 8),
                                     static_cast<std::uint8_t>(info.image_height),
                                     static_cast<std::uint8_t>(info.image_width >> 8),
                                     static_cast<std::uint8_t>(info.image_width),
                                     static_cast<std::uint8_t>(count)};
  std::vector<std::uint8_t> scan = {static_cast<std::uint8_t>(count)};
  std::vector<const JQUANT_TBL*> tables;
  for (std::size_t c = 0; c < count; ++c) {
    const jpeg_component_info& of = info.comp_info[c];
    const JQUANT_TBL* const table = of.quant_table;
    const auto known = std::find_if(tables.begin(), tables.end(), [table](const JQUANT_TBL* one) {
      return std::memcmp(one->quantval, table->quantval, sizeof one->quantval) == 0;
    });
    const auto number = static_cast<std::uint8_t>(known - tables.begin());
    if (known == tables.end()) {
      append_quantizers(out, number, *table);
      tables.push_back(table);
    }
    frame.insert(frame.end(),
                 {static_cast<std::uint8_t>(of.component_id),
                  static_cast<std::uint8_t>(of.h_samp_factor * 16 + of.v_samp_factor), number});
    scan.insert(scan.end(), {static_cast<std::uint8_t>(of.component_id), 0});
  }
  append_segment(out, kStartOfFrame1, frame);
  // Two tables, each with one code of one bit, for the symbol 0.
  append_segment(out, kHuffmanTables, std::array<std::uint8_t, 18>{0x00, 1});
  append_segment(out, kHuffmanTables, std::array<std::uint8_t, 18>{0x10, 1});
  scan.insert(scan.end(), {0, 63, 0});
  append_segment(out, kStartOfScan, scan);
  out.insert(out.end(), {0xff, kEndOfImage});
  return out;
}

// The Huffman tables that most encoders use (ITU-R T.81, annex K), as libjpeg writes them.
std::vector<std::uint8_t> make_common_tables() {
  struct Tables {
    jpeg_compress_struct info{};
    JpegErrors errors;
  } tables;
  tables.errors.install();
  tables.info.err = &tables.errors.manager;
  const bool made = jpeg_guarded(
      tables.errors,
      [](void* self) noexcept {
        jpeg_compress_struct& info = static_cast<Tables*>(self)->info;
        jpeg_create_compress(&info);
        info.in_color_space = JCS_RGB;
        info.input_components = 3;
        jpeg_set_defaults(&info);
      },
      &tables);
  std::vector<std::uint8_t> out;
  if (!made) {
    jpeg_destroy_compress(&tables.info);
    throw std::bad_alloc();
  }
  for (int i = 0; i < 2; ++i) {
    for (const bool ac : {false, true}) {
      const JHUFF_TBL& table =
          ac ? *tables.info.ac_huff_tbl_ptrs[i] : *tables.info.dc_huff_tbl_ptrs[i];
      std::vector<std::uint8_t> bytes = {static_cast<std::uint8_t>(ac ? 0x10 + i : i)};
      std::size_t symbols = 0;
      for (int length = 1; length <= 16; ++length) {
        bytes.push_back(table.bits[length]);
        symbols += table.bits[length];
      }
      bytes.insert(bytes.end(), table.huffval, table.huffval + std::min<std::size_t>(symbols, 256));
      append_segment(out, kHuffmanTables, bytes);
    }
  }
  jpeg_destroy_compress(&tables.info);
  return out;
}

// Copies: the kept bytes of a file as copies from a known text and as other bytes. Each operation
// is a byte: 0 for other bytes, then 4 for their number and the bytes; 1 for a copy, then 2 for its
// place in the text and 2 for its length.
class Copies {
 public:
  // The text is the header for decoders, and then the common tables.
  explicit Copies(Span header) : text_(header.begin(), header.end()) {
    static const std::vector<std::uint8_t> common = make_common_tables();
    text_.insert(text_.end(), common.begin(), common.end());
  }

  void write(Span bytes, std::vector<std::uint8_t>& out) const {
    std::unordered_map<std::uint64_t, std::size_t> places;
    for (std::size_t i = text_.size(); i-- > 0;)
      if (i + 8 <= text_.size()) places[detail::read_little<std::uint64_t>(text_, i)] = i;
    std::size_t begin = 0;
    for (std::size_t at = 0; at + 8 <= bytes.size();) {
      const auto found = places.find(detail::read_little<std::uint64_t>(bytes, at));
      std::size_t length = 0;
      if (found != places.end()) {
        const std::size_t most = std::min(bytes.size() - at, text_.size() - found->second);
        while (length < most && bytes[at + length] == text_[found->second + length]) ++length;
      }
      if (length < kShortest) {
        ++at;
        continue;
      }
      write_others(bytes.subspan(begin, at - begin), out);
      out.push_back(1);
      detail::append_little(out, static_cast<std::uint16_t>(found->second));
      detail::append_little(out, static_cast<std::uint16_t>(length));
      begin = at += length;
    }
    write_others(bytes.subspan(begin), out);
  }

  // Throws PackError unless there are exactly this many bytes.
  std::vector<std::uint8_t> read(Span in, std::size_t bytes) const {
    std::vector<std::uint8_t> out;
    const auto take = [&in](std::size_t count) {
      if (count > in.size()) fail();
      const Span taken = in.first(count);
      in = in.subspan(count);
      return taken;
    };
    while (!in.empty()) {
      const std::uint8_t kind = take(1)[0];
      if (kind > 1) fail();
      const bool copies = kind == 1;
      const Span numbers = take(4);
      Span piece;
      if (copies) {
        const std::size_t from = detail::read_little<std::uint16_t>(numbers, 0);
        const std::size_t length = detail::read_little<std::uint16_t>(numbers, 2);
        if (from > text_.size() || length > text_.size() - from) fail();
        piece = Span(text_).subspan(from, length);
      } else {
        piece = take(detail::read_little<std::uint32_t>(numbers, 0));
      }
      if (piece.size() > bytes - out.size()) fail();
      out.insert(out.end(), piece.begin(), piece.end());
    }
    if (out.size() != bytes) fail();
    return out;
  }

  [[noreturn]] static void fail() {
    throw PackError("the packed JPEG is damaged: what its file is rebuilt from");
  }
  // False if unpacking would take too much memory: a forged part may have many copies. Files that
  // are packed are within this bound, too. `bytes` and `stored`: before and after write().
  static bool is_within_bounds(std::size_t bytes, std::size_t stored) {
    return bytes <= stored + (std::size_t{16} << 20);
  }

 private:
  static constexpr std::size_t kShortest = 12;

  static void write_others(Span bytes, std::vector<std::uint8_t>& out) {
    if (bytes.empty()) return;
    out.push_back(0);
    detail::append_little(out, static_cast<std::uint32_t>(bytes.size()));
    out.insert(out.end(), bytes.begin(), bytes.end());
  }

  std::vector<std::uint8_t> text_;
};

// The restoring part, all numbers little-endian: 8 XXH3 of the file, 4 its bytes, 4 scans n; then 4
// for each of the n + 1 pieces: its bytes; then the pieces, as Copies. Empty if unpacking would
// refuse it.
std::vector<std::uint8_t> make_restoring_part(Span file, const std::vector<Span>& pieces,
                                              Span header) {
  std::vector<std::uint8_t> out, kept;
  detail::append_little<std::uint64_t>(out, XXH3_64bits(file.data(), file.size()));
  detail::append_little(out, static_cast<std::uint32_t>(file.size()));
  detail::append_little(out, static_cast<std::uint32_t>(pieces.size() - 1));
  for (const Span& piece : pieces) {
    detail::append_little(out, static_cast<std::uint32_t>(piece.size()));
    kept.insert(kept.end(), piece.begin(), piece.end());
  }
  const std::size_t begin = out.size();
  const Copies copies(header);
  copies.write(kept, out);
  if (!Copies::is_within_bounds(kept.size(), out.size())) return {};
  if (copies.read(Span(out).subspan(begin), kept.size()) != kept) return {};
  return out;
}

}  // namespace

// JpegCoefficientsReader: one attempt to read a file. Functions return the reason why the file
// cannot be packed, or nothing.
class JpegCoefficientsReader {
 public:
  explicit JpegCoefficientsReader(Span file) : file_(file), parts_(split_jpeg(file)) {}
  JpegCoefficientsReader(const JpegCoefficientsReader&) = delete;
  JpegCoefficientsReader& operator=(const JpegCoefficientsReader&) = delete;
  ~JpegCoefficientsReader() { jpeg_destroy_decompress(&info_); }

  std::string read(const PackLimits& limits, JpegCoefficients& out) {
    if (file_.size() > ~std::uint32_t{0}) return "larger than 4 GiB";
    if (parts_.scans.empty()) return "not a JPEG file";
    // unpack_jpeg() refuses more than the usual limit.
    const int most_scans = std::min(limits.max_scans, PackLimits().max_scans);
    if (parts_.scans.size() > static_cast<std::size_t>(most_scans))
      return fmt::format("it has more than {} scans", most_scans);
    errors_.install();
    errors_.start_image(true);
    info_.err = &errors_.manager;
    const auto read_header = [](void* self) noexcept {
      static_cast<JpegCoefficientsReader*>(self)->read_header();
    };
    try {
      const JpegHeader header = peek_jpeg(file_);
      if (header.lossless) return "lossless";
      if (header.bits != 8) return fmt::format("{} bits a sample", header.bits);
    } catch (const JpegError&) {
      return kUndecodable;
    }
    if (!guarded(read_header)) return kUndecodable;
    if (std::string why = refuse_kind(limits); !why.empty()) return why;
    out.layout_ = order_.layout;
    out.rows_ = order_.rows;
    const int group = order_.layout.blocks == 1 ? 1 : info_.max_h_samp_factor;
    out.grain_ = static_cast<std::uint32_t>(std::max(kSegmentWidth / (DCTSIZE * group), 1));
    out.per_row_ = order_.per_row;
    out.blocks_.resize(order_.blocks());
    blocks_ = out.blocks_.data();
    const auto read_blocks = [](void* self) noexcept {
      static_cast<JpegCoefficientsReader*>(self)->read_blocks();
    };
    if (!guarded(read_blocks)) return errors_.fatal_is_damage ? "damaged" : kUndecodable;
    for (int c = 0; c < info_.num_components; ++c)
      if (info_.comp_info[c].quant_table == nullptr) return "passes of it are missing";
    if (lacks_passes()) return "passes of it are missing";
    const std::vector<std::uint8_t> again =
        rebuild_jpeg(parts_.pieces, order_, blocks_, file_.size());
    if (!std::equal(again.begin(), again.end(), file_.begin(), file_.end()))
      return "its encoder chose other codes than libjpeg would";
    out.header_ = make_header(info_, peek_jpeg_orientation(file_));
    out.restoring_ = make_restoring_part(file_, parts_.pieces, out.header_);
    if (out.restoring_.empty()) return "too many bytes in it are alike";
    return {};
  }

 private:
  static constexpr const char* kUndecodable = "it cannot be decoded";

  bool guarded(JpegStep step) {
    if (jpeg_guarded(errors_, step, this)) return true;
    if (errors_.out_of_memory) throw std::bad_alloc();
    return false;
  }
  // Steps: no locals with destructors, no exceptions.
  void read_header() {
    jpeg_create_decompress(&info_);
    jpeg_mem_src(&info_, file_.data(), static_cast<unsigned long>(file_.size()));
    jpeg_read_header(&info_, TRUE);
    errors_.header_read = true;
  }
  void read_blocks() {
    jvirt_barray_ptr* const arrays = jpeg_read_coefficients(&info_);
    copy_blocks<false>(reinterpret_cast<j_common_ptr>(&info_), arrays, info_.comp_info, order_,
                       blocks_);
  }

  std::string refuse_kind(const PackLimits& limits) {
    if (info_.num_components != 1 && info_.num_components != 3)
      return info_.num_components == 4 ? "CMYK" : "neither gray nor of three colors";
    if (!order_.read(info_)) return "its colors are sampled in too many blocks";
    if (order_.blocks() > static_cast<std::size_t>(limits.max_bytes) / sizeof(PackBlock))
      return "it has too many pixels";
    return {};
  }
  bool lacks_passes() const {
    if (info_.progressive_mode == FALSE || info_.coef_bits == nullptr) return false;
    for (int c = 0; c < info_.num_components; ++c)
      for (int k = 0; k < DCTSIZE2; ++k)
        if (info_.coef_bits[c][k] != 0) return true;
    return false;
  }

  const Span file_;
  const SplitJpeg parts_;
  JpegErrors errors_;
  jpeg_decompress_struct info_{};
  BlockOrder order_;
  PackBlock* blocks_ = nullptr;
};

std::optional<JpegCoefficients> JpegCoefficients::read(Span file, std::string* why_not,
                                                       const PackLimits& limits) {
  JpegCoefficients made;
  std::string why = JpegCoefficientsReader(file).read(limits, made);
  if (why.empty()) return made;
  if (why_not != nullptr) *why_not = std::move(why);
  return {};
}

std::span<const PackBlock> JpegCoefficients::segment(std::uint32_t row, std::uint32_t first,
                                                     std::uint32_t groups) const {
  const auto blocks = static_cast<std::size_t>(layout_.blocks);
  return std::span(blocks_).subspan((std::size_t{row} * per_row_ + first) * blocks,
                                    groups * blocks);
}

void JpegCoefficients::teach(PackTokenLearner& learner) const {
  for (std::uint32_t row = 0; row < rows_; ++row)
    for (std::uint32_t first = 0; first < per_row_; first += grain_)
      learner.add(segment(row, first, std::min(grain_, per_row_ - first)), layout_);
}

void JpegCoefficients::write(PackTokenWriter& writer, std::uint64_t dictionary,
                             std::vector<std::uint8_t>& out) const {
  std::vector<std::uint8_t> rows, table;
  for (std::uint32_t row = 0; row < rows_; ++row) {
    const std::size_t begin = rows.size(), entry = table.size();
    detail::append_little<std::uint32_t>(table, 0);
    for (std::uint32_t first = 0; first < per_row_; first += grain_) {
      const std::size_t before = rows.size();
      writer.write(segment(row, first, std::min(grain_, per_row_ - first)), layout_, rows);
      detail::append_little(table, static_cast<std::uint16_t>(rows.size() - before));
    }
    const std::uint32_t checksum = checksum_of_packed_row(Span(rows).subspan(begin));
    std::memcpy(table.data() + entry, &checksum, sizeof checksum);
  }
  std::vector<std::uint8_t> head;
  const std::size_t bytes = PackedJpegParts::kFixedBytes + header_.size() + table.size();
  detail::append_little(head, static_cast<std::uint32_t>(bytes));
  detail::append_little(head, static_cast<std::uint32_t>(rows.size()));
  detail::append_little(head, static_cast<std::uint32_t>(restoring_.size()));
  detail::append_little(head, static_cast<std::uint16_t>(header_.size()));
  head.push_back(static_cast<std::uint8_t>(grain_));
  head.push_back(0);
  detail::append_little(head, rows_);
  detail::append_little(head, per_row_);
  detail::append_little(head, dictionary);
  detail::append_little<std::uint64_t>(head, 0);
  head.insert(head.end(), header_.begin(), header_.end());
  head.insert(head.end(), table.begin(), table.end());
  const std::uint64_t checksum = checksum_of_packed_head(head);
  std::memcpy(head.data() + 32, &checksum, sizeof checksum);
  for (const Span part : {Span(head), Span(rows), Span(restoring_)})
    out.insert(out.end(), part.begin(), part.end());
}

std::vector<std::uint8_t> begin_of_packed_jpegs(Span dictionary) {
  std::vector<std::uint8_t> out(std::begin(PackedJpegParts::kMagic),
                                std::end(PackedJpegParts::kMagic));
  detail::append_little(out, PackedJpegParts::kVersion);
  detail::append_little(out, static_cast<std::uint32_t>(dictionary.size()));
  out.insert(out.end(), dictionary.begin(), dictionary.end());
  return out;
}

std::vector<std::uint8_t> pack_jpeg(const JpegCoefficients& file, Span dictionary) {
  std::vector<std::uint8_t> out = begin_of_packed_jpegs(dictionary);
  PackTokenWriter writer(dictionary);
  file.write(writer, checksum_of_dictionary(dictionary), out);
  return out;
}

namespace {

// Reads the frame of a packed JPEG's header for the order of its blocks.
class HeaderReader {
 public:
  explicit HeaderReader(Span header) : header_(header) {}
  HeaderReader(const HeaderReader&) = delete;
  HeaderReader& operator=(const HeaderReader&) = delete;
  ~HeaderReader() { jpeg_destroy_decompress(&info_); }

  bool read(BlockOrder& order) {
    errors_.install();
    errors_.start_image(true);
    info_.err = &errors_.manager;
    const auto step = [](void* self) noexcept {
      HeaderReader& me = *static_cast<HeaderReader*>(self);
      jpeg_create_decompress(&me.info_);
      jpeg_mem_src(&me.info_, me.header_.data(), static_cast<unsigned long>(me.header_.size()));
      jpeg_read_header(&me.info_, TRUE);
    };
    if (!jpeg_guarded(errors_, step, this)) return false;
    return (info_.num_components == 1 || info_.num_components == 3) && order.read(info_);
  }

 private:
  const Span header_;
  JpegErrors errors_;
  jpeg_decompress_struct info_{};
};

// libjpeg cannot write an AC coefficient with 16 bits.
void require_codable(std::span<const PackBlock> blocks) {
  for (const PackBlock& block : blocks)
    if (std::find(block.begin() + 1, block.end(), INT16_MIN) != block.end())
      throw PackError("the packed JPEG is damaged: a coefficient that no JPEG file has");
}

std::vector<PackBlock> blocks_of(const PackedJpeg& head, Span packed, const BlockOrder& order) {
  // Each block has at least a token, which has 12 bits.
  const ByteRange rows = head.range_of_rows(0, head.rows() - 1);
  if (order.blocks() / 2 * 3 > rows.size()) throw PackError("the packed JPEG is damaged: its size");
  const PackTokens tokens = head.tokens();
  const auto per_group = static_cast<std::size_t>(order.layout.blocks);
  std::vector<PackBlock> blocks(order.blocks());
  PackTokenReader reader;
  std::size_t at = 0;
  for (std::uint32_t row = 0; row < order.rows; ++row) {
    for (std::uint32_t i = 0; i < head.segments_per_row(); ++i) {
      begin_segment(reader, head.segment(packed, row, i));
      const std::uint32_t first = i * head.grain();
      const std::uint32_t groups = std::min(head.grain(), order.per_row - first);
      for (std::uint32_t k = 0; k < groups; ++k) {
        JBLOCKROW group[PackLayout::kMostBlocks];
        for (std::size_t b = 0; b < per_group; ++b)
          group[b] = reinterpret_cast<JBLOCKROW>(blocks[at++].data());
        unpack_group(tokens, reader, order.layout, group);
      }
      if (reader.doubt || !has_ended(reader))
        throw PackError("the packed JPEG is damaged: its tokens");
      require_codable(std::span(blocks).subspan(at - groups * per_group, groups * per_group));
    }
  }
  return blocks;
}

}  // namespace

bool JpegCoefficients::equals(Span sample, Span dictionary) const try {
  std::vector<std::uint8_t> packed = begin_of_packed_jpegs(dictionary);
  packed.insert(packed.end(), sample.begin(), sample.end());
  PackedJpeg head;
  head.open(packed);
  head.check_rows(packed);
  BlockOrder order;
  return HeaderReader(head.header()).read(order) && order.rows == rows_ &&
         order.per_row == per_row_ && order.layout == layout_ && rows_ == head.rows() &&
         per_row_ == head.groups_per_row() && blocks_of(head, packed, order) == blocks_;
} catch (const PackError&) {
  return false;
}

std::vector<std::uint8_t> unpack_jpeg(Span packed) {
  PackedJpeg head;
  head.open(packed);
  head.check_rows(packed);
  const ByteRange range = head.range_of_restoring_part();
  if (range.end > packed.size()) Copies::fail();
  const Span part = packed.subspan(range.begin, range.size());
  if (part.size() < 16) Copies::fail();
  const std::size_t bytes = detail::read_little<std::uint32_t>(part, 8);
  const std::size_t scans = detail::read_little<std::uint32_t>(part, 12);
  const Span sizes = part.subspan(16);
  const auto most_scans = static_cast<std::size_t>(PackLimits().max_scans);
  if (scans == 0 || scans > most_scans || scans >= sizes.size() / 4) Copies::fail();
  std::size_t kept = 0;
  for (std::size_t i = 0; i <= scans; ++i) kept += detail::read_little<std::uint32_t>(sizes, 4 * i);
  if (kept > bytes || !Copies::is_within_bounds(kept, part.size())) Copies::fail();
  const std::vector<std::uint8_t> text =
      Copies(head.header()).read(sizes.subspan(4 * (scans + 1)), kept);
  std::vector<Span> pieces;
  std::size_t at = 0;
  for (std::size_t i = 0; i <= scans; ++i) {
    const std::size_t size = detail::read_little<std::uint32_t>(sizes, 4 * i);
    pieces.push_back(Span(text).subspan(at, size));
    at += size;
  }
  BlockOrder order;
  if (!HeaderReader(head.header()).read(order) || order.rows != head.rows() ||
      order.per_row != head.groups_per_row())
    Copies::fail();
  const std::vector<PackBlock> blocks = blocks_of(head, packed, order);
  std::vector<std::uint8_t> file = rebuild_jpeg(pieces, order, blocks.data(), bytes);
  if (file.size() != bytes ||
      XXH3_64bits(file.data(), file.size()) != detail::read_little<std::uint64_t>(part, 0))
    throw PackError("the packed JPEG is damaged: the file that it gives has another checksum");
  return file;
}

}  // namespace sluice
