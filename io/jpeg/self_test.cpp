#include <sluice/io/jpeg/decompressor.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/libjpeg.h>
#include <sluice/io/jpeg/self_test.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/memory.h>
#include <sluice/runtime/text.h>

#include <cstdlib>
#include <optional>
#include <string_view>

namespace sluice {
namespace {

// Smooth areas, noise and edges, so that codes of all lengths occur.
Image test_image(int channels) {
  constexpr int kHeight = 67;
  constexpr int kWidth = 83;
  Image image(kHeight, kWidth, channels);
  std::uint32_t noise = 1;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth * channels; ++x) {
      noise = noise * 1664525 + 1013904223;
      const std::uint32_t grain = y > 40 ? noise >> 24 : noise >> 29;
      const int edge = x / channels > y ? 90 : 0;
      image.row(y)[x] =
          static_cast<std::uint8_t>((y * 2 + x / 2 + edge + static_cast<int>(grain)) & 255);
    }
  }
  return image;
}

Image decoded(const Bytes& file, const Rectangle& region) {
  return decode_and_crop(file, region.y, region.x, region.height, region.width,
                         {.entropy = JpegEntropyDecoder::library});
}

// The same with our own entropy decoder, and with JpegPixels if `pixels` says so. Returns nothing
// if the entropy decoder cannot replace the library's.
std::optional<Image> decoded_by_us(const Bytes& file, const Rectangle& region, bool pixels) {
  JpegDecompressor decompressor;
  decompressor.open(file, {});
  decompressor.info().out_color_space = JCS_RGB;
  decompressor.start();
  if (!has_known_entropy(decompressor.info())) return {};
  decompressor.open(file, {});
  decompressor.info().out_color_space = JCS_RGB;
  decompressor.start();
  if (!decompressor.use_own_entropy(file, nullptr, {})) return {};
  if (pixels) decompressor.use_own_pixels();
  const JDIMENSION image_height = decompressor.info().image_height;
  Image out(region.height, region.width, 3);
  JpegRowJob job;
  job.region = region;
  job.cut = true;
  job.channels = 3;
  job.out = out.data();
  job.out_stride = out.row_stride();
  job.rows = region.height;
  if (!decompressor.begin_rows(job) || !decompressor.read_rows(region.height) ||
      !decompressor.end_rows())
    return {};
  const bool to_bottom = region.y + region.height == static_cast<int>(image_height);
  if (to_bottom && !decompressor.entropy().was_asked_for_all()) return {};
  return out;
}

// True if some test images decode to the library's pixels. Throws Error for an unknown value of
// SLUICE_JPEG.
bool decodes_test_images(bool pixels) {
  const char* const wish = std::getenv("SLUICE_JPEG");
  if (wish != nullptr && *wish != '\0') {
    if (std::string_view(wish) == "stock") return false;
    throw Error("SLUICE_JPEG is '" + escape_control_chars(wish) +
                "'; set it to stock, so that libjpeg decodes all, or unset it");
  }
  // Do not use the pool of the sample that runs the test.
  BufferPool pool;
  const BufferPoolScope scope(pool);
  try {
    for (const int channels : {1, 3}) {
      const Image image = test_image(channels);
      const Rectangle regions[] = {{0, 0, image.height(), image.width()}, {33, 40, 20, 25}};
      for (const Subsampling subsampling :
           {Subsampling::s444, Subsampling::s422, Subsampling::s420}) {
        for (const int restart_rows : {0, 2}) {
          const Bytes file = encode_jpeg(
              image, {.quality = 93, .subsampling = subsampling, .restart_rows = restart_rows});
          for (const Rectangle& region : regions) {
            const std::optional<Image> ours = decoded_by_us(file, region, pixels);
            if (!ours || !(*ours == decoded(file, region))) return false;
          }
        }
      }
    }
    return true;
  } catch (const JpegError&) {
    return false;
  }
}

}  // namespace

bool jpeg_entropy_works() { return decodes_test_images(false); }

bool jpeg_entropy_is_usable() {
  static const bool usable = jpeg_entropy_works();
  return usable;
}

bool jpeg_pixels_are_usable() {
  static const bool usable = jpeg_entropy_is_usable() && decodes_test_images(true);
  return usable;
}

}  // namespace sluice
