// An image's rows as runs of pixels. All rows are one run if neither the image nor its result has
// gaps between rows, so a kernel handles the end of a run only once. Internal.
#pragma once

#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>

namespace sluice::kernels {

// Calls f(from, pixels, to) for each run of `in` and of `out`, which has the same height and width.
template <class F>
void for_each_run(const Image& in, Image& out, const F& f) {
  const auto height = static_cast<std::size_t>(in.height());
  const auto width = static_cast<std::size_t>(in.width());
  if (in.contiguous() && out.contiguous()) return f(in.row(0), height * width, out.row(0));
  for (int y = 0; y < in.height(); ++y) f(in.row(y), width, out.row(y));
}

}  // namespace sluice::kernels
