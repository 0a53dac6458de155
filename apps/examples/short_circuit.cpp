// all_of skips its right side if the left one decides, for each sample on its own. any_of does the
// same for "or".
//
//   header --> large? --no------------------------> no
//                 \----yes--> decode --> dark? --> yes or no
//
// The header costs a microsecond, decoding a thousand times as much: only large images are
// decoded.
#include <sluice/sluice.h>

#include <atomic>
#include <cstdio>
using namespace sluice;

int main(int argc, char** argv) try {
  const char* folder = argc > 1 ? argv[1] : "out/images";
  std::atomic<int> decoded{0};
  const PipelineOptions options{.batch_size = 16, .on_error = OnError::skip};
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto jpeg = std::get<0>(g.read(files_in(folder)));
    auto pixels = g.map(
        "pixels", [](const JpegHeader& h) { return h.width * h.height; }, peek_jpeg(jpeg));
    return g.all_of(pixels >= 200000, [&] {
      auto level = [&](const Image& image) {
        ++decoded;
        double sum = 0;
        for (int y = 0; y < image.height(); ++y) {
          for (std::size_t x = 0; x < image.row_bytes(); ++x) sum += image.row(y)[x];
        }
        return sum / static_cast<double>(image.row_bytes()) / image.height();
      };
      return g.map("level", level, decode_jpeg(jpeg)) < 100;
    });
  });
  int samples = 0, dark = 0;
  for (const auto& [large_and_dark] : pipeline.epoch()) {
    for (const bool yes : large_and_dark) dark += yes ? 1 : 0;
    samples += static_cast<int>(large_and_dark.size());
  }
  std::printf("%d images, %d large and dark; %d had to be decoded\n", samples, dark,
              decoded.load());
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "short_circuit: %s\n", error.what());
  return 1;
}
