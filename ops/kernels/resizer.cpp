#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/resizer.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

namespace sluice::kernels {
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
      fmt::format("resize: a box of {} x {} at ({}, {}) does not lie inside the picture of {} x {} "
                  "pixels (height x width, row and column)",
                  box.height, box.width, box.y, box.x, in.height, in.width));
}

// Computes the nearest input pixel of each output pixel. Positions are added up one by one, like in
// Pillow: that determines how exact halves are rounded.
void build_nearest(std::vector<int>& table, int in_length, const AxisPart& part, int out_length) {
  grow(table, static_cast<std::size_t>(out_length));
  const double scale = part.length / out_length;
  double place = part.start + scale * 0.5;
  for (int i = 0; i < out_length; ++i, place += scale) {
    table[static_cast<std::size_t>(i)] = std::min(in_length - 1, static_cast<int>(place));
  }
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
