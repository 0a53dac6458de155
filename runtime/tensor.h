// Tensor: an array of numbers of one type, with up to six dimensions, and the memory that holds it.
//
// Ownership: the elements of a Tensor
//   - are its own, in a Buffer of the current BufferPool, as create() makes them;
//   - or are shared: a batch's block, or foreign memory with a deleter (see shared()). The last
//     handle releases the memory, on whichever thread that is;
//   - or are owned elsewhere and must be kept alive there: the Tensor is then a view.
// It moves and does not copy: share() makes another handle on the same elements, clone() copies
// them explicitly. Inside a pipeline the memory may instead lie in the batch that the tensor will
// be part of (see Placer).
//
// Strides are in elements, one for each dimension. create() makes contiguous elements: the last
// dimension varies fastest, without gaps. data() is the first element. Code that needs contiguous
// elements checks contiguous(), or takes a clone().
//
// Tensors of a batch that is delivered on a device have their elements in device memory, see
// place(). data() and bytes() are then device addresses, and functions that would read the elements
// on the host throw std::logic_error; to_host() copies them.
//
// Threads: like a vector. Many may read one Tensor; one may write. Handles on the same elements may
// live and die on different threads. Errors: std::invalid_argument for invalid arguments,
// std::bad_alloc, std::logic_error for access that the memory does not allow.
#pragma once

#include <sluice/runtime/error.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/memory.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sluice {

// `boolean` is the C++ type bool, one byte each.
enum class DType : std::uint8_t { u8, i16, i32, i64, f16, f32, f64, boolean, i8, bf16, u16 };
// The order of the dimensions of an image; `none` for anything else.
enum class Layout : std::uint8_t { none, hwc, chw };

std::size_t size_of(DType type);
const char* name_of(DType type);
const char* name_of(Layout layout);

template <DType kType>
struct dtype_constant {
  static constexpr DType value = kType;
};
template <class T>
struct dtype_of;
template <>
struct dtype_of<std::uint8_t> : dtype_constant<DType::u8> {};
template <>
struct dtype_of<std::int8_t> : dtype_constant<DType::i8> {};
template <>
struct dtype_of<std::int16_t> : dtype_constant<DType::i16> {};
template <>
struct dtype_of<std::uint16_t> : dtype_constant<DType::u16> {};
template <>
struct dtype_of<std::int32_t> : dtype_constant<DType::i32> {};
template <>
struct dtype_of<std::int64_t> : dtype_constant<DType::i64> {};
template <>
struct dtype_of<Half> : dtype_constant<DType::f16> {};
template <>
struct dtype_of<BFloat16> : dtype_constant<DType::bf16> {};
template <>
struct dtype_of<float> : dtype_constant<DType::f32> {};
template <>
struct dtype_of<double> : dtype_constant<DType::f64> {};
template <>
struct dtype_of<bool> : dtype_constant<DType::boolean> {};

// Sizes of the dimensions, outermost first. Rank 0 is a scalar: one element.
struct Shape {
  static constexpr int kMaxRank = 6;
  static constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;
  std::array<std::int64_t, kMaxRank> dims{};
  int rank = 0;

  Shape() = default;
  // Throws std::invalid_argument for more than kMaxRank dimensions or a negative one.
  Shape(std::initializer_list<std::int64_t> sizes);
  std::int64_t operator[](int axis) const { return dims[static_cast<std::size_t>(axis)]; }
  // Throws std::invalid_argument for more than kMaxElements.
  std::int64_t elements() const;
  friend bool operator==(const Shape&, const Shape&) = default;
};
std::string to_string(const Shape& shape);

// For each dimension, the distance in elements to the next element along it; 0 beyond the rank.
using Strides = std::array<std::int64_t, Shape::kMaxRank>;
Strides contiguous_strides(const Shape& shape);

// The shape, type and layout of a contiguous value: enough to reserve memory for it, and to compare
// it with the other values of its batch.
struct ValueSpec {
  Shape shape;
  DType dtype = DType::u8;
  Layout layout = Layout::none;
  std::size_t bytes() const { return static_cast<std::size_t>(shape.elements()) * size_of(dtype); }
  friend bool operator==(const ValueSpec&, const ValueSpec&) = default;
};

namespace detail {
// Throws std::invalid_argument for elements of type `held` that are read as `wanted`.
[[noreturn]] void throw_dtype(DType held, DType wanted);
}  // namespace detail

// Provides the memory for a value that is about to be written, for instance its place in a batch.
class Placer {
 public:
  virtual ~Placer() = default;
  // Returns memory for `spec.bytes()` bytes, valid for as long as the placer specifies, or null:
  // the caller then takes a Buffer.
  virtual std::byte* place(const ValueSpec& spec) = 0;
  // The place of the memory that it returned last.
  virtual MemoryPlace where() const { return {}; }
};

class StreamSync;

class Tensor {
 public:
  Tensor() = default;
  Tensor(const Shape& shape, DType dtype, Layout layout = Layout::none) {
    create(shape, dtype, layout);
  }
  Tensor(Tensor&& other) noexcept { *this = std::move(other); }
  // Assigning a view of a tensor to itself keeps its memory.
  Tensor& operator=(Tensor&& other) noexcept;

  // Returns a view of elements that are owned elsewhere.
  static Tensor view(std::byte* data, const ValueSpec& spec);
  static Tensor view(std::byte* data, const ValueSpec& spec, const Strides& strides,
                     MemoryPlace place = {}, StreamSync* order = nullptr);

  // Returns elements at `data` that live as long as `owner`. For memory with its own deleter:
  //   Tensor::shared(std::shared_ptr<void>(data, std::free), data, spec)
  // The deleter runs once, on the thread that destroys the last handle. Like any deleter of a
  // shared_ptr it must not throw.
  static Tensor shared(std::shared_ptr<void> owner, std::byte* data, const ValueSpec& spec);
  // `order` lives as long as the elements; see wait_on().
  static Tensor shared(std::shared_ptr<void> owner, std::byte* data, const ValueSpec& spec,
                       const Strides& strides, MemoryPlace place = {}, StreamSync* order = nullptr);

  // Drops the previous elements and makes uninitialized ones. Operators call this on their output.
  void create(const Shape& shape, DType dtype, Layout layout = Layout::none);
  void release() noexcept;

  // Returns another handle on the same elements; for a view, another view. If the memory is this
  // tensor's own, it becomes shared, which costs one small allocation. All handles see what one
  // writes.
  Tensor share();

  bool empty() const { return data_ == nullptr; }
  // True if the elements are owned elsewhere: a view, or a place in a batch.
  bool is_view() const { return data_ != nullptr && !buffer_ && owner_ == nullptr; }
  const ValueSpec& spec() const { return spec_; }
  const Shape& shape() const { return spec_.shape; }
  DType dtype() const { return spec_.dtype; }
  Layout layout() const { return spec_.layout; }
  const Strides& strides() const { return strides_; }
  // True if the elements lie one after the other, the last dimension varying fastest.
  bool contiguous() const;
  std::int64_t elements() const { return empty() ? 0 : spec_.shape.elements(); }
  // The bytes of the elements, without gaps between them.
  std::size_t nbytes() const { return empty() ? 0 : spec_.bytes(); }
  MemoryPlace place() const { return place_; }
  // The resource of its own memory; null for shared memory and views, of which only place() is
  // known.
  MemoryResource* resource() const { return buffer_.resource(); }

  // True if the elements must not be written. Then data() and bytes() need a const Tensor, or throw
  // std::logic_error.
  bool read_only() const { return read_only_; }
  void make_read_only() { read_only_ = true; }

  const std::byte* bytes() const { return data_; }
  std::byte* bytes() {
    if (read_only_) throw_read_only();
    return data_;
  }

  // Throws std::invalid_argument if the elements have another type.
  void check_dtype(DType wanted) const {
    if (wanted != spec_.dtype) detail::throw_dtype(spec_.dtype, wanted);
  }
  // Returns the elements as T; throws std::invalid_argument if T is not dtype().
  template <class T>
  const T* data() const {
    check_dtype(dtype_of<T>::value);
    return reinterpret_cast<const T*>(data_);
  }
  template <class T>
  T* data() {
    check_dtype(dtype_of<T>::value);
    return reinterpret_cast<T*>(bytes());
  }

  // Returns a contiguous copy with its own memory.
  Tensor clone() const;
  // The same for elements in any memory; waits until they are ready.
  Tensor to_host() const;

  // For tensors of a batch that a device has made, see StreamSync; for all others these do
  // nothing. A stream is a cudaStream_t, or one of the stand-in device. wait_on(): work put into
  // the stream from now on starts when the elements are ready. wait() returns when they are ready.
  void wait_on(void* stream) const;
  void wait() const;
  // The memory of the batch is reused only when the work now in the stream is over.
  void release_after(void* stream) const;
  // Turns a view into a copy. Elements that create() has put into a batch stay there if the tensor
  // shows all of them.
  void own();

  // Sets where create() takes memory from; null for the current pool. Does not move along with the
  // elements.
  void set_placer(Placer* placer) { placer_ = placer; }
  bool has_placer() const { return placer_ != nullptr; }

 private:
  friend class Image;
  friend class BatchMemory;
  [[noreturn]] static void throw_read_only();
  bool holds(const std::byte* at) const;

  std::byte* data_ = nullptr;
  ValueSpec spec_;
  Strides strides_{};
  Buffer buffer_;
  std::shared_ptr<void> owner_;
  Placer* placer_ = nullptr;
  StreamSync* order_ = nullptr;
  MemoryPlace place_;
  bool read_only_ = false;
  bool placed_ = false;  // shows exactly what placer_ returned
};

// True if shape, type, layout and elements are equal; floating-point elements bit for bit.
bool operator==(const Tensor& a, const Tensor& b);

// Writes the elements side by side, in order: from.nbytes() bytes. They must not overlap elements
// that are read later.
void copy_elements(const Tensor& from, std::byte* to);

// Thrown if a result would be larger than the limit.
class TooLarge : public Error {
 public:
  using Error::Error;
};

namespace detail {

inline constexpr std::int64_t kMaxImageBytes = std::int64_t{1} << 29;

// SizeLimit: the most bytes of an image or tensor that is made on this thread.
//
// A pipeline sets the limit while a step runs (PipelineOptions::max_image_bytes). Tensor::create()
// checks it before it takes memory, so a small file cannot make a step ask for gigabytes.
//
// Ownership: none. Threads: each has a limit of its own; scopes nest, and the innermost one counts.
// Outside of all scopes there is no limit. Errors: check() throws TooLarge.
class SizeLimit {
 public:
  explicit SizeLimit(std::int64_t bytes) noexcept
      : outer_(std::exchange(most_, static_cast<std::size_t>(bytes))) {}
  ~SizeLimit() { most_ = outer_; }
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;

  // Returns the bytes of a value of this spec.
  static std::size_t check(const ValueSpec& spec) {
    const std::size_t bytes = spec.bytes();
    if (bytes > most_) refuse(spec, most_);
    return bytes;
  }

 private:
  [[noreturn]] static void refuse(const ValueSpec& spec, std::size_t most);
  static constinit thread_local std::size_t most_;
  std::size_t outer_;
};

inline constinit thread_local std::size_t SizeLimit::most_ =
    std::numeric_limits<std::size_t>::max();

}  // namespace detail

// Slices of tensors along an axis: take_slice() copies one out, stack_slices() stacks several.
//
// Threads: pure functions of their inputs. Errors: std::invalid_argument for an axis or shapes that
// do not fit, std::out_of_range for an index that does not; `out` may then hold anything.

// out = tensor[..., index, ...]: element `index` along `axis`, both from 0. The layout of `out` is
// none.
void take_slice(const Tensor& tensor, int axis, std::int64_t index, Tensor& out);

// Stacks the slices along a new dimension at `axis`, from 0 to their rank, which is at most 5. All
// have one shape and type. Empty ones become zeros; if all are empty, so is `out`. The layout of
// `out` is none.
void stack_slices(const std::vector<Tensor>& slices, int axis, Tensor& out);
// The same for pointers to tensors; null means zeros.
void stack_slices(std::span<const Tensor* const> slices, int axis, Tensor& out);

}  // namespace sluice
