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

namespace {

std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

// Stands where draws have their generator; none of a graph has this number.
constexpr std::uint32_t kIterations = 0xfffffffe;

std::uint64_t reseeded(std::uint64_t seed, std::array<std::uint32_t, 4> counter) {
  const auto bits = philox4x32(counter, {low(seed), high(seed)});
  return std::uint64_t{bits[1]} << 32 | bits[0];
}

}  // namespace

// A counter has no room for iterations, of which there may be any number within each other: they
// become part of the seed, one after the other.
std::uint64_t seed_of_iteration(std::uint64_t seed, std::uint64_t iteration) {
  return reseeded(seed, {low(iteration), kIterations, high(iteration), 0});
}

// A counter has room for the low words of epoch and sample. The high ones, where there are any,
// become part of the seed.
Random::Random(const RandomKey& key) : key_(key) {
  if (high(key.epoch) == 0 && high(key.sample) == 0) return;
  key_.seed = reseeded(key.seed, {0, 0, high(key.sample), high(key.epoch)});
}

std::uint32_t Random::next() {
  if (used_ == bits_.size()) {
    bits_ = philox4x32({block_++, key_.generator, low(key_.sample), low(key_.epoch)},
                       {low(key_.seed), high(key_.seed)});
    used_ = 0;
  }
  return bits_[used_++];
}

double Random::unit_double() {
  const std::uint64_t upper = next() >> 5;
  const std::uint64_t lower = next() >> 6;
  return static_cast<double>((upper << 26) | lower) * 0x1p-53;
}

float Random::uniform(float lo, float hi) {
  const float value = lo + (hi - lo) * unit();
  // Rounding may reach the open end.
  return value < hi || lo == hi ? value : std::nextafter(hi, lo);
}

// Lemire, "Fast random integer generation in an interval", 2019: multiply, reject the biased rest.
std::uint32_t Random::below(std::uint32_t n) {
  std::uint64_t product = std::uint64_t{next()} * n;
  if (low(product) < n) {
    const std::uint32_t threshold = (0u - n) % n;
    while (low(product) < threshold) product = std::uint64_t{next()} * n;
  }
  return high(product);
}

std::uint64_t Random::below64(std::uint64_t n) {
  if (high(n) == 0) return below(low(n));
  __extension__ using Wide = unsigned __int128;
  const auto draw = [&] {
    const std::uint64_t upper = next();
    return Wide{upper << 32 | next()} * n;
  };
  Wide product = draw();
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t threshold = (std::uint64_t{0} - n) % n;
    while (static_cast<std::uint64_t>(product) < threshold) product = draw();
  }
  return static_cast<std::uint64_t>(product >> 64);
}

float Random::normal(float mean, float stddev) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - unit_double()));
  const double angle = 2.0 * std::numbers::pi * unit_double();
  return static_cast<float>(mean + stddev * radius * std::cos(angle));
}

}  // namespace sluice
