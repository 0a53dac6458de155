#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/transpose.h>

#include <algorithm>
#include <cstring>

namespace sluice::kernels {
namespace {

// Row y of the output is column y of the input, or the one as far from the right; its pixels come
// from the top, or from the bottom.
struct Order {
  bool from_right = false, from_bottom = false;
};

// A few columns at a time: what is read stands side by side, and the rows that are written stay in
// the cache.
constexpr int kColumns = 32;

template <int channels>
void columns_to_rows(const Image& in, Order order, Image& out) {
  for (int first = 0; first < out.height(); first += kColumns) {
    const int end = std::min(first + kColumns, out.height());
    for (int x = 0; x < out.width(); ++x) {
      const std::uint8_t* from = in.row(order.from_bottom ? in.height() - 1 - x : x);
      std::uint8_t* to = out.row(first) + static_cast<std::ptrdiff_t>(x) * channels;
      for (int y = first; y < end; ++y, to += out.row_stride()) {
        const std::ptrdiff_t column = order.from_right ? in.width() - 1 - y : y;
        std::memcpy(to, from + column * channels, channels);
      }
    }
  }
}

void columns_to_rows(const char* op, const Image& in, Order order, Image& out) {
  check_pixels(op, in);
  out.create(in.width(), in.height(), in.channels());
  switch (in.channels()) {
    case 1:
      return columns_to_rows<1>(in, order, out);
    case 2:
      return columns_to_rows<2>(in, order, out);
    case 3:
      return columns_to_rows<3>(in, order, out);
    default:
      return columns_to_rows<4>(in, order, out);
  }
}

}  // namespace

void transpose(const Image& in, Image& out) { columns_to_rows("transpose", in, {}, out); }

void turn_left(const Image& in, Image& out) {
  columns_to_rows("rotate", in, {.from_right = true, .from_bottom = false}, out);
}

void turn_right(const Image& in, Image& out) {
  columns_to_rows("rotate", in, {.from_right = false, .from_bottom = true}, out);
}

}  // namespace sluice::kernels
