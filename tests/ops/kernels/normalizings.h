// Every way to normalize images: type, layout, mirrored or not, padded or not. The numbers bring
// some pixel values beyond the ends of u8 and i8.
#pragma once

#include <sluice/ops/kernels/normalize.h>
#include <sluice/runtime/tensor.h>

#include <string>

namespace sluice::testing {

constexpr int kNormalizings = 40;

// One channel has one mean and one deviation.
inline kernels::NormalizeParams test_normalizing(int number, int channels) {
  constexpr int kTypesCount = 5;
  constexpr DType kTypes[kTypesCount] = {DType::f32, DType::f16, DType::u8, DType::i8, DType::bf16};
  const DType type = kTypes[number % kTypesCount];
  number /= kTypesCount;
  kernels::NormalizeParams params{.mirror = (number & 1) != 0,
                                  .mean = {0.485f, 0.456f, 0.406f, 0.5f},
                                  .std = {0.229f, 0.224f, 0.225f, 0.25f},
                                  .dtype = type,
                                  .layout = (number & 2) != 0 ? Layout::chw : Layout::hwc,
                                  .pad_output = (number & 4) != 0};
  if (channels == 1) {
    params.mean.fill(params.mean[0]);
    params.std.fill(params.std[0]);
  }
  if (params.dtype == DType::u8) params.scale = 80, params.shift = 110;
  if (params.dtype == DType::i8) params.scale = -75, params.shift = 9.5f;
  if (params.dtype == DType::f32 && params.pad_output) params.scale = -0.7f, params.shift = 0.3f;
  return params;
}

inline std::string text_of(const kernels::NormalizeParams& params) {
  return std::string(name_of(params.dtype)) + " " + name_of(params.layout) +
         (params.mirror ? " mirrored" : "") + (params.pad_output ? " padded" : "");
}

// Returns the element as a double.
inline double number_at(const Tensor& tensor, std::int64_t i) {
  switch (tensor.dtype()) {
    case DType::u8:
      return tensor.data<std::uint8_t>()[i];
    case DType::i8:
      return tensor.data<std::int8_t>()[i];
    case DType::f16:
      return static_cast<float>(tensor.data<Half>()[i]);
    case DType::bf16:
      return static_cast<float>(tensor.data<BFloat16>()[i]);
    default:
      return tensor.data<float>()[i];
  }
}

}  // namespace sluice::testing
