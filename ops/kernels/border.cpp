#include <sluice/ops/kernels/border.h>

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

}  // namespace sluice
