// The augmentations of the lists, each as one call of a kernel on one image.
#pragma once

#include "tests/ops/kernels/reference.h"
#include <sluice/ops/kernels/color.h>
#include <sluice/ops/kernels/filter.h>
#include <sluice/ops/kernels/levels.h>
#include <sluice/ops/kernels/warp.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace sluice::testing {

// `parameter` is the argument of the augmentation's own kernel: the bits to keep for posterize, the
// factor for colors. `whole`: translations are cut to whole pixels.
inline Image plain_augmentation(const std::string& name, const Image& in, double parameter,
                                const kernels::WarpOptions& warp, bool relative, bool whole) {
  const auto pixels = [&](int side) {
    const double distance = relative ? parameter * side : parameter;
    return whole ? std::trunc(distance + std::copysign(1e-5, distance)) : distance;
  };
  const auto number = static_cast<float>(parameter);
  Image out;
  if (name == "identity") {
    out = in.clone();
  } else if (name == "shear_x") {
    kernels::shear(in, {.x = parameter}, warp, out);
  } else if (name == "shear_y") {
    kernels::shear(in, {.y = parameter}, warp, out);
  } else if (name == "translate_x") {
    kernels::translate(in, pixels(in.width()), 0, false, warp, out);
  } else if (name == "translate_y") {
    kernels::translate(in, 0, pixels(in.height()), false, warp, out);
  } else if (name == "rotate") {
    kernels::rotate(in, number,
                    {.keep_size = true, .fill = warp.fill, .interpolation = warp.interpolation},
                    out);
  } else if (name == "brightness") {
    kernels::brightness_contrast(in, number, 1, out);
  } else if (name == "color") {
    kernels::saturation(in, number, out);
  } else if (name == "contrast") {
    kernels::contrast(in, number, out);
  } else if (name == "sharpness") {
    kernels::sharpness(in, number, out);
  } else if (name == "posterize") {
    kernels::posterize(in, static_cast<int>(parameter), out);
  } else if (name == "solarize") {
    kernels::solarize(in, number, out);
  } else if (name == "auto_contrast") {
    kernels::autocontrast(in, out);
  } else if (name == "equalize") {
    kernels::equalize(in, out);
  } else if (name == "invert") {
    out = in.clone();
    for (int y = 0; y < out.height(); ++y) {
      for (std::size_t i = 0; i < out.row_bytes(); ++i)
        out.row(y)[i] = static_cast<std::uint8_t>(255 - in.row(y)[i]);
    }
  } else {
    ADD_FAILURE() << "no operator '" << name << "'";
  }
  return out;
}

// Returns the image of sample i: of several sizes, and all different.
inline Image image_of(std::int64_t i) {
  return make_image(31 + static_cast<int>(i % 7), 40, 3, static_cast<std::uint32_t>(i) + 1);
}

// True if at most one value in 50 differs by more than 1. Parameters are floats in a pipeline and
// doubles above, so pixel values and places of nearest pixels may round differently.
inline bool alike(const Image& a, const Image& b) {
  if (a.height() != b.height() || a.width() != b.width() || a.channels() != b.channels())
    return false;
  std::size_t off = 0;
  for (int y = 0; y < a.height(); ++y) {
    for (std::size_t i = 0; i < a.row_bytes(); ++i)
      off += std::abs(a.row(y)[i] - b.row(y)[i]) > 1 ? 1 : 0;
  }
  return off * 50 <= a.row_bytes() * static_cast<std::size_t>(a.height());
}

}  // namespace sluice::testing
