#include <sluice/ops/kernels/blend_rows.h>
#include <sluice/ops/kernels/mix_rows.h>
#include <sluice/ops/kernels/mix_samples.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {
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
    case DType::f32:
      return mix(mix_floats);
    default:
      throw std::invalid_argument(fmt::format("elements are {}; only u8, f16 and f32 can be mixed",
                                              name_of(block.sample.dtype)));
  }
}

void cut_samples(const SampleBlock& block, std::span<const std::byte> last,
                 const Rectangle& region) {
  const Shape& shape = block.sample.shape;
  const bool chw = block.sample.layout == Layout::chw;
  if (shape.rank != 3 || (!chw && block.sample.layout != Layout::hwc)) {
    throw std::invalid_argument(
        fmt::format("samples are tensors {} of layout {}; pictures have 3 dimensions, HWC or CHW",
                    to_string(shape), name_of(block.sample.layout)));
  }
  const std::int64_t height = shape[chw ? 1 : 0], width = shape[chw ? 2 : 1];
  if (region.x < 0 || region.y < 0 || region.width < 0 || region.height < 0 ||
      std::int64_t{region.x} + region.width > width ||
      std::int64_t{region.y} + region.height > height) {
    throw std::invalid_argument(
        fmt::format("the region {} x {} at {}, {} does not lie inside pictures of {} x {}",
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

}  // namespace sluice::kernels
