// Looks for files with different results from our JPEG decoder and from libjpeg alone: other
// pixels, another warning or error. For libFuzzer, under the address and undefined behavior
// sanitizers; scripts/fuzz builds and runs it. An input is a file; its bytes also decide what is
// done with it.

#include "tests/io/decode_outcome.h"
#include "tests/io/jpeg/mutant.h"
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/self_test.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace {

// The most bytes of pixels in an image, so that no file takes long.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 19;

struct Decode {
  std::optional<Rectangle> region;
  DecodeOutcome library;
};

class Examination {
 public:
  explicit Examination(std::span<const std::uint8_t> file)
      : file_(file), digest_(digest_of(file)), random_({.seed = digest_.hash}) {
    options_.color = random_.below(4) == 0 ? ColorSpace::gray : ColorSpace::rgb;
    options_.apply_orientation = random_.below(2) == 0;
    options_.damage = random_.below(2) == 0 ? DamagePolicy::tolerant : DamagePolicy::strict;
    options_.verify = random_.below(8) == 0;
    options_.max_scans = 6;
    options_.max_output_bytes = kMostBytes;
  }

  void run() {
    const Decode whole = decode_by_library({});
    check(whole, nullptr, "no index");
    const std::optional<JpegHeader> header = read_header();
    if (!header) return;
    const Decode first = decode_by_library(region_of(*header));
    const Decode second = decode_by_library(region_of(*header));
    check(first, nullptr, "no index");

    // The second of two decodes in a row uses what the first one has taught the index.
    constexpr std::uint32_t kGrains[] = {0, 1, 2, 3, 4, 16};
    const auto index = JpegIndex::in_memory({.grain = kGrains[random_.below(std::size(kGrains))]});
    const bool region_first = random_.below(2) == 0;
    check(region_first ? first : whole, index.get(), "an empty index");
    check(second, index.get(), "an index of this file");
    check(first, index.get(), "an index of this file, used before");
    check(whole, index.get(), "an index of this file, used before");

    check_wrong_index(*index, second);
  }

 private:
  Decode decode_by_library(const std::optional<Rectangle>& region) const {
    return {region, outcome_of(file_, region, options_, JpegEntropyDecoder::library)};
  }

  static std::string first_difference(const Image& a, const Image& b) {
    if (a.height() != b.height() || a.width() != b.width() || a.channels() != b.channels()) {
      return "the sizes differ";
    }
    for (int y = 0; y < a.height(); ++y) {
      const auto [at, other] = std::mismatch(a.row(y), a.row(y) + a.row_bytes(), b.row(y));
      const auto byte = at - a.row(y);
      if (byte == static_cast<std::ptrdiff_t>(a.row_bytes())) continue;
      return "pixel (" + std::to_string(y) + ", " + std::to_string(byte / a.channels()) + ") is " +
             std::to_string(*at) + " instead of " + std::to_string(*other);
    }
    return "the pixels are the same";
  }

  void check(const Decode& expected, JpegIndex* index, const char* with) const {
    const DecodeOutcome fast =
        outcome_of(file_, expected.region, options_, JpegEntropyDecoder::fast, index);
    if (fast.same_as(expected.library)) return;
    std::cerr << "The decoders differ, with " << with;
    if (index != nullptr) std::cerr << " (grain " << index->grain() << ")";
    if (const auto& w = expected.region) {
      std::cerr << ", in the region of " << w->height << " x " << w->width << " at (" << w->y
                << ", " << w->x << ")";
    }
    std::cerr << (options_.damage == DamagePolicy::strict ? ", strict" : ", tolerant")
              << (options_.color == ColorSpace::gray ? ", gray" : "")
              << (options_.apply_orientation ? ", turned" : "")
              << (options_.verify ? ", verified" : "") << ":\n  ours: " << fast
              << "\n  libjpeg's: " << expected.library << "\n  "
              << first_difference(fast.image, expected.library.image) << std::endl;
    std::abort();
  }

  // Returns the file's header; nothing if no region of the file can be requested.
  std::optional<JpegHeader> read_header() const {
    try {
      const JpegHeader header = peek_jpeg(file_);
      if (std::int64_t{header.width} * header.height > kMostBytes) return {};
      return header;
    } catch (const JpegError&) {
      return {};
    }
  }

  Rectangle region_of(const JpegHeader& header) {
    const bool turned = options_.apply_orientation;
    return any_region(random_, turned ? header.oriented_height() : header.height,
                      turned ? header.oriented_width() : header.width, random_.below(4) == 0);
  }

  // Wrong records can cause any pixels, but no harm.
  void check_wrong_index(const JpegIndex& index, const Decode& decode) {
    const std::optional<JpegIndexEntry> entry = index.find(digest_);
    if (!entry) return;
    JpegIndexNotes notes{
        entry->grain, entry->per_row, {entry->records.begin(), entry->records.end()}};
    for (std::uint32_t times = 1 + random_.below(4); times > 0; --times) {
      const auto which = random_.below(static_cast<std::uint32_t>(notes.records.size()));
      const bool near = random_.below(2) == 0;
      notes.records[which].place += near ? random_.below(64) - 32 : random_.next();
      notes.records[which].predictors[random_.below(4)] = static_cast<std::int16_t>(random_.next());
    }
    const auto wrong = JpegIndex::in_memory();
    wrong->keep(digest_, std::move(notes), random_.below(2) == 0);
    outcome_of(file_, decode.region, options_, JpegEntropyDecoder::fast, wrong.get());
  }

  std::span<const std::uint8_t> file_;
  JpegDigest digest_;
  Random random_;
  JpegOptions options_;
};

}  // namespace
}  // namespace sluice

// The entry points that libFuzzer calls.
extern "C" {

int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  if (sluice::jpeg_entropy_is_usable()) return 0;
  std::cerr << "Our JPEG decoder is not in use with this libjpeg: there is nothing to compare.\n";
  std::exit(1);
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sluice::Examination({data, size}).run();
  return 0;
}

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

// Damage that follows the structure of a file, libFuzzer's own, or damage to the scan alone.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  sluice::Random random({.seed = seed});
  const std::uint32_t kind = random.below(4);
  if (kind == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::span<const std::uint8_t> file(data, size);
  if (kind == 1) {
    const auto segments = sluice::segments_of(file);
    const std::size_t scan = segments.empty() ? 0 : segments.back().end;
    return scan + LLVMFuzzerMutate(data + scan, size - scan, max_size - scan);
  }
  const std::vector<std::uint8_t> mutant = sluice::jpeg_mutant(file, random);
  const std::size_t kept = std::min(mutant.size(), max_size);
  std::copy_n(mutant.begin(), kept, data);
  return kept;
}

}  // extern "C"
