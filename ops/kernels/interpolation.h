// Interpolation and ResizeFilter: how a pixel is computed from its neighbors.
#pragma once

#include <cstdint>

namespace sluice {

// The interpolation by which a resized or warped image computes a pixel from its neighbors.
enum class Interpolation : std::uint8_t { nearest, box, bilinear, hamming, bicubic, lanczos };
const char* name_of(Interpolation interpolation);

}  // namespace sluice

namespace sluice::kernels {

// ResizeFilter: how a resized image computes a pixel from its neighbors.
//
// An interpolation alone converts to an antialiased filter. Used by the resizing kernels; operators
// have two separate options instead.

struct ResizeFilter {
  Interpolation interpolation = Interpolation::bilinear;
  // When an image is reduced, the filter is widened by the same factor, so every input pixel
  // contributes. Without it, only the pixels next to each sampling position count, as for enlarging
  // (torch's antialias=False). That is faster but causes aliasing.
  bool antialias = true;

  constexpr ResizeFilter(Interpolation interpolates = Interpolation::bilinear,
                         bool antialiases = true)
      : interpolation(interpolates), antialias(antialiases) {}
  bool operator==(const ResizeFilter&) const = default;
};

}  // namespace sluice::kernels
