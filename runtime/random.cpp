#include <sluice/runtime/random.h>

#include <cmath>
#include <numbers>

namespace sluice {

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t kMul0 = 0xD2511F53, kMul1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  auto [c0, c1, c2, c3] = counter;
  auto [k0, k1] = key;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = kMul0 * c0;
    const std::uint64_t p1 = kMul1 * c2;
    c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(p1);
    c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(p0);
    k0 += kWeyl0;
    k1 += kWeyl1;
  }
  return {c0, c1, c2, c3};
}

std::uint32_t Random::next() {
  if (used_ == bits_.size()) {
    bits_ = philox4x32(
        {block_++, key_.generator, key_.sample, key_.epoch},
        {static_cast<std::uint32_t>(key_.seed), static_cast<std::uint32_t>(key_.seed >> 32)});
    used_ = 0;
  }
  return bits_[used_++];
}

double Random::unit_double() {
  const std::uint64_t high = next() >> 5;
  const std::uint64_t low = next() >> 6;
  return static_cast<double>((high << 26) | low) * 0x1p-53;
}

float Random::uniform(float lo, float hi) {
  const float value = lo + (hi - lo) * unit();
  // Rounding may reach the open end.
  return value < hi || lo == hi ? value : std::nextafter(hi, lo);
}

std::uint32_t Random::below(std::uint32_t n) {
  // Lemire, "Fast random integer generation in an interval", 2019: multiply, reject the biased
  // rest.
  std::uint64_t product = std::uint64_t{next()} * n;
  if (static_cast<std::uint32_t>(product) < n) {
    const std::uint32_t threshold = (0u - n) % n;
    while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{next()} * n;
  }
  return static_cast<std::uint32_t>(product >> 32);
}

float Random::normal(float mean, float stddev) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - unit_double()));
  const double angle = 2.0 * std::numbers::pi * unit_double();
  return static_cast<float>(mean + stddev * radius * std::cos(angle));
}

}  // namespace sluice
