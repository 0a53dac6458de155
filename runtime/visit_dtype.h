// visit_dtype: calls a function template for the element type of a tensor. Internal.
//
// Errors: none. Threads: any.
#pragma once

#include <sluice/runtime/half.h>
#include <sluice/runtime/tensor.h>

#include <cstdint>
#include <type_traits>

namespace sluice::detail {

inline bool is_fraction(DType type) {
  return type == DType::f16 || type == DType::f32 || type == DType::f64;
}

// Calls f(std::type_identity<T>()).
template <class F>
void visit_dtype(DType type, const F& f) {
  switch (type) {
    case DType::u8:
      return f(std::type_identity<std::uint8_t>());
    case DType::i8:
      return f(std::type_identity<std::int8_t>());
    case DType::i16:
      return f(std::type_identity<std::int16_t>());
    case DType::i32:
      return f(std::type_identity<std::int32_t>());
    case DType::i64:
      return f(std::type_identity<std::int64_t>());
    case DType::f16:
      return f(std::type_identity<Half>());
    case DType::f32:
      return f(std::type_identity<float>());
    case DType::f64:
      return f(std::type_identity<double>());
    case DType::boolean:
      return f(std::type_identity<bool>());
  }
}

}  // namespace sluice::detail
