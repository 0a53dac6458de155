// JpegAttempt: one attempt to decode an image, from its header to its last row. The first attempt
// may fail: our own entropy decoder gives up on a file that is not in order, and an index may lack
// what it needs. The caller then makes another attempt without them. KnownJpeg: what is known about
// a file before that. JpegIndexLearner: what an index may learn about the file. Internal: users do
// not include it.
//
// Ownership: an attempt refers to the decompressor, the file and the learner, which must outlive
// it. The others refer to the file, to its Bytes if they are on demand, and to the index. Threads:
// one for each object; several may share an index. Errors: JpegError, std::bad_alloc, or what the
// source of Bytes on demand throws.
#pragma once

#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/decompressor.h>
#include <sluice/io/jpeg/entropy.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/io/readers/files.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sluice {

// The facts that are known about a file before it is decoded.
struct KnownJpeg {
  std::span<const std::uint8_t> there;  // the whole file, or the prefix that has been read
  const Bytes* on_demand = nullptr;     // reads the rest; null if the whole file is there
  JpegIndex* index = nullptr;
  std::optional<std::uint64_t> hash;
  std::vector<std::uint8_t> unpacked;  // `there`, if a packed JPEG had to be unpacked

  JpegDigest digest() const {
    return hash && on_demand != nullptr ? JpegDigest{*hash, on_demand->size()}
                                        : digest_of(there, hash);
  }
  void read_all() {
    there = *on_demand;
    on_demand = nullptr;
  }
};

inline KnownJpeg known_jpeg(const Bytes& file) {
  // First, since another thread may read the rest between the two.
  const Bytes* const on_demand = file.is_on_demand() ? &file : nullptr;
  KnownJpeg known{file.prefix(), on_demand, file.index(), file.content_hash(), {}};
  const bool begun = is_packed_jpeg(known.there) || (known.hash && known.there.size() >= 2);
  if (known.on_demand != nullptr && !begun) known.read_all();
  return known;
}

// Asks an index about a file, and teaches it what was read.
class JpegIndexLearner {
 public:
  JpegIndexLearner() = default;
  JpegIndexLearner(JpegIndex& index, const JpegDigest& digest) : index_(&index), digest_(digest) {
    try {
      known_ = index_->find(digest_);
    } catch (const IoError& error) {
      damage_ = error.what();
    }
  }
  // The reason why the index could not be read; empty if it could.
  std::string& damage() { return damage_; }
  const JpegIndexEntry* known() const { return known_ ? &*known_ : nullptr; }
  bool is_sound() const { return known_ && known_->complete; }

  // Call before `rows` rows of groups are read.
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
  // `complete`: the whole file has been read, and nothing is wrong with it.
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

// The part of an image that a caller wants, and its scale.
struct JpegRequest {
  std::optional<Rectangle> region;  // of the full image, after orientation
  int shrink = 1;

  bool reads_to_end(const JpegOptions& options) const { return !region || options.verify; }
};

// Replaces a packed JPEG by its file, unless libjpeg's entropy decoder can be replaced. Throws
// JpegError before that if the image exceeds options.max_output_bytes.
void unpack_for_library(KnownJpeg& file, const JpegOptions& options);
// Throws JpegError unless the file begins with a JPEG start marker, or is a packed JPEG.
void require_jpeg(const KnownJpeg& file);
// True if the first attempt uses our own entropy decoder.
bool begins_with_own_entropy(const JpegOptions& options);
// Returns the learner for that attempt: it asks the index about the file, and may teach it.
JpegIndexLearner learner_of(const KnownJpeg& file, const JpegRequest& request,
                            const JpegOptions& options);

class JpegAttempt {
 public:
  JpegAttempt(JpegDecompressor& decompressor, JpegIndexLearner& learner)
      : decompressor_(decompressor), learner_(learner) {}
  JpegAttempt(const JpegAttempt&) = delete;
  JpegAttempt& operator=(const JpegAttempt&) = delete;

  // Starts decoding, up to the point where the output size is known. A packed JPEG is decoded in
  // the same way with and without our own entropy decoder. Here and below, false means that our own
  // entropy decoder has given up, or needs all of a file that is on demand.
  bool begin(const KnownJpeg& file, const JpegRequest& request, const JpegOptions& options,
             bool own_entropy);

  // The decoded region of the stored image, its channels, and the orientation to apply afterwards.
  const Rectangle& region() const { return job_.region; }
  int channels() const { return job_.channels; }
  int orientation() const { return orientation_; }
  // True if rows may overwrite the pixels beside the region. They then need room for all columns(),
  // otherwise only for those of the region.
  bool may_have_margins() const { return job_.cut && !job_.cmyk; }
  JpegDecompressor::Columns columns() const { return decompressor_.columns(job_.region); }

  // begin_rows() says where the region's rows go (see JpegRowJob) and decodes up to the first of
  // them. read_rows() decodes rows up to `end` - 1. end_rows() reads what follows them.
  bool begin_rows(std::uint8_t* out, std::ptrdiff_t stride, int rows, bool margins);
  bool read_rows(int end) { return decompressor_.read_rows(end); }
  bool end_rows() { return decompressor_.end_rows(); }

  // Call it after end_rows(). Tells the learner what was read.
  JpegReport report();

 private:
  void begin_packed(const KnownJpeg& file, const JpegOptions& options);

  JpegDecompressor& decompressor_;
  JpegIndexLearner& learner_;
  JpegRowJob job_;
  std::vector<ByteRange> parts_;
  int shrink_ = 1;
  int orientation_ = 1;
  int stored_height_ = 0;
  int stored_width_ = 0;
  bool is_fast_wanted_ = false;
};

// Returns the byte ranges for a region of `image`, whose file has `file_bytes`. Call after
// jpeg_start_decompress. `region` is in the stored image, at the decoded scale; the library will
// cut it out. The result has one range for each row of groups, in order. It is empty if the index
// does not know all these rows, or does not fit the image.
std::vector<ByteRange> find_region_byte_ranges(const JpegDecompressor& image,
                                               const Rectangle& region, const JpegIndexEntry& known,
                                               std::size_t file_bytes);

}  // namespace sluice
