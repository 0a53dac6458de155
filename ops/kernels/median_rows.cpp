#include <sluice/ops/kernels/median_rows.h>

// Scalable vectors cannot be stored in arrays, so use the fixed-size instructions there.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sluice/ops/kernels/median_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sluice::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class V>
HWY_INLINE void order(V& low, V& high) {
  const V smaller = hn::Min(low, high);
  high = hn::Max(low, high);
  low = smaller;
}

// Moves the smallest values of the count vectors to the first vector, the largest to the last.
template <int count, class V>
HWY_INLINE void move_extremes(V* v) {
  constexpr int kLast = count - 1;
  for (int i = 0; i < count / 2; ++i) order(v[i], v[kLast - i]);
  for (int i = 1; i <= kLast / 2; ++i) order(v[0], v[i]);
  for (int i = count / 2; i < kLast; ++i) order(v[i], v[kLast]);
}

// Returns the median of count vectors and of those that load(next), load(next + 1), ... return.
// Among half of all values plus one, the smallest and the largest cannot be the median. Another
// value replaces both, until three are left. (A recursion, so that the compiler knows each count.)
template <int count, class V, class Load>
HWY_INLINE V median_of(V* v, const Load& load, int next) {
  move_extremes<count>(v);
  if constexpr (count == 3) {
    return v[1];
  } else {
    v[0] = load(next);
    return median_of<count - 1>(v, load, next + 1);
  }
}

template <int window, class D>
HWY_INLINE void median_at(D d, const std::uint8_t* const* rows, std::ptrdiff_t step, std::size_t at,
                          std::uint8_t* out) {
  constexpr int kFirst = window * window / 2 + 2;
  const auto load = [&](int i) HWY_ATTR {
    return hn::LoadU(d, rows[i / window] + at + i % window * step);
  };
  hn::Vec<D> v[kFirst];
  for (int i = 0; i < kFirst; ++i) v[i] = load(i);
  hn::StoreU(median_of<kFirst>(v, load, kFirst), d, out + at);
}

template <int window>
HWY_INLINE void medians(const std::uint8_t* const* rows, std::ptrdiff_t step, std::size_t size,
                        std::uint8_t* out) {
  const hn::ScalableTag<std::uint8_t> d;
  const hn::FixedTag<std::uint8_t, 1> one;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t at = 0;
  for (; at + lanes <= size; at += lanes) median_at<window>(d, rows, step, at, out);
  if (at == size) return;
  if (size >= lanes) return median_at<window>(d, rows, step, size - lanes, out);
  for (; at < size; ++at) median_at<window>(one, rows, step, at, out);
}

void MedianRow(const std::uint8_t* const* rows, int window, std::ptrdiff_t step, std::size_t size,
               std::uint8_t* out) {
  return window == 3 ? medians<3>(rows, step, size, out) : medians<5>(rows, step, size, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace sluice::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sluice::kernels {

HWY_EXPORT(MedianRow);

void median_row(const std::uint8_t* const* rows, int window, std::ptrdiff_t step, std::size_t size,
                std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(MedianRow)(rows, window, step, size, out);
}

}  // namespace sluice::kernels
#endif
