#include <sluice/runtime/image.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

namespace sluice {

Image& Image::operator=(Image&& other) noexcept {
  if (this == &other) return *this;
  if (!other.is_view() || !buffer_.contains(other.data_)) buffer_ = std::move(other.buffer_);
  data_ = std::exchange(other.data_, nullptr);
  height_ = std::exchange(other.height_, 0);
  width_ = std::exchange(other.width_, 0);
  channels_ = std::exchange(other.channels_, 0);
  row_stride_ = std::exchange(other.row_stride_, 0);
  placed_ = other.placed_ = false;
  return *this;
}

Image Image::view(std::uint8_t* pixels, int height, int width, int channels,
                  std::ptrdiff_t row_stride) {
  Image image;
  image.data_ = pixels;
  image.height_ = height;
  image.width_ = width;
  image.channels_ = channels;
  image.row_stride_ = row_stride;
  return image;
}

Image Image::size_only(int height, int width, int channels) {
  return view(nullptr, height, width, channels, 0);
}

void Image::create(int height, int width, int channels) {
  if (height < 1 || width < 1 || channels < 1) {
    throw std::invalid_argument("an image of " + std::to_string(height) + " x " +
                                std::to_string(width) + " x " + std::to_string(channels) +
                                " (height x width x channels) cannot exist");
  }
  release();
  const ValueSpec spec{{height, width, channels}, DType::u8, Layout::hwc};
  if (placer_ != nullptr) data_ = reinterpret_cast<std::uint8_t*>(placer_->place(spec));
  placed_ = data_ != nullptr;
  if (data_ == nullptr) {
    buffer_ = BufferPool::current().allocate(spec.bytes());
    data_ = reinterpret_cast<std::uint8_t*>(buffer_.data());
  }
  height_ = height;
  width_ = width;
  channels_ = channels;
  row_stride_ = static_cast<std::ptrdiff_t>(row_bytes());
}

void Image::release() noexcept {
  buffer_.reset();
  data_ = nullptr;
  height_ = width_ = channels_ = 0;
  row_stride_ = 0;
  placed_ = false;
}

void Image::narrow(int y, int x, int height, int width) {
  if (y < 0 || x < 0 || height < 1 || width < 1 || y > height_ - height || x > width_ - width) {
    throw std::out_of_range("the window y=" + std::to_string(y) + " x=" + std::to_string(x) +
                            " height=" + std::to_string(height) +
                            " width=" + std::to_string(width) +
                            " does not lie inside an image of " + std::to_string(height_) + " x " +
                            std::to_string(width_) + " (height x width)");
  }
  data_ = row(y) + x * channels_;
  placed_ = placed_ && height == height_ && width == width_;
  height_ = height;
  width_ = width;
}

Image Image::crop_view(int y, int x, int height, int width) const {
  // The view is handed out by value from a const image: whoever writes through it breaks the
  // promise.
  Image part = view(const_cast<std::uint8_t*>(data_), height_, width_, channels_, row_stride_);
  part.narrow(y, x, height, width);
  return part;
}

Image Image::clone() const {
  Image copy;
  if (empty()) return copy;
  copy.create(height_, width_, channels_);
  for (int y = 0; y < height_; ++y) std::memcpy(copy.row(y), row(y), row_bytes());
  return copy;
}

void Image::own() {
  if (is_view() && !placed_) *this = clone();
}

bool operator==(const Image& a, const Image& b) {
  if (a.height() != b.height() || a.width() != b.width() || a.channels() != b.channels())
    return false;
  for (int y = 0; y < a.height(); ++y) {
    if (std::memcmp(a.row(y), b.row(y), a.row_bytes()) != 0) return false;
  }
  return true;
}

}  // namespace sluice
