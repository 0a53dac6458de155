// learn_jpeg: teaches an index about a file without decoding its picture.
//
// All codes of the file are read, but no pixel is made of them, which takes about half the time of
// decoding. The index then knows the same as after decoding the whole picture.
//
// Ownership: nothing is kept but what the index keeps. Threads: any number at once, also with one
// index. Errors: none that concern the file: they are its result.
#pragma once

#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/index.h>

#include <cstdint>
#include <span>
#include <string>

namespace sluice {

enum class JpegLearnt : std::uint8_t {
  known,       // the index knows all of the file
  unsuitable,  // of a kind that an index cannot help with: progressive, for example
  unusable,    // cannot be decoded, or not without damage
  no_room,     // the index has used up its budget, or is a file, which only answers
};

struct JpegLearnReport {
  JpegLearnt result = JpegLearnt::known;
  std::string reason;  // in words; empty when the file is known
};

// A file that the index knows already is not read again. Of `options` those count that say which
// files can be decoded: `damage`, `max_scans` and `max_output_bytes`.
JpegLearnReport learn_jpeg(std::span<const std::uint8_t> file, JpegIndex& index,
                           const JpegOptions& options = {});

}  // namespace sluice
