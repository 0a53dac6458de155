#include <sluice/sluice.h>

#include <cstdio>
using namespace sluice;

int main(int argc, char** argv) try {
  const PipelineOptions options{.batch_size = 32, .seed = 42, .on_error = OnError::skip};
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto [jpeg, label] = g.read(files_in(argc > 1 ? argv[1] : "photos"));
    auto image = decode_jpeg(jpeg);
    auto rotated = [&] { return rotate(image, g.uniform(10.f, 30.f), {.fill = 0}); };
    image = g.if_else(g.coin_flip(0.25f), rotated, image);
    return std::tuple{resize(image, {.height = 400, .width = 400}), label};
  });
  for (const auto& [images, labels] : pipeline.epoch())
    std::printf("%zu images of 400 x 400, %zu labels\n", images.size(), labels.size());
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
