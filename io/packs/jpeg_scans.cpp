#include <sluice/io/jpeg/header.h>
#include <sluice/io/packs/jpeg_scans.h>
#include <sluice/io/packs/sequential_scan.h>

#include <new>
#include <optional>

namespace sluice {
namespace {

using namespace jpeg_marker;
using Span = std::span<const std::uint8_t>;

bool is_restart(std::uint8_t marker) { return marker >= kRestart0 && marker <= kRestart7; }
bool stands_alone(std::uint8_t marker) {
  return marker == kStartOfImage || marker == kTemporary || marker == 0 || is_restart(marker);
}

// Returns the end of the entropy-coded bytes that begin at `at`.
std::size_t end_of_scan(Span file, std::size_t at) {
  while (at < file.size()) {
    const auto* const found =
        static_cast<const std::uint8_t*>(std::memchr(&file[at], 0xff, file.size() - at));
    if (found == nullptr) return file.size();
    at = static_cast<std::size_t>(found - file.data());
    if (at + 1 == file.size() || (file[at + 1] != 0 && !is_restart(file[at + 1]))) return at;
    at += 2;
  }
  return at;
}

// The Huffman tables of each component, as the headers of scans name them.
struct TableNumbers {
  int dc[MAX_COMPONENTS] = {};
  int ac[MAX_COMPONENTS] = {};
  bool known[MAX_COMPONENTS] = {};
};

// Reads the scan whose header `piece` ends with. `info` has read the frame. Returns false if there
// is none that this frame can have.
bool read_scan(Span piece, const jpeg_decompress_struct& info, jpeg_scan_info& scan,
               TableNumbers& tables) {
  // The header is 6 + 2 components long, and its length stands before it.
  for (int components = 1; components <= info.num_components; ++components) {
    const std::size_t bytes = 8 + 2 * static_cast<std::size_t>(components);
    if (piece.size() < bytes) return false;
    const Span header = piece.last(bytes);
    if (header[0] != 0xff || header[1] != kStartOfScan || header[2] != 0 ||
        header[3] != bytes - 2 || header[4] != components)
      continue;
    scan = {};
    scan.comps_in_scan = components;
    for (int i = 0; i < components; ++i) {
      const int id = header[5 + 2 * static_cast<std::size_t>(i)];
      int found = -1;
      for (int k = 0; k < info.num_components; ++k)
        if (info.comp_info[k].component_id == id) found = k;
      if (found < 0) return false;
      scan.component_index[i] = found;
      const int numbers = header[6 + 2 * static_cast<std::size_t>(i)];
      tables.dc[found] = numbers >> 4;
      tables.ac[found] = numbers & 15;
      tables.known[found] = true;
    }
    const Span rest = header.last(3);
    scan.Ss = rest[0];
    scan.Se = rest[1];
    scan.Ah = rest[2] >> 4;
    scan.Al = rest[2] & 15;
    return true;
  }
  return false;
}

// Rewriter: makes the scans of a JPEG file from the pieces around them, and the blocks. Writes an
// ordinary scan itself. Otherwise it lets libjpeg write a file, and takes its scans.
class Rewriter {
 public:
  Rewriter(const std::vector<Span>& pieces, const BlockOrder& order, const PackBlock* blocks,
           std::size_t expected)
      : pieces_(pieces), order_(order), blocks_(blocks), expected_(expected) {
    script_.resize(pieces.size() - 1);
  }
  Rewriter(const Rewriter&) = delete;
  Rewriter& operator=(const Rewriter&) = delete;
  ~Rewriter() {
    jpeg_destroy_compress(&out_);
    jpeg_destroy_decompress(&in_);
  }

  // Returns false if libjpeg cannot write it, or writes another number of scans.
  bool run() {
    errors_.install();
    errors_.start_image(false);
    in_.err = out_.err = &errors_.manager;
    const auto read = [](void* self) noexcept { static_cast<Rewriter*>(self)->read_header(); };
    const auto write = [](void* self) noexcept { static_cast<Rewriter*>(self)->write(); };
    if (!guarded(read)) return false;
    // The pieces may be forged: their frame must have the blocks.
    BlockOrder found;
    if (!found.read(in_) || found != order_) return false;
    if (script_.size() == 1) {
      SequentialScan scan;
      if (scan.open(in_, order_)) ordinary_ = scan.write(blocks_, expected_);
      if (!ordinary_.empty()) {
        scans_.push_back(ordinary_);
        return true;
      }
    }
    for (std::size_t i = 0; i < script_.size(); ++i)
      if (!read_scan(pieces_[i], in_, script_[i], tables_)) return false;
    for (int c = 0; c < in_.num_components; ++c)
      if (!tables_.known[c]) return false;
    output_.emplace(errors_, expected_);
    if (!guarded(write)) return false;
    scans_ = split_jpeg(output_->bytes()).scans;
    return scans_.size() == script_.size();
  }
  const std::vector<Span>& scans() const { return scans_; }

 private:
  bool guarded(JpegStep step) {
    if (jpeg_guarded(errors_, step, this)) return true;
    if (errors_.out_of_memory) throw std::bad_alloc();
    return false;
  }

  // Steps: no locals with destructors, no exceptions.
  void read_header() {
    jpeg_create_decompress(&in_);
    jpeg_mem_src(&in_, pieces_[0].data(), static_cast<unsigned long>(pieces_[0].size()));
    jpeg_read_header(&in_, TRUE);
  }
  void write() {
    jpeg_create_compress(&out_);
    output_->install(out_);
    jpeg_copy_critical_parameters(&in_, &out_);
    copy_tables();
    // libjpeg chooses the only scan itself.
    if (script_.size() > 1 || in_.progressive_mode != FALSE) {
      out_.scan_info = script_.data();
      out_.num_scans = static_cast<int>(script_.size());
    }
    jvirt_barray_ptr arrays[MAX_COMPONENTS];
    const auto object = reinterpret_cast<j_common_ptr>(&out_);
    for (int c = 0; c < in_.num_components; ++c) {
      const jpeg_component_info& of = in_.comp_info[c];
      const auto h = static_cast<JDIMENSION>(of.h_samp_factor);
      const auto v = static_cast<JDIMENSION>(of.v_samp_factor);
      arrays[c] = out_.mem->request_virt_barray(object, JPOOL_IMAGE, TRUE,
                                                (of.width_in_blocks + h - 1) / h * h,
                                                (of.height_in_blocks + v - 1) / v * v, v);
    }
    jpeg_write_coefficients(&out_, arrays);
    copy_blocks<true>(object, arrays, in_.comp_info, order_, blocks_);
    jpeg_finish_compress(&out_);
  }
  void copy_tables() {
    const auto object = reinterpret_cast<j_common_ptr>(&out_);
    const auto copy = [object](JHUFF_TBL* from, JHUFF_TBL*& to) {
      if (from == nullptr) return;
      if (to == nullptr) to = jpeg_alloc_huff_table(object);
      *to = *from;
    };
    for (int i = 0; i < NUM_HUFF_TBLS; ++i) {
      copy(in_.dc_huff_tbl_ptrs[i], out_.dc_huff_tbl_ptrs[i]);
      copy(in_.ac_huff_tbl_ptrs[i], out_.ac_huff_tbl_ptrs[i]);
    }
    std::memcpy(out_.arith_dc_L, in_.arith_dc_L, sizeof out_.arith_dc_L);
    std::memcpy(out_.arith_dc_U, in_.arith_dc_U, sizeof out_.arith_dc_U);
    std::memcpy(out_.arith_ac_K, in_.arith_ac_K, sizeof out_.arith_ac_K);
    out_.arith_code = in_.arith_code;
    out_.optimize_coding = FALSE;
    out_.restart_interval = in_.restart_interval;
    if (in_.progressive_mode != FALSE) return;  // libjpeg makes a table for each scan
    for (int c = 0; c < in_.num_components; ++c) {
      out_.comp_info[c].dc_tbl_no = tables_.dc[c];
      out_.comp_info[c].ac_tbl_no = tables_.ac[c];
    }
  }

  const std::vector<Span>& pieces_;
  const BlockOrder& order_;
  const PackBlock* blocks_;
  JpegErrors errors_;
  jpeg_decompress_struct in_{};
  jpeg_compress_struct out_{};
  const std::size_t expected_;
  std::optional<JpegOutput> output_;
  std::vector<std::uint8_t> ordinary_;
  std::vector<Span> scans_;  // of `output_` or `ordinary_`
  std::vector<jpeg_scan_info> script_;
  TableNumbers tables_;
};

}  // namespace

SplitJpeg split_jpeg(Span file) {
  SplitJpeg parts;
  std::size_t begin = 0, at = 2;
  while (at + 4 <= file.size()) {
    const std::uint8_t marker = file[at + 1];
    if (file[at] != 0xff || marker == 0xff) {
      ++at;
      continue;
    }
    if (marker == kEndOfImage) break;
    at += 2;
    if (stands_alone(marker)) continue;
    at += static_cast<std::size_t>(file[at]) << 8 | file[at + 1];
    if (at > file.size()) break;
    if (marker != kStartOfScan) continue;
    const std::size_t end = end_of_scan(file, at);
    parts.pieces.push_back(file.subspan(begin, at - begin));
    parts.scans.push_back(file.subspan(at, end - at));
    begin = at = end;
  }
  parts.pieces.push_back(file.subspan(begin));
  return parts;
}

void append_jpeg_segment(std::vector<std::uint8_t>& out, std::uint8_t marker, Span bytes) {
  const std::size_t length = bytes.size() + 2;
  out.insert(out.end(), {0xff, marker, static_cast<std::uint8_t>(length >> 8),
                         static_cast<std::uint8_t>(length)});
  out.insert(out.end(), bytes.begin(), bytes.end());
}

bool BlockOrder::read(const jpeg_decompress_struct& info) {
  if (info.num_components == 1) {
    layout.blocks = 1;
    per_row = info.comp_info[0].width_in_blocks;
    rows = info.comp_info[0].height_in_blocks;
    return true;
  }
  const auto groups = [](JDIMENSION pixels, int sampling) {
    const auto side = static_cast<JDIMENSION>(sampling * DCTSIZE);
    return (pixels + side - 1) / side;
  };
  per_row = groups(info.image_width, info.max_h_samp_factor);
  rows = groups(info.image_height, info.max_v_samp_factor);
  for (int c = 0; c < info.num_components; ++c) {
    const int blocks = info.comp_info[c].h_samp_factor * info.comp_info[c].v_samp_factor;
    if (layout.blocks + blocks > PackLayout::kMostBlocks) return false;
    for (int i = 0; i < blocks; ++i)
      layout.block[layout.blocks++].component = static_cast<std::uint8_t>(c);
  }
  return true;
}

std::vector<std::uint8_t> rebuild_jpeg(const std::vector<Span>& pieces, const BlockOrder& order,
                                       const PackBlock* blocks, std::size_t bytes) {
  Rewriter rewriter(pieces, order, blocks, bytes);
  std::vector<std::uint8_t> file;
  if (pieces.size() < 2 || !rewriter.run()) return file;
  file.reserve(bytes);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    file.insert(file.end(), pieces[i].begin(), pieces[i].end());
    if (i < rewriter.scans().size())
      file.insert(file.end(), rewriter.scans()[i].begin(), rewriter.scans()[i].end());
  }
  return file;
}

}  // namespace sluice
