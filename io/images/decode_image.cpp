#include <sluice/io/images/codec.h>
#include <sluice/io/images/decode_image.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/packs/packed_jpeg.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace sluice {
namespace {

struct Format {
  ImageFormat format;
  const char* name;
  const char* package;
  const ImageCodec* codec;  // null if this build has none
};

// The formats, with the codecs of this build.
constexpr Format kFormats[] = {
#ifdef SLUICE_HAS_PNG
    {ImageFormat::png, "PNG", "libpng-dev", &kPngCodec},
#else
    {ImageFormat::png, "PNG", "libpng-dev", nullptr},
#endif
#ifdef SLUICE_HAS_WEBP
    {ImageFormat::webp, "WebP", "libwebp-dev", &kWebpCodec},
#else
    {ImageFormat::webp, "WebP", "libwebp-dev", nullptr},
#endif
#ifdef SLUICE_HAS_GIF
    {ImageFormat::gif, "GIF", "libgif-dev", &kGifCodec},
#else
    {ImageFormat::gif, "GIF", "libgif-dev", nullptr},
#endif
#ifdef SLUICE_HAS_TIFF
    {ImageFormat::tiff, "TIFF", "libtiff-dev", &kTiffCodec},
#else
    {ImageFormat::tiff, "TIFF", "libtiff-dev", nullptr},
#endif
};

const Format* find(ImageFormat format) {
  const auto* const at = std::find_if(std::begin(kFormats), std::end(kFormats),
                                      [&](const Format& one) { return one.format == format; });
  return at == std::end(kFormats) ? nullptr : at;
}

// Returns the codec of a file that is not a JPEG file.
const ImageCodec& codec_of(std::span<const std::uint8_t> file) {
  const Format* const format = find(image_format(file));
  if (format == nullptr)
    throw ImageError("not a JPEG, PNG, TIFF, WebP or GIF file: " + how_it_starts(file));
  if (format->codec == nullptr) {
    throw ImageError(
        fmt::format("this build of Sluice cannot decode {}: install {} and build it again",
                    format->name, format->package));
  }
  return *format->codec;
}

void repeat_gray(const Image& gray, Image& out) {
  out.create(gray.height(), gray.width(), 3);
  for (int y = 0; y < gray.height(); ++y) {
    const std::uint8_t* from = gray.row(y);
    std::uint8_t* to = out.row(y);
    for (int x = 0; x < gray.width(); ++x, to += 3) to[0] = to[1] = to[2] = from[x];
  }
}

void make_luma(const Image& rgb, Image& out) {
  out.create(rgb.height(), rgb.width(), 1);
  for (int y = 0; y < rgb.height(); ++y) {
    const std::uint8_t* from = rgb.row(y);
    std::uint8_t* const to = out.row(y);
    for (int x = 0; x < rgb.width(); ++x, from += 3) {
      // 0.299, 0.587 and 0.114 times 65536, as in libjpeg.
      to[x] = static_cast<std::uint8_t>(
          (19595U * from[0] + 38470U * from[1] + 7471U * from[2] + 32768U) >> 16);
    }
  }
}

// Returns the number of channels that a codec decodes.
int channels_of(const ImageCodec& codec, const ImageCodec::Header& header, ImageFormat format,
                const ImageOptions& options) {
  if (!options.ids) return header.channels;
  if (codec.decode_ids == nullptr || (header.channels != 1 && !header.has_palette)) {
    throw ImageError(
        fmt::format("this {} file is not a mask: it has colors instead of ids; save masks as PNG "
                    "with a palette or in gray",
                    name_of(format)));
  }
  return 1;
}

void check_header(int height, int width) {
  if (height >= 1 && width >= 1) return;
  throw ImageError(
      fmt::format("broken header: an image of {} x {} pixels (width x height)", width, height));
}

void check_bytes(int height, int width, std::int64_t of_pixel, std::int64_t most) {
  if (std::int64_t{height} * width <= most / of_pixel) return;
  throw ImageError(fmt::format(
      "{} x {} pixels of {} bytes are more than the limit of {} bytes; raise max_output_bytes",
      width, height, of_pixel, most));
}

void decode_other(std::span<const std::uint8_t> file, const ImageOptions& options, Image& out) {
  const ImageCodec& codec = codec_of(file);
  const ImageCodec::Header header = codec.peek(file);
  check_header(header.height, header.width);
  const int channels = options.color == ColorSpace::rgb && !options.ids ? 3 : 1;
  const int own = channels_of(codec, header, image_format(file), options);
  // A codec decodes its own channels first.
  check_bytes(header.height, header.width, std::max({channels, own, header.stored_bytes}),
              options.max_output_bytes);
  if (options.ids) return codec.decode_ids(file, out);
  if (own == channels) return codec.decode(file, out);
  Image other;
  codec.decode(file, other);
  if (channels == 3) {
    repeat_gray(other, out);
  } else {
    make_luma(other, out);
  }
}

ImageSize size_of(const JpegHeader& header, const ImageOptions& options) {
  if (!options.apply_orientation) return {header.height, header.width};
  return {header.oriented_height(), header.oriented_width()};
}

bool is_jpeg(std::span<const std::uint8_t> begin) {
  return image_format(begin) == ImageFormat::jpeg;
}

}  // namespace

JpegOptions jpeg_options(const ImageOptions& options) {
  return {.color = options.ids ? ColorSpace::gray : options.color,
          .apply_orientation = options.apply_orientation,
          .max_output_bytes = options.max_output_bytes};
}

const char* name_of(ImageFormat format) {
  if (format == ImageFormat::jpeg) return "JPEG";
  const Format* const known = find(format);
  return known == nullptr ? "unknown" : known->name;
}

ImageFormat image_format(std::span<const std::uint8_t> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()),
                              std::min<std::size_t>(file.size(), 12));
  if (text.starts_with("\xff\xd8") || is_packed_jpeg(file)) return ImageFormat::jpeg;
  if (text.starts_with("\x89PNG\r\n\x1a\n")) return ImageFormat::png;
  using namespace std::string_view_literals;
  for (const std::string_view start :
       {"II*\0"sv, "MM\0*"sv, "II+\0\x08\0\0\0"sv, "MM\0+\0\x08\0\0"sv}) {
    if (text.starts_with(start)) return ImageFormat::tiff;
  }
  if (text.starts_with("GIF87a") || text.starts_with("GIF89a")) return ImageFormat::gif;
  if (text.starts_with("RIFF") && text.ends_with("WEBP") && text.size() == 12)
    return ImageFormat::webp;
  return ImageFormat::unknown;
}

bool can_decode(ImageFormat format) {
  const Format* const known = find(format);
  return format == ImageFormat::jpeg || (known != nullptr && known->codec != nullptr);
}

std::string_view doubt_about_ids(const Bytes& file, const ImageOptions& options) {
  const ImageFormat format = image_format(file.prefix());
  if (options.ids) {
    return format != ImageFormat::jpeg
               ? ""
               : "a JPEG file is read as a mask, but its compression changes ids; save masks as "
                 "PNG. This warning is shown once";
  }
  if (options.color != ColorSpace::gray) return "";
  const Format* const known = find(format);
  if (known == nullptr || known->codec == nullptr || known->codec->decode_ids == nullptr) return "";
  if (!known->codec->peek(file).has_palette) return "";
  return "the file has a palette, and its colors became gray; if it is a mask, decode it with "
         "`ids`. This warning is shown once";
}

void decode_tensor_file(std::span<const std::uint8_t> file, std::int64_t max_output_bytes,
                        Tensor& out) {
  out.release();
  const ImageFormat format = image_format(file);
  if (format == ImageFormat::jpeg || (can_decode(format) && !codec_of(file).spec_of_numbers)) {
    throw ImageError(fmt::format(
        "decode_tensor decodes PNG and TIFF files, but this is a {} file; use decode_image",
        name_of(format)));
  }
  const ImageCodec& codec = codec_of(file);
  const ValueSpec spec = codec.spec_of_numbers(file);
  const auto height = static_cast<int>(spec.shape[0]), width = static_cast<int>(spec.shape[1]);
  check_header(height, width);
  check_bytes(height, width, spec.shape[2] * static_cast<std::int64_t>(size_of(spec.dtype)),
              max_output_bytes);
  try {
    out.create(spec.shape, spec.dtype, spec.layout);
    codec.decode_numbers(file, out);
  } catch (...) {
    out.release();
    throw;
  }
}

ImageSize peek_image(std::span<const std::uint8_t> file, const ImageOptions& options) {
  if (is_jpeg(file)) return size_of(peek_jpeg(file), options);
  const ImageCodec::Header header = codec_of(file).peek(file);
  return {header.height, header.width};
}
ImageSize peek_image(const Bytes& file, const ImageOptions& options) {
  if (is_jpeg(file.prefix())) return size_of(peek_jpeg(file), options);
  return peek_image(std::span<const std::uint8_t>(file), options);
}

std::optional<JpegReport> decode_image_file(const Bytes& file, const ImageOptions& options,
                                            Image& out) {
  if (is_jpeg(file.prefix())) return decode_jpeg_image(file, jpeg_options(options), out);
  return decode_image_file(std::span<const std::uint8_t>(file), options, out);
}

std::optional<JpegReport> decode_image_file(std::span<const std::uint8_t> file,
                                            const ImageOptions& options, Image& out,
                                            JpegIndex* index,
                                            std::optional<std::uint64_t> content_hash) {
  if (is_jpeg(file))
    return decode_jpeg_image(file, jpeg_options(options), out, index, content_hash);
  try {
    decode_other(file, options, out);
  } catch (...) {
    out.release();
    throw;
  }
  return {};
}

std::optional<JpegReport> decode_image_region(const Bytes& file, const Rectangle& region,
                                              const ImageOptions& options, Image& out) {
  if (is_jpeg(file.prefix())) return decode_jpeg_region(file, region, jpeg_options(options), out);
  return decode_image_region(std::span<const std::uint8_t>(file), region, options, out);
}

std::optional<JpegReport> decode_image_region(std::span<const std::uint8_t> file,
                                              const Rectangle& region, const ImageOptions& options,
                                              Image& out, JpegIndex* index,
                                              std::optional<std::uint64_t> content_hash) {
  if (is_jpeg(file))
    return decode_jpeg_region(file, region, jpeg_options(options), out, index, content_hash);
  out.release();
  Image whole;
  decode_other(file, options, whole);
  const bool inside = region.y >= 0 && region.x >= 0 && region.height >= 1 && region.width >= 1 &&
                      region.height <= whole.height() && region.width <= whole.width() &&
                      region.y <= whole.height() - region.height &&
                      region.x <= whole.width() - region.width;
  if (!inside) {
    throw ImageError(fmt::format(
        "a region of {} x {} at ({}, {}) does not lie inside the image of {} x {} pixels (height x "
        "width, row and column)",
        region.height, region.width, region.y, region.x, whole.height(), whole.width()));
  }
  const Image part = whole.crop_view(region.y, region.x, region.height, region.width);
  out.create(part.height(), part.width(), part.channels());
  for (int y = 0; y < part.height(); ++y) std::memcpy(out.row(y), part.row(y), part.row_bytes());
  return {};
}

}  // namespace sluice
