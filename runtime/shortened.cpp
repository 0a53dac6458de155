#include <sluice/runtime/shortened.h>

#include <cstddef>

namespace sluice {

std::string shortened(std::string_view text) {
  // A text that was shortened before, and then got a short prefix, stays as it is.
  constexpr std::size_t kMost = 8500, kBegin = 6000, kEnd = 2000;
  if (text.size() <= kMost) return std::string(text);
  const auto continues = [&](std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  std::size_t begin = kBegin, end = text.size() - kEnd;
  while (begin > 0 && continues(begin)) --begin;
  while (continues(end)) ++end;
  return std::string(text.substr(0, begin)) + " ... (" + std::to_string(end - begin) +
         " bytes were left out here) ... " + std::string(text.substr(end));
}

}  // namespace sluice
