#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/resizer.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {

void resize(const Image& in, int height, int width, const ResizeFilter& filter, Image& out) {
  resize(in, whole_box(in), height, width, filter, out);
}

void resize(const Image& in, const Box& box, int height, int width, const ResizeFilter& filter,
            Image& out) {
  check_pixels("resize", in);
  Resizer& resizer = Resizer::for_this_thread();
  resizer.start(in, {0, 0, in.height(), in.width()}, box, height, width, filter,
                {0, 0, height, width});
  out.create(height, width, in.channels());
  for (int y = 0; y < height; ++y) resizer.make_row(y, out.row(y));
}

}  // namespace sluice::kernels

namespace sluice {

const char* name_of(ResizeMode mode) {
  switch (mode) {
    case ResizeMode::as_given:
      return "as_given";
    case ResizeMode::stretch:
      return "stretch";
    case ResizeMode::not_larger:
      return "not_larger";
    case ResizeMode::not_smaller:
      return "not_smaller";
  }
  return "?";
}

namespace kernels {
namespace {

struct Part {
  double start = 0;
  double length = 0;
};

Part part_of(const char* axis, double start, double end, bool relative, int length) {
  const double unit = relative ? length : 1;
  const double last = end == 0 ? length : end * unit;
  const double first = start * unit;
  if (first >= 0 && first < last && last <= length) return {first, last - first};
  throw std::invalid_argument(fmt::format(
      "resize: the region of interest goes from {0} {1:.6g} to {2:.6g}, but the picture's {0} goes "
      "from 0 to {3}; the start must lie before the end, and both inside",
      axis, first, last, length));
}

int rounded(double length) {
  return static_cast<int>(std::round(std::clamp(length, 1.0, double{INT32_MAX})));
}
// Keeps the aspect ratio when `from` becomes `to`.
int follow(double length, double from, int to) { return rounded(length * to / from); }

// The longer side is rounded down, before and after it is limited, as in torchvision.
ImageSize by_shorter(const Box& part, int shorter, int max_size) {
  const bool upright = part.width <= part.height;
  const double exact =
      upright ? shorter * part.height / part.width : shorter * part.width / part.height;
  int longer = static_cast<int>(std::min(std::floor(exact), double{INT32_MAX}));
  int side = shorter;
  if (max_size != 0 && longer > max_size) {
    side = std::max(1, static_cast<int>(static_cast<double>(max_size) * shorter / longer));
    longer = max_size;
  }
  return upright ? ImageSize{longer, side} : ImageSize{side, longer};
}

ImageSize of_same_shape(const Box& part, int height, int width, bool larger) {
  const bool both = height != 0 && width != 0;
  // True if the height determines the size.
  const bool by_height = both ? (height * part.width < width * part.height) != larger : height != 0;
  if (by_height) return {height, follow(part.width, part.height, height)};
  return {follow(part.height, part.width, width), width};
}

}  // namespace

ResizePlan plan_resize(const ResizeRequest& request, int height, int width) {
  const auto& [to_height, to_width, shorter, mode, max_size, start_y, start_x, end_y, end_x,
               relative] = request;
  const Part rows = part_of("y", start_y, end_y, relative, height);
  const Part columns = part_of("x", start_x, end_x, relative, width);
  const Box part{rows.start, columns.start, rows.length, columns.length};
  if (shorter != 0) return {part, by_shorter(part, shorter, max_size)};

  ImageSize size;
  bool keeps_shape = false;
  if (mode == ResizeMode::stretch) {
    size = {to_height != 0 ? to_height : rounded(part.height),
            to_width != 0 ? to_width : rounded(part.width)};
  } else if (mode == ResizeMode::as_given && to_height != 0 && to_width != 0) {
    size = {to_height, to_width};
  } else {
    keeps_shape = true;
    size = of_same_shape(part, to_height, to_width, mode == ResizeMode::not_smaller);
  }
  if (max_size == 0) return {part, size};
  if (!keeps_shape)
    return {part, {std::min(size.height, max_size), std::min(size.width, max_size)}};
  if (std::max(size.height, size.width) > max_size)
    size = of_same_shape(part, max_size, max_size, false);
  return {part, size};
}

}  // namespace kernels
}  // namespace sluice
