// Compiled without contraction to fused multiply-add (CMakeLists.txt), which not all instruction
// sets have.
#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/blend_rows.h>
#include <sluice/ops/kernels/mix.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

void check_weight(const char* op, float weight) {
  check_finite(op, "weight", weight);
  if (weight < 0 || weight > 1) {
    throw std::invalid_argument(
        fmt::format("{}: weight is {}; it must lie between 0 and 1", op, weight));
  }
}

void check_shapes(const char* op, const Image& a, const Image& b) {
  if (a.height() == b.height() && a.width() == b.width() && a.channels() == b.channels()) return;
  throw std::invalid_argument(
      fmt::format("{}: one image is {} x {} with {}, another one {} x {} with {}; resize "
                  "or crop them to one shape first",
                  op, a.height(), a.width(), counted(a.channels(), "channel"), b.height(),
                  b.width(), b.channels()));
}

void sum(std::span<const Image* const> images, std::span<const std::int16_t> weights, Image& out) {
  const Image& first = *images[0];
  out.create(first.height(), first.width(), first.channels());
  std::vector<const std::uint8_t*> rows(images.size());
  for (int y = 0; y < first.height(); ++y) {
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = images[i]->row(y);
    sum_rows(rows, weights.data(), first.row_bytes(), out.row(y));
  }
}

}  // namespace

void check_blend(const Image& a, const Image& b, float weight) {
  check_pixels("blend", a);
  check_shapes("blend", a, b);
  check_weight("blend", weight);
}

void blend(const Image& a, const Image& b, float weight, Image& out) {
  check_blend(a, b, weight);
  const Image* const images[] = {&a, &b};
  const std::int16_t weights[] = {fixed_weight(1 - static_cast<double>(weight)),
                                  fixed_weight(static_cast<double>(weight))};
  sum(images, weights, out);
}

void weighted_sum(std::span<const Image> images, std::span<const float> weights, Image& out) {
  const char* const op = "weighted_sum";
  if (images.empty()) throw std::invalid_argument(fmt::format("{}: there are no images", op));
  if (images.size() > kMostImages) {
    throw std::invalid_argument(
        fmt::format("{}: there are {} images; {} are the most, because each is rounded", op,
                    images.size(), kMostImages));
  }
  if (images.size() != weights.size()) {
    throw std::invalid_argument(fmt::format("{}: got {} for {}; give one for each", op,
                                            counted(weights.size(), "weight"),
                                            counted(images.size(), "image")));
  }
  check_pixels(op, images[0]);
  std::vector<const Image*> all;
  std::vector<std::int16_t> fixed_weights;
  for (std::size_t i = 0; i < images.size(); ++i) {
    check_shapes(op, images[0], images[i]);
    check_weight(op, weights[i]);
    all.push_back(&images[i]);
    fixed_weights.push_back(fixed_weight(static_cast<double>(weights[i])));
  }
  sum(all, fixed_weights, out);
}

namespace {

// Calls f(sample, the one before it) from the last sample to the first, so that the one before is
// still unchanged. The first sample gets the original last one.
template <class F>
void for_each_pair(const SampleBlock& block, std::span<const std::byte> last, const F& f) {
  const std::size_t bytes = block.sample.bytes();
  for (std::size_t i = block.count; i-- > 0;) {
    std::byte* const sample = block.data + i * bytes;
    f(sample, i > 0 ? sample - bytes : last.data());
  }
}

void mix_levels(std::byte* sample, const std::byte* before, double weight, std::size_t count) {
  auto* const to = reinterpret_cast<std::uint8_t*>(sample);
  const std::uint8_t* const rows[] = {to, reinterpret_cast<const std::uint8_t*>(before)};
  const std::int16_t weights[] = {fixed_weight(weight), fixed_weight(1 - weight)};
  sum_rows(rows, weights, count, to);
}

void mix_halves_of(std::byte* sample, const std::byte* before, double weight, std::size_t count) {
  mix_halves(reinterpret_cast<const Half*>(before), static_cast<float>(weight),
             static_cast<float>(1 - weight), count, reinterpret_cast<Half*>(sample));
}

void mix_floats(std::byte* sample, const std::byte* before, double weight, std::size_t count) {
  const auto own = static_cast<float>(weight), other = static_cast<float>(1 - weight);
  auto* const to = reinterpret_cast<float*>(sample);
  const auto* const from = reinterpret_cast<const float*>(before);
  for (std::size_t i = 0; i < count; ++i) to[i] = own * to[i] + other * from[i];
}

void mix_bfloats(std::byte* sample, const std::byte* before, double weight, std::size_t count) {
  const auto own = static_cast<float>(weight), other = static_cast<float>(1 - weight);
  auto* const to = reinterpret_cast<BFloat16*>(sample);
  const auto* const from = reinterpret_cast<const BFloat16*>(before);
  for (std::size_t i = 0; i < count; ++i)
    to[i] = BFloat16(own * static_cast<float>(to[i]) + other * static_cast<float>(from[i]));
}

}  // namespace

std::vector<std::byte> last_sample(const SampleBlock& block) {
  if (block.count == 0) return {};
  const std::size_t bytes = block.sample.bytes();
  const std::byte* const at = block.data + (block.count - 1) * bytes;
  return {at, at + bytes};
}

void mix_samples(const SampleBlock& block, std::span<const std::byte> last, double weight) {
  const auto count = static_cast<std::size_t>(block.sample.shape.elements());
  const auto mix = [&](auto by) {
    for_each_pair(block, last, [&](std::byte* sample, const std::byte* before) {
      by(sample, before, weight, count);
    });
  };
  switch (block.sample.dtype) {
    case DType::u8:
      return mix(mix_levels);
    case DType::f16:
      return mix(mix_halves_of);
    case DType::bf16:
      return mix(mix_bfloats);
    case DType::f32:
      return mix(mix_floats);
    default:
      throw std::invalid_argument(fmt::format(
          "elements are {}; only u8, f16, bf16 and f32 can be mixed", name_of(block.sample.dtype)));
  }
}

void cut_samples(const SampleBlock& block, std::span<const std::byte> last,
                 const Rectangle& region) {
  const Shape& shape = block.sample.shape;
  const bool chw = block.sample.layout == Layout::chw;
  if (shape.rank != 3 || (!chw && block.sample.layout != Layout::hwc)) {
    throw std::invalid_argument(
        fmt::format("samples are tensors {} of layout {}; images have 3 dimensions, HWC or CHW",
                    to_string(shape), name_of(block.sample.layout)));
  }
  const std::int64_t height = shape[chw ? 1 : 0], width = shape[chw ? 2 : 1];
  if (region.x < 0 || region.y < 0 || region.width < 0 || region.height < 0 ||
      std::int64_t{region.x} + region.width > width ||
      std::int64_t{region.y} + region.height > height) {
    throw std::invalid_argument(
        fmt::format("the region {} x {} at {}, {} does not lie inside images of {} x {}",
                    region.width, region.height, region.x, region.y, width, height));
  }
  if (region.width == 0 || region.height == 0) return;
  const auto pixel = size_of(block.sample.dtype) * static_cast<std::size_t>(chw ? 1 : shape[2]);
  const auto row = pixel * static_cast<std::size_t>(width);
  const std::size_t bytes = pixel * static_cast<std::size_t>(region.width);
  const std::size_t planes = chw ? static_cast<std::size_t>(shape[0]) : 1;
  for_each_pair(block, last, [&](std::byte* sample, const std::byte* before) {
    for (std::size_t plane = 0; plane < planes; ++plane) {
      std::size_t at = plane * row * static_cast<std::size_t>(height) +
                       static_cast<std::size_t>(region.y) * row +
                       static_cast<std::size_t>(region.x) * pixel;
      for (int y = 0; y < region.height; ++y, at += row)
        std::memcpy(sample + at, before + at, bytes);
    }
  });
}

namespace {

constexpr std::size_t kOthers = 3;

// The memory layout of a sample's pixels.
struct PixelStrides {
  explicit PixelStrides(const ValueSpec& sample) : side(image_side(sample)) {
    const bool chw = sample.layout == Layout::chw;
    count = chw ? static_cast<std::size_t>(sample.shape[0]) : 1;
    pixel = size_of(sample.dtype) * (chw ? 1 : static_cast<std::size_t>(sample.shape[2]));
    row = pixel * static_cast<std::size_t>(side.width);
  }
  std::size_t at(std::size_t plane, int y, int x) const {
    const std::size_t rows = plane * static_cast<std::size_t>(side.height);
    return (rows + static_cast<std::size_t>(y)) * row + static_cast<std::size_t>(x) * pixel;
  }
  ImageSide side;
  std::size_t count = 1, pixel = 1, row = 0;
};

void copy_tile(const PixelStrides& strides, const Tile& tile, const std::byte* from,
               std::byte* to) {
  const Rectangle& r = tile.region;
  const std::size_t bytes = strides.pixel * static_cast<std::size_t>(r.width);
  if (bytes == 0) return;
  for (std::size_t plane = 0; plane < strides.count; ++plane) {
    for (int y = r.y; y < r.y + r.height; ++y)
      std::memcpy(to + strides.at(plane, y, r.x),
                  from + strides.at(plane, y - tile.y, r.x - tile.x), bytes);
  }
}

}  // namespace

std::array<Tile, 4> tiles_of(const Join& join, std::size_t i, std::size_t count, int height,
                             int width) {
  std::array<Tile, 4> tiles;
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    const std::size_t place = (static_cast<std::size_t>(join.first) + k) % tiles.size();
    const bool right = place % 2 == 1, lower = place >= 2;
    Tile& tile = tiles[k];
    tile.from = (i + kOthers * count - k) % count;
    tile.region = {.y = lower ? join.y : 0,
                   .x = right ? join.x : 0,
                   .height = lower ? height - join.y : join.y,
                   .width = right ? width - join.x : join.x};
    tile.x = right ? join.x : join.x - width;
    tile.y = lower ? join.y : join.y - height;
  }
  return tiles;
}

ImageSide image_side(const ValueSpec& sample) {
  const bool chw = sample.layout == Layout::chw;
  if (sample.shape.rank != 3 || (!chw && sample.layout != Layout::hwc)) {
    throw std::invalid_argument(
        fmt::format("samples are tensors {} of layout {}; images have 3 dimensions, HWC or CHW",
                    to_string(sample.shape), name_of(sample.layout)));
  }
  return {static_cast<int>(sample.shape[chw ? 1 : 0]), static_cast<int>(sample.shape[chw ? 2 : 1])};
}

// Works from the last sample to the first, so that the samples before are still unchanged. The
// first ones need the last ones, which are copied beforehand; so is the sample itself.
void join_samples(const SampleBlock& block, std::span<const Join> joins) {
  const PixelStrides strides(block.sample);
  const std::size_t bytes = block.sample.bytes();
  if (block.count < 2 || bytes == 0) return;
  const std::size_t kept = std::min(kOthers, block.count);
  const std::size_t first_kept = block.count - kept;
  std::vector<std::byte> last(block.data + first_kept * bytes, block.data + block.count * bytes);
  std::vector<std::byte> own(bytes);
  for (std::size_t i = block.count; i-- > 0;) {
    if (!joins[i].joined) continue;
    std::byte* const sample = block.data + i * bytes;
    std::copy(sample, sample + bytes, own.data());
    for (const Tile& tile :
         tiles_of(joins[i], i, block.count, strides.side.height, strides.side.width)) {
      const std::byte* const from = tile.from == i ? own.data()
                                    : tile.from < i
                                        ? block.data + tile.from * bytes
                                        : last.data() + (tile.from - first_kept) * bytes;
      copy_tile(strides, tile, from, sample);
    }
  }
}

}  // namespace sluice::kernels
