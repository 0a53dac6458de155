// Packs JPEG files: JpegCoefficients and pack_jpeg(). unpack_jpeg() of pack_writer.h is the
// inverse. Internal: users have PackWriter.
//
//   PackTokenLearner learner;
//   JpegCoefficients::read(file)->teach(learner);      // some files
//   const std::vector<std::uint8_t> dictionary = learner.learn();
//   ...
//   const std::vector<std::uint8_t> packed = pack_jpeg(*JpegCoefficients::read(file), dictionary);
//   unpack_jpeg(packed)                                // the bytes of the file
//
// A file can be packed if libjpeg writes the same bytes from the coefficients that it has read.
// That holds for nearly all files, also for progressive ones and arithmetic coding. Others have to
// stay as they are: damaged files, CMYK, 12 bits, lossless, passes that are missing, codes that
// libjpeg would choose in another way.
//
// Ownership: values. Threads: each object belongs to one thread. Errors: PackError for a packed
// JPEG that is damaged; std::bad_alloc.
#pragma once

#include <sluice/io/packs/pack_writer.h>
#include <sluice/io/packs/tokens.h>
#include <sluice/runtime/bytes.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sluice {

class JpegCoefficients {
 public:
  // Reads a file and tests if it can be rebuilt. Returns nothing if it cannot; `why_not` then gets
  // the reason: "CMYK".
  static std::optional<JpegCoefficients> read(std::span<const std::uint8_t> file,
                                              std::string* why_not = nullptr,
                                              const PackLimits& limits = {});

  // Shows the learner all blocks.
  void teach(PackTokenLearner& learner) const;
  // Appends the sample of a packed JPEG. `dictionary`: the checksum of the writer's dictionary.
  void write(PackTokenWriter& writer, std::uint64_t dictionary,
             std::vector<std::uint8_t>& out) const;

  // True if this sample, which write() has made, gives the same coefficients. `tokens`: made from
  // the dictionary.
  bool equals(std::span<const std::uint8_t> sample, std::span<const std::uint8_t> dictionary,
              const PackTokens& tokens) const;

 private:
  friend class JpegCoefficientsReader;

  std::span<const PackBlock> segment(std::uint32_t row, std::uint32_t first,
                                     std::uint32_t groups) const;

  PackLayout layout_;
  std::uint32_t rows_ = 0, per_row_ = 0;  // of groups
  std::uint32_t grain_ = 0;               // groups of a segment
  std::vector<PackBlock> blocks_;         // in the order of one scan with all components
  std::vector<std::uint8_t> header_;      // for decoders
  std::vector<std::uint8_t> restoring_;
};

// Returns what packed JPEGs with this dictionary begin with.
std::vector<std::uint8_t> begin_of_packed_jpegs(std::span<const std::uint8_t> dictionary);

// Returns a packed JPEG.
std::vector<std::uint8_t> pack_jpeg(const JpegCoefficients& file,
                                    std::span<const std::uint8_t> dictionary);

}  // namespace sluice
