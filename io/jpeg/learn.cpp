#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/learn.h>
#include <sluice/io/jpeg/self_test.h>

#include <optional>

namespace sluice {
namespace {

bool is_known(const JpegIndex& index, const JpegDigest& digest) {
  const std::optional<JpegIndexEntry> entry = index.find(digest);
  return entry && entry->complete;
}

JpegLearnReport learn(std::span<const std::uint8_t> file, JpegIndex& index, JpegOptions options) {
  const JpegDigest digest = digest_of(file);
  if (is_known(index, digest)) return {};
  if (!index.grows()) return {JpegLearnt::no_room, "the index takes no more"};
  const JpegHeader header = peek_jpeg(file);
  if (header.progressive) return {JpegLearnt::unsuitable, "progressive"};
  if (header.arithmetic) return {JpegLearnt::unsuitable, "arithmetic coding"};
  if (!jpeg_entropy_is_usable()) {
    return {JpegLearnt::unsuitable, "only libjpeg's own reader is in use, which teaches nothing"};
  }

  // The last pixel: the library passes over the rows above it, and we over what lies before it in
  // its row, so that all codes are read and one group of blocks is decoded.
  options.apply_orientation = false;
  options.verify = true;
  options.entropy = JpegEntropyDecoder::fast;
  Image pixel;
  const JpegReport report = decode_jpeg_region(file, {header.height - 1, header.width - 1, 1, 1},
                                               options, pixel, &index, digest.hash);
  if (report.damaged) return {JpegLearnt::unusable, "damaged: " + report.warning};
  if (report.path == JpegPath::fell_back) {
    return {JpegLearnt::unsuitable, "in several scans, or not in order to the last bit"};
  }
  if (!is_known(index, digest)) return {JpegLearnt::no_room, "the index has no room for it"};
  return {};
}

}  // namespace

JpegLearnReport learn_jpeg(std::span<const std::uint8_t> file, JpegIndex& index,
                           const JpegOptions& options) {
  try {
    return learn(file, index, options);
  } catch (const JpegError& error) {
    return {JpegLearnt::unusable, error.what()};
  }
}

}  // namespace sluice
