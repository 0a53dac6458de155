#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/kernels/flip_row.h>
#include <sluice/ops/kernels/resize_rows.h>
#include <sluice/ops/kernels/resizer.h>

#include <algorithm>
#include <cstring>

namespace sluice::kernels {
namespace {

constexpr int kHorizontalTaps = 4;  // what blend_horizontally() asks for
constexpr int kVerticalTaps = 2;    // what blend_vertically() asks for

template <class T>
void grow(std::vector<T>& vector, std::size_t size) {
  if (vector.size() < size) vector.resize(size);
}

// Pillow's choice for nearest neighbours.
int nearest_index(int i, int in_length, int out_length) {
  const double scale = static_cast<double>(in_length) / out_length;
  return std::min(in_length - 1, static_cast<int>((i + 0.5) * scale));
}

}  // namespace

Resizer& Resizer::for_this_thread() {
  thread_local Resizer resizer;
  return resizer;
}

void Resizer::start(const Image& in, int height, int width, Interpolation interpolation,
                    bool mirror) {
  check_pixels("resize", in);
  check_size("resize", height, width);
  in_ = &in;
  height_ = height;
  width_ = width;
  nearest_ = interpolation == Interpolation::nearest;
  mirror_ = mirror;
  same_width_ = width == in.width();
  same_height_ = height == in.height();
  const std::size_t channels = static_cast<std::size_t>(in.channels());
  slot_bytes_ = static_cast<std::size_t>(width) * channels + kRowSlack;
  grow(spare_, slot_bytes_);
  made_ = 0;
  if (nearest_) return;

  if (!same_width_) {
    columns_.build(in.width(), width, interpolation, mirror, kHorizontalTaps);
    grow(padded_,
         in.row_bytes() + static_cast<std::size_t>(columns_.taps()) * channels + kRowSlack);
  }
  slots_ = 1;
  if (!same_height_) {
    rows_.build(in.height(), height, interpolation, false, kVerticalTaps);
    slots_ = rows_.taps();
    grow(taps_, static_cast<std::size_t>(slots_));
  }
  grow(ring_, slot_bytes_ * static_cast<std::size_t>(slots_));
}

void Resizer::write_horizontal_row(const std::uint8_t* in, std::uint8_t* out) {
  if (same_width_) {
    flip_row(in, width_, in_->channels(), out);
    return;
  }
  std::memcpy(padded_.data(), in, in_->row_bytes());
  blend_horizontally(padded_.data(), in_->channels(), columns_, width_, out);
}

const std::uint8_t* Resizer::horizontal_row(int y) {
  if (same_width_ && !mirror_) return in_->row(y);
  const auto slot = [&](int row) {
    return ring_.data() + static_cast<std::size_t>(row % slots_) * slot_bytes_;
  };
  for (made_ = std::max(made_, y - slots_ + 1); made_ <= y; ++made_) {
    write_horizontal_row(in_->row(made_), slot(made_));
  }
  return slot(y);
}

void Resizer::make_row(int y, std::uint8_t* out) {
  const int channels = in_->channels();
  const std::size_t bytes = static_cast<std::size_t>(width_) * static_cast<std::size_t>(channels);
  if (nearest_) {
    const std::uint8_t* row = in_->row(nearest_index(y, in_->height(), height_));
    for (int x = 0; x < width_; ++x) {
      const int from = nearest_index(mirror_ ? width_ - 1 - x : x, in_->width(), width_);
      for (int c = 0; c < channels; ++c) *out++ = row[from * channels + c];
    }
    return;
  }
  if (same_height_) {
    std::memcpy(out, horizontal_row(y), bytes);
    return;
  }
  const int count = rows_.count(y);
  for (int k = 0; k < count; ++k) {
    taps_[static_cast<std::size_t>(k)] = horizontal_row(rows_.start(y) + k);
  }
  // An odd count is made even by a row of weight zero.
  if (count % 2 != 0) taps_[static_cast<std::size_t>(count)] = taps_[0];
  blend_vertically(taps_.data(), rows_.weights(y), (count + 1) / 2 * 2, rows_.shift(), bytes, out);
}

}  // namespace sluice::kernels
