#include <sluice/ops/kernels/join_samples.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

constexpr std::size_t kOthers = 3;

// The memory layout of a sample's pixels.
struct Strides {
  explicit Strides(const ValueSpec& sample) : side(picture_side(sample)) {
    const bool chw = sample.layout == Layout::chw;
    count = chw ? static_cast<std::size_t>(sample.shape[0]) : 1;
    pixel = size_of(sample.dtype) * (chw ? 1 : static_cast<std::size_t>(sample.shape[2]));
    row = pixel * static_cast<std::size_t>(side.width);
  }
  std::size_t at(std::size_t plane, int y, int x) const {
    const std::size_t rows = plane * static_cast<std::size_t>(side.height);
    return (rows + static_cast<std::size_t>(y)) * row + static_cast<std::size_t>(x) * pixel;
  }
  PictureSide side;
  std::size_t count = 1, pixel = 1, row = 0;
};

void copy_tile(const Strides& strides, const Tile& tile, const std::byte* from, std::byte* to) {
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

PictureSide picture_side(const ValueSpec& sample) {
  const bool chw = sample.layout == Layout::chw;
  if (sample.shape.rank != 3 || (!chw && sample.layout != Layout::hwc)) {
    throw std::invalid_argument(
        fmt::format("samples are tensors {} of layout {}; pictures have 3 dimensions, HWC or CHW",
                    to_string(sample.shape), name_of(sample.layout)));
  }
  return {static_cast<int>(sample.shape[chw ? 1 : 0]), static_cast<int>(sample.shape[chw ? 2 : 1])};
}

// Works from the last sample to the first, so that the samples before are still unchanged. The
// first ones need the last ones, which are copied beforehand; so is the sample itself.
void join_samples(const SampleBlock& block, std::span<const Join> joins) {
  const Strides strides(block.sample);
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
