// The samples of the test program's readers: they are the same here as in a worker process.
#pragma once

#include <sluice/graph/exec/sample.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/half.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

namespace sluice::testing {

// Returns the number after a time that follows from it: next to none for most, for one in a
// thousand as long as for hundreds of others.
inline std::int64_t uneven(std::int64_t i) {
  std::uint64_t drawn = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15U;
  drawn ^= drawn >> 29;
  volatile std::uint64_t turns = drawn % 1000 == 0 ? 200'000 : drawn % 300;
  while (turns > 0) turns = turns - 1;
  return i;
}

using Mixed = std::tuple<Bytes, Tensor, Image, std::string, std::int64_t, double, bool, Half>;

// Sizes and contents follow from the sample: empty ones, some that are sent inline, and larger
// ones.
inline Mixed mixed_sample(const SampleInfo& info) {
  const std::int64_t i = info.index + 1000 * info.epoch;
  const auto fill = static_cast<std::uint8_t>(i);
  Bytes bytes(static_cast<std::size_t>(i % 5 * 700));
  std::fill(bytes.data(), bytes.data() + bytes.size(), fill);
  Tensor tensor;
  if (i % 4 != 0) {
    tensor.create({i % 4 - 1, 40, i % 7}, DType::i16, i % 2 == 0 ? Layout::hwc : Layout::none);
    std::fill_n(tensor.data<std::int16_t>(), tensor.elements(), static_cast<std::int16_t>(i));
  }
  Image image(static_cast<int>(i % 50) + 1, 30, 3);
  std::fill(image.data(), image.data() + 30 * 3 * image.height(), fill);
  // Cut to a part. After narrow(), its rows are not adjacent.
  if (i % 3 == 0) image = image.crop_view(0, 5, image.height(), 7).clone();
  if (i % 3 == 1) image.narrow(0, 5, image.height(), 7);
  return {std::move(bytes),
          std::move(tensor),
          std::move(image),
          std::string(static_cast<std::size_t>(i % 3) * 900, 'a'),
          i,
          static_cast<double>(i) / 3,
          i % 2 == 0,
          Half(static_cast<float>(i % 100))};
}

inline bool same(const Mixed& a, const Mixed& b) {
  const auto& x = std::get<0>(a);
  const auto& y = std::get<0>(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end()) && std::get<1>(a) == std::get<1>(b) &&
         std::get<2>(a) == std::get<2>(b) && std::get<3>(a) == std::get<3>(b) &&
         std::get<4>(a) == std::get<4>(b) && std::get<5>(a) == std::get<5>(b) &&
         std::get<6>(a) == std::get<6>(b) &&
         static_cast<float>(std::get<7>(a)) == static_cast<float>(std::get<7>(b));
}

// Tensors of four types: some of one shape, some of shapes that follow from the sample.
using Typed = std::tuple<Tensor, Tensor, Tensor, Tensor>;

template <class T>
Tensor numbers(std::int64_t seed, const Shape& shape) {
  Tensor tensor(shape, dtype_of<T>::value);
  T* const data = tensor.data<T>();
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    data[i] = static_cast<T>((seed * 7919 + i * 31) % 251);
  return tensor;
}

inline Typed typed_sample(const SampleInfo& info) {
  const std::int64_t i = info.index + 1000 * info.epoch;
  return {numbers<float>(i, {10, 7}), numbers<std::int32_t>(i + 1, {i % 20, 4, 3}),
          numbers<std::uint8_t>(i + 2, {i % 8, i % 64, i % 11, 3}),
          numbers<std::int16_t>(i + 3, {i % 30 + 1})};
}

inline bool same(const Typed& a, const Typed& b) { return a == b; }

}  // namespace sluice::testing
