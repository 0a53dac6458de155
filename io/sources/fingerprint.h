// Fingerprint: a hash over parts, in hexadecimal digits, that tells a dataset from others.
//
// The same parts in the same order give the same on each machine. Where one part ends and the next
// one begins counts. Threads: one at a time.
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
