#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/orientation.h>
#include <sluice/io/packs/packed_jpeg.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

namespace sluice {
namespace {

std::string_view name_of_format(std::span<const std::uint8_t> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()),
                              std::min<std::size_t>(file.size(), 16));
  struct Known {
    std::string_view start;
    std::string_view name;
  };
  constexpr Known kKnown[] = {
      {"\x89PNG", "PNG"},
      {"GIF8", "GIF"},
      {"BM", "BMP"},
      {"II*", "TIFF"},
      {"MM", "TIFF"},
      {"%PDF", "PDF"},
      {"\x1f\x8b", "gzip"},
      {"PK\x03\x04", "zip"},
      {"<svg", "SVG"},
      {"<", "HTML or XML text"},
      {"P6", "PPM"},
      {"P5", "PGM"},
      {"\xff\x0a", "JPEG XL"},
      {"\x76\x2f\x31\x01", "OpenEXR"},
      {"\xff\x4f\xff\x51", "JPEG 2000"},
  };
  if (text.starts_with("RIFF") && text.substr(std::min<std::size_t>(text.size(), 8), 4) == "WEBP") {
    return "WebP";
  }
  if (text.substr(std::min<std::size_t>(text.size(), 4), 4) == "ftyp") {
    return "HEIF, AVIF or MP4";
  }
  for (const Known& known : kKnown) {
    if (text.starts_with(known.start)) return known.name;
  }
  return {};
}

}  // namespace

std::string how_it_starts(std::span<const std::uint8_t> file) {
  if (file.empty()) return "it is empty";
  const std::string_view name = name_of_format(file);
  return fmt::format("starts with {:02x}{}{}{}",
                     fmt::join(file.first(std::min<std::size_t>(file.size(), 4)), " "),
                     name.empty() ? "" : " (", name, name.empty() ? "" : ")");
}

namespace {

using namespace jpeg_marker;
using Bytes8 = std::span<const std::uint8_t>;

bool is_frame(std::uint8_t marker) {
  return marker >= kStartOfFrame0 && marker <= kStartOfFrame15 && marker != kHuffmanTables &&
         marker != kReservedFrame && marker != kArithmeticConditioning;
}

bool has_no_segment(std::uint8_t marker) {
  return marker == kTemporary || (marker >= kRestart0 && marker <= kRestart7);
}

// True for segments that libjpeg skips.
bool is_skippable(std::uint8_t marker) {
  return (marker >= kApp0 && marker <= kApp15) || marker == kComment || marker == kDefineLines;
}

// Steps from marker to marker (ITU-T T.81, annex B). Each step moves forward, so it terminates.
class MarkerWalk {
 public:
  enum class Found { segment, start_of_scan, end_of_image, second_start, cut };

  explicit MarkerWalk(Bytes8 file) : file_(file), position_(2) {}

  // Goes to the next marker with a segment, or to the end of the header. Bytes between segments are
  // skipped, as libjpeg does.
  Found next() {
    for (;;) {
      if (!find_marker()) return Found::cut;
      if (marker_ == kStartOfImage) return Found::second_start;
      if (marker_ == kEndOfImage) return Found::end_of_image;
      if (!has_no_segment(marker_)) break;
    }
    // The scan's own header is not needed, and a decoder works without the end of it.
    if (marker_ == kStartOfScan) return Found::start_of_scan;
    if (file_.size() - position_ < 2) return Found::cut;
    const std::size_t length =
        static_cast<std::size_t>(file_[position_]) << 8 | file_[position_ + 1];
    if (length < 2 && is_skippable(marker_)) {
      // libjpeg treats these as empty and continues after the length.
      segment_ = {};
      position_ += 2;
      return Found::segment;
    }
    if (length < 2 || length > file_.size() - position_) return Found::cut;
    segment_ = file_.subspan(position_ + 2, length - 2);
    position_ += length;
    return Found::segment;
  }

  std::uint8_t marker() const { return marker_; }
  // The bytes after the segment's length.
  Bytes8 segment() const { return segment_; }
  std::size_t position() const { return position_; }

 private:
  // Leaves position_ after the next marker: one or more bytes 0xff, followed by a byte that is
  // neither 0 nor 0xff.
  bool find_marker() {
    while (position_ < file_.size()) {
      const void* found = std::memchr(&file_[position_], 0xff, file_.size() - position_);
      if (found == nullptr) return false;
      position_ = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - file_.data());
      while (position_ < file_.size() && file_[position_] == 0xff) ++position_;
      if (position_ == file_.size()) return false;
      marker_ = file_[position_++];
      if (marker_ != 0) return true;
    }
    return false;
  }

  Bytes8 file_;
  std::size_t position_;
  std::uint8_t marker_ = 0;
  Bytes8 segment_;
};

bool starts_as_jpeg(Bytes8 file) {
  return file.size() >= 2 && file[0] == 0xff && file[1] == kStartOfImage;
}

[[noreturn]] void throw_not_jpeg(Bytes8 file) {
  if (file.empty()) throw JpegError("not a JPEG file: it is empty");
  const std::string start = how_it_starts(file);
  const bool known =
      start.ends_with("(PNG)") || start.ends_with("(WebP)") || start.ends_with("(GIF)");
  throw JpegError("not a JPEG file: " + start + (known ? "; decode_image decodes it" : ""));
}

void read_frame(std::uint8_t marker, Bytes8 segment, JpegHeader& header) {
  if (segment.size() < 6) throw JpegError("broken header: the frame segment is too short");
  header.bits = segment[0];
  header.height = segment[1] << 8 | segment[2];
  header.width = segment[3] << 8 | segment[4];
  header.components = segment[5];
  if (header.height == 0 || header.width == 0 || header.components == 0) {
    throw JpegError(
        fmt::format("broken header: an image of {} x {} pixels (width x height) with {} components",
                    header.width, header.height, header.components));
  }
  const int kind = marker - kStartOfFrame0;
  header.lossless = (kind & 3) == 3;
  header.progressive = (kind & 3) == 2;
  header.arithmetic = kind >= 8;
}

}  // namespace

JpegHeader peek_jpeg(std::span<const std::uint8_t> file) {
  if (is_packed_jpeg(file)) file = header_of_packed_jpeg(file);
  if (!starts_as_jpeg(file)) throw_not_jpeg(file);
  JpegHeader header;
  bool frame_seen = false;
  bool exif_seen = false;
  MarkerWalk walk(file);
  for (;;) {
    switch (walk.next()) {
      case MarkerWalk::Found::segment:
        if (is_frame(walk.marker()) && !frame_seen) {
          read_frame(walk.marker(), walk.segment(), header);
          frame_seen = true;
        } else if (walk.marker() == kApp1 && !exif_seen && is_exif(walk.segment())) {
          header.orientation = parse_exif_orientation(walk.segment());
          exif_seen = true;
        }
        break;
      case MarkerWalk::Found::start_of_scan:
        if (!frame_seen) throw JpegError("broken header: image data before the frame segment");
        return header;
      case MarkerWalk::Found::end_of_image:
        throw JpegError("no image in it: the file ends with its header (tables only?)");
      case MarkerWalk::Found::second_start:
        throw JpegError("broken header: a second start-of-image marker");
      case MarkerWalk::Found::cut:
        throw JpegError(fmt::format("broken header: cut off or damaged at byte {} of {}",
                                    walk.position(), file.size()));
    }
  }
}

JpegHeader peek_jpeg(const Bytes& file) {
  if (file.is_on_demand()) {
    try {
      return peek_jpeg(file.prefix());
    } catch (const JpegError&) {  // only the whole file shows if the header is broken
    }
  }
  return peek_jpeg(std::span<const std::uint8_t>(file));
}

int peek_jpeg_orientation(std::span<const std::uint8_t> file) noexcept {
  if (is_packed_jpeg(file)) {
    try {
      file = header_of_packed_jpeg(file);
    } catch (const Error&) {
      return 1;
    }
  }
  if (!starts_as_jpeg(file)) return 1;
  MarkerWalk walk(file);
  while (walk.next() == MarkerWalk::Found::segment) {
    if (walk.marker() == kApp1 && is_exif(walk.segment())) {
      return parse_exif_orientation(walk.segment());
    }
  }
  return 1;
}

}  // namespace sluice
