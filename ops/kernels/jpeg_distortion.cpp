#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/jpeg_distortion.h>

#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {

void check_jpeg_distortion(const Image& in, int quality) {
  check_pixels("jpeg_distortion", in);
  if (in.channels() != 1 && in.channels() != 3) {
    throw std::invalid_argument(fmt::format(
        "jpeg_distortion: the image has {} channels; 1 or 3 are needed", in.channels()));
  }
  constexpr int kLongest = 65500;  // the library's limit
  if (in.height() > kLongest || in.width() > kLongest) {
    throw std::invalid_argument(fmt::format(
        "jpeg_distortion: the image is {} x {} (height x width); at most {} are possible",
        in.height(), in.width(), kLongest));
  }
  if (quality < 1 || quality > 100) {
    throw std::invalid_argument(
        fmt::format("jpeg_distortion: quality must lie between 1 and 100, not {}", quality));
  }
}

void jpeg_distortion(const Image& in, int quality, Image& out) {
  check_jpeg_distortion(in, quality);
  const Bytes file = encode_jpeg(in, {.quality = quality});
  JpegOptions options;
  options.color = in.channels() == 1 ? ColorSpace::gray : ColorSpace::rgb;
  options.max_output_bytes = static_cast<std::int64_t>(in.height()) * in.width() * in.channels();
  (void)decode_jpeg_image(file, options, out);
}

}  // namespace sluice::kernels
