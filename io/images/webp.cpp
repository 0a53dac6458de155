#include <sluice/io/images/codec.h>

#include <new>
#include <string>

#include <webp/decode.h>

namespace sluice {
namespace {

using File = std::span<const std::uint8_t>;

void require(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OK:
      return;
    case VP8_STATUS_OUT_OF_MEMORY:
      throw std::bad_alloc();
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
      throw ImageError("broken WebP file: it ends too early");
    default:
      throw ImageError("broken WebP file: libwebp's status is " + std::to_string(status));
  }
}

ImageCodec::Header peek_webp(File file) {
  WebPBitstreamFeatures features;
  require(WebPGetFeatures(file.data(), file.size(), &features));
  if (features.has_animation != 0)
    throw ImageError("an animated WebP file; only still images can be decoded");
  return {features.height, features.width, 3};
}

void decode_webp(File file, Image& out) {
  const ImageCodec::Header header = peek_webp(file);
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0)
    throw ImageError("this libwebp is another version than the one that Sluice was built with");
  out.create(header.height, header.width, header.channels);
  config.output.colorspace = MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = out.data();
  config.output.u.RGBA.stride = static_cast<int>(out.row_stride());
  config.output.u.RGBA.size =
      static_cast<std::size_t>(out.row_stride()) * static_cast<std::size_t>(out.height() - 1) +
      out.row_bytes();
  const VP8StatusCode status = WebPDecode(file.data(), file.size(), &config);
  WebPFreeDecBuffer(&config.output);
  require(status);
}

}  // namespace

const ImageCodec kWebpCodec{peek_webp, decode_webp, nullptr, nullptr, nullptr};

}  // namespace sluice
