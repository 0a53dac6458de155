#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/iso_noise_pixel.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/noise.h>
#include <sluice/ops/kernels/random_words.h>
#include <sluice/ops/kernels/row_source.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

void check_number(const char* op, const char* name, float value, float low, float high) {
  check_finite(op, name, value);
  if (value < low || value > high) {
    throw std::invalid_argument(
        fmt::format("{}: {} is {}; it must lie between {} and {}", op, name, value, low, high));
  }
}

// Makes Poisson counts with a mean of kLargePoissonMean or more, from 16 bits.
double large_poisson_count(double mean, std::uint32_t bits) {
  const double z = normal_quantiles()[bits];
  return std::floor(mean + std::sqrt(mean) * z + (z * z - 1) / 6 + 0.5);
}

// Makes Poisson counts with a smaller mean.
class PoissonTable {
 public:
  bool empty() const { return up_to_.empty(); }
  void clear() { up_to_.clear(); }
  // `none`: the probability of 0, exp(-mean).
  void fill(double mean, double none) {
    up_to_.clear();
    double probability = none, sum = probability;
    std::size_t next = 0;  // index into first_
    for (int count = 0; up_to_.empty() || up_to_.back() < UINT32_MAX; ++count) {
      // Beyond the mean, if a term is this small, the remaining terms sum to less than one unit.
      const bool last = count > mean && probability < 0x1p-40;
      const double share = last ? 0x1p32 : sum * 0x1p32;
      up_to_.push_back(static_cast<std::uint32_t>(std::min(share, double{UINT32_MAX})));
      for (; next < 256 && (next << 24) < up_to_.back(); ++next)
        first_[next] = static_cast<std::uint8_t>(count);
      probability *= mean / (count + 1);
      sum += probability;
    }
  }
  double count(std::uint32_t bits) const {
    std::size_t count = first_[bits >> 24];
    while (up_to_[count] <= bits && bits != UINT32_MAX) ++count;
    return static_cast<double>(count);
  }

 private:
  // The cumulative probabilities of counts 0, 1, 2, ... in units of 2^-32, until they reach 1.
  std::vector<std::uint32_t> up_to_;
  // The smallest count for random numbers that begin with these 8 bits.
  std::array<std::uint8_t, 256> first_{};
};

// Draws Poisson counts, with a table for each pixel value's mean.
class PoissonCounts {
 public:
  void start(double factor) {
    factor_ = factor;
    for (PoissonTable& table : tables_) table.clear();
  }
  double draw(std::uint32_t bits, std::uint8_t level) {
    const double mean = level / factor_;
    if (mean >= kLargePoissonMean) return large_poisson_count(mean, bits >> 16);
    PoissonTable& table = tables_[level];
    if (table.empty()) table.fill(mean, std::exp(-mean));
    return table.count(bits);
  }

 private:
  double factor_ = 1;
  std::array<PoissonTable, 256> tables_;
};

}  // namespace

void check_gaussian_noise(const Image& in, float mean, float stddev) {
  check_pixels("gaussian_noise", in);
  check_number("gaussian_noise", "mean", mean, -kLargestNoise, kLargestNoise);
  check_number("gaussian_noise", "stddev", stddev, 0, kLargestNoise);
}

void gaussian_noise(const Random& random, const Image& in, float mean, float stddev, Image& out) {
  check_gaussian_noise(in, mean, stddev);
  out.create(in.height(), in.width(), in.channels());
  const auto& quantiles = normal_quantiles();
  const RandomWords words = random.words();
  constexpr std::size_t kHalves = 8;  // 16-bit halves per block
  constexpr std::size_t kBlocks = 256;
  std::array<std::uint32_t, 4 * kBlocks + kRandomSlack> room;
  std::array<std::uint16_t, kHalves * kBlocks> bits;
  std::size_t first = 0;  // index of the value in the image
  for_each_run(in, out, [&](const std::uint8_t* from, std::size_t pixels, std::uint8_t* to) {
    const std::size_t end = first + pixels * static_cast<std::size_t>(in.channels());
    while (first < end) {
      const std::size_t block = first / kHalves, before = first % kHalves;
      const std::size_t count = std::min(end - first, bits.size() - before);
      const std::size_t blocks = (before + count + kHalves - 1) / kHalves;
      random_blocks(words, static_cast<std::uint32_t>(block), blocks, room.data());
      for (std::size_t i = 0; i < 4 * blocks; ++i) {
        bits[2 * i] = static_cast<std::uint16_t>(room[i]);
        bits[2 * i + 1] = static_cast<std::uint16_t>(room[i] >> 16);
      }
      add_gaussian_noise(from, bits.data() + before, count, static_cast<double>(mean),
                         static_cast<double>(stddev), quantiles.data(), to);
      first += count;
      from += count;
      to += count;
    }
  });
}

void check_salt_and_pepper(const Image& in, const SaltAndPepper& params) {
  check_pixels("salt_and_pepper_noise", in);
  check_number("salt_and_pepper_noise", "probability", params.probability, 0, 1);
  check_number("salt_and_pepper_noise", "salt_share", params.salt_share, 0, 1);
}

SaltLimits salt_limits(const SaltAndPepper& params) {
  const double changed = double{params.probability} * 0x1p32;
  return {static_cast<std::uint64_t>(changed),
          static_cast<std::uint64_t>(changed * double{params.salt_share})};
}

void salt_and_pepper_noise(const Random& random, const Image& in, const SaltAndPepper& params,
                           Image& out) {
  check_salt_and_pepper(in, params);
  out.create(in.height(), in.width(), in.channels());
  const SaltLimits limits = salt_limits(params);
  RandomStream numbers(random.words());
  const int together = params.per_channel ? 1 : in.channels();
  for (int y = 0; y < in.height(); ++y) {
    const std::uint8_t* from = in.row(y);
    std::uint8_t* to = out.row(y);
    for (const std::uint8_t* const end = from + in.row_bytes(); from != end;) {
      const std::uint32_t bits = numbers.next();
      const auto level = static_cast<std::uint8_t>(bits < limits.white ? 255 : 0);
      for (int c = 0; c < together; ++c, ++from, ++to) *to = bits < limits.changed ? level : *from;
    }
  }
}

void check_shot_noise(const Image& in, float factor) {
  check_pixels("shot_noise", in);
  check_number("shot_noise", "factor", factor, 0, kLargestShotFactor);
}

void shot_noise(const Random& random, const Image& in, float factor, Image& out) {
  check_shot_noise(in, factor);
  out.create(in.height(), in.width(), in.channels());
  thread_local PoissonCounts counts;
  counts.start(factor);
  RandomStream numbers(random.words());
  for (int y = 0; y < in.height(); ++y) {
    const std::uint8_t* from = in.row(y);
    std::uint8_t* to = out.row(y);
    if (factor == 0) {
      std::copy_n(from, in.row_bytes(), to);
      continue;
    }
    for (std::size_t i = 0; i < in.row_bytes(); ++i)
      to[i] = to_level(factor * counts.draw(numbers.next(), from[i]));
  }
}

void check_iso_noise(const Image& in, const IsoNoise& params) {
  check_colors("iso_noise", in);
  check_number("iso_noise", "color_shift", params.color_shift, 0, 1);
  check_number("iso_noise", "intensity", params.intensity, 0, kLargestIsoIntensity);
}

double iso_hue_deviation(const IsoNoise& params) {
  return 6 * double{params.color_shift} * double{params.intensity};
}

void iso_noise(const Random& random, const Image& in, const IsoNoise& params, Image& out) {
  check_iso_noise(in, params);
  const int width = in.width(), channels = in.channels();
  out.create(in.height(), width, channels);
  std::uint64_t sum = 0, squares = 0;
  for (int y = 0; y < in.height(); ++y) {
    const std::uint8_t* from = in.row(y);
    for (int x = 0; x < width; ++x, from += channels) {
      const auto light = static_cast<std::uint64_t>(doubled_lightness(from, channels));
      sum += light;
      squares += light * light;
    }
  }
  const double deviation = std::sqrt(variance_of(sum, squares, double{1} * in.height() * width));
  const double mean = deviation / 2 * double{params.intensity};
  const bool large = mean >= kLargePoissonMean;
  thread_local PoissonTable counts;
  if (!large) counts.fill(mean, exp_of_minus(mean));
  const double hue_deviation = iso_hue_deviation(params);
  RandomStream numbers(random.words());
  for (int y = 0; y < in.height(); ++y) {
    const std::uint8_t* from = in.row(y);
    std::uint8_t* to = out.row(y);
    for (int x = 0; x < width; ++x, from += channels, to += channels) {
      const std::uint32_t bits = numbers.next();
      const double count = large ? large_poisson_count(mean, bits >> 16) : counts.count(bits);
      const double turn = hue_deviation * double{normal_quantiles()[numbers.next() >> 16]};
      add_iso_noise(from, channels, count, turn, to);
    }
  }
}

void check_jpeg_distortion(const Image& in, int quality) {
  if (in.empty()) throw std::invalid_argument("jpeg_distortion: the image is empty");
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
