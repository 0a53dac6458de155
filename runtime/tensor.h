// Tensor: a dense block of numbers with a shape of up to four dimensions, as training code wants
// it.
//
// Ownership, threads and errors are those of Image: it owns a Buffer of the current BufferPool or
// is a view, it moves and does not copy, many may read and one may write.
#pragma once

#include <sluice/runtime/buffer_pool.h>
#include <sluice/runtime/half.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace sluice {

enum class DType : std::uint8_t { u8, f16, f32 };
// The order of the dimensions of one picture; `none` for anything else.
enum class Layout : std::uint8_t { none, hwc, chw };

std::size_t size_of(DType type);
const char* name_of(DType type);
const char* name_of(Layout layout);

template <class T>
struct dtype_of;
template <>
struct dtype_of<std::uint8_t> {
  static constexpr DType value = DType::u8;
};
template <>
struct dtype_of<Half> {
  static constexpr DType value = DType::f16;
};
template <>
struct dtype_of<float> {
  static constexpr DType value = DType::f32;
};

// Sizes of the dimensions, outermost first. Rank 0 is a scalar: one element.
struct Shape {
  static constexpr int kMaxRank = 4;
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

// What a value looks like in memory: enough to reserve a place for it and to compare it with its
// neighbours.
struct ValueSpec {
  Shape shape;
  DType dtype = DType::u8;
  Layout layout = Layout::none;
  std::size_t bytes() const { return static_cast<std::size_t>(shape.elements()) * size_of(dtype); }
  friend bool operator==(const ValueSpec&, const ValueSpec&) = default;
};

// Provides the memory of a value that is about to be written, for instance its place within a
// batch.
class Placer {
 public:
  virtual ~Placer() = default;
  // Memory for `spec.bytes()` bytes, valid for as long as the placer says; null: the caller takes a
  // Buffer.
  virtual std::byte* place(const ValueSpec& spec) = 0;
};

class Tensor {
 public:
  Tensor() = default;
  Tensor(const Shape& shape, DType dtype, Layout layout = Layout::none) {
    create(shape, dtype, layout);
  }
  Tensor(Tensor&& other) noexcept { *this = std::move(other); }
  // A tensor that is given a view of itself keeps its memory.
  Tensor& operator=(Tensor&& other) noexcept;

  static Tensor view(std::byte* data, const ValueSpec& spec);

  // Drops what was there and provides uninitialised elements. Operators call this on their output.
  void create(const Shape& shape, DType dtype, Layout layout = Layout::none);
  void release() noexcept;

  bool empty() const { return data_ == nullptr; }
  // True for elements that belong to somebody else: a view, or a place in a batch.
  bool is_view() const { return data_ != nullptr && !buffer_; }
  const ValueSpec& spec() const { return spec_; }
  const Shape& shape() const { return spec_.shape; }
  DType dtype() const { return spec_.dtype; }
  Layout layout() const { return spec_.layout; }
  std::int64_t elements() const { return empty() ? 0 : spec_.shape.elements(); }
  const std::byte* bytes() const { return data_; }
  std::byte* bytes() { return data_; }

  // The elements as T; throws std::invalid_argument when T is not dtype().
  template <class T>
  const T* data() const {
    check_dtype(dtype_of<T>::value);
    return reinterpret_cast<const T*>(data_);
  }
  template <class T>
  T* data() {
    check_dtype(dtype_of<T>::value);
    return reinterpret_cast<T*>(data_);
  }

  Tensor clone() const;
  // As Image::own().
  void own();
  void set_placer(Placer* placer) { placer_ = placer; }

 private:
  void check_dtype(DType wanted) const;
  std::byte* data_ = nullptr;
  ValueSpec spec_;
  Buffer buffer_;
  Placer* placer_ = nullptr;
  bool placed_ = false;  // shows what placer_ gave, as it gave it
};

// The same shape, type, layout and bytes.
bool operator==(const Tensor& a, const Tensor& b);

}  // namespace sluice
