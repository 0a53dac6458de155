#include <sluice/cuda/jpeg/file_header.h>
#include <sluice/io/jpeg/markers.h>

#include <algorithm>
#include <cstring>

namespace sluice::device {
namespace {

using namespace jpeg_marker;
using Segment = std::span<const std::uint8_t>;  // the bytes after its length

// The position of each of a block's 64 values in the rows of the block.
constexpr std::uint8_t kZigzagOrder[64] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

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
      case kQuantisers:
        return read_quantisers(segment);
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
      component.quantisers = from[2];
      const int most = i == 0 ? 2 : 1;
      if (component.across < 1 || component.across > most || component.down < 1 ||
          component.down > most)
        return false;
    }
    return true;
  }

  bool read_quantisers(Segment segment) {
    while (!segment.empty()) {
      const std::size_t wide = segment[0] >> 4, number = segment[0] & 15;
      const std::size_t bytes = std::size_t{64} << wide;
      if (wide > 1 || number >= JpegFileHeader::kTables || segment.size() < 1 + bytes) return false;
      const std::uint8_t* const from = &segment[1];
      std::uint16_t* const to = out_.quantisers[number];
      for (std::size_t i = 0; i < 64; ++i) {
        to[kZigzagOrder[i]] =
            wide == 0 ? from[i] : static_cast<std::uint16_t>(from[2 * i] << 8 | from[2 * i + 1]);
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
    return range[0] == 0 && range[1] == 63 && range[2] == 0 && has_usual_colours();
  }

  bool has_usual_colours() const {
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

}  // namespace sluice::device
