#include <sluice/runtime/tensor.h>

#include <cstring>
#include <stdexcept>
#include <utility>

namespace sluice {

std::size_t size_of(DType type) {
  switch (type) {
    case DType::u8:
      return 1;
    case DType::f16:
      return 2;
    case DType::f32:
      return 4;
  }
  return 0;
}

const char* name_of(DType type) {
  switch (type) {
    case DType::u8:
      return "u8";
    case DType::f16:
      return "f16";
    case DType::f32:
      return "f32";
  }
  return "?";
}

const char* name_of(Layout layout) {
  switch (layout) {
    case Layout::none:
      return "none";
    case Layout::hwc:
      return "HWC";
    case Layout::chw:
      return "CHW";
  }
  return "?";
}

Shape::Shape(std::initializer_list<std::int64_t> sizes) {
  if (sizes.size() > kMaxRank) {
    throw std::invalid_argument("a shape has at most 4 dimensions, not " +
                                std::to_string(sizes.size()));
  }
  for (const std::int64_t size : sizes) {
    if (size < 0) throw std::invalid_argument("a dimension cannot be " + std::to_string(size));
    dims[static_cast<std::size_t>(rank++)] = size;
  }
}

std::int64_t Shape::elements() const {
  std::int64_t n = 1;
  for (int axis = 0; axis < rank; ++axis) {
    if (__builtin_mul_overflow(n, (*this)[axis], &n) || n > kMaxElements) {
      throw std::invalid_argument("a shape of " + to_string(*this) + " is larger than any memory");
    }
  }
  return n;
}

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (int axis = 0; axis < shape.rank; ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(shape[axis]);
  }
  return text + ")";
}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  if (this == &other) return *this;
  if (!other.is_view() || !buffer_.contains(other.data_)) buffer_ = std::move(other.buffer_);
  data_ = std::exchange(other.data_, nullptr);
  spec_ = std::exchange(other.spec_, ValueSpec{});
  placed_ = other.placed_ = false;
  return *this;
}

Tensor Tensor::view(std::byte* data, const ValueSpec& spec) {
  Tensor tensor;
  tensor.data_ = data;
  tensor.spec_ = spec;
  return tensor;
}

void Tensor::create(const Shape& shape, DType dtype, Layout layout) {
  release();
  const ValueSpec spec{shape, dtype, layout};
  if (placer_ != nullptr) data_ = placer_->place(spec);
  placed_ = data_ != nullptr;
  if (data_ == nullptr) {
    buffer_ = BufferPool::current().allocate(spec.bytes());
    data_ = buffer_.data();
  }
  spec_ = spec;
}

void Tensor::release() noexcept {
  buffer_.reset();
  data_ = nullptr;
  spec_ = ValueSpec{};
  placed_ = false;
}

void Tensor::check_dtype(DType wanted) const {
  if (wanted != spec_.dtype) {
    throw std::invalid_argument(std::string("the tensor holds ") + name_of(spec_.dtype) + ", not " +
                                name_of(wanted));
  }
}

Tensor Tensor::clone() const {
  Tensor copy;
  if (empty()) return copy;
  copy.create(spec_.shape, spec_.dtype, spec_.layout);
  std::memcpy(copy.data_, data_, spec_.bytes());
  return copy;
}

void Tensor::own() {
  if (is_view() && !placed_) *this = clone();
}

bool operator==(const Tensor& a, const Tensor& b) {
  if (a.empty() || b.empty()) return a.empty() && b.empty();
  return a.spec() == b.spec() && std::memcmp(a.bytes(), b.bytes(), a.spec().bytes()) == 0;
}

}  // namespace sluice
