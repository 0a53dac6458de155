#include <sluice/io/jpeg_decompressor.h>
#include <sluice/io/jpeg_encode.h>
#include <sluice/io/jpeg_self_test.h>
#include <sluice/runtime/image.h>

#include <cstdlib>
#include <optional>
#include <string_view>

#if !defined(LIBJPEG_TURBO_VERSION_NUMBER) || LIBJPEG_TURBO_VERSION_NUMBER < 2000000 || \
    LIBJPEG_TURBO_VERSION_NUMBER >= 4000000
#define SLUICE_JPEG_UNKNOWN_LIBRARY 1
#endif

namespace sluice {
namespace {

// Smooth areas, noise and edges, so that codes of all lengths occur.
Image test_picture() {
  constexpr int kHeight = 67;
  constexpr int kWidth = 83;
  Image image(kHeight, kWidth, 3);
  std::uint32_t noise = 1;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth * 3; ++x) {
      noise = noise * 1664525 + 1013904223;
      const std::uint32_t grain = y > 40 ? noise >> 24 : noise >> 29;
      const int edge = x / 3 > y ? 90 : 0;
      image.row(y)[x] =
          static_cast<std::uint8_t>((y * 2 + x / 2 + edge + static_cast<int>(grain)) & 255);
    }
  }
  return image;
}

std::optional<Image> decoded(std::span<const std::uint8_t> file, const Window& window, bool ours) {
  JpegDecompressor decompressor;
  decompressor.open(file, {});
  decompressor.info().out_color_space = JCS_RGB;
  if (!decompressor.start(ours, nullptr) || decompressor.is_ours() != ours) return {};
  Image out(window.height, window.width, 3);
  JpegRowJob job;
  job.window = window;
  job.cut = true;
  job.channels = 3;
  job.out = out.data();
  job.out_stride = out.row_stride();
  if (!decompressor.read_rows(job)) return {};
  return out;
}

bool works() {
#ifdef SLUICE_JPEG_UNKNOWN_LIBRARY
  return false;
#else
  const char* const wish = std::getenv("SLUICE_JPEG");
  if (wish != nullptr && std::string_view(wish) == "stock") return false;
  try {
    const Image picture = test_picture();
    const Window windows[] = {{0, 0, picture.height(), picture.width()}, {33, 40, 20, 25}};
    for (const Subsampling subsampling : {Subsampling::s444, Subsampling::s420}) {
      for (const int restart_rows : {0, 2}) {
        const Bytes file = encode_jpeg(
            picture, {.quality = 93, .subsampling = subsampling, .restart_rows = restart_rows});
        for (const Window& window : windows) {
          const std::optional<Image> with = decoded(file, window, true);
          if (!with || !(*with == *decoded(file, window, false))) return false;
        }
      }
    }
    return true;
  } catch (const std::exception&) {
    return false;
  }
#endif
}

}  // namespace

bool jpeg_entropy_is_usable() {
  static const bool usable = works();
  return usable;
}

}  // namespace sluice
