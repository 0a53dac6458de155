#include <sluice/ops/kernels/border.h>

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

}  // namespace sluice
