#include <sluice/runtime/image.h>

#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace sluice {
namespace {

ValueSpec spec_of(int height, int width, int channels) {
  ValueSpec spec{{}, DType::u8, Layout::hwc};
  spec.shape.rank = 3;
  spec.shape.dims = {height, width, channels};
  return spec;
}

// Returns why these elements cannot be pixels; empty if they can.
std::string obstacle(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  if (tensor.empty()) return "an empty tensor";
  if (tensor.dtype() != DType::u8) return std::string("a tensor of ") + name_of(tensor.dtype());
  if (tensor.layout() == Layout::chw) return "a tensor of layout CHW";
  if (shape.rank != 2 && shape.rank != 3) {
    return "a tensor of shape " + to_string(shape);
  }
  for (int axis = 0; axis < shape.rank; ++axis) {
    if (shape[axis] < 1 || shape[axis] > std::numeric_limits<int>::max())
      return "a tensor of shape " + to_string(shape);
  }
  const std::int64_t channels = shape.rank == 3 ? shape[2] : 1;
  const Strides& strides = tensor.strides();
  if ((shape[1] > 1 && strides[1] != channels) ||
      (shape.rank == 3 && channels > 1 && strides[2] != 1)) {
    return "a tensor whose pixels are not contiguous";
  }
  if (tensor.read_only()) return "a read-only tensor";
  return {};
}

}  // namespace

Image::Image(Tensor&& pixels) {
  if (!pixels.empty() && !pixels.place().on_host()) {
    throw std::invalid_argument("a tensor in " + to_string(pixels.place()) +
                                " cannot become an image without a copy; an image is on the host");
  }
  *this = anywhere(std::move(pixels));
}

Image Image::anywhere(Tensor&& pixels) {
  if (const std::string what = obstacle(pixels); !what.empty()) {
    throw std::invalid_argument(what +
                                " cannot become an image without a copy; an image is u8, (height, "
                                "width, channels) or (height, width), writable, on the host");
  }
  const Shape shape = pixels.shape();
  const std::int64_t channels = shape.rank == 3 ? shape[2] : 1;
  // A single row may have any stride, but row_stride() is used all the same.
  const std::int64_t row = shape[0] > 1 ? pixels.strides()[0] : shape[1] * channels;
  Image image;
  Tensor& tensor = image.tensor_;
  tensor = std::move(pixels);
  tensor.spec_.layout = Layout::hwc;
  tensor.spec_.shape.rank = 3;
  tensor.spec_.shape.dims[2] = channels;
  tensor.strides_ = {row, channels, 1};
  return image;
}

Image Image::view(std::uint8_t* pixels, int height, int width, int channels,
                  std::ptrdiff_t row_stride, MemoryPlace place, StreamSync* order) {
  Image image;
  image.tensor_ =
      Tensor::view(reinterpret_cast<std::byte*>(pixels), spec_of(height, width, channels),
                   {row_stride, std::int64_t{channels}, 1}, place, order);
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
  const ValueSpec spec = spec_of(height, width, channels);
  tensor_.create(spec.shape, spec.dtype, spec.layout);
}

void Image::narrow(int y, int x, int height, int width) {
  if (y < 0 || x < 0 || height < 1 || width < 1 || y > this->height() - height ||
      x > this->width() - width) {
    throw std::out_of_range("the window y=" + std::to_string(y) + " x=" + std::to_string(x) +
                            " height=" + std::to_string(height) +
                            " width=" + std::to_string(width) +
                            " does not lie inside an image of " + std::to_string(this->height()) +
                            " x " + std::to_string(this->width()) + " (height x width)");
  }
  tensor_.data_ += y * row_stride() + std::ptrdiff_t{x} * channels();
  tensor_.placed_ = tensor_.placed_ && height == this->height() && width == this->width();
  tensor_.spec_.shape.dims[0] = height;
  tensor_.spec_.shape.dims[1] = width;
}

Image Image::crop_view(int y, int x, int height, int width) const {
  // The view is returned by value from a const image: do not write through it.
  Image part = view(const_cast<std::uint8_t*>(data()), this->height(), this->width(), channels(),
                    row_stride(), tensor_.place_, tensor_.order_);
  part.narrow(y, x, height, width);
  return part;
}

Image Image::clone() const {
  Image copy;
  copy.tensor_ = tensor_.clone();
  return copy;
}

Image Image::to_host() const {
  Image copy;
  copy.tensor_ = tensor_.to_host();
  return copy;
}

Image Image::share() {
  Image other;
  other.tensor_ = tensor_.share();
  return other;
}

bool operator==(const Image& a, const Image& b) {
  if (a.height() != b.height() || a.width() != b.width() || a.channels() != b.channels())
    return false;
  require_on_host(a.place());
  require_on_host(b.place());
  for (int y = 0; y < a.height(); ++y) {
    if (std::memcmp(a.row(y), b.row(y), a.row_bytes()) != 0) return false;
  }
  return true;
}

}  // namespace sluice
