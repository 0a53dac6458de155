// JpegAttempt: one attempt at a picture, from its header to its last row. The first one may go
// wrong: our own entropy decoder gives up where a file is not in order, and an index may lack what
// it needs. Then another one is made, without it. Internal: no user includes it.
//
// Ownership: refers to the decompressor, the file and the learner, which must stay. Threads: one.
// Errors: JpegError, std::bad_alloc, or what the source of Bytes on demand throws.
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

// What a caller wants of a picture.
struct JpegRequest {
  std::optional<Rectangle> region;  // of the full picture as it is seen
  int shrink = 1;

  bool reads_to_end(const JpegOptions& options) const { return !region || options.verify; }
};

// Throws unless the file begins as a JPEG file does.
void require_jpeg(const KnownJpeg& file);
// Whether the first attempt is made with our own entropy decoder.
bool begins_with_own_entropy(const JpegOptions& options);
// What helps that attempt.
JpegIndexLearner learner_of(const KnownJpeg& file, const JpegRequest& request,
                            const JpegOptions& options);

class JpegAttempt {
 public:
  JpegAttempt(JpegDecompressor& decompressor, JpegIndexLearner& learner)
      : decompressor_(decompressor), learner_(learner) {}
  JpegAttempt(const JpegAttempt&) = delete;
  JpegAttempt& operator=(const JpegAttempt&) = delete;

  // Up to where pixels have a size. False, here and below: our own entropy decoder has given up, or
  // needs all of a file that is on demand.
  bool begin(const KnownJpeg& file, const JpegRequest& request, const JpegOptions& options,
             bool own_entropy);

  // What comes, as stored, with so many channels; it is to be turned then as this says.
  const Rectangle& region() const { return job_.region; }
  int channels() const { return job_.channels; }
  int orientation() const { return orientation_; }
  // Where rows may overwrite what lies beside them: which columns they need. Otherwise those of the
  // region alone.
  bool may_have_margins() const { return job_.cut && !job_.cmyk; }
  JpegDecompressor::Columns columns() const { return decompressor_.columns(job_.region); }

  // Where the region's rows go, see JpegRowJob; up to the first of them; those up to `end` - 1;
  // what follows them.
  bool begin_rows(std::uint8_t* out, std::ptrdiff_t stride, int rows, bool margins);
  bool read_rows(int end) { return decompressor_.read_rows(end); }
  bool end_rows() { return decompressor_.end_rows(); }

  // All rows have been read, and what follows them. Tells the learner.
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
