#include <sluice/runtime/random.h>

#include <cmath>
#include <numbers>

namespace sluice {
namespace {

std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

// Used in place of a generator's number; no generator of a graph has these.
constexpr std::uint32_t kIterations = 0xfffffffe;
constexpr std::uint32_t kRepeats = 0xfffffffd;

std::uint64_t reseeded(std::uint64_t seed, std::array<std::uint32_t, 4> counter) {
  const auto bits = philox4x32(counter, {low(seed), high(seed)});
  return std::uint64_t{bits[1]} << 32 | bits[0];
}

}  // namespace

// A counter has no room for iterations, since loops may nest to any depth. So they become part of
// the seed, one after the other.
std::uint64_t seed_of_iteration(std::uint64_t seed, std::uint64_t iteration) {
  return reseeded(seed, {low(iteration), kIterations, high(iteration), 0});
}

// A counter has room for the low words of epoch and sample. Their high words and the repeat become
// part of the seed if they are not 0.
Random::Random(const RandomKey& key) : key_(key) {
  if (high(key.epoch) != 0 || high(key.sample) != 0)
    key_.seed = reseeded(key_.seed, {0, 0, high(key.sample), high(key.epoch)});
  if (key.repeat != 0)
    key_.seed = reseeded(key_.seed, {low(key.repeat), kRepeats, high(key.repeat), 0});
}

RandomWords Random::words() const {
  return {{key_.generator, low(key_.sample), low(key_.epoch)}, {low(key_.seed), high(key_.seed)}};
}

std::uint32_t Random::next() {
  if (used_ == bits_.size()) {
    bits_ = words().block(block_++);
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
