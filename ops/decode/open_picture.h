// OpenPicture: an image whose decoding has begun and whose rows are decoded while the next steps
// use them, or the whole image if rows cannot be decoded one by one. Also the operators by which a
// plan expresses this: see RowDecoding and the pass fuse_kernels. For operators only.
//
// Ownership: rows belong to the thread and refer to the file, which must stay alive. Threads: the
// steps from the beginning to the end run on one thread, with nothing else in between. Errors: the
// decoder's steps throw the decoder's errors.
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
  Image whole;                       // if there are no rows
  std::optional<JpegReport> report;  // for `whole`; none for other formats

  void release() noexcept {
    rows = nullptr;
    whole.release();
    report.reset();
  }
};

// Opens a JPEG file: its rows, or the whole image if they cannot be decoded one by one.
void open_jpeg(const SampleNotes& notes, const Bytes& file, const std::optional<Rectangle>& region,
               const JpegOptions& options, OpenPicture& out);

// Returns the RowDecoding of a decoder: its operator for the size, the one that begins, and the
// name of the one that ends.
RowDecoding row_decoding(OperatorPtr size, OperatorPtr begins, const char* name);

}  // namespace sluice::detail
