// A user's program: images go through JPEG and come back in another size, in batches. It uses every
// library that Sluice is linked with. Exits with 0 if the images are right.
#include <sluice/graph/graph.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/kernels/normalize.h>
#include <sluice/ops/kernels/warp.h>
#include <sluice/sluice.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <tuple>

using namespace sluice;

namespace {

// A gray image of one shade.
Bytes drawn(std::int64_t shade) {
  Image image(24, 32, 3);
  for (int y = 0; y < image.height(); ++y) {
    for (std::size_t x = 0; x < image.row_bytes(); ++x) {
      image.row(y)[x] = static_cast<std::uint8_t>(shade);
    }
  }
  return encode_jpeg(image);
}

// A kernel as a plain function: a quarter turn exchanges height and width.
bool rotates() {
  Image image(24, 32, 3), turned;
  std::fill_n(image.data(), 24 * image.row_bytes(), std::uint8_t{7});
  kernels::rotate(image, 90.f, {}, turned);
  return turned.height() == 32 && turned.width() == 24 && turned.at(5, 5, 0) == 7;
}

}  // namespace

int main() {
  if (!rotates()) return 4;
  auto pipeline = make_pipeline({.batch_size = 4, .threads = 2}, [](Graph& g) {
    auto index = g.source(10, [](const SampleInfo& info) { return info.index; });
    auto jpeg = g.map(
        "draw", [](std::int64_t i) { return drawn(20 * i); }, index);
    auto small = resize(decode_jpeg(jpeg), {.height = 12, .width = 16});
    return std::tuple{small, index};
  });

  std::int64_t next = 0;
  for (const auto& [images, indices] : pipeline.epoch()) {
    for (const Image& image : images) {
      if (image.height() != 12 || image.width() != 16) return 1;
      if (std::abs(image.at(6, 8, 0) - 20 * next) > 1) return 2;
      ++next;
    }
  }
  return next == 10 ? 0 : 3;
}
