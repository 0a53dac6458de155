#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/pad.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

namespace sluice::kernels {
namespace {

void check_margins(const Margins& margins) {
  const struct {
    const char* name;
    int pixels;
  } all[] = {{"left", margins.left},
             {"top", margins.top},
             {"right", margins.right},
             {"bottom", margins.bottom}};
  for (const auto& margin : all) {
    if (margin.pixels >= 0 && margin.pixels <= 65535) continue;
    throw std::invalid_argument(fmt::format("pad_image: {} must lie between 0 and 65535, not {}",
                                            margin.name, margin.pixels));
  }
}

// The row or column, of `length`, that stands at a place beyond the border.
int source_of(int at, int length, Border border) {
  if (border != Border::reflect || length == 1) return std::clamp(at, 0, length - 1);
  const int period = 2 * (length - 1);
  const int within = ((at % period) + period) % period;
  return within < length ? within : period - within;
}

// A row of the picture with what stands left and right of it.
template <std::size_t channels>
void pad_row(const std::uint8_t* from, std::size_t bytes, const std::vector<int>& left,
             const std::vector<int>& right, std::uint8_t* to) {
  const auto margin = [&](const std::vector<int>& columns) {
    for (const int column : columns) {
      std::memcpy(to, from + static_cast<std::size_t>(column) * channels, channels);
      to += channels;
    }
  };
  margin(left);
  std::memcpy(to, from, bytes);
  to += bytes;
  margin(right);
}

}  // namespace

void pad(const Image& in, const Margins& margins, Border border, const Fill& fill, Image& out) {
  check_pixels("pad_image", in);
  check_margins(margins);
  const int height = in.height() + margins.top + margins.bottom;
  const int width = in.width() + margins.left + margins.right;
  check_size("pad_image", height, width);
  out.create(height, width, in.channels());
  const auto channels = static_cast<std::size_t>(in.channels());

  if (border == Border::constant) {
    std::vector<std::uint8_t> colour(out.row_bytes());
    for (std::size_t i = 0; i < colour.size(); ++i)
      colour[i] = fill[static_cast<int>(i % channels)];
    const std::size_t left = static_cast<std::size_t>(margins.left) * channels;
    const std::size_t right = static_cast<std::size_t>(margins.right) * channels;
    for (int y = 0; y < height; ++y) {
      const int row = y - margins.top;
      const bool inside = row >= 0 && row < in.height();
      std::memcpy(out.row(y), colour.data(), inside ? left : colour.size());
      if (!inside) continue;
      std::memcpy(out.row(y) + left, in.row(row), in.row_bytes());
      std::memcpy(out.row(y) + left + in.row_bytes(), colour.data(), right);
    }
    return;
  }

  std::vector<int> left, right;
  for (int x = -margins.left; x < 0; ++x) left.push_back(source_of(x, in.width(), border));
  for (int x = 0; x < margins.right; ++x)
    right.push_back(source_of(in.width() + x, in.width(), border));
  constexpr decltype(&pad_row<1>) kPadRow[] = {pad_row<1>, pad_row<2>, pad_row<3>, pad_row<4>};
  for (int row = 0; row < in.height(); ++row)
    kPadRow[channels - 1](in.row(row), in.row_bytes(), left, right, out.row(margins.top + row));
  for (int y = 0; y < height; ++y) {
    const int row = y - margins.top;
    if (row >= 0 && row < in.height()) continue;
    std::memcpy(out.row(y), out.row(margins.top + source_of(row, in.height(), border)),
                out.row_bytes());
  }
}

Margins margins_up_to(const Margins& least, int in_height, int in_width, int height, int width) {
  check_margins(least);
  Margins margins = least;
  margins.bottom = std::max(least.bottom, height - in_height - least.top);
  margins.right = std::max(least.right, width - in_width - least.left);
  return margins;
}

}  // namespace sluice::kernels
