// Shrinking while decoding: an image of 3000 x 4000 pixels is decoded on one thread, shrunk by 1,
// 2, 4 or 8, and resized to 160 x 160. An iteration is one image.
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/ops/kernels/resize.h>

#include <cstdint>

#include <benchmark/benchmark.h>

namespace sluice {
namespace {

// Draws gradients, edges and a little noise: about as many bits per pixel as a camera's photograph.
Bytes large_photograph() {
  Image image(3000, 4000, 3);
  std::uint32_t state = 1;
  for (int y = 0; y < image.height(); ++y) {
    std::uint8_t* const row = image.row(y);
    for (int x = 0; x < image.width(); ++x) {
      const int edge = (x / 190 + y / 130) % 2 * 40;
      const int slope = (x + 2 * y) / 100;
      for (int c = 0; c < 3; ++c) {
        state = state * 1664525u + 1013904223u;
        row[3 * x + c] =
            static_cast<std::uint8_t>(40 + edge + slope + 10 * c + static_cast<int>(state >> 28));
      }
    }
  }
  return encode_jpeg(image, {.quality = 90});
}

void DecodeShrunkAndResize(benchmark::State& state, JpegEntropyDecoder entropy) {
  static const Bytes file = large_photograph();
  JpegOptions options;
  options.entropy = entropy;
  Image part;
  for (auto _ : state) {
    Image out;
    decode_jpeg_shrunk(file, {}, static_cast<int>(state.range(0)), options, part);
    kernels::resize(part, 160, 160, Interpolation::bilinear, out);
    benchmark::DoNotOptimize(out.data());
  }
  state.counters["file_bytes"] = static_cast<double>(file.size());
}
BENCHMARK_CAPTURE(DecodeShrunkAndResize, fast, JpegEntropyDecoder::fast)
    ->Arg(1)
    ->Arg(2)
    ->Arg(4)
    ->Arg(8)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(DecodeShrunkAndResize, library, JpegEntropyDecoder::library)
    ->Arg(1)
    ->Arg(8)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice
