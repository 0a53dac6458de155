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

// Returns the row or column, of `length`, that fills a position beyond the border.
int source_of(int at, int length, Border border) {
  if (border != Border::reflect || length == 1) return std::clamp(at, 0, length - 1);
  const int period = 2 * (length - 1);
  const int within = ((at % period) + period) % period;
  return within < length ? within : period - within;
}

// Writes a row of the image with its left and right margins.
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

// The output has no gaps, so the right margin of a row and the left one of the next are one run.
void pad_with_colour(const Image& in, const Margins& margins, const Fill& fill, Image& out) {
  const auto channels = static_cast<std::size_t>(in.channels());
  bool equal = true;
  for (int c = 1; c < in.channels(); ++c) equal = equal && fill[c] == fill[0];
  std::vector<std::uint8_t> colour(equal ? 0 : out.row_bytes());
  for (std::size_t i = 0; i < colour.size(); ++i)
    colour[i] = i < channels ? fill[static_cast<int>(i)] : colour[i - channels];
  std::uint8_t* to = out.data();
  const auto write_colour = [&](std::size_t bytes) {
    if (equal) {
      std::memset(to, fill[0], bytes);
      to += bytes;
      return;
    }
    while (bytes > 0) {
      const std::size_t part = std::min(bytes, colour.size());
      std::memcpy(to, colour.data(), part);
      to += part;
      bytes -= part;
    }
  };
  const auto run_of = [&](int rows, int pixels) {
    return static_cast<std::size_t>(rows) * out.row_bytes() +
           static_cast<std::size_t>(pixels) * channels;
  };
  write_colour(run_of(margins.top, margins.left));
  for (int y = 0; y < in.height(); ++y) {
    std::memcpy(to, in.row(y), in.row_bytes());
    to += in.row_bytes();
    const bool last = y + 1 == in.height();
    write_colour(last ? run_of(margins.bottom, margins.right)
                      : run_of(0, margins.right + margins.left));
  }
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

  if (border == Border::constant) return pad_with_colour(in, margins, fill, out);

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
