// JPEG files that are damaged although their index entry says that they are sound. A device finds
// out, and gives them back to the host.
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

// Flips so many bits, perhaps none, in the file's scan. `index` receives the entry of the sound
// file.
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
