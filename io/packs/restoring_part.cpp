// The kept bytes are often the same as in the header for decoders, or tables that most encoders
// use. So they are stored as copies from these and as other bytes.
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/libjpeg.h>
#include <sluice/io/little_endian.h>
#include <sluice/io/packs/jpeg_scans.h>
#include <sluice/io/packs/pack_writer.h>
#include <sluice/io/packs/restoring_part.h>
#include <sluice/io/packs/tokens.h>

#include <algorithm>
#include <bit>
#include <new>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sluice {
namespace {

using Span = std::span<const std::uint8_t>;

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
      append_jpeg_segment(out, jpeg_marker::kHuffmanTables, bytes);
    }
  }
  jpeg_destroy_compress(&tables.info);
  return out;
}

// Copies: writes and reads the kept bytes of a file as copies.
class Copies {
 public:
  // The text is the header for decoders, and then the common tables.
  explicit Copies(Span header) : text_(header.begin(), header.end()) {
    static const std::vector<std::uint8_t> common = make_common_tables();
    text_.insert(text_.end(), common.begin(), common.end());
  }

  void write(Span bytes, std::vector<std::uint8_t>& out) const {
    const Places places(text_);
    std::size_t begin = 0;
    for (std::size_t at = 0; at + 8 <= bytes.size();) {
      const std::size_t found = places.find(bytes.subspan(at));
      const std::size_t most = std::min(bytes.size() - at, text_.size() - found);
      std::size_t length = 0;
      while (length < most && bytes[at + length] == text_[found + length]) ++length;
      if (length < kShortest) {
        ++at;
        continue;
      }
      write_others(bytes.subspan(begin, at - begin), out);
      out.push_back(1);
      detail::append_little(out, static_cast<std::uint16_t>(found));
      detail::append_little(out, static_cast<std::uint16_t>(length));
      begin = at += length;
    }
    write_others(bytes.subspan(begin), out);
  }

  // Throws PackError unless there are exactly this many bytes.
  std::vector<std::uint8_t> read(Span in, std::size_t bytes) const {
    std::vector<std::uint8_t> out;
    const auto take = [&in](std::size_t count) {
      if (count > in.size()) fail_to_restore();
      const Span taken = in.first(count);
      in = in.subspan(count);
      return taken;
    };
    while (!in.empty()) {
      const std::uint8_t kind = take(1)[0];
      if (kind > 1) fail_to_restore();
      const bool copies = kind == 1;
      const Span numbers = take(4);
      Span piece;
      if (copies) {
        const std::size_t from = detail::read_little<std::uint16_t>(numbers, 0);
        const std::size_t length = detail::read_little<std::uint16_t>(numbers, 2);
        if (from > text_.size() || length > text_.size() - from) fail_to_restore();
        piece = Span(text_).subspan(from, length);
      } else {
        piece = take(detail::read_little<std::uint32_t>(numbers, 0));
      }
      if (piece.size() > bytes - out.size()) fail_to_restore();
      out.insert(out.end(), piece.begin(), piece.end());
    }
    if (out.size() != bytes) fail_to_restore();
    return out;
  }

  // False if unpacking would take too much memory: a forged part may have many copies. Files that
  // are packed are within this bound, too. `bytes` and `stored`: before and after write().
  static bool is_within_bounds(std::size_t bytes, std::size_t stored) {
    return bytes <= stored + (std::size_t{16} << 20);
  }

 private:
  static constexpr std::size_t kShortest = 12;

  // Finds where 8 bytes are first in a text: a hash table.
  class Places {
   public:
    explicit Places(Span text)
        : text_(text),
          bits_(static_cast<int>(std::bit_width(2 * text.size()))),
          places_(std::size_t{1} << bits_) {
      for (std::size_t i = 0; i + 8 <= text.size(); ++i) {
        std::uint32_t& place = places_[slot_of(word(text, i))];
        if (place == 0) place = static_cast<std::uint32_t>(i + 1);
      }
    }
    // Returns the size of the text if they are nowhere.
    std::size_t find(Span bytes) const {
      const std::uint32_t place = places_[slot_of(word(bytes, 0))];
      return place == 0 ? text_.size() : place - 1;
    }

   private:
    static std::uint64_t word(Span bytes, std::size_t at) {
      return detail::read_little<std::uint64_t>(bytes, at);
    }
    std::size_t slot_of(std::uint64_t word) const {
      std::size_t slot = word * 0x9e3779b97f4a7c15u >> (64 - bits_);
      while (places_[slot] != 0 && this->word(text_, places_[slot] - 1) != word)
        slot = (slot + 1) & (places_.size() - 1);
      return slot;
    }

    const Span text_;
    const int bits_;
    std::vector<std::uint32_t> places_;  // plus 1; at most half of them are used
  };

  static void write_others(Span bytes, std::vector<std::uint8_t>& out) {
    if (bytes.empty()) return;
    out.push_back(0);
    detail::append_little(out, static_cast<std::uint32_t>(bytes.size()));
    out.insert(out.end(), bytes.begin(), bytes.end());
  }

  std::vector<std::uint8_t> text_;
};

}  // namespace

void fail_to_restore() {
  throw PackError("the packed JPEG is damaged: what its file is rebuilt from");
}

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

RestoringPart::RestoringPart(Span part, Span header) : part_(part) {
  if (part.size() < 16) fail_to_restore();
  bytes_ = detail::read_little<std::uint32_t>(part, 8);
  const std::size_t scans = detail::read_little<std::uint32_t>(part, 12);
  const Span sizes = part.subspan(16);
  const auto most_scans = static_cast<std::size_t>(PackLimits().max_scans);
  if (scans == 0 || scans > most_scans || scans >= sizes.size() / 4) fail_to_restore();
  std::size_t kept = 0;
  for (std::size_t i = 0; i <= scans; ++i) kept += detail::read_little<std::uint32_t>(sizes, 4 * i);
  if (kept > bytes_ || !Copies::is_within_bounds(kept, part.size())) fail_to_restore();
  text_ = Copies(header).read(sizes.subspan(4 * (scans + 1)), kept);
  std::size_t at = 0;
  for (std::size_t i = 0; i <= scans; ++i) {
    const std::size_t size = detail::read_little<std::uint32_t>(sizes, 4 * i);
    pieces_.push_back(Span(text_).subspan(at, size));
    at += size;
  }
}

bool RestoringPart::is_of(Span file) const noexcept {
  return XXH3_64bits(file.data(), file.size()) == detail::read_little<std::uint64_t>(part_, 0);
}

}  // namespace sluice
