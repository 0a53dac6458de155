// JpegCoefficients and unpack_jpeg(). pack_jpeg.h has the contract.
//
// A packed JPEG holds the coefficients, and in its restoring part what stands around the scans of
// the file (jpeg_scans.h). When a file is packed, it is rebuilt from these and compared, so nothing
// is assumed about its encoder.
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/libjpeg.h>
#include <sluice/io/jpeg/orientation.h>
#include <sluice/io/jpeg/zigzag.h>
#include <sluice/io/little_endian.h>
#include <sluice/io/packs/jpeg_scans.h>
#include <sluice/io/packs/pack_jpeg.h>
#include <sluice/io/packs/packed_jpeg.h>
#include <sluice/io/packs/restoring_part.h>
#include <sluice/io/packs/sequential_scan.h>

#include <algorithm>
#include <cstring>
#include <new>

#include <fmt/format.h>

namespace sluice {
namespace {

using namespace jpeg_marker;
using Span = std::span<const std::uint8_t>;

// Pixels. Shorter segments take more bytes, but a region then reads less beside itself.
constexpr int kSegmentWidth = 32;

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
  append_jpeg_segment(out, kQuantizers, bytes);
}

// Returns a header of one baseline scan with all components, from which libjpeg chooses the same
// sizes, quantizers and colors. Its Huffman tables are not used: they only have to be there.
std::vector<std::uint8_t> make_header(const jpeg_decompress_struct& info, int orientation) {
  std::vector<std::uint8_t> out = {0xff, kStartOfImage};
  if (info.saw_JFIF_marker != FALSE)
    append_jpeg_segment(
        out, kApp0, std::array<std::uint8_t, 14>{'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0});
  if (info.saw_Adobe_marker != FALSE) {
    append_jpeg_segment(
        out, kApp14,
        std::array<std::uint8_t, 12>{'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0,
                                     static_cast<std::uint8_t>(info.Adobe_transform)});
  }
  if (orientation != 1) append_jpeg_segment(out, kApp1, make_exif_orientation(orientation));
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
  append_jpeg_segment(out, kStartOfFrame1, frame);
  // Two tables, each with one code of one bit, for the symbol 0.
  append_jpeg_segment(out, kHuffmanTables, std::array<std::uint8_t, 18>{0x00, 1});
  append_jpeg_segment(out, kHuffmanTables, std::array<std::uint8_t, 18>{0x10, 1});
  scan.insert(scan.end(), {0, 63, 0});
  append_jpeg_segment(out, kStartOfScan, scan);
  out.insert(out.end(), {0xff, kEndOfImage});
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
    if (!read_ordinary())
      if (std::string why = read_by_libjpeg(); !why.empty()) return why;
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
  // Reads an ordinary file that is rebuilt byte for byte. Returns false for all others.
  bool read_ordinary() {
    if (parts_.scans.size() != 1) return false;
    const Span scan = parts_.scans[0], behind = parts_.pieces[1];
    if (behind.size() < 2 || behind[0] != 0xff || behind[1] != kEndOfImage) return false;
    for (int c = 0; c < info_.num_components; ++c) {
      const int number = info_.comp_info[c].quant_tbl_no;
      if (number < 0 || number >= NUM_QUANT_TBLS || info_.quant_tbl_ptrs[number] == nullptr)
        return false;
    }
    SequentialScan coder;
    if (!coder.open(info_, order_) || !coder.read(scan, blocks_)) return false;
    const std::vector<std::uint8_t> again = coder.write(blocks_, scan.size());
    if (!std::equal(again.begin(), again.end(), scan.begin(), scan.end())) return false;
    // As libjpeg does when it begins a scan.
    for (int c = 0; c < info_.num_components; ++c)
      info_.comp_info[c].quant_table = info_.quant_tbl_ptrs[info_.comp_info[c].quant_tbl_no];
    return true;
  }
  std::string read_by_libjpeg() {
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
    return {};
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
  std::vector<std::uint8_t> numbers;
  detail::append_little(numbers, PackedJpegParts::kVersion);
  detail::append_little(numbers, static_cast<std::uint32_t>(dictionary.size()));
  std::vector<std::uint8_t> out(PackedJpegParts::kPrefixBytes + dictionary.size());
  std::uint8_t* at = out.data();
  for (const char c : PackedJpegParts::kMagic) *at++ = static_cast<std::uint8_t>(c);
  at = std::copy(numbers.begin(), numbers.end(), at);
  std::copy(dictionary.begin(), dictionary.end(), at);
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

// Reads a segment of a packed JPEG into its blocks. Throws PackError.
void read_segment(const PackTokens& tokens, const PackLayout& layout, Span segment,
                  std::span<PackBlock> blocks) {
  PackTokenReader reader;
  begin_segment(reader, segment);
  const auto per_group = static_cast<std::size_t>(layout.blocks);
  for (std::size_t at = 0; at < blocks.size(); at += per_group) {
    JBLOCKROW group[PackLayout::kMostBlocks];
    for (std::size_t i = 0; i < per_group; ++i)
      group[i] = reinterpret_cast<JBLOCKROW>(blocks[at + i].data());
    unpack_group(tokens, reader, layout, group);
  }
  if (reader.doubt || !has_ended(reader)) throw PackError("the packed JPEG is damaged: its tokens");
}

// Calls use(segment, begin, count) for each segment, with the number of its first block and of its
// blocks. Throws PackError.
template <class Use>
void for_each_segment(const PackedJpeg& head, Span packed, const BlockOrder& order,
                      const Use& use) {
  const auto per_group = static_cast<std::size_t>(order.layout.blocks);
  std::size_t at = 0;
  for (std::uint32_t row = 0; row < order.rows; ++row) {
    for (std::uint32_t i = 0; i < head.segments_per_row(); ++i) {
      const std::uint32_t first = i * head.grain();
      const std::size_t blocks = std::min(head.grain(), order.per_row - first) * per_group;
      use(head.segment(packed, row, i), at, blocks);
      at += blocks;
    }
  }
}

std::vector<PackBlock> blocks_of(const PackedJpeg& head, Span packed, const BlockOrder& order) {
  // Each block has at least a token, which has 12 bits.
  const ByteRange rows = head.range_of_rows(0, head.rows() - 1);
  if (order.blocks() / 2 * 3 > rows.size()) throw PackError("the packed JPEG is damaged: its size");
  const PackTokens tokens = head.tokens();
  std::vector<PackBlock> blocks(order.blocks());
  for_each_segment(head, packed, order, [&](Span segment, std::size_t begin, std::size_t count) {
    const auto some = std::span(blocks).subspan(begin, count);
    read_segment(tokens, order.layout, segment, some);
    // libjpeg cannot write an AC coefficient with 16 bits.
    for (const PackBlock& block : some)
      if (std::find(block.begin() + 1, block.end(), INT16_MIN) != block.end())
        throw PackError("the packed JPEG is damaged: a coefficient that no JPEG file has");
  });
  return blocks;
}

}  // namespace

bool JpegCoefficients::equals(Span sample, Span dictionary, const PackTokens& tokens) const try {
  std::vector<std::uint8_t> packed = begin_of_packed_jpegs(dictionary);
  packed.insert(packed.end(), sample.begin(), sample.end());
  PackedJpeg head;
  head.open(packed);
  head.check_rows(packed);
  BlockOrder order;
  if (!HeaderReader(head.header()).read(order) || order.rows != rows_ ||
      order.per_row != per_row_ || order.layout != layout_ || rows_ != head.rows() ||
      per_row_ != head.groups_per_row() ||
      head.dictionary_checksum() != checksum_of_dictionary(dictionary) || !tokens.is_of(dictionary))
    return false;
  bool equal = true;
  std::vector<PackBlock> some;
  for_each_segment(head, packed, order, [&](Span segment, std::size_t begin, std::size_t count) {
    some.resize(count);
    read_segment(tokens, layout_, segment, some);
    equal =
        equal && std::memcmp(some.data(), blocks_.data() + begin, count * sizeof(PackBlock)) == 0;
  });
  return equal;
} catch (const PackError&) {
  return false;
}

std::vector<std::uint8_t> unpack_jpeg(Span packed) {
  PackedJpeg head;
  head.open(packed);
  head.check_rows(packed);
  const ByteRange range = head.range_of_restoring_part();
  if (range.end > packed.size()) fail_to_restore();
  const RestoringPart part(packed.subspan(range.begin, range.size()), head.header());
  BlockOrder order;
  if (!HeaderReader(head.header()).read(order) || order.rows != head.rows() ||
      order.per_row != head.groups_per_row())
    fail_to_restore();
  const std::vector<PackBlock> blocks = blocks_of(head, packed, order);
  std::vector<std::uint8_t> file = rebuild_jpeg(part.pieces(), order, blocks.data(), part.bytes());
  if (file.size() != part.bytes() || !part.is_of(file))
    throw PackError("the packed JPEG is damaged: the file that it gives has another checksum");
  return file;
}

}  // namespace sluice
