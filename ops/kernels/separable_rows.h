// The inner loops of separable blurs with symmetric weights: one row at a time, by SIMD
// instructions chosen when the program runs. Internal to the blurring kernels.
//
// All results are integers and the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

// The number of fractional bits of values between the two passes.
inline constexpr int kLevelBits = 6;

// One side of a symmetric window: weights[0] is the center's, weights[i] that of both positions at
// distance i. The weights of the whole window sum to 2^bits. There are count weights, the last of
// which may be zero; count is even.
struct SideWeights {
  const std::int16_t* weights = nullptr;
  int count = 0;
  int bits = 0;  // 14 to 17
};

// out[i] = the weighted sum of above[k][i] and below[k][i], with kLevelBits fractional bits, for i
// < size. above[0] and below[0] are both the center row.
void weigh_rows(const std::uint8_t* const* above, const std::uint8_t* const* below,
                const SideWeights& side, std::size_t size, std::int16_t* out);

// out[i] = the weighted sum of in[i - k * step] and in[i + k * step], rounded to 8 bits, for i <
// size. `in` must be readable for count * step values before its first and after its last position.
void weigh_neighbours(const std::int16_t* in, std::ptrdiff_t step, const SideWeights& side,
                      std::size_t size, std::uint8_t* out);

}  // namespace sluice::kernels
