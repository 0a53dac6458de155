// Decoding JPEG on one thread, by steps: header, digest, entropy decoding, pixels, whole images,
// regions with a JPEG index and without.
//
//   sluice_benchmarks --benchmark_filter=^Jpeg/ --benchmark_min_time=0.1
//
// A name is Jpeg/STEP/WAY/FILES.
//   STEP   header, digest: find the end of a header; find a file in a JPEG index
//          entropy: decodes all Huffman codes, but only the pixels around one in the last row
//          pixels: inverse DCT, upsampling and color conversion by libjpeg, from coefficients
//          that it has already read, as for progressive files. Not quite decode minus entropy:
//          the coefficients come from memory.
//          decode: whole images
//          crop_P: a region in the middle with P % of the image's area
//   WAY    stock: libjpeg alone; ours: without a JPEG index; rows, grain_N: with one that has a
//          record for each row of MCUs, or for each N-th MCU. Includes the digest.
//   FILES  q75_420: a synthetic image of 375 x 500, quality 75, 4:2:0; _restart: with a restart
//          marker after each row of MCUs; photos: the files in $SLUICE_TEST_DATA/photos, all of
//          them in each iteration, if the variable is set
// items_per_second counts files, bytes_per_second their bytes, pixels/s the decoded pixels;
// index_bytes is the size of the files' records. Rates use the thread's own time.
//
// DecodeShrunkAndResize shrinks while it decodes: an image of 3000 x 4000 pixels is decoded on one
// thread, shrunk by 1, 2, 4 or 8, and resized to 160 x 160. An iteration is one image.
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/self_test.h>
#include <sluice/io/readers/files.h>
#include <sluice/ops/kernels/resize.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <jpeglib.h>

namespace sluice {
namespace {

// Smooth noise, -128 to 127: a random value for every `size`-th pixel, interpolated in between.
int spots(int y, int x, int size, std::uint32_t seed) {
  const auto corner = [&](int row, int column) {
    std::uint32_t h = static_cast<std::uint32_t>(row) * 0x9e3779b1u ^
                      static_cast<std::uint32_t>(column) * 0x85ebca77u ^ seed * 0xc2b2ae3du;
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    return static_cast<int>(h >> 24) - 128;
  };
  const int row = y / size;
  const int column = x / size;
  const int down = y % size;
  const int right = x % size;
  const int above = corner(row, column) * (size - right) + corner(row, column + 1) * right;
  const int below = corner(row + 1, column) * (size - right) + corner(row + 1, column + 1) * right;
  return (above * (size - down) + below * down) / (size * size);
}

// Draws smooth light and color, surfaces with sharp edges and texture, and grain.
Image photo_like() {
  Image image(375, 500, 3);
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      const bool disc = (x - 300) * (x - 300) + (y - 150) * (y - 150) < 110 * 110;
      const bool wedge = 2 * x + 3 * y < 620;
      int light = 110 + spots(y, x, 128, 1) / 3 + (disc ? 50 : 0) - (wedge ? 45 : 0);
      for (const int size : {32, 16, 8, 4, 2}) {
        light += spots(y, x, size, 2) / (disc ? 6 : wedge ? 24 : 12);
      }
      for (int c = 0; c < 3; ++c) {
        const auto seed = static_cast<std::uint32_t>(3 + c);
        const int tint = spots(y, x, 64, seed) / 5 + spots(y, x, 8, seed) / 20;
        const int grain = spots(y, x, 1, seed) / 24;
        image.row(y)[3 * x + c] =
            static_cast<std::uint8_t>(std::clamp(light + tint + grain, 0, 255));
      }
    }
  }
  return image;
}

// Files to decode, drawn or read at their first use.
class Source {
 public:
  using Make = std::function<std::vector<Bytes>()>;
  Source(std::string name, Make make) : name_(std::move(name)), make_(std::move(make)) {}

  const std::string& name() const { return name_; }
  const std::vector<Bytes>& files() {
    if (files_.empty()) files_ = make_();
    return files_;
  }

 private:
  std::string name_;
  Make make_;
  std::vector<Bytes> files_;
};

std::vector<Bytes> read_photos(const std::string& folder) {
  std::vector<Bytes> all;
  const Files files = files_in(folder);
  for (std::int64_t i = 0; i < files.size(); ++i) all.push_back(read_file(files.name(i)));
  return all;
}

std::vector<std::shared_ptr<Source>> all_sources() {
  std::vector<std::shared_ptr<Source>> sources;
  for (const int quality : {75, 95}) {
    for (const Subsampling subsampling : {Subsampling::s420, Subsampling::s444}) {
      for (const int restart_rows : {0, 1}) {
        const JpegEncodeOptions encode{
            .quality = quality, .subsampling = subsampling, .restart_rows = restart_rows};
        sources.push_back(std::make_shared<Source>(
            "q" + std::to_string(quality) + (subsampling == Subsampling::s420 ? "_420" : "_444") +
                (restart_rows > 0 ? "_restart" : ""),
            [encode] {
              std::vector<Bytes> files;
              files.push_back(encode_jpeg(photo_like(), encode));
              return files;
            }));
      }
    }
  }
  if (const char* folder = std::getenv("SLUICE_TEST_DATA")) {
    const std::string photos = std::string(folder) + "/photos";
    sources.push_back(std::make_shared<Source>("photos", [photos] { return read_photos(photos); }));
  }
  return sources;
}

// Calls body(i), which returns the number of decoded pixels, for each file in each iteration.
// Returns the sum of all pixels.
template <class Body>
std::int64_t measure(benchmark::State& state, const std::vector<Bytes>& files, const Body& body) {
  std::int64_t pixels = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < files.size(); ++i) pixels += body(i);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(files.size()) * state.iterations());
  return pixels;
}

void count_bytes(benchmark::State& state, const std::vector<Bytes>& files) {
  std::size_t bytes = 0;
  for (const Bytes& file : files) bytes += file.size();
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}

void count_pixels(benchmark::State& state, std::int64_t pixels) {
  state.counters["pixels/s"] =
      benchmark::Counter(static_cast<double>(pixels), benchmark::Counter::kIsRate);
}

std::int64_t pixels_of(const Image& image) {
  benchmark::DoNotOptimize(image.data());
  return std::int64_t{image.height()} * image.width();
}

void header(benchmark::State& state, const std::vector<Bytes>& files) {
  measure(state, files, [&](std::size_t i) {
    benchmark::DoNotOptimize(peek_jpeg(files[i]));
    return 0;
  });
}

void digest(benchmark::State& state, const std::vector<Bytes>& files) {
  measure(state, files, [&](std::size_t i) {
    benchmark::DoNotOptimize(digest_of(files[i]));
    return 0;
  });
  count_bytes(state, files);
}

// A file whose coefficients libjpeg has read. It can convert them to pixels any number of times.
class Coefficients {
 public:
  explicit Coefficients(std::span<const std::uint8_t> file) {
    info_.err = jpeg_std_error(&errors_);
    jpeg_create_decompress(&info_);
    jpeg_mem_src(&info_, file.data(), static_cast<unsigned long>(file.size()));
    jpeg_read_header(&info_, TRUE);
    info_.out_color_space = JCS_RGB;
    info_.buffered_image = TRUE;
    jpeg_start_decompress(&info_);
    while (jpeg_consume_input(&info_) != JPEG_REACHED_EOI) {
    }
  }
  Coefficients(const Coefficients&) = delete;
  Coefficients& operator=(const Coefficients&) = delete;
  ~Coefficients() { jpeg_destroy_decompress(&info_); }

  Image pixels() {
    Image image(static_cast<int>(info_.output_height), static_cast<int>(info_.output_width), 3);
    jpeg_start_output(&info_, info_.input_scan_number);
    while (info_.output_scanline < info_.output_height) {
      JSAMPROW row = image.row(static_cast<int>(info_.output_scanline));
      jpeg_read_scanlines(&info_, &row, 1);
    }
    jpeg_finish_output(&info_);
    return image;
  }

 private:
  jpeg_decompress_struct info_{};
  jpeg_error_mgr errors_{};
};

void pixels(benchmark::State& state, const std::vector<Bytes>& files) {
  std::vector<std::unique_ptr<Coefficients>> images;
  for (const Bytes& file : files) images.push_back(std::make_unique<Coefficients>(file));
  count_pixels(
      state, measure(state, files, [&](std::size_t i) { return pixels_of(images[i]->pixels()); }));
}

struct Way {
  const char* name;
  JpegEntropyDecoder entropy;
  std::optional<std::uint32_t> grain;  // of the JPEG index
};
constexpr Way kStock{"stock", JpegEntropyDecoder::library, {}};
constexpr Way kOurs{"ours", JpegEntropyDecoder::fast, {}};
constexpr Way kIndexed[] = {{"rows", JpegEntropyDecoder::fast, 0},
                            {"grain_4", JpegEntropyDecoder::fast, 4},
                            {"grain_16", JpegEntropyDecoder::fast, 16},
                            {"grain_64", JpegEntropyDecoder::fast, 64}};

// Returns false, and skips the benchmark, if it would measure libjpeg under our name.
bool is_possible(benchmark::State& state, const Way& way) {
  if (way.entropy == JpegEntropyDecoder::library || jpeg_entropy_is_usable()) return true;
  state.SkipWithError("our entropy decoder is not in use with this libjpeg");
  return false;
}

void decode(benchmark::State& state, const std::vector<Bytes>& files, const Way& way) {
  if (!is_possible(state, way)) return;
  JpegOptions options;
  options.entropy = way.entropy;
  const std::int64_t pixels = measure(state, files, [&](std::size_t i) {
    Image image;
    decode_jpeg_image(files[i], options, image);
    return pixels_of(image);
  });
  count_bytes(state, files);
  count_pixels(state, pixels);
}

// Decodes region_of(header) of each file. Returns the sum of all pixels.
template <class RectangleOf>
std::int64_t decode_regions(benchmark::State& state, const std::vector<Bytes>& files,
                            const Way& way, const RectangleOf& region_of) {
  if (!is_possible(state, way)) return 0;
  JpegOptions options;
  options.entropy = way.entropy;
  std::vector<Rectangle> regions;
  for (const Bytes& file : files) regions.push_back(region_of(peek_jpeg(file)));
  std::shared_ptr<JpegIndex> index;
  if (way.grain) {
    index = JpegIndex::in_memory({.grain = *way.grain});
    for (const Bytes& file : files) {
      Image image;
      decode_jpeg_image(file, options, image, index.get());
    }
    state.counters["index_bytes"] =
        static_cast<double>(index->records() * std::int64_t{sizeof(JpegIndexRecord)});
  }
  return measure(state, files, [&](std::size_t i) {
    Image image;
    decode_jpeg_region(files[i], regions[i], options, image, index.get());
    return pixels_of(image);
  });
}

void entropy(benchmark::State& state, const std::vector<Bytes>& files, const Way& way) {
  decode_regions(state, files, way, [](const JpegHeader& header) {
    return Rectangle{header.oriented_height() - 1, header.oriented_width() / 2, 1, 1};
  });
  count_bytes(state, files);
}

void crop(benchmark::State& state, const std::vector<Bytes>& files, const Way& way, int percent) {
  const double side = std::sqrt(percent / 100.0);
  const auto middle = [side](const JpegHeader& header) {
    const int height = static_cast<int>(std::lround(header.oriented_height() * side));
    const int width = static_cast<int>(std::lround(header.oriented_width() * side));
    return Rectangle{(header.oriented_height() - height) / 2, (header.oriented_width() - width) / 2,
                     height, width};
  };
  count_pixels(state, decode_regions(state, files, way, middle));
}

bool register_all() {
  for (const std::shared_ptr<Source>& source : all_sources()) {
    const auto add = [&](const std::string& what, const auto& run) {
      benchmark::RegisterBenchmark(
          ("Jpeg/" + what + "/" + source->name()).c_str(),
          [source, run](benchmark::State& state) { run(state, source->files()); })
          ->Unit(benchmark::kMicrosecond);
    };
    using Files = const std::vector<Bytes>&;
    add("header/ours", header);
    add("digest/ours", digest);
    add("pixels/stock", pixels);
    for (const Way& way : {kStock, kOurs}) {
      add(std::string("entropy/") + way.name,
          [way](benchmark::State& state, Files files) { entropy(state, files, way); });
      add(std::string("decode/") + way.name,
          [way](benchmark::State& state, Files files) { decode(state, files, way); });
    }
    for (const int percent : {10, 25, 50, 75, 100}) {
      std::vector<Way> ways{kStock, kOurs};
      ways.insert(ways.end(), std::begin(kIndexed), std::end(kIndexed));
      for (const Way& way : ways) {
        add("crop_" + std::to_string(percent) + "/" + way.name,
            [way, percent](benchmark::State& state, Files files) {
              crop(state, files, way, percent);
            });
      }
    }
  }
  return true;
}
[[maybe_unused]] const bool kRegistered = register_all();

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
