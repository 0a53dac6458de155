#include <sluice/ops/kernels/option_types.h>

#include <stdexcept>
#include <string>

namespace sluice {

const char* name_of(Border border) {
  switch (border) {
    case Border::constant:
      return "constant";
    case Border::edge:
      return "edge";
    case Border::reflect:
      return "reflect";
  }
  return "?";
}

namespace {

std::uint8_t checked(int value) {
  if (value < 0 || value > 255) {
    throw std::invalid_argument("a fill value lies in 0 .. 255, not " + std::to_string(value));
  }
  return static_cast<std::uint8_t>(value);
}

}  // namespace

Fill::Fill(int first, int second, int third, int fourth)
    : values_{checked(first), checked(second), checked(third), checked(fourth)} {}

const char* name_of(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::nearest:
      return "nearest";
    case Interpolation::box:
      return "box";
    case Interpolation::bilinear:
      return "bilinear";
    case Interpolation::hamming:
      return "hamming";
    case Interpolation::bicubic:
      return "bicubic";
    case Interpolation::lanczos:
      return "lanczos";
  }
  return "?";
}

const char* name_of(ResizeMode mode) {
  switch (mode) {
    case ResizeMode::as_given:
      return "as_given";
    case ResizeMode::stretch:
      return "stretch";
    case ResizeMode::not_larger:
      return "not_larger";
    case ResizeMode::not_smaller:
      return "not_smaller";
  }
  return "?";
}

const char* name_of(OutOfBounds what) {
  switch (what) {
    case OutOfBounds::error:
      return "error";
    case OutOfBounds::pad:
      return "pad";
    case OutOfBounds::trim:
      return "trim";
  }
  return "?";
}

const char* name_of(PixelFormat format) {
  switch (format) {
    case PixelFormat::rgb:
      return "rgb";
    case PixelFormat::bgr:
      return "bgr";
    case PixelFormat::ycbcr:
      return "ycbcr";
  }
  return "?";
}

}  // namespace sluice
