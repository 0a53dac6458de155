#include <sluice/io/images/known_formats.h>

#include <algorithm>
#include <cstddef>
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

}  // namespace sluice
