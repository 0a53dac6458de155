// Shared by the tests of the pass push_crops: images, a decoder that no pass knows, and counts.
#pragma once

#include "tests/io/images.h"
#include <sluice/graph/graph.h>
#include <sluice/graph/stats.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/ops/decode.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

inline constexpr std::int64_t kSamples = 24;
using File = std::vector<std::uint8_t>;
using Jpeg = Value<ByteSpan>;
using Digest = std::uint64_t;

inline const std::vector<File>& files() {
  static const std::vector<File> all = [] {
    std::vector<File> made;
    for (int i = 0; i < kSamples; ++i) {
      const Bytes jpeg =
          encode_jpeg(draw_image(60 + i * 7 % 41, 64 + i * 13 % 37, i % 5 == 4 ? 1 : 3,
                                 static_cast<std::uint64_t>(i)),
                      {.subsampling = i % 2 == 0 ? Subsampling::s420 : Subsampling::s444,
                       .progressive = i % 7 == 6,
                       .orientation = 1 + i % 8});
      made.emplace_back(jpeg.begin(), jpeg.end());
    }
    return made;
  }();
  return all;
}

// The library's decoder, or one that no pass knows.
class Decode {
 public:
  explicit Decode(bool opaque) : opaque_(opaque) {}
  Value<Image> operator()(Graph& g, Jpeg jpeg, const JpegOptions& options = {}) const {
    if (!opaque_) return decode_jpeg(jpeg, options);
    return g.map_into<Image>(
        "decode_jpeg",
        [options](ByteSpan file, Image& out) { decode_jpeg_image(file, options, out); }, jpeg);
  }

 private:
  bool opaque_;
};

// The digest depends on the size and on every byte. It is so small that a few can be summed.
inline Value<Digest> digest(Graph& g, Value<Image> image) {
  return g.map(
      "digest",
      [](const Image& in) {
        Digest sum = static_cast<Digest>(in.width()) * 1000 + static_cast<Digest>(in.height());
        for (int y = 0; y < in.height(); ++y) {
          for (std::size_t k = 0; k < in.row_bytes(); ++k) sum = sum * 31 + in.row(y)[k];
        }
        return sum >> 32;
      },
      image);
}

inline constexpr Rectangle kCorner{3, 5, 30, 20};

inline std::int64_t runs_of(const Stats& stats, const std::string& step) {
  std::int64_t runs = 0;
  for (const StepStats& s : stats.steps) runs += s.name == step ? s.runs : 0;
  return runs;
}

// Returns the number of runs of all decoders that made whole images, or regions.
inline std::int64_t decodes_of(const Stats& stats, bool regions) {
  std::int64_t runs = 0;
  for (const StepStats& s : stats.steps) {
    const bool is_region = s.name.find("(region)") != std::string::npos;
    const bool begins =
        s.name.find("(size)") == std::string::npos && s.name.find("(rows)") == std::string::npos;
    if (s.name.rfind("decode_jpeg", 0) == 0 && begins && is_region == regions) runs += s.runs;
  }
  return runs;
}

}  // namespace sluice
