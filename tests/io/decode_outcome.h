// The outcome of a decode: pixels, damage or a reason. Two outcomes can be compared.
#pragma once

#include <sluice/io/jpeg/decode.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>

namespace sluice {

inline constexpr auto kFast = JpegEntropyDecoder::fast;
inline constexpr auto kLibrary = JpegEntropyDecoder::library;

// Whether libjpeg-turbo computes our pixels also from coefficients that only damaged files have. On
// ARM, and without its assembly under the memory sanitizer, it computes others (see docs/jpeg.md).
#if defined(__x86_64__) && !defined(__SANITIZE_MEMORY__)
inline constexpr bool kSamePixelsOfDamage = true;
#else
inline constexpr bool kSamePixelsOfDamage = false;
#endif

struct DecodeOutcome {
  Image image;
  std::string warning;
  std::string error;
  JpegPath path = JpegPath::library;
  Rectangle covered;

  bool same_as(const DecodeOutcome& other) const {
    return warning == other.warning && error == other.error && image == other.image &&
           covered == other.covered;
  }
  // For damaged files, where one of the two may be libjpeg-turbo's.
  bool same_as_for_damage(const DecodeOutcome& other) const {
    if (kSamePixelsOfDamage) return same_as(other);
    return warning == other.warning && error == other.error && covered == other.covered &&
           image.height() == other.image.height() && image.width() == other.image.width();
  }
};

inline std::ostream& operator<<(std::ostream& out, const DecodeOutcome& outcome) {
  return out << outcome.image.height() << " x " << outcome.image.width() << ", warning '"
             << outcome.warning << "', error '" << outcome.error << "', path "
             << static_cast<int>(outcome.path);
}

inline DecodeOutcome outcome_of(std::span<const std::uint8_t> file,
                                const std::optional<Rectangle>& region, JpegOptions options,
                                JpegEntropyDecoder entropy, JpegIndex* index = nullptr,
                                int shrink = 1) {
  options.entropy = entropy;
  DecodeOutcome outcome;
  try {
    const JpegReport report =
        shrink > 1 ? decode_jpeg_shrunk(file, region, shrink, options, outcome.image, index)
        : region   ? decode_jpeg_region(file, *region, options, outcome.image, index)
                   : decode_jpeg_image(file, options, outcome.image, index);
    outcome.covered = report.covered;
    outcome.warning = report.warning;
    outcome.path = report.path;
  } catch (const JpegError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

// Returns a random region of an image. With `narrow`, each side has at most 9 pixels.
template <class Random>
Rectangle any_region(Random& random, int height, int width, bool narrow) {
  const auto below = [&](int n) {
    return static_cast<int>(random.below(static_cast<unsigned>(n)));
  };
  Rectangle w;
  w.height = 1 + below(narrow ? std::min(height, 9) : height);
  w.width = 1 + below(narrow ? std::min(width, 9) : width);
  w.y = below(height - w.height + 1);
  w.x = below(width - w.width + 1);
  return w;
}

}  // namespace sluice
