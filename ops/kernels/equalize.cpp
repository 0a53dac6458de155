#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/equalize.h>
#include <sluice/ops/kernels/level_table.h>

#include <algorithm>

namespace sluice::kernels {
namespace {

// The number of pixels per value.
using Histogram = std::array<std::uint64_t, 256>;

using Histograms = std::array<Histogram, 4>;

// Neighbors often have the same value, and reading a counter just after writing it stalls. So odd
// and even pixels use separate counters.
template <std::size_t channels>
void count_row(const std::uint8_t* row, std::size_t pixels, std::array<Histograms, 2>& counts) {
  const auto count = [&](std::size_t i, Histograms& where) {
    for (std::size_t c = 0; c < channels; ++c) ++where[c][row[i * channels + c]];
  };
  std::size_t i = 0;
  for (; i + 2 <= pixels; i += 2) {
    count(i, counts[0]);
    count(i + 1, counts[1]);
  }
  if (i < pixels) count(i, counts[0]);
}

Histograms count_levels(const Image& in) {
  std::array<Histograms, 2> counts{};
  const auto width = static_cast<std::size_t>(in.width());
  for (int y = 0; y < in.height(); ++y) {
    switch (in.channels()) {
      case 1:
        count_row<1>(in.row(y), width, counts);
        break;
      case 3:
        count_row<3>(in.row(y), width, counts);
        break;
      default:
        count_row<4>(in.row(y), width, counts);
        break;
    }
  }
  for (std::size_t c = 0; c < counts[0].size(); ++c) {
    for (std::size_t level = 0; level < counts[0][c].size(); ++level)
      counts[0][c][level] += counts[1][c][level];
  }
  return counts[0];
}

LevelTable table_of(const Histogram& counts, std::uint64_t pixels) {
  const auto last = std::find_if(counts.rbegin(), counts.rend(), [](auto n) { return n != 0; });
  const std::uint64_t step = (pixels - *last) / 255;
  if (step == 0) return same_levels();
  LevelTable table{};
  std::uint64_t below = step / 2;
  for (std::size_t x = 0; x < table.size(); ++x) {
    table[x] = static_cast<std::uint8_t>(std::min<std::uint64_t>(255, below / step));
    below += counts[x];
  }
  return table;
}

}  // namespace

void equalize(const Image& in, Image& out) {
  check_colours("equalize", in);
  const Histograms counts = count_levels(in);
  const std::uint64_t pixels =
      static_cast<std::uint64_t>(in.height()) * static_cast<std::uint64_t>(in.width());
  const auto channels = static_cast<std::size_t>(in.channels());
  std::array<LevelTable, 4> tables;
  tables.fill(same_levels());
  for (std::size_t c = 0; c < std::min<std::size_t>(3, channels); ++c)
    tables[c] = table_of(counts[c], pixels);
  map_channels(in, {tables.data(), channels}, out);
}

}  // namespace sluice::kernels
