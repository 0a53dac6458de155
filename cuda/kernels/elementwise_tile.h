// Elementwise tiles: one tile of the result of arithmetic, bit operations, comparisons, functions
// or a cast of tensors, element by element. The results are those of elementwise.h in ops/kernels,
// bit for bit, with two exceptions. exp, log and powers of f64 may differ in the last bit, and
// those of other types in less than one of 10 million elements. NaN may have another sign. Internal
// to the kernels.
//
// Ownership: none. Threads: none. Errors: an element that has no result, such as the sum of two u8
// that does not fit, sets a flag.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/kernels/copy_pixels_tile.h>
#include <sluice/cuda/kernels/tensor_tile.h>
#include <sluice/cuda/kernels/tiles.h>
#include <sluice/ops/kernels/elementwise.h>
#include <sluice/runtime/compute.h>
#include <sluice/runtime/tensor.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace sluice::device {

struct ElementwiseJob {
  enum class Kind : std::uint8_t { operation, comparison, cast };
  struct Side {
    const void* elements = nullptr;  // device memory; null: `number` stands for all
    std::int64_t extent = 0;         // elements from the first to the last in memory
    std::int64_t strides[Shape::kMaxRank] = {};
    DType dtype = DType::u8;
    std::uint8_t bytes = 1;  // of an element
    std::uint8_t unused[6] = {};
  };
  std::int32_t tiles = 0;
  std::int32_t rank = 0;
  std::int32_t sizes[Shape::kMaxRank] = {};
  Side sides[2];
  std::uint64_t number = 0;  // its bits, as an element of its side's type
  std::int64_t elements = 0;
  void* out = nullptr;              // device memory without gaps
  std::uint32_t* failed = nullptr;  // device memory: not 0 if an element has no result
  Kind kind = Kind::operation;
  kernels::Elementwise what = kernels::Elementwise::add;
  DType dtype = DType::u8;      // of the result
  DType computed = DType::i64;  // or f32, or f64
  std::uint8_t out_bytes = 1;   // of an element of the result
  std::uint8_t unused[3] = {};
};

// Returns false if 64 bits do not hold the result, or there is none.
SLUICE_HOST_DEVICE inline bool whole_product(std::int64_t x, std::int64_t y, std::int64_t& to) {
  const detail::Wide made = static_cast<detail::Wide>(x) * y;
  to = static_cast<std::int64_t>(made);
  return to == made;
}
SLUICE_HOST_DEVICE inline bool whole_difference(std::int64_t x, std::int64_t y, std::int64_t& to) {
  const detail::Wide made = static_cast<detail::Wide>(x) - y;
  to = static_cast<std::int64_t>(made);
  return to == made;
}
SLUICE_HOST_DEVICE inline bool whole_power(std::int64_t base, std::int64_t exponent,
                                           std::int64_t& to) {
  to = 1;
  if (exponent < 0) return false;
  while (true) {
    if ((exponent & 1) != 0 && !whole_product(to, base, to)) return false;
    exponent >>= 1;
    if (exponent == 0) return true;
    if (!whole_product(base, base, base)) return false;
  }
}
SLUICE_HOST_DEVICE inline bool whole_result(kernels::Elementwise what, std::int64_t x,
                                            std::int64_t y, std::int64_t& to) {
  using enum detail::NumberOperation;
  switch (what) {
    case add: {
      const detail::Wide made = static_cast<detail::Wide>(x) + y;
      to = static_cast<std::int64_t>(made);
      return to == made;
    }
    case subtract:
      return whole_difference(x, y, to);
    case multiply:
      return whole_product(x, y, to);
    case floor_divide:
      if (y == 0) return false;
      if (y == -1) return whole_difference(0, x, to);
      to = x / y;
      if ((x < 0) != (y < 0) && x % y != 0) --to;
      return true;
    case remainder:
    case modulo:
      if (y == 0) return false;
      to = y == -1 ? 0 : x % y;
      if (what == modulo && to != 0 && (to < 0) != (y < 0)) to += y;
      return true;
    case power:
      return whole_power(x, y, to);
    case minimum:
      to = x < y ? x : y;
      return true;
    case maximum:
      to = x > y ? x : y;
      return true;
    case bitwise_and:
      to = x & y;
      return true;
    case bitwise_or:
      to = x | y;
      return true;
    case bitwise_xor:
      to = x ^ y;
      return true;
    default:  // absolute
      to = x;
      return x >= 0 || whole_difference(0, x, to);
  }
}

template <class C>
SLUICE_HOST_DEVICE C fraction_result(kernels::Elementwise what, C x, C y) {
  using enum detail::NumberOperation;
  const auto number = static_cast<double>(x);
  switch (what) {
    case add:
      return x + y;
    case subtract:
      return x - y;
    case multiply:
      return x * y;
    case divide:
      return x / y;
    case remainder:
      return std::fmod(x, y);
    case floor_divide:
      return detail::fraction_floor_divide(x, y);
    case modulo:
      return detail::fraction_modulo(x, y);
    case power:
      return static_cast<C>(std::pow(number, static_cast<double>(y)));
    case minimum:
      return x < y || x != x ? x : y;
    case maximum:
      return x > y || x != x ? x : y;
    case square_root:
      return static_cast<C>(std::sqrt(number));
    case exponential:
      return static_cast<C>(std::exp(number));
    case logarithm:
      return static_cast<C>(std::log(number));
    default:  // absolute
      return x < 0 ? -x : x == 0 ? C{} : x;
  }
}

template <class X, class Y>
SLUICE_HOST_DEVICE bool comparison_result(kernels::Elementwise what, X x, Y y) {
  using enum detail::NumberOperation;
  switch (what) {
    case less:
      return detail::compare<less>(x, y);
    case less_equal:
      return detail::compare<less_equal>(x, y);
    case greater:
      return detail::compare<greater>(x, y);
    case greater_equal:
      return detail::compare<greater_equal>(x, y);
    case equal:
      return detail::compare<equal>(x, y);
    default:
      return detail::compare<not_equal>(x, y);
  }
}

// Converts a number to the result's type by the rules of a cast. Returns false if that type does
// not hold it.
template <class C>
SLUICE_HOST_DEVICE bool store_element(C x, DType dtype, void* out, std::int64_t i) {
  switch (dtype) {
    case DType::u8:
      return detail::fits(x, static_cast<std::uint8_t*>(out)[i]);
    case DType::i8:
      return detail::fits(x, static_cast<std::int8_t*>(out)[i]);
    case DType::u16:
      return detail::fits(x, static_cast<std::uint16_t*>(out)[i]);
    case DType::i16:
      return detail::fits(x, static_cast<std::int16_t*>(out)[i]);
    case DType::i32:
      return detail::fits(x, static_cast<std::int32_t*>(out)[i]);
    case DType::i64:
      return detail::fits(x, static_cast<std::int64_t*>(out)[i]);
    case DType::f64:
      return detail::fits(x, static_cast<double*>(out)[i]);
    case DType::boolean:
      return detail::fits(x, static_cast<bool*>(out)[i]);
    case DType::f16:
    case DType::bf16: {
      const auto near = static_cast<float>(x);
      std::uint16_t& bits = static_cast<std::uint16_t*>(out)[i];
      bits = dtype == DType::f16 ? half_bits(near) : bfloat_bits(near);
      const std::uint32_t infinite = dtype == DType::f16 ? 0x7c00u : 0x7f80u;
      if ((bits & infinite) != infinite) return true;
      // Infinity and NaN stay what they are.
      if constexpr (detail::is_whole<C>) return false;
      return !std::isfinite(x);
    }
    default:
      return detail::fits(x, static_cast<float*>(out)[i]);
  }
}

// Calls f(element number, element of the first side, element of the second) for this thread's
// elements of the `number`th tile.
template <class X, class Y, class F>
SLUICE_HOST_DEVICE void for_operands(const ElementwiseJob& job, int number,
                                     const ThreadBlock& thread_block, const F& f) {
  const auto start = [&](const ElementwiseJob::Side& side) -> const void* {
    if (side.elements == nullptr) return &job.number;
    return device_view(static_cast<const std::byte*>(side.elements),
                       static_cast<std::size_t>(side.extent) * side.bytes);
  };
  const ElementwiseJob::Side &a = job.sides[0], &b = job.sides[1];
  const void *const left = start(a), *const right = start(b);
  for_elements(job.elements, number, thread_block, [&](std::int64_t i) {
    auto rest = static_cast<std::uint32_t>(i);
    std::int64_t x = 0, y = 0;
    for (int axis = job.rank - 1; axis >= 0; --axis) {
      const auto size = static_cast<std::uint32_t>(job.sizes[axis]);
      const std::int64_t at = rest % size;
      rest /= size;
      x += at * a.strides[axis];
      y += at * b.strides[axis];
    }
    f(i, element_at<X>(left, a.dtype, x), element_at<Y>(right, b.dtype, y));
  });
}

template <class C>
SLUICE_HOST_DEVICE void compute_tile(const ElementwiseJob& job, int number,
                                     const ThreadBlock& thread_block, void* out,
                                     std::uint32_t* failed) {
  for_operands<C, C>(job, number, thread_block, [&](std::int64_t i, C x, C y) {
    C made = x;
    bool good = true;
    if (job.kind == ElementwiseJob::Kind::operation) {
      if constexpr (detail::is_whole<C>) {
        good = whole_result(job.what, x, y, made);
      } else {
        made = fraction_result(job.what, x, y);
      }
    }
    good = store_element(made, job.dtype, out, i) && good;
    if (!good && failed != nullptr) *failed = 1;
  });
}

template <class X, class Y>
SLUICE_HOST_DEVICE void compare_tile(const ElementwiseJob& job, int number,
                                     const ThreadBlock& thread_block, void* out) {
  for_operands<X, Y>(job, number, thread_block, [&](std::int64_t i, X x, Y y) {
    static_cast<bool*>(out)[i] = comparison_result(job.what, x, y);
  });
}

// Does the `number`th tile of the sample.
SLUICE_HOST_DEVICE inline void elementwise_tile(const ElementwiseJob& job, int number,
                                                const ThreadBlock& thread_block) {
  void* const out = device_view(static_cast<std::byte*>(job.out),
                                static_cast<std::size_t>(job.elements) * job.out_bytes);
  std::uint32_t* const failed = job.failed == nullptr ? nullptr : device_view(job.failed, 1);
  if (job.kind == ElementwiseJob::Kind::comparison) {
    // Whole numbers and fractions are compared without loss.
    const bool left = detail::is_fraction(job.sides[0].dtype),
               right = detail::is_fraction(job.sides[1].dtype);
    if (!left && !right) {
      compare_tile<std::int64_t, std::int64_t>(job, number, thread_block, out);
    } else if (left && right) {
      compare_tile<double, double>(job, number, thread_block, out);
    } else if (left) {
      compare_tile<double, std::int64_t>(job, number, thread_block, out);
    } else {
      compare_tile<std::int64_t, double>(job, number, thread_block, out);
    }
  } else if (job.computed == DType::f64) {
    compute_tile<double>(job, number, thread_block, out, failed);
  } else if (job.computed == DType::f32) {
    compute_tile<float>(job, number, thread_block, out, failed);
  } else {
    compute_tile<std::int64_t>(job, number, thread_block, out, failed);
  }
}

}  // namespace sluice::device
