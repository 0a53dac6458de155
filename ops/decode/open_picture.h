// OpenPicture: a picture that a decoder has begun, and whose rows it makes while the steps that
// follow use them; or all of it, where rows cannot be had one by one. And the operators with which
// a plan says so: see RowDecoding and the pass fuse_kernels. For operators only.
//
// Ownership: rows belong to the thread and refer to the file, which must stay. Threads: the steps
// from the one that begins to the one that ends run on one thread, and nothing else does meanwhile.
// Errors: of the decoder's steps, those of the decoder.
#pragma once

#include <sluice/graph/builder/operator_function.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/rows.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

#include <optional>

namespace sluice::detail {

struct OpenPicture {
  JpegRows* rows = nullptr;
  Image whole;                       // where there are no rows
  std::optional<JpegReport> report;  // of the whole; none of other formats

  void release() noexcept {
    rows = nullptr;
    whole.release();
    report.reset();
  }
};

// Of a JPEG file: its rows, or all of it where those cannot be had.
void open_jpeg(const SampleNotes& notes, const Bytes& file, const std::optional<Rectangle>& region,
               const JpegOptions& options, OpenPicture& out);

// With what is the decoder's own: its size, how it begins, and the name of what ends.
RowDecoding row_decoding(OperatorPtr size, OperatorPtr begins, const char* name);

}  // namespace sluice::detail
