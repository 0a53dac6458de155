// Checksum: what the bytes of a file must be, as a list or a server says it. Internal: no user
// includes it.
//
// In a list: "sha256:HEX", "md5:HEX", "crc32:HEX", "crc32c:HEX", or the digits alone of a SHA-256
// or an MD5, which their number tells. In an answer: Content-MD5, x-amz-checksum-sha256, -crc32c
// and -crc32, and x-goog-hash, all in base64. An ETag is none: it is an MD5 with some servers only,
// and not for all files.
//
// Threads: any; a value. Errors: CellError for a text that is no checksum.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sluice::detail {

struct Checksum {
  enum class Kind : std::uint8_t { sha256, md5, crc32c, crc32 };
  Kind kind = Kind::sha256;
  std::string digits;  // hexadecimal, small letters

  // Of a text in a list; nothing for an empty one.
  static std::optional<Checksum> of_text(std::string_view text);
  // Of a field of an answer. Nothing for fields that say none, or of which no sense can be made.
  static std::optional<Checksum> of_field(std::string_view name, std::string_view value);

  const char* name() const;
  // The digits for these bytes.
  std::string digits_of(std::span<const std::uint8_t> bytes) const;
};

}  // namespace sluice::detail
