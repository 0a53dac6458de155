// Fingerprint: a hash over parts, in hexadecimal digits, that identifies a dataset.
//
// The same parts in the same order produce the same hash on each machine. Boundaries between parts
// count. Threads: one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::detail {

class Fingerprint {
 public:
  Fingerprint& add(std::string_view part);
  Fingerprint& add(std::uint64_t part);
  std::string text() const;

 private:
  std::uint64_t hash_ = 0;
};

}  // namespace sluice::detail
