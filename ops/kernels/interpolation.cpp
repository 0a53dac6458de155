#include <sluice/ops/kernels/interpolation.h>

namespace sluice {

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

}  // namespace sluice
