#include <sluice/io/jpeg/attempt.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/orientation.h>
#include <sluice/io/jpeg/self_test.h>
#include <sluice/io/packs/pack_jpeg.h>

#include <fmt/format.h>

namespace sluice {
namespace {

std::string in_words(std::int64_t bytes) {
  const double value = static_cast<double>(bytes);
  if (bytes >= 1'000'000'000) return fmt::format("{:.1f} GB", value / 1e9);
  if (bytes >= 1'000'000) return fmt::format("{:.1f} MB", value / 1e6);
  return fmt::format("{} bytes", bytes);
}

// Throws if this many bytes, for `what`, are more than the limit.
void check_bytes(std::int64_t bytes, std::int64_t width, std::int64_t height, const char* what,
                 const JpegOptions& options) {
  if (bytes <= options.max_output_bytes) return;
  throw JpegError(
      fmt::format("{} x {} pixels need {}{}, more than the limit of {}; raise max_output_bytes",
                  width, height, in_words(bytes), what, in_words(options.max_output_bytes)));
}

int channels_of(const JpegOptions& options) { return options.color == ColorSpace::rgb ? 3 : 1; }

// Checks everything that the header allows; nothing of the image's size has been allocated yet.
void check_header(const jpeg_decompress_struct& info, int channels, const JpegOptions& options) {
  if (info.num_components != 1 && info.num_components != 3 && info.num_components != 4) {
    throw JpegError(
        fmt::format("{} color components; only 1 (gray), 3 (color) and 4 (CMYK) can be decoded",
                    info.num_components));
  }
  const auto check = [&](std::int64_t bytes, const char* what) {
    check_bytes(bytes, info.image_width, info.image_height, what, options);
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

// True if some coefficient of a progressive file is not known to its last bit. The library then
// smooths over block borders, which uses pixels beyond the margin of a region.
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
  throw JpegError(
      fmt::format("a region of {} x {} at ({}, {}) does not lie inside the image of {} x {} pixels "
                  "(height x width, row and column)",
                  w.height, w.width, w.y, w.x, height, width));
}

// True if the library can cut a shrunk image. Before version 3.0 it reads memory that it has not
// written when colors are sampled in fours.
bool can_be_cut_shrunk(const jpeg_decompress_struct& info) {
  return info.max_h_samp_factor <= 2 && info.max_v_samp_factor <= 2;
}

// Returns the shrunk pixels that cover the region.
Rectangle shrunk(const Rectangle& w, int shrink) {
  const int y = w.y / shrink;
  const int x = w.x / shrink;
  return {y, x, (w.y + w.height + shrink - 1) / shrink - y,
          (w.x + w.width + shrink - 1) / shrink - x};
}

// True for gray images with a vertical sampling factor, which has no meaning there.
bool counts_rows_in_twos(const jpeg_decompress_struct& info) {
  return info.num_components == 1 && info.max_v_samp_factor > 1;
}

// The first and the last row of groups that the library decodes.
struct Rows {
  std::uint32_t first;
  std::uint32_t last;
};
Rows rows_of(const jpeg_decompress_struct& info, const Rectangle& region) {
  const int group = jpeg_group_height(info);
  // If colors have fewer rows than pixels, upsampling uses the rows around. The library skips only
  // what precedes the row above, and holds back the last rows of a group until it has the next one.
  const int around =
      info.num_components > 1 && info.max_v_samp_factor > 1 ? info.max_v_samp_factor : 0;
  const int above = around > 0 && region.y > 0 ? 1 : 0;
  const auto rows = static_cast<std::uint32_t>(info.MCU_rows_in_scan);
  return {static_cast<std::uint32_t>((region.y - above) / group),
          std::min(static_cast<std::uint32_t>((region.y + region.height - 1 + around) / group),
                   rows - 1)};
}

}  // namespace

void unpack_for_library(KnownJpeg& file, const JpegOptions& options) {
  if (!is_packed_jpeg(file.there) || jpeg_entropy_is_usable()) return;
  // Unpacking holds the coefficients of the whole image.
  const JpegHeader header = peek_jpeg(file.there);
  const std::int64_t pixels = std::int64_t{header.width} * header.height;
  check_bytes(pixels * channels_of(options), header.width, header.height, "", options);
  check_bytes(pixels * header.components * std::int64_t{sizeof(JCOEF)}, header.width, header.height,
              " to be unpacked", options);
  if (file.on_demand != nullptr) file.read_all();
  file.unpacked = unpack_jpeg(file.there);
  file.there = file.unpacked;
}

void require_jpeg(const KnownJpeg& file) {
  if (is_packed_jpeg(file.there)) return;
  if (file.there.size() >= 2 && file.there[0] == 0xff &&
      file.there[1] == jpeg_marker::kStartOfImage)
    return;
  static_cast<void>(peek_jpeg(file.there));  // throws with what it is instead
}

bool begins_with_own_entropy(const JpegOptions& options) {
  return options.entropy == JpegEntropyDecoder::fast && jpeg_entropy_is_usable();
}

JpegIndexLearner learner_of(const KnownJpeg& file, const JpegRequest& request,
                            const JpegOptions& options) {
  // A full read gains nothing from an index, but may teach it.
  const bool helps = begins_with_own_entropy(options) && file.index != nullptr &&
                     (!request.reads_to_end(options) || file.index->grows());
  return helps ? JpegIndexLearner(*file.index, file.digest()) : JpegIndexLearner();
}

bool JpegAttempt::begin(const KnownJpeg& file, const JpegRequest& request,
                        const JpegOptions& options, bool own_entropy) {
  // First, because the self-test may decode with this decompressor.
  const bool own_pixels = options.entropy == JpegEntropyDecoder::fast && jpeg_pixels_are_usable();
  decompressor_.open(file.there, options);
  jpeg_decompress_struct& info = decompressor_.info();
  job_.channels = channels_of(options);
  check_header(info, job_.channels, options);
  stored_height_ = static_cast<int>(info.image_height);
  stored_width_ = static_cast<int>(info.image_width);
  is_fast_wanted_ = begins_with_own_entropy(options);
  shrink_ = request.shrink;
  orientation_ = options.apply_orientation ? peek_jpeg_orientation(file.there) : 1;

  Rectangle wanted{0, 0, stored_height_, stored_width_};
  if (request.region) {
    const bool swap = swaps_sides(orientation_);
    check_region(*request.region, swap ? stored_width_ : stored_height_,
                 swap ? stored_height_ : stored_width_);
    wanted = stored_region(*request.region, orientation_, stored_height_, stored_width_);
  }
  job_.region = shrunk(wanted, shrink_);
  job_.cmyk = info.num_components == 4;
  info.out_color_space = job_.cmyk                           ? JCS_CMYK
                         : options.color == ColorSpace::gray ? JCS_GRAYSCALE
                                                             : JCS_RGB;
  info.scale_num = 1;
  info.scale_denom = static_cast<unsigned>(shrink_);
  info.dct_method = JDCT_ISLOW;
  info.do_fancy_upsampling = TRUE;
  job_.to_end = request.reads_to_end(options);
  job_.sound = learner_.is_sound();
  decompressor_.start();
  if (own_pixels) decompressor_.use_own_pixels();
  job_.cut = request.region && !lacks_passes(info) && (shrink_ == 1 || can_be_cut_shrunk(info));
  if (decompressor_.packed() != nullptr) {
    begin_packed(file, options);
    return true;
  }
  // When the whole file is read, ignore the index and decode everything, so that damage is found.
  const JpegIndexEntry* const known = job_.to_end ? nullptr : learner_.known();
  std::span<const std::uint8_t> bytes = file.there;
  if (file.on_demand != nullptr) {
    if (known != nullptr && job_.cut)
      parts_ = find_region_byte_ranges(decompressor_, job_.region, *known, file.on_demand->size());
    if (parts_.empty()) return false;
    bytes = file.on_demand->read_parts(parts_);
  }
  if (own_entropy) decompressor_.use_own_entropy(bytes, known, parts_);
  if (file.on_demand != nullptr && !decompressor_.is_ours()) return false;
  if (decompressor_.is_ours()) {
    const int bottom =
        job_.to_end ? static_cast<int>(info.output_height) : job_.region.y + job_.region.height;
    const int group = jpeg_group_height(info);
    const int rows = (bottom + group - 1) / group;
    learner_.begin(decompressor_.entropy(), static_cast<std::uint32_t>(rows));
  }
  return true;
}

void JpegAttempt::begin_packed(const KnownJpeg& file, const JpegOptions& options) {
  const PackedJpeg& packed = *decompressor_.packed();
  Rows rows{0, packed.rows() - 1};
  std::span<const std::uint8_t> bytes = file.there;
  if (file.on_demand != nullptr) {
    const bool part = !job_.to_end && job_.cut && !counts_rows_in_twos(decompressor_.info());
    if (part) rows = rows_of(decompressor_.info(), job_.region);
    const ByteRange range = packed.range_of_rows(rows.first, rows.last);
    if (packed.size() != file.on_demand->size())
      throw PackError("the packed JPEG is damaged: it has another size than its head says");
    bytes = file.on_demand->read_parts({{range}});
  }
  decompressor_.use_packed(bytes, rows.first, rows.last, options.verify);
}

bool JpegAttempt::begin_rows(std::uint8_t* out, std::ptrdiff_t stride, int rows, bool margins) {
  job_.out = out;
  job_.out_stride = stride;
  job_.rows = rows;
  job_.margins = margins;
  return decompressor_.begin_rows(job_);
}

JpegReport JpegAttempt::report() {
  JpegReport report;
  report.covered = oriented_region({job_.region.y * shrink_, job_.region.x * shrink_,
                                    job_.region.height * shrink_, job_.region.width * shrink_},
                                   orientation_, stored_height_, stored_width_);
  if (decompressor_.errors().damaged) {
    report.damaged = true;
    report.warning = decompressor_.describe_damage();
  }
  if (decompressor_.is_ours()) {
    const bool to_bottom =
        job_.region.y + job_.region.height == static_cast<int>(decompressor_.info().output_height);
    learner_.end(to_bottom && !report.damaged);
    report.path = decompressor_.entropy().indexed() ? JpegPath::indexed : JpegPath::fast;
  } else if (decompressor_.packed() != nullptr) {
    report.path = JpegPath::packed;
  } else if (is_fast_wanted_) {
    report.path = JpegPath::fell_back;
  }
  return report;
}

std::vector<ByteRange> find_region_byte_ranges(const JpegDecompressor& image,
                                               const Rectangle& region, const JpegIndexEntry& known,
                                               std::size_t file_bytes) {
  const jpeg_decompress_struct& info = image.info();
  if (counts_rows_in_twos(info) || !JpegEntropy::fits(info, known)) return {};
  const Rows rows = rows_of(info, region);
  const JpegDecompressor::Columns columns = image.columns(region);
  const int group = jpeg_group_width(info);
  const auto first = static_cast<std::uint32_t>(columns.left / group) / known.grain;
  const auto last = std::min(static_cast<std::uint32_t>((columns.left + columns.width - 1) / group),
                             info.MCUs_per_row - 1) /
                    known.grain;
  std::vector<ByteRange> parts;
  for (std::uint32_t row = rows.first; row <= rows.last; ++row) {
    const std::size_t from = std::size_t{row} * known.per_row + first;
    const std::size_t to = std::size_t{row} * known.per_row + last + 1;
    const bool to_end = to == known.records.size() && known.complete;
    if (to >= known.records.size() && !to_end) return {};
    // The last byte of a group may also be the first of the next one. If it is 0xff, the zero after
    // it belongs to it.
    const ByteRange part{
        known.records[from].place / 8,
        to_end ? file_bytes : std::min(known.records[to].place / std::size_t{8} + 2, file_bytes)};
    if (part.begin >= part.end || part.end > file_bytes) return {};
    parts.push_back(part);
  }
  return parts;
}

}  // namespace sluice
