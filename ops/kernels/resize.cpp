#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/resize_weight.h>
#include <sluice/ops/kernels/resizer.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
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

ImageSize downscaled_size(int height, int width, float scale) {
  if (!(scale > 0 && scale <= 1)) {
    throw std::invalid_argument(
        fmt::format("downscale: scale is {}; it must be above 0 and at most 1", scale));
  }
  const auto side = [&](int length) {
    return std::max(1, static_cast<int>(std::lround(length * double{scale})));
  };
  return {side(height), side(width)};
}

void downscale(const Image& in, float scale, const ResizeFilter& filter, Image& out) {
  check_pixels("downscale", in);
  const auto [height, width] = downscaled_size(in.height(), in.width(), scale);
  Image small;
  resize(in, height, width, filter, small);
  resize(small, in.height(), in.width(), Interpolation::nearest, out);
}

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
      "resize: the region of interest goes from {0} {1:.6g} to {2:.6g}, but the image's {0} goes "
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

AxisRange touched(int in_length, const AxisPart& part, int out_length, const ResizeFilter& filter,
                  const AxisRange& shown) {
  const double scale = part.length / out_length;
  // One more, so that rounding does not matter.
  const double support =
      resize_half_width(filter.interpolation) * resize_widening(filter, scale) + 1.0;
  const double first = part.start + (shown.begin + 0.5) * scale - support;
  const double last = part.start + (shown.end - 0.5) * scale + support;
  return {std::clamp(static_cast<int>(std::floor(first)), 0, in_length - 1),
          std::clamp(static_cast<int>(std::ceil(last)), 1, in_length)};
}

bool ResizeTable::build(int in_length, const AxisPart& part, int out_length,
                        const ResizeFilter& filter, bool reversed, int tap_multiple) {
  const Request request{in_length, part, out_length, filter, reversed, tap_multiple};
  if (request == built_) return false;
  built_ = {};
  const double scale = part.length / out_length;
  const double filter_scale = resize_widening(filter, scale);
  const double unscale = 1.0 / filter_scale;
  const double support = resize_half_width(filter.interpolation) * filter_scale;
  const int longest = std::min(in_length, static_cast<int>(std::ceil(support)) * 2 + 1);
  taps_ = (longest + tap_multiple - 1) / tap_multiple * tap_multiple;

  const std::size_t outputs = static_cast<std::size_t>(out_length);
  const std::size_t taps = static_cast<std::size_t>(taps_);
  starts_.resize(outputs);
  counts_.resize(outputs);
  exact_taps_ = taps;
  exact_.resize(outputs * taps);
  int most = 1;
  double largest = 0.0;
  for (int i = 0; i < out_length; ++i) {
    const std::size_t at = static_cast<std::size_t>(reversed ? out_length - 1 - i : i);
    double* exact = exact_.data() + at * taps;
    const double center = part.start + (i + 0.5) * scale;
    const int first = std::max(0, static_cast<int>(std::floor(center - support + 0.5)));
    const int end = std::min(in_length, static_cast<int>(std::floor(center + support + 0.5)));
    double sum = 0.0;
    int count = 0;
    for (int x = first; x < end; ++x) {
      exact[count] = resize_weight(filter.interpolation, (x - center + 0.5) * unscale);
      sum += exact[count++];
    }
    if (sum == 0.0) {
      // The window has no weight (a box between two centers): use the pixel at the center.
      starts_[at] = std::min(in_length - 1, static_cast<int>(center));
      counts_[at] = 1;
      exact[0] = 1.0;
      largest = 1.0;
      continue;
    }
    for (int k = 0; k < count; ++k) {
      exact[k] /= sum;
      largest = std::max(largest, std::abs(exact[k]));
    }
    while (count > 1 && exact[count - 1] == 0.0) --count;
    starts_[at] = first;
    counts_[at] = count;
    most = std::max(most, count);
  }

  // A weight must be below 2^15, and the sum of weights times 255 below 2^31. (For Lanczos the
  // absolute weights sum to less than 2.)
  shift_ = 14;
  while (shift_ < 21 && largest * static_cast<double>(1 << (shift_ + 1)) < 32766.0) ++shift_;
  const double one = static_cast<double>(1 << shift_);
  const int used_taps = (most + tap_multiple - 1) / tap_multiple * tap_multiple;
  weights_.resize(outputs * static_cast<std::size_t>(used_taps));
  std::int16_t* weights = weights_.data();
  for (std::size_t i = 0; i < outputs; ++i, weights += used_taps) {
    // Rounding the running sum, not each weight, makes the total exact and spreads the error.
    double running = 0.0;
    long rounded = 0;
    for (int k = 0; k < counts_[i]; ++k) {
      running += exact_[i * taps + static_cast<std::size_t>(k)];
      const long next = k + 1 == counts_[i] ? 1L << shift_ : std::lrint(running * one);
      weights[k] = static_cast<std::int16_t>(next - rounded);
      rounded = next;
    }
    std::fill(weights + counts_[i], weights + used_taps, std::int16_t{0});
  }
  taps_ = used_taps;
  built_ = request;
  return true;
}

namespace {

constexpr int kVerticalTaps = 2;  // required by blend_vertically()

template <class T>
void grow(std::vector<T>& vector, std::size_t size) {
  if (vector.size() < size) vector.resize(size);
}

bool is_all(const AxisPart& part, int length) { return part.start == 0 && part.length == length; }

void check_box(const Box& box, const Rectangle& in) {
  const bool inside = box.y >= 0 && box.x >= 0 && box.height > 0 && box.width > 0 &&
                      box.y + box.height <= in.height && box.x + box.width <= in.width;
  if (inside) return;
  throw std::invalid_argument(
      fmt::format("resize: a box of {} x {} at ({}, {}) does not lie inside the image of {} x {} "
                  "pixels (height x width, row and column)",
                  box.height, box.width, box.y, box.x, in.height, in.width));
}

// Copies pixel columns[x] of the row for x < count. For x < `whole` one more byte may be accessed.
template <int channels>
void take_pixels(const std::uint8_t* row, const int* columns, int count, int whole,
                 std::uint8_t* out) {
  constexpr std::size_t kMoved = std::bit_ceil(std::size_t{channels});
  int x = 0;
  for (; x < whole; ++x, out += channels)
    std::memcpy(out, row + std::ptrdiff_t{channels} * columns[x], kMoved);
  for (; x < count; ++x, out += channels)
    std::memcpy(out, row + std::ptrdiff_t{channels} * columns[x], channels);
}

}  // namespace

// Positions are added up one by one, like in Pillow: that determines how exact halves are rounded.
void build_nearest(std::vector<int>& table, int in_length, const AxisPart& part, int out_length) {
  grow(table, static_cast<std::size_t>(out_length));
  const double scale = part.length / out_length;
  double place = part.start + scale * 0.5;
  for (int i = 0; i < out_length; ++i, place += scale) {
    table[static_cast<std::size_t>(i)] = std::min(in_length - 1, static_cast<int>(place));
  }
}

Resizer& Resizer::for_this_thread() {
  thread_local Resizer resizer;
  return resizer;
}

void Resizer::start(const RowSource& in, const Rectangle& whole, const Box& box, int height,
                    int width, const ResizeFilter& filter, const Rectangle& shown) {
  check_box(box, whole);
  check_size("resize", height, width);
  in_ = in;
  first_row_ = whole.y;
  left_ = whole.x;
  width_ = shown.width;
  first_column_ = shown.x;
  nearest_ = filter.interpolation == Interpolation::nearest;
  const AxisPart down{box.y, box.height};
  const AxisPart across{box.x, box.width};
  same_width_ = width == whole.width && is_all(across, width);
  same_height_ = height == whole.height && is_all(down, height);
  const std::size_t channels = static_cast<std::size_t>(in.channels());
  uses_ring_ = !same_width_ || !in.keeps_rows();
  slot_bytes_ = static_cast<std::size_t>(width_) * channels + kRowSlack;
  made_ = 0;
  if (nearest_) {
    build_nearest(nearest_columns_, whole.width, across, width);
    build_nearest(nearest_rows_, whole.height, down, height);
    return;
  }

  if (!same_width_) {
    const bool changed =
        columns_.build(whole.width, across, width, filter, false, HorizontalTable::kTaps);
    shown_columns_.build(columns_, changed, first_column_, width_, left_, in.channels());
    beyond_row_ = static_cast<std::size_t>(columns_.taps()) * channels + kRowSlack;
    grow(padded_, (in.row_bytes() + beyond_row_) * kRowsAtOnce);
  }
  int taps = 1;
  made_ = shown.y;
  end_ = shown.y + shown.height;
  if (!same_height_) {
    rows_.build(whole.height, down, height, filter, false, kVerticalTaps);
    taps = rows_.taps();
    made_ = rows_.start(shown.y);
    end_ = rows_.start(end_ - 1) + rows_.count(end_ - 1);
    grow(taps_, static_cast<std::size_t>(taps));
  }
  slots_ = taps + kRowsAtOnce - 1;
  detail::SizeLimit::check({.shape = {slots_, static_cast<std::int64_t>(slot_bytes_)}});
  grow(ring_, slot_bytes_ * static_cast<std::size_t>(slots_));
}

std::uint8_t* Resizer::slot(int y) {
  return ring_.data() + static_cast<std::size_t>(y % slots_) * slot_bytes_;
}

// After this, rows first .. end - 1 of the input are in the ring.
void Resizer::make_horizontal_rows(int first, int end) {
  if (!uses_ring_) return;
  made_ = std::max(made_, first);
  if (same_width_) {
    for (; made_ < end; ++made_)
      std::memcpy(slot(made_), shown_part(made_), slot_bytes_ - kRowSlack);
    return;
  }
  while (made_ < end) {
    const int rows = std::min(kRowsAtOnce, std::max(end, end_) - made_);
    const std::uint8_t* in[kRowsAtOnce];
    std::uint8_t* out[kRowsAtOnce];
    std::uint8_t* padded = padded_.data();
    for (int r = 0; r < rows; ++r, ++made_) {
      in[r] = input_row(made_);
      out[r] = slot(made_);
      // Bytes read beyond the row have no weight, so they may belong to the next rows.
      if (in_.readable_after(first_row_ + made_) >= static_cast<std::ptrdiff_t>(beyond_row_))
        continue;
      std::memcpy(padded, in[r], in_.row_bytes());
      in[r] = padded;
      padded += in_.row_bytes() + beyond_row_;
    }
    blend_horizontally(in, rows, shown_columns_, out);
  }
}

const std::uint8_t* Resizer::shown_part(int y) const {
  return input_row(y) + (left_ + first_column_) * in_.channels();
}

const std::uint8_t* Resizer::horizontal_row(int y) { return uses_ring_ ? slot(y) : shown_part(y); }

void Resizer::make_nearest_row(int y, std::uint8_t* out) const {
  const int channels = in_.channels();
  const std::uint8_t* row = input_row(nearest_rows_[static_cast<std::size_t>(y)]) +
                            static_cast<std::ptrdiff_t>(left_) * channels;
  const int* const columns = nearest_columns_.data() + first_column_;
  // Columns never decrease. Three channels are copied with the byte after them, which the last
  // column of the image and the last pixel of the row do not have.
  const auto moved_whole = static_cast<int>(
      std::lower_bound(columns, columns + width_ - 1, in_.width() - 1 - left_) - columns);
  switch (channels) {
    case 1:
      return take_pixels<1>(row, columns, width_, moved_whole, out);
    case 2:
      return take_pixels<2>(row, columns, width_, moved_whole, out);
    case 3:
      return take_pixels<3>(row, columns, width_, moved_whole, out);
    default:
      return take_pixels<4>(row, columns, width_, moved_whole, out);
  }
}

void Resizer::make_row(int y, std::uint8_t* out) {
  const int channels = in_.channels();
  const std::size_t bytes = static_cast<std::size_t>(width_) * static_cast<std::size_t>(channels);
  if (nearest_) {
    make_nearest_row(y, out);
    return;
  }
  const int first = same_height_ ? y : rows_.start(y);
  const int count = same_height_ ? 1 : rows_.count(y);
  make_horizontal_rows(first, first + count);
  if (same_height_) {
    std::memcpy(out, horizontal_row(y), bytes);
    return;
  }
  for (int k = 0; k < count; ++k) taps_[static_cast<std::size_t>(k)] = horizontal_row(first + k);
  // A row of weight zero makes an odd count even.
  if (count % 2 != 0) taps_[static_cast<std::size_t>(count)] = taps_[0];
  blend_vertically(taps_.data(), rows_.weights(y), (count + 1) / 2 * 2, rows_.shift(), bytes, out);
}

}  // namespace sluice::kernels
