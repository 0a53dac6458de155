#include <sluice/graph/builder/declare_operator.h>
#include <sluice/ops/decode/jpeg_input.h>
#include <sluice/ops/decode/open_picture.h>
#include <sluice/ops/kernels/deferred_image.h>

#include <utility>

namespace sluice::detail {
namespace {

using kernels::DeferredImage;

void take(const DeferredImage& in, const OpenPicture& picture, const Rectangle& region,
          DeferredImage& out) {
  out = in;
  if (picture.rows == nullptr) {
    out.take_part(picture.whole, region);
    return;
  }
  try {
    out.take_rows(*picture.rows, region);
  } catch (...) {
    picture.rows->discard();
    throw;
  }
}

const OperatorPtr& take_all_operator() {
  static const OperatorPtr op =
      declare_operator("take_rows")
          .input<DeferredImage>("image")
          .input<OpenPicture>("rows")
          .output<DeferredImage>("image")
          .runs([](const DeferredImage& in, const OpenPicture& picture, DeferredImage& out) {
            take(in, picture, in.whole(), out);
          });
  return op;
}

const OperatorPtr& take_region_operator() {
  static const OperatorPtr op =
      declare_operator("take_rows_of_region")
          .input<DeferredImage>("image")
          .input<OpenPicture>("rows")
          .input<Rectangle>("region")
          .output<DeferredImage>("image")
          .runs([](const DeferredImage& in, const OpenPicture& picture, const Rectangle& region,
                   DeferredImage& out) { take(in, picture, region, out); });
  return op;
}

const OperatorPtr& whole_picture_operator() {
  static const OperatorPtr op =
      declare_operator("whole_picture")
          .input<Image>("image")
          .output<DeferredImage>("image")
          .runs([](const Image& in, DeferredImage& out) { out = DeferredImage(in); });
  return op;
}

}  // namespace

void open_jpeg(const SampleNotes& notes, const Bytes& file, const std::optional<Rectangle>& region,
               const JpegOptions& options, OpenPicture& out) {
  JpegRows& rows = JpegRows::for_this_thread();
  if (rows.begin(file, region, options, {.timed = notes.timed()})) {
    out.rows = &rows;
  } else if (region) {
    out.report = decode_jpeg_region(file, *region, options, out.whole);
  } else {
    out.report = decode_jpeg_image(file, options, out.whole);
  }
}

RowDecoding row_decoding(OperatorPtr size, OperatorPtr begins, const char* name) {
  RowDecoding decoding;
  decoding.size = std::move(size);
  decoding.begins = std::move(begins);
  decoding.all = take_all_operator();
  decoding.part = take_region_operator();
  decoding.starts = whole_picture_operator();
  decoding.ends = declare_operator(name)
                      .input<OpenPicture>("picture")
                      .events(jpeg_events())
                      .effect()
                      .runs([](SampleNotes& notes, const OpenPicture& picture) {
                        if (picture.rows != nullptr) {
                          notes.worked_before(picture.rows->took().count());
                          note_report(notes, picture.rows->finish());
                        } else if (picture.report) {
                          note_report(notes, *picture.report);
                        }
                      });
  return decoding;
}

}  // namespace sluice::detail
