#include <sluice/runtime/batch_memory.h>
#include <sluice/runtime/tensor.h>
#include <sluice/runtime/text.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <stdexcept>

namespace sluice {

static_assert(sizeof(bool) == 1);

std::size_t size_of(DType type) {
  switch (type) {
    case DType::u8:
    case DType::i8:
    case DType::boolean:
      return 1;
    case DType::i16:
    case DType::u16:
    case DType::f16:
    case DType::bf16:
      return 2;
    case DType::i32:
    case DType::f32:
      return 4;
    case DType::i64:
    case DType::f64:
      return 8;
  }
  return 0;
}

const char* name_of(DType type) {
  switch (type) {
    case DType::u8:
      return "u8";
    case DType::i8:
      return "i8";
    case DType::i16:
      return "i16";
    case DType::u16:
      return "u16";
    case DType::i32:
      return "i32";
    case DType::i64:
      return "i64";
    case DType::f16:
      return "f16";
    case DType::bf16:
      return "bf16";
    case DType::f32:
      return "f32";
    case DType::f64:
      return "f64";
    case DType::boolean:
      return "bool";
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
    throw std::invalid_argument("a shape has at most " + std::to_string(kMaxRank) +
                                " dimensions, not " + std::to_string(sizes.size()));
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

Strides contiguous_strides(const Shape& shape) {
  Strides strides{};
  std::int64_t stride = 1;
  for (int axis = shape.rank - 1; axis >= 0; --axis) {
    strides[static_cast<std::size_t>(axis)] = stride;
    // elements() throws for a shape that is larger than any memory.
    if (__builtin_mul_overflow(stride, shape[axis], &stride)) stride = 0;
  }
  return strides;
}

namespace {

// Returns the axis from which on the dimensions lie one after the other, without gaps.
int contiguous_from(const Shape& shape, const Strides& strides) {
  std::int64_t expected = 1;
  for (int axis = shape.rank - 1; axis >= 0; --axis) {
    if (shape[axis] != 1 && strides[static_cast<std::size_t>(axis)] != expected) return axis + 1;
    // A tensor without elements may have any lengths; nothing is read of it.
    if (__builtin_mul_overflow(expected, shape[axis], &expected)) return axis;
  }
  return 0;
}

}  // namespace

bool Tensor::holds(const std::byte* at) const {
  if (buffer_) return buffer_.contains(at);
  if (owner_ == nullptr || data_ == nullptr) return false;
  std::ptrdiff_t first = 0, last = 0;  // elements, from data_
  for (int axis = 0; axis < spec_.shape.rank; ++axis) {
    if (spec_.shape[axis] == 0) return false;
    const std::int64_t reach = strides_[static_cast<std::size_t>(axis)] * (spec_.shape[axis] - 1);
    (reach < 0 ? first : last) += reach;
  }
  const auto size = static_cast<std::ptrdiff_t>(size_of(spec_.dtype));
  const std::less_equal<const std::byte*> not_after;
  return not_after(data_ + first * size, at) && !not_after(data_ + (last + 1) * size, at);
}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  if (this == &other) return *this;
  Buffer buffer_before;
  std::shared_ptr<void> owner_before;  // released last: that may call user code
  if (!other.is_view() || !holds(other.data_)) {
    buffer_before = std::exchange(buffer_, std::move(other.buffer_));
    owner_before = std::exchange(owner_, std::move(other.owner_));
    place_ = other.place_;
    order_ = other.order_;
    read_only_ = other.read_only_;
  }
  other.place_ = MemoryPlace{};
  other.order_ = nullptr;
  other.read_only_ = false;
  data_ = std::exchange(other.data_, nullptr);
  spec_ = std::exchange(other.spec_, ValueSpec{});
  strides_ = std::exchange(other.strides_, Strides{});
  placed_ = other.placed_ = false;
  return *this;
}

Tensor Tensor::view(std::byte* data, const ValueSpec& spec) {
  return view(data, spec, contiguous_strides(spec.shape));
}

Tensor Tensor::view(std::byte* data, const ValueSpec& spec, const Strides& strides,
                    MemoryPlace place, StreamSync* order) {
  Tensor tensor;
  tensor.data_ = data;
  tensor.spec_ = spec;
  tensor.strides_ = strides;
  tensor.place_ = place;
  tensor.order_ = order;
  return tensor;
}

Tensor Tensor::shared(std::shared_ptr<void> owner, std::byte* data, const ValueSpec& spec) {
  return shared(std::move(owner), data, spec, contiguous_strides(spec.shape));
}

Tensor Tensor::shared(std::shared_ptr<void> owner, std::byte* data, const ValueSpec& spec,
                      const Strides& strides, MemoryPlace place, StreamSync* order) {
  if (owner == nullptr || data == nullptr) {
    throw std::invalid_argument("a tensor cannot share null memory: the " +
                                std::string(owner == nullptr ? "owner" : "data") + " is null");
  }
  (void)spec.shape.elements();
  Tensor tensor = view(data, spec, strides, place, order);
  tensor.owner_ = std::move(owner);
  return tensor;
}

void Tensor::create(const Shape& shape, DType dtype, Layout layout) {
  const ValueSpec spec{shape, dtype, layout};
  const std::size_t bytes = detail::SizeLimit::check(spec);
  release();
  if (placer_ != nullptr) data_ = placer_->place(spec);
  placed_ = data_ != nullptr;
  if (placed_) {
    place_ = placer_->where();
  } else {
    buffer_ = BufferPool::current().allocate(bytes);
    data_ = buffer_.data();
    place_ = buffer_.resource()->place();
  }
  spec_ = spec;
  strides_ = contiguous_strides(shape);
}

void Tensor::release() noexcept {
  buffer_.reset();
  data_ = nullptr;
  spec_ = ValueSpec{};
  strides_ = Strides{};
  place_ = MemoryPlace{};
  order_ = nullptr;
  read_only_ = placed_ = false;
  owner_.reset();
}

Tensor Tensor::share() {
  if (buffer_) owner_ = std::make_shared<Buffer>(std::move(buffer_));
  Tensor other = view(data_, spec_, strides_, place_, order_);
  other.owner_ = owner_;
  other.read_only_ = read_only_;
  return other;
}

bool Tensor::contiguous() const {
  return contiguous_from(spec_.shape, strides_) == 0 || elements() == 0;
}

void detail::throw_dtype(DType held, DType wanted) {
  throw std::invalid_argument(std::string("the tensor holds ") + name_of(held) + ", not " +
                              name_of(wanted));
}

void Tensor::throw_read_only() {
  throw std::logic_error(
      "the tensor is read-only; read it through a const Tensor, or call clone()");
}

Tensor Tensor::clone() const {
  Tensor copy;
  if (empty()) return copy;
  require_on_host(place_);
  copy.create(spec_.shape, spec_.dtype, spec_.layout);
  copy_elements(*this, copy.data_);
  return copy;
}

Tensor Tensor::to_host() const {
  wait();
  if (empty() || place_.on_host()) return clone();
  if (order_ == nullptr) {
    throw std::logic_error(
        "a tensor in " + to_string(place_) +
        " that is not part of a batch must be copied by the code that created it");
  }
  return order_->to_host(*this);
}

void Tensor::wait_on(void* stream) const {
  if (order_ != nullptr) order_->wait_on(stream);
}
void Tensor::wait() const {
  if (order_ != nullptr) order_->wait();
}
void Tensor::release_after(void* stream) const {
  if (order_ != nullptr) order_->release_after(stream);
}

void Tensor::own() {
  if (is_view() && !placed_) *this = clone();
}

namespace {

// Calls f(from, n) for each contiguous piece of n bytes, in order.
template <class F>
void for_each_piece(const Tensor& tensor, const F& f) {
  if (tensor.elements() == 0) return;
  const Shape& shape = tensor.shape();
  const int inner = contiguous_from(shape, tensor.strides());
  const std::size_t size = size_of(tensor.dtype());
  std::size_t piece = size;
  for (int axis = inner; axis < shape.rank; ++axis) piece *= static_cast<std::size_t>(shape[axis]);
  std::array<std::int64_t, Shape::kMaxRank> at{};
  const std::byte* from = tensor.bytes();
  while (true) {
    f(from, piece);
    int axis = inner - 1;
    for (; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      const std::int64_t step = tensor.strides()[a] * static_cast<std::int64_t>(size);
      if (++at[a] < shape[axis]) {
        from += step;
        break;
      }
      from -= step * (shape[axis] - 1);
      at[a] = 0;
    }
    if (axis < 0) return;
  }
}

}  // namespace

void copy_elements(const Tensor& from, std::byte* to) {
  require_on_host(from.place());
  for_each_piece(from, [&](const std::byte* piece, std::size_t bytes) {
    std::memmove(to, piece, bytes);
    to += bytes;
  });
}

bool operator==(const Tensor& a, const Tensor& b) {
  if (a.empty() || b.empty()) return a.empty() && b.empty();
  if (a.spec() != b.spec()) return false;
  require_on_host(a.place());
  require_on_host(b.place());
  if (!b.contiguous()) return a.contiguous() ? b == a : a.clone() == b.clone();
  const std::byte* other = b.bytes();
  bool equal = true;
  for_each_piece(a, [&](const std::byte* piece, std::size_t bytes) {
    equal = equal && std::memcmp(piece, other, bytes) == 0;
    other += bytes;
  });
  return equal;
}

}  // namespace sluice

namespace sluice::detail {

void SizeLimit::refuse(const ValueSpec& spec, std::size_t most) {
  throw TooLarge("a value of shape " + to_string(spec.shape) + " and type " + name_of(spec.dtype) +
                 " is too large (got " + std::to_string(spec.bytes()) +
                 " bytes, expected at most max_image_bytes = " + std::to_string(most) +
                 "); ask for a smaller one, or raise max_image_bytes");
}

}  // namespace sluice::detail

namespace sluice {
namespace {

// A shape as seen from one axis: `outer` blocks of elements along the axis, each element of `inner`
// bytes.
struct Split {
  std::size_t outer = 1;
  std::size_t inner = 1;
};
Split split(const ValueSpec& spec, int axis) {
  Split s;
  s.inner = size_of(spec.dtype);
  for (int d = 0; d < spec.shape.rank; ++d)
    (d < axis ? s.outer : s.inner) *= static_cast<std::size_t>(spec.shape[d]);
  return s;
}

void check_axis(int axis, int rank, const char* what) {
  if (axis >= 0 && axis < rank) return;
  throw std::invalid_argument("axis " + std::to_string(axis) + " does not exist in " + what +
                              " of " + counted(rank, "dimension"));
}

}  // namespace

void take_slice(const Tensor& tensor, int axis, std::int64_t index, Tensor& out) {
  const Shape& shape = tensor.shape();
  check_axis(axis, shape.rank, "a tensor");
  const std::int64_t size = shape[axis];
  if (index < 0 || index >= size) {
    throw std::out_of_range("there is no slice " + std::to_string(index) + " along axis " +
                            std::to_string(axis) + ", which has " + std::to_string(size));
  }
  Shape rest;
  for (int d = 0; d < shape.rank; ++d) {
    if (d != axis) rest.dims[static_cast<std::size_t>(rest.rank++)] = shape[d];
  }
  Strides strides{};
  for (int d = 0, to = 0; d < shape.rank; ++d) {
    if (d != axis)
      strides[static_cast<std::size_t>(to++)] = tensor.strides()[static_cast<std::size_t>(d)];
  }
  out.create(rest, tensor.dtype());
  if (out.elements() == 0) return;
  const std::int64_t before = tensor.strides()[static_cast<std::size_t>(axis)] * index *
                              static_cast<std::int64_t>(size_of(tensor.dtype()));
  // A view needs a pointer to writable bytes; these are only read.
  copy_elements(Tensor::view(const_cast<std::byte*>(tensor.bytes()) + before, out.spec(), strides,
                             tensor.place()),
                out.bytes());
}

void stack_slices(const std::vector<Tensor>& slices, int axis, Tensor& out) {
  std::vector<const Tensor*> all;
  all.reserve(slices.size());
  for (const Tensor& slice : slices) all.push_back(slice.empty() ? nullptr : &slice);
  stack_slices(all, axis, out);
}

void stack_slices(std::span<const Tensor* const> slices, int axis, Tensor& out) {
  out.release();
  const auto found = std::find_if(slices.begin(), slices.end(), [](const Tensor* t) { return t; });
  if (found == slices.end()) return;
  const Tensor& first = **found;
  const Shape& shape = first.shape();
  if (shape.rank >= Shape::kMaxRank)
    throw std::invalid_argument("tensors of " + std::to_string(Shape::kMaxRank) +
                                " dimensions cannot be stacked");
  check_axis(axis, shape.rank + 1, "the stack");
  Shape stacked;
  stacked.rank = shape.rank + 1;
  for (int d = 0; d < stacked.rank; ++d) {
    stacked.dims[static_cast<std::size_t>(d)] =
        d == axis ? static_cast<std::int64_t>(slices.size()) : shape[d < axis ? d : d - 1];
  }
  out.create(stacked, first.dtype());
  const bool nothing = out.elements() == 0;
  const Split s = split(first.spec(), axis);
  for (std::size_t k = 0; k < slices.size(); ++k) {
    const auto at = [&](std::size_t o) { return out.bytes() + (o * slices.size() + k) * s.inner; };
    if (slices[k] == nullptr) {
      for (std::size_t o = 0; o < s.outer && !nothing; ++o) std::memset(at(o), 0, s.inner);
      continue;
    }
    require_on_host(slices[k]->place());
    const Tensor copy = slices[k]->contiguous() ? Tensor() : slices[k]->clone();
    const Tensor& slice = copy.empty() ? *slices[k] : copy;
    if (slice.shape() != shape || slice.dtype() != first.dtype()) {
      throw std::invalid_argument("slice " + std::to_string(k) + " is " + to_string(slice.shape()) +
                                  " of " + name_of(slice.dtype()) + ", but the first one is " +
                                  to_string(shape) + " of " + name_of(first.dtype()));
    }
    for (std::size_t o = 0; o < s.outer && !nothing; ++o)
      std::memcpy(at(o), slice.bytes() + o * s.inner, s.inner);
  }
}

}  // namespace sluice
