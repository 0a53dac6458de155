#include "part.h"

#include "usage.h"
#include <sluice/io/sources/environment.h>
#include <sluice/runtime/printable.h>

#include <charconv>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

namespace sluice::app {
namespace {

bool read(std::string_view text, std::int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

Shard shard_of(std::string_view option) {
  const std::size_t slash = option.find('/');
  Shard shard;
  if (slash == std::string_view::npos || !read(option.substr(0, slash), shard.index) ||
      !read(option.substr(slash + 1), shard.count) || shard.index < 0 ||
      shard.index >= shard.count) {
    throw UsageError(fmt::format(
        "--shard must be I/N, where N processes share the work and I is 0 to N - 1, such as 0/4; "
        "not '{}'",
        printable(option)));
  }
  return shard;
}

}  // namespace

Part::Part(const std::string& option)
    : shard_(option.empty() ? shard_of_environment() : shard_of(option)),
      together_(option.empty()) {}

std::string Part::words() const {
  return is_whole() ? std::string() : fmt::format(" (shard {}/{})", shard_.index, shard_.count);
}

}  // namespace sluice::app
