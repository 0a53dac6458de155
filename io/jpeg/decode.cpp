#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/decompressor.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/markers.h>
#include <sluice/io/jpeg/orientation.h>
#include <sluice/io/jpeg/parts.h>
#include <sluice/io/jpeg/self_test.h>
#include <sluice/io/sources/files.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sluice {
namespace {

// Ends a picture: frees the library's memory, and the output too unless all went well.
class Attempt {
 public:
  Attempt(JpegDecompressor& decompressor, Image& out) : decompressor_(decompressor), out_(out) {}
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;
  ~Attempt() {
    decompressor_.discard();
    if (!done_) out_.release();
  }
  void done() { done_ = true; }

 private:
  JpegDecompressor& decompressor_;
  Image& out_;
  bool done_ = false;
};

std::string in_words(std::int64_t bytes) {
  const double value = static_cast<double>(bytes);
  if (bytes >= 1'000'000'000) return fmt::format("{:.1f} GB", value / 1e9);
  if (bytes >= 1'000'000) return fmt::format("{:.1f} MB", value / 1e6);
  return fmt::format("{} bytes", bytes);
}

// All that can be said of a picture from its header; nothing of its size has been allocated yet.
void check_header(const jpeg_decompress_struct& info, int channels, const JpegOptions& options) {
  if (info.num_components != 1 && info.num_components != 3 && info.num_components != 4) {
    throw JpegError(
        fmt::format("{} colour components; only 1 (gray), 3 (colour) and 4 (CMYK) can be decoded",
                    info.num_components));
  }
  const auto check = [&](std::int64_t bytes, const char* what) {
    if (bytes <= options.max_output_bytes) return;
    throw JpegError(
        fmt::format("{} x {} pixels need {}{}, more than the limit of {}; raise max_output_bytes",
                    info.image_width, info.image_height, in_words(bytes), what,
                    in_words(options.max_output_bytes)));
  };
  check(std::int64_t{info.image_width} * info.image_height * channels, "");
  if (jpeg_has_multiple_scans(const_cast<j_decompress_ptr>(&info)) == FALSE) return;
  std::int64_t coefficients = 0;
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& component = info.comp_info[i];
    coefficients += std::int64_t{component.width_in_blocks} * component.height_in_blocks * DCTSIZE2;
  }
  check(coefficients * static_cast<std::int64_t>(sizeof(JCOEF)), " for the passes of the file");
}

// Whether some coefficient of a progressive file is not known to its last bit. The library then
// smooths over block borders, which looks further than the margin of a region.
bool lacks_passes(const jpeg_decompress_struct& info) {
  if (info.progressive_mode == FALSE || info.coef_bits == nullptr) return false;
  for (int i = 0; i < info.num_components; ++i) {
    for (int k = 0; k < DCTSIZE2; ++k) {
      if (info.coef_bits[i][k] != 0) return true;
    }
  }
  return false;
}

void check_region(const Rectangle& w, int height, int width) {
  const bool inside = w.y >= 0 && w.x >= 0 && w.height >= 1 && w.width >= 1 && w.height <= height &&
                      w.width <= width && w.y <= height - w.height && w.x <= width - w.width;
  if (inside) return;
  throw JpegError(fmt::format(
      "a region of {} x {} at ({}, {}) does not lie inside the picture of {} x {} pixels (height x "
      "width, row and column)",
      w.height, w.width, w.y, w.x, height, width));
}

// Whether the library's own cutting may be trusted on a shrunk picture: before its version 3.0 it
// reads what it has not written when colours are sampled in fours.
bool can_be_cut_shrunk(const jpeg_decompress_struct& info) {
  return info.max_h_samp_factor <= 2 && info.max_v_samp_factor <= 2;
}

// The shrunk pixels that hold some of a region's.
Rectangle shrunk(const Rectangle& w, int shrink) {
  const int y = w.y / shrink;
  const int x = w.x / shrink;
  return {y, x, (w.y + w.height + shrink - 1) / shrink - y,
          (w.x + w.width + shrink - 1) / shrink - x};
}

// What a caller wants of a picture.
struct DecodeRequest {
  std::optional<Rectangle> region;  // of the full picture as it is seen
  int shrink = 1;
};

// What is known of a file before it is decoded.
struct KnownFile {
  std::span<const std::uint8_t> there;  // all of it, or what has been read from its first byte on
  const Bytes* on_demand = nullptr;     // reads the rest; null where all is there
  JpegIndex* index = nullptr;
  std::optional<std::uint64_t> hash;

  JpegDigest digest() const {
    return hash && on_demand != nullptr ? JpegDigest{*hash, on_demand->size()}
                                        : digest_of(there, hash);
  }
  void read_all() {
    there = *on_demand;
    on_demand = nullptr;
  }
};

KnownFile known_file(const Bytes& file) {
  KnownFile known{file.prefix(), file.is_on_demand() ? &file : nullptr, file.index(),
                  file.content_hash()};
  if (known.on_demand != nullptr && (!known.hash || known.there.size() < 2)) known.read_all();
  return known;
}

bool reads_to_end(const DecodeRequest& request, const JpegOptions& options) {
  return !request.region || options.verify;
}

void check_shrink(int shrink) {
  if (shrink == 1 || shrink == 2 || shrink == 4 || shrink == 8) return;
  throw JpegError(fmt::format("cannot be shrunk by {}, but by 1, 2, 4 or 8", shrink));
}

// What an index knows of a file, and what it may be taught.
class IndexLearner {
 public:
  IndexLearner() = default;
  IndexLearner(JpegIndex& index, const JpegDigest& digest) : index_(&index), digest_(digest) {
    try {
      known_ = index_->find(digest_);
    } catch (const IoError& error) {
      damage_ = error.what();
    }
  }
  // Why the index could not be asked; empty when it could.
  std::string& damage() { return damage_; }
  const JpegIndexEntry* known() const { return known_ ? &*known_ : nullptr; }
  bool is_sound() const { return known_ && known_->complete; }

  // `rows` of groups are about to be read.
  void begin(JpegEntropy& entropy, std::uint32_t rows) {
    if (index_ == nullptr || is_sound() || !index_->grows()) return;
    // A row is known by the record of the next one.
    if (known_ && known_->records.size() > std::size_t{rows} * known_->per_row) return;
    const std::uint32_t per_row = entropy.groups_per_row();
    notes_.emplace();
    notes_->grain = index_->grain() > 0 ? std::min(index_->grain(), per_row) : per_row;
    notes_->per_row = (per_row + notes_->grain - 1) / notes_->grain;
    entropy.record(*notes_, rows, known_ ? known_->records : std::span<const JpegIndexRecord>());
  }
  // `complete`: all of the file has been read, and nothing is wrong with it.
  void end(bool complete) {
    if (notes_) index_->keep(digest_, std::move(*notes_), complete);
  }

 private:
  JpegIndex* index_ = nullptr;
  JpegDigest digest_;
  std::optional<JpegIndexEntry> known_;
  std::string damage_;
  std::optional<JpegIndexNotes> notes_;
};

// One attempt at a picture. Nothing when our own entropy decoder gave up, or needs all of a file
// that is on demand.
std::optional<JpegReport> try_to_decode(JpegDecompressor& decompressor, const KnownFile& file,
                                        const DecodeRequest& request, const JpegOptions& options,
                                        bool own_entropy, IndexLearner& learner, Image& out) {
  decompressor.open(file.there, options);
  jpeg_decompress_struct& info = decompressor.info();
  const int channels = options.color == ColorSpace::rgb ? 3 : 1;
  check_header(info, channels, options);
  const int stored_height = static_cast<int>(info.image_height);
  const int stored_width = static_cast<int>(info.image_width);

  Rectangle wanted{0, 0, stored_height, stored_width};
  const int orientation = options.apply_orientation ? peek_jpeg_orientation(file.there) : 1;
  if (request.region) {
    const bool swap = swaps_sides(orientation);
    check_region(*request.region, swap ? stored_width : stored_height,
                 swap ? stored_height : stored_width);
    wanted = stored_region(*request.region, orientation, stored_height, stored_width);
  }
  JpegRowJob job;
  job.region = shrunk(wanted, request.shrink);
  job.channels = channels;
  job.cmyk = info.num_components == 4;
  info.out_color_space = job.cmyk                            ? JCS_CMYK
                         : options.color == ColorSpace::gray ? JCS_GRAYSCALE
                                                             : JCS_RGB;
  info.scale_num = 1;
  info.scale_denom = static_cast<unsigned>(request.shrink);
  info.dct_method = JDCT_ISLOW;
  info.do_fancy_upsampling = TRUE;
  job.to_end = reads_to_end(request, options);
  job.sound = learner.is_sound();
  decompressor.start();
  job.cut =
      request.region && !lacks_passes(info) && (request.shrink == 1 || can_be_cut_shrunk(info));
  // Whoever wants to know of damage anywhere does not take the index's word for it.
  const JpegIndexEntry* const known = job.to_end ? nullptr : learner.known();
  std::span<const std::uint8_t> bytes = file.there;
  std::vector<ByteRange> parts;
  if (file.on_demand != nullptr) {
    if (known != nullptr && job.cut)
      parts = find_jpeg_parts(decompressor, job.region, *known, file.on_demand->size());
    if (parts.empty()) return {};
    bytes = file.on_demand->read_parts(parts);
  }
  if (own_entropy) decompressor.use_own_entropy(bytes, known, parts);
  if (file.on_demand != nullptr && !decompressor.is_ours()) return {};
  if (decompressor.is_ours()) {
    const int bottom =
        job.to_end ? static_cast<int>(info.output_height) : job.region.y + job.region.height;
    const int group = jpeg_group_height(info);
    const int rows = (bottom + group - 1) / group;
    learner.begin(decompressor.entropy(), static_cast<std::uint32_t>(rows));
  }

  Image upright;  // as stored, when it has to be turned afterwards
  Image& target = orientation == 1 ? out : upright;
  // Rows go straight to where they stay; the columns that are too many are hidden afterwards. Not
  // in a batch, where the neighbours' pixels lie.
  const JpegDecompressor::Columns columns = decompressor.columns(job.region);
  job.margins = job.cut && !job.cmyk && !target.has_placer();
  if (job.margins) {
    target.create(job.region.height, columns.width, channels);
    target.narrow(0, job.region.x - columns.left, job.region.height, job.region.width);
  } else {
    target.create(job.region.height, job.region.width, channels);
  }
  if (options.damage == DamagePolicy::tolerant) {
    for (int y = 0; y < target.height(); ++y) std::memset(target.row(y), 0, target.row_bytes());
  }
  job.out = target.data();
  job.out_stride = target.row_stride();
  if (!decompressor.read_rows(job)) return {};
  if (orientation != 1) orient(upright, orientation, out);

  JpegReport report;
  report.covered =
      oriented_region({job.region.y * request.shrink, job.region.x * request.shrink,
                       job.region.height * request.shrink, job.region.width * request.shrink},
                      orientation, stored_height, stored_width);
  if (decompressor.errors().damaged) {
    report.damaged = true;
    report.warning = decompressor.describe_damage();
  }
  if (decompressor.is_ours()) {
    const bool to_bottom = job.region.y + job.region.height == static_cast<int>(info.output_height);
    learner.end(to_bottom && !report.damaged);
    report.path = decompressor.entropy().indexed() ? JpegPath::indexed : JpegPath::fast;
  } else if (own_entropy) {
    report.path = JpegPath::fell_back;
  }
  return report;
}

// Without having read all of it. An index that does not fit may show us a wrong end of the header.
std::optional<JpegReport> try_with_parts(JpegDecompressor& decompressor, const KnownFile& file,
                                         const DecodeRequest& request, const JpegOptions& options,
                                         IndexLearner& learner, Image& out) {
  try {
    return try_to_decode(decompressor, file, request, options, true, learner, out);
  } catch (const JpegError&) {
    return {};
  }
}

JpegReport decode(KnownFile file, const DecodeRequest& request, const JpegOptions& options,
                  Image& out) {
  if (file.there.size() < 2 || file.there[0] != 0xff ||
      file.there[1] != jpeg_marker::kStartOfImage) {
    out.release();
    static_cast<void>(peek_jpeg(file.there));  // says what it is instead
  }
  static thread_local JpegDecompressor decompressor;
  Attempt attempt(decompressor, out);
  check_shrink(request.shrink);
  const bool fast = options.entropy == JpegEntropyDecoder::fast && jpeg_entropy_is_usable();
  // Whoever reads all of a file learns nothing from an index, but may teach one.
  const bool helps =
      file.index != nullptr && (!reads_to_end(request, options) || file.index->grows());
  IndexLearner learner = fast && helps ? IndexLearner(*file.index, file.digest()) : IndexLearner();
  std::optional<JpegReport> report;
  if (file.on_demand != nullptr) {
    if (fast) report = try_with_parts(decompressor, file, request, options, learner, out);
    if (!report) file.read_all();
  }
  if (fast && !report)
    report = try_to_decode(decompressor, file, request, options, true, learner, out);
  if (!report) {
    IndexLearner nothing;
    report = try_to_decode(decompressor, file, request, options, false, nothing, out);
    if (fast) report->path = JpegPath::fell_back;
  }
  report->index_damage = std::move(learner.damage());
  attempt.done();
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
  }
  return "";
}

JpegReport decode_jpeg_image(std::span<const std::uint8_t> file, const JpegOptions& options,
                             Image& out, JpegIndex* index,
                             std::optional<std::uint64_t> content_hash) {
  return decode({file, nullptr, index, content_hash}, {}, options, out);
}
JpegReport decode_jpeg_image(const Bytes& file, const JpegOptions& options, Image& out) {
  return decode(known_file(file), {}, options, out);
}

JpegReport decode_jpeg_region(std::span<const std::uint8_t> file, const Rectangle& region,
                              const JpegOptions& options, Image& out, JpegIndex* index,
                              std::optional<std::uint64_t> content_hash) {
  return decode({file, nullptr, index, content_hash}, {.region = region}, options, out);
}
JpegReport decode_jpeg_region(const Bytes& file, const Rectangle& region,
                              const JpegOptions& options, Image& out) {
  return decode(known_file(file), {.region = region}, options, out);
}

JpegReport decode_jpeg_shrunk(std::span<const std::uint8_t> file,
                              const std::optional<Rectangle>& region, int shrink,
                              const JpegOptions& options, Image& out, JpegIndex* index,
                              std::optional<std::uint64_t> content_hash) {
  return decode({file, nullptr, index, content_hash}, {.region = region, .shrink = shrink}, options,
                out);
}
JpegReport decode_jpeg_shrunk(const Bytes& file, const std::optional<Rectangle>& region, int shrink,
                              const JpegOptions& options, Image& out) {
  return decode(known_file(file), {.region = region, .shrink = shrink}, options, out);
}

Image decode_and_crop(std::span<const std::uint8_t> file, int y, int x, int height, int width,
                      const JpegOptions& options) {
  Image out;
  decode_jpeg_region(file, {y, x, height, width}, options, out);
  return out;
}

}  // namespace sluice
