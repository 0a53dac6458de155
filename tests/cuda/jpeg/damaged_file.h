// JPEG files that are damaged where their index says that they are sound: a device finds out, and
// gives them back.
#pragma once

#include "tests/cuda/jpeg/test_files.h"
#include "tests/io/jpeg/mutant.h"
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/random.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace sluice::device {

// The file with so many flips of a bit in its scan, none perhaps. `index` is told of it what is
// true of the sound one.
inline Bytes damaged_file(File file, int flips, Random& random,
                          const std::shared_ptr<JpegIndex>& index) {
  const auto sound = JpegIndex::in_memory({.grain = 4});
  Image image;
  decode_jpeg_image(file, JpegOptions(), image, sound.get());
  const JpegIndexEntry entry = sound->find(digest_of(file)).value();
  const std::size_t first = segments_of(file).back().end;
  for (int k = 0; k < flips; ++k) {
    const std::size_t at =
        first + random.below(static_cast<std::uint32_t>(file.size() - 2 - first));
    file[at] = static_cast<std::uint8_t>(file[at] ^ (1u << random.below(8)));
  }
  index->keep(digest_of(file),
              {entry.grain, entry.per_row, {entry.records.begin(), entry.records.end()}}, true);
  Bytes bytes = Bytes::copy_of(file);
  bytes.set_index(index);
  return bytes;
}

}  // namespace sluice::device
