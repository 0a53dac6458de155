#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/transpose.h>
#include <sluice/ops/kernels/transpose_rows.h>

namespace sluice::kernels {
namespace {

// Row y of the output is column y of the input, counted from the left or the right. Its pixels come
// from top to bottom or from bottom to top.
struct Order {
  bool from_right = false, from_bottom = false;
};

void columns_to_rows(const char* op, const Image& in, Order order, Image& out) {
  check_pixels(op, in);
  out.create(in.width(), in.height(), in.channels());
  const std::ptrdiff_t in_stride = in.row_stride(), out_stride = out.row_stride();
  transpose_rows(in.row(order.from_bottom ? in.height() - 1 : 0),
                 order.from_bottom ? -in_stride : in_stride, in.width(), in.height(), in.channels(),
                 out.row(order.from_right ? out.height() - 1 : 0),
                 order.from_right ? -out_stride : out_stride);
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
