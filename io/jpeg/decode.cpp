#include <sluice/io/jpeg/attempt.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/decompressor.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/orientation.h>
#include <sluice/io/jpeg/self_test.h>

#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace sluice {
namespace {

// Ends an image: frees the library's memory, and also the output unless done() was called.
class Ending {
 public:
  Ending(JpegDecompressor& decompressor, Image& out) : decompressor_(decompressor), out_(out) {}
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;
  ~Ending() {
    decompressor_.discard();
    if (!done_) out_.release();
  }
  void done() { done_ = true; }

 private:
  JpegDecompressor& decompressor_;
  Image& out_;
  bool done_ = false;
};

void check_shrink(int shrink) {
  if (shrink == 1 || shrink == 2 || shrink == 4 || shrink == 8) return;
  throw JpegError(fmt::format("cannot be shrunk by {}; use 1, 2, 4 or 8", shrink));
}

// Returns nothing if another attempt is needed: see JpegAttempt.
std::optional<JpegReport> try_to_decode(JpegDecompressor& decompressor, const KnownJpeg& file,
                                        const JpegRequest& request, const JpegOptions& options,
                                        bool own_entropy, JpegIndexLearner& learner, Image& out) {
  JpegAttempt attempt(decompressor, learner);
  if (!attempt.begin(file, request, options, own_entropy)) return {};
  Image upright;  // as stored, if it is to be turned afterwards
  Image& target = attempt.orientation() == 1 ? out : upright;
  const Rectangle& region = attempt.region();
  // Rows are decoded in place, and surplus columns are hidden afterwards. That does not work in a
  // batch, where they would overwrite the neighbors' pixels.
  const bool margins = attempt.may_have_margins() && !target.has_placer();
  if (margins) {
    const JpegDecompressor::Columns columns = attempt.columns();
    target.create(region.height, columns.width, attempt.channels());
    target.narrow(0, region.x - columns.left, region.height, region.width);
  } else {
    target.create(region.height, region.width, attempt.channels());
  }
  if (options.damage == DamagePolicy::tolerant) {
    for (int y = 0; y < target.height(); ++y) std::memset(target.row(y), 0, target.row_bytes());
  }
  if (!attempt.begin_rows(target.data(), target.row_stride(), region.height, margins) ||
      !attempt.read_rows(region.height) || !attempt.end_rows())
    return {};
  if (attempt.orientation() != 1) orient(upright, attempt.orientation(), out);
  return attempt.report();
}

// Decodes from parts of the file. With an index that does not fit, the end of the header may look
// wrong, so a JpegError is not final.
std::optional<JpegReport> try_with_parts(JpegDecompressor& decompressor, const KnownJpeg& file,
                                         const JpegRequest& request, const JpegOptions& options,
                                         JpegIndexLearner& learner, Image& out) {
  try {
    return try_to_decode(decompressor, file, request, options, true, learner, out);
  } catch (const JpegError&) {
    return {};
  }
}

JpegReport decode(KnownJpeg file, const JpegRequest& request, const JpegOptions& options,
                  Image& out) {
  static thread_local JpegDecompressor decompressor;
  Ending ending(decompressor, out);
  require_jpeg(file);
  unpack_for_library(file, options);
  check_shrink(request.shrink);
  const bool fast = begins_with_own_entropy(options);
  JpegIndexLearner learner = learner_of(file, request, options);
  std::optional<JpegReport> report;
  if (file.on_demand != nullptr) {
    if (fast) report = try_with_parts(decompressor, file, request, options, learner, out);
    if (!report) file.read_all();
  }
  if (fast && !report)
    report = try_to_decode(decompressor, file, request, options, true, learner, out);
  if (!report) {
    JpegIndexLearner nothing;
    report = try_to_decode(decompressor, file, request, options, false, nothing, out);
  }
  report->index_damage = std::move(learner.damage());
  ending.done();
  return *report;
}

}  // namespace

const char* name_of(JpegPath path) {
  switch (path) {
    case JpegPath::library:
      return "library";
    case JpegPath::fast:
      return "fast";
    case JpegPath::indexed:
      return "indexed";
    case JpegPath::fell_back:
      return "fell_back";
    case JpegPath::packed:
      return "packed";
  }
  return "";
}

JpegReport decode_jpeg_image(std::span<const std::uint8_t> file, const JpegOptions& options,
                             Image& out, JpegIndex* index,
                             std::optional<std::uint64_t> content_hash) {
  return decode({file, nullptr, index, content_hash, {}}, {}, options, out);
}
JpegReport decode_jpeg_image(const Bytes& file, const JpegOptions& options, Image& out) {
  return decode(known_jpeg(file), {}, options, out);
}

JpegReport decode_jpeg_region(std::span<const std::uint8_t> file, const Rectangle& region,
                              const JpegOptions& options, Image& out, JpegIndex* index,
                              std::optional<std::uint64_t> content_hash) {
  return decode({file, nullptr, index, content_hash, {}}, {.region = region}, options, out);
}
JpegReport decode_jpeg_region(const Bytes& file, const Rectangle& region,
                              const JpegOptions& options, Image& out) {
  return decode(known_jpeg(file), {.region = region}, options, out);
}

JpegReport decode_jpeg_shrunk(std::span<const std::uint8_t> file,
                              const std::optional<Rectangle>& region, int shrink,
                              const JpegOptions& options, Image& out, JpegIndex* index,
                              std::optional<std::uint64_t> content_hash) {
  return decode({file, nullptr, index, content_hash, {}}, {.region = region, .shrink = shrink},
                options, out);
}
JpegReport decode_jpeg_shrunk(const Bytes& file, const std::optional<Rectangle>& region, int shrink,
                              const JpegOptions& options, Image& out) {
  return decode(known_jpeg(file), {.region = region, .shrink = shrink}, options, out);
}

Image decode_and_crop(std::span<const std::uint8_t> file, int y, int x, int height, int width,
                      const JpegOptions& options) {
  Image out;
  decode_jpeg_region(file, {y, x, height, width}, options, out);
  return out;
}

namespace {

bool is_known(const JpegIndex& index, const JpegDigest& digest) {
  const std::optional<JpegIndexEntry> entry = index.find(digest);
  return entry && entry->complete;
}

JpegLearnReport build_index(std::span<const std::uint8_t> file, JpegIndex& index,
                            JpegOptions options) {
  const JpegDigest digest = digest_of(file);
  if (is_known(index, digest)) return {};
  if (!index.grows()) return {JpegLearnt::no_room, "the index takes no more"};
  const JpegHeader header = peek_jpeg(file);
  if (header.progressive) return {JpegLearnt::unsuitable, "progressive"};
  if (header.arithmetic) return {JpegLearnt::unsuitable, "arithmetic coding"};
  if (!jpeg_entropy_is_usable()) {
    return {JpegLearnt::unsuitable, "only libjpeg's own reader is in use, which teaches nothing"};
  }

  // Decode the last pixel only. The library skips the rows above it, and our decoder skips what
  // precedes it in its row. So all codes are read and one group of blocks is decoded.
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
    return build_index(file, index, options);
  } catch (const JpegError& error) {
    return {JpegLearnt::unusable, error.what()};
  }
}

}  // namespace sluice
