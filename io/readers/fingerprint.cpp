#include <sluice/io/readers/fingerprint.h>

#include <fmt/format.h>

// Header-only, so that nothing has to be linked.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sluice::detail {

Fingerprint& Fingerprint::add(std::string_view part) {
  hash_ = XXH3_64bits_withSeed(part.data(), part.size(), hash_);
  return add(part.size());
}

Fingerprint& Fingerprint::add(std::uint64_t part) {
  std::uint8_t bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(part >> (8 * i));
  hash_ = XXH3_64bits_withSeed(bytes, sizeof bytes, hash_);
  return *this;
}

std::string Fingerprint::text() const { return fmt::format("{:016x}", hash_); }

}  // namespace sluice::detail
