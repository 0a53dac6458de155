// A while loop of its own for each sample: encode at falling quality until the file is small
// enough.
//
//                         +-- encode at quality - 10 <--+
//                         v                             |
//     image, at 95 --> more than the budget, --yes------+
//                      and quality above 5?  --no--> bytes, quality
//
// Images of little detail are small at once; others go round a few times. No sample waits for
// another.
#include <sluice/sluice.h>

#include <cstdio>
#include <cstdlib>
#include <vector>
using namespace sluice;

int main(int argc, char** argv) try {
  const char* folder = argc > 1 ? argv[1] : "out/images";
  const std::int64_t budget = argc > 2 ? std::atoll(argv[2]) : 12000;
  const PipelineOptions options{.batch_size = 8, .on_error = OnError::skip};
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto [jpeg, label] = g.read(files_in(folder));
    auto image = decode_jpeg(jpeg);
    auto encode = [&](auto quality) {
      return g.map(
          "encode", [](const Image& i, int q) { return encode_jpeg(i, {.quality = q}); }, image,
          quality);
    };
    auto size = [&](Value<Bytes> file) {
      return g.map(
          "size", [](const Bytes& b) { return static_cast<std::int64_t>(b.size()); }, file);
    };
    auto [file, quality] = g.while_loop(
        std::tuple{encode(95), 95},
        [&](auto f, auto q) { return g.all_of(q > 5, [&] { return size(f) > budget; }); },
        [&](auto, auto q) {
          return std::tuple{encode(q - 10), q - 10};
        });
    return std::tuple{size(file), quality};
  });
  for (const auto& [sizes, qualities] : pipeline.epoch()) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      std::printf("%6lld bytes at quality %d\n", static_cast<long long>(sizes[i]), qualities[i]);
    }
  }
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "quality_loop: %s\n", error.what());
  return 1;
}
