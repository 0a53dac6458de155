// JpegAttempt: one attempt to decode an image, from its header to its last row. The first attempt
// may fail: our own entropy decoder gives up on a file that is not in order, and an index may lack
// what it needs. The caller then makes another attempt without them. Internal: users do not include
// it.
//
// Ownership: refers to the decompressor, the file and the learner, which must outlive it. Threads:
// one. Errors: JpegError, std::bad_alloc, or what the source of Bytes on demand throws.
#pragma once

#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/decompressor.h>
#include <sluice/io/jpeg/known_file.h>
#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sluice {

// The part of an image that a caller wants, and its scale.
struct JpegRequest {
  std::optional<Rectangle> region;  // of the full image, after orientation
  int shrink = 1;

  bool reads_to_end(const JpegOptions& options) const { return !region || options.verify; }
};

// Throws JpegError unless the file begins with a JPEG start marker.
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

  // Starts decoding, up to the point where the output size is known. Here and below, false means
  // that our own entropy decoder has given up, or needs all of a file that is on demand.
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

}  // namespace sluice
