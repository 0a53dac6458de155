#include <sluice/graph/builder/declare_operator.h>
#include <sluice/graph/builder/operator_function.h>
#include <sluice/graph/plan/operator.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/rows.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/kernels/deferred_image.h>
#include <sluice/ops/parameters.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {
namespace detail {

// An image whose decoding has begun and whose rows are decoded while the next steps use them, or
// the whole image if rows cannot be decoded one by one. A plan expresses this by the operators of
// row_decoding(): see RowDecoding and the pass fuse_kernels.
//
// Ownership: rows belong to the thread and refer to the file, which must stay alive. Threads: the
// steps from the beginning to the end run on one thread, with nothing else in between. Errors: the
// decoder's steps throw the decoder's errors.
struct OpenImage {
  JpegRows* rows = nullptr;
  Image whole;                       // if there are no rows
  std::optional<JpegReport> report;  // for `whole`; none for other formats

  void release() noexcept {
    rows = nullptr;
    whole.release();
    report.reset();
  }
};

namespace {

using kernels::DeferredImage;

void take(const DeferredImage& in, const OpenImage& image, const Rectangle& region,
          DeferredImage& out) {
  out = in;
  if (image.rows == nullptr) {
    out.take_part(image.whole, region);
    return;
  }
  try {
    out.take_rows(*image.rows, region);
  } catch (...) {
    image.rows->discard();
    throw;
  }
}

const OperatorPtr& take_all_operator() {
  static const OperatorPtr op =
      declare_operator("take_rows")
          .input<DeferredImage>("image")
          .input<OpenImage>("rows")
          .output<DeferredImage>("image")
          .runs([](const DeferredImage& in, const OpenImage& image, DeferredImage& out) {
            take(in, image, in.whole(), out);
          });
  return op;
}

const OperatorPtr& take_region_operator() {
  static const OperatorPtr op =
      declare_operator("take_rows_of_region")
          .input<DeferredImage>("image")
          .input<OpenImage>("rows")
          .input<Rectangle>("region")
          .output<DeferredImage>("image")
          .runs([](const DeferredImage& in, const OpenImage& image, const Rectangle& region,
                   DeferredImage& out) { take(in, image, region, out); });
  return op;
}

const OperatorPtr& whole_image_operator() {
  static const OperatorPtr op =
      declare_operator("whole_image")
          .input<Image>("image")
          .output<DeferredImage>("image")
          .runs([](const Image& in, DeferredImage& out) { out = DeferredImage(in); });
  return op;
}

// Opens a JPEG file: its rows, or the whole image if they cannot be decoded one by one.
void open_jpeg(const SampleNotes& notes, const Bytes& file, const std::optional<Rectangle>& region,
               const JpegOptions& options, OpenImage& out) {
  JpegRows& rows = JpegRows::for_this_thread();
  if (rows.begin(file, region, options, {.timed = notes.timed()})) {
    out.rows = &rows;
  } else if (region) {
    out.report = decode_jpeg_region(file, *region, options, out.whole);
  } else {
    out.report = decode_jpeg_image(file, options, out.whole);
  }
}

// Returns the RowDecoding of a decoder: its operator for the size, the one that begins, and the
// name of the one that ends.
RowDecoding row_decoding(OperatorPtr size, OperatorPtr begins, const char* name) {
  RowDecoding decoding;
  decoding.size = std::move(size);
  decoding.begins = std::move(begins);
  decoding.all = take_all_operator();
  decoding.part = take_region_operator();
  decoding.starts = whole_image_operator();
  decoding.ends = declare_operator(name)
                      .input<OpenImage>("image")
                      .events(jpeg_events())
                      .effect()
                      .runs([](SampleNotes& notes, const OpenImage& image) {
                        if (image.rows != nullptr) {
                          notes.worked_before(image.rows->took().count());
                          note_report(notes, image.rows->finish());
                        } else if (image.report) {
                          note_report(notes, *image.report);
                        }
                      });
  return decoding;
}

template <class Source>
Value<Image> decode(const Value<Source>& jpeg, const JpegOptions& o) {
  return apply_operator<Image>(decode_jpeg_operator(), jpeg, o.color, o.apply_orientation, o.damage,
                               o.verify, o.entropy, o.max_scans, o.max_output_bytes);
}
template <class Source>
Value<Image> decode(const Value<Source>& jpeg, const Param<Rectangle>& region,
                    const JpegOptions& o) {
  return apply_as<Image>(require_builder("decode_jpeg", jpeg), "decode_jpeg",
                         decode_jpeg_region_operator(), jpeg, o.color, o.apply_orientation,
                         o.damage, o.verify, o.entropy, o.max_scans, o.max_output_bytes, region);
}

template <class ImageType = Image>
OperatorDeclaration declare_decoder(const char* name, const char* summary) {
  OperatorDeclaration declaration(name);
  declaration.family("decode").summary(summary).input<JpegFile>("jpeg");
  declare_jpeg_options(declaration);
  declaration.output<ImageType>("image");
  return declaration;
}

// For the region decoder.
OperatorPtr jpeg_region_size_operator() {
  return declare_decoder(
             "decode_jpeg_region_size",
             "Returns the size of the region as an image without pixels; used by passes.")
      .parameter<Rectangle>("region")
      .runs([](const JpegFile& file, ColorSpace color, bool turned, DamagePolicy damage,
               bool verify, JpegEntropyDecoder entropy, std::int32_t max_scans,
               std::int64_t max_output_bytes, const Rectangle& region, Image& out) {
        if (region.height >= 1 && region.width >= 1) {
          out = Image::size_only(region.height, region.width, color == ColorSpace::rgb ? 3 : 1);
        } else {  // the decoder has the better error message
          decode_jpeg_region(file.bytes(), region,
                             {color, turned, damage, verify, entropy, max_scans, max_output_bytes},
                             out);
        }
      });
}
OperatorPtr jpeg_region_rows_operator() {
  return declare_decoder<OpenImage>("decode_jpeg_region_rows",
                                    "Begins to decode a region; used by passes.")
      .parameter<Rectangle>("region")
      .runs([](SampleNotes& notes, const JpegFile& file, ColorSpace color, bool turned,
               DamagePolicy damage, bool verify, JpegEntropyDecoder entropy, std::int32_t max_scans,
               std::int64_t max_output_bytes, const Rectangle& region, OpenImage& out) {
        open_jpeg(notes, file.bytes(), region,
                  {color, turned, damage, verify, entropy, max_scans, max_output_bytes}, out);
      });
}
OperatorPtr jpeg_rows_operator() {
  return declare_decoder<OpenImage>("decode_jpeg_rows", "Begins to decode; used by passes.")
      .runs([](SampleNotes& notes, const JpegFile& file, ColorSpace color, bool turned,
               DamagePolicy damage, bool verify, JpegEntropyDecoder entropy, std::int32_t max_scans,
               std::int64_t max_output_bytes, OpenImage& out) {
        open_jpeg(notes, file.bytes(), {},
                  {color, turned, damage, verify, entropy, max_scans, max_output_bytes}, out);
      });
}

}  // namespace

void declare_jpeg_options(OperatorDeclaration& declaration) {
  const JpegOptions usual;
  declaration
      .choice("color", usual.color, {ColorSpace::rgb, ColorSpace::gray},
              "rgb: 3 channels; gray: only the luma")
      .constant<bool>("apply_orientation",
                      {.value = usual.apply_orientation, .help = "applies the EXIF orientation"})
      .choice("damage", usual.damage, {DamagePolicy::strict, DamagePolicy::tolerant},
              "strict: a damaged file fails; tolerant: it decodes with a warning")
      .constant<bool>("verify",
                      {.value = usual.verify, .help = "always reads to the end of the file"})
      .choice("entropy", usual.entropy, {JpegEntropyDecoder::fast, JpegEntropyDecoder::library},
              "Huffman decoder: Sluice's (fast) or libjpeg's (library)")
      .constant<std::int32_t>(
          "max_scans", {.value = usual.max_scans, .help = "most scans of a progressive file"})
      .constant<std::int64_t>(
          "max_output_bytes",
          {.value = usual.max_output_bytes, .help = "most bytes of the whole decoded image"});
}

std::vector<std::string> jpeg_events() {
  std::vector<std::string> names;
  for (const JpegPath path : kJpegPaths) names.emplace_back(name_of(path));
  names.emplace_back("index_damaged");
  names.emplace_back("on_device");
  names.emplace_back("on_engines");
  return names;
}

void note_on_device(SampleNotes& notes) { notes.note(std::size(kJpegPaths) + 1); }
void note_on_engines(SampleNotes& notes) { notes.note(std::size(kJpegPaths) + 2); }

void note_report(SampleNotes& notes, const JpegReport& report) {
  notes.note(static_cast<std::size_t>(report.path));
  if (report.damaged) notes.warn(report.warning);
  if (report.index_damage.empty()) return;
  notes.note(std::size(kJpegPaths));
  notes.warn_once(
      report.index_damage +
      "; where it is damaged, files are decoded without it. This warning is shown once");
}

const OperatorPtr& decode_jpeg_size_operator() {
  static const OperatorPtr op =
      declare_decoder("decode_jpeg_size",
                      "Returns the size of the image as an image without pixels; used by passes.")
          .runs([](const JpegFile& file, ColorSpace color, bool turned, DamagePolicy damage,
                   bool verify, JpegEntropyDecoder entropy, std::int32_t max_scans,
                   std::int64_t max_output_bytes, Image& out) {
            try {
              const JpegHeader header = peek_jpeg(file.bytes());
              out = Image::size_only(turned ? header.oriented_height() : header.height,
                                     turned ? header.oriented_width() : header.width,
                                     color == ColorSpace::rgb ? 3 : 1);
            } catch (const JpegError&) {
              // The decoder rejects the file too, with a better message.
              decode_jpeg_image(
                  file.bytes(),
                  {color, turned, damage, verify, entropy, max_scans, max_output_bytes}, out);
            }
          });
  return op;
}

const OperatorPtr& decode_jpeg_region_operator() {
  static const OperatorPtr op =
      declare_decoder("decode_jpeg_region",
                      "Decodes a region of a JPEG file and computes only that region.")
          .in_cpp("decode_jpeg(jpeg, region)")
          .events(jpeg_events())
          .decodes_rows(row_decoding(jpeg_region_size_operator(), jpeg_region_rows_operator(),
                                     "decode_jpeg_end"))
          .parameter<Rectangle>("region", {.help = "in the image after EXIF orientation"})
          .runs([](SampleNotes& notes, const JpegFile& file, ColorSpace color, bool turned,
                   DamagePolicy damage, bool verify, JpegEntropyDecoder entropy,
                   std::int32_t max_scans, std::int64_t max_output_bytes, const Rectangle& region,
                   Image& out) {
            note_report(notes, decode_jpeg_region(file.bytes(), region,
                                                  {color, turned, damage, verify, entropy,
                                                   max_scans, max_output_bytes},
                                                  out));
          });
  return op;
}

const OperatorPtr& decode_jpeg_operator() {
  static const OperatorPtr op =
      declare_decoder("decode_jpeg", "Decodes a JPEG file.")
          .in_cpp("decode_jpeg(jpeg, {.color = ColorSpace::gray})")
          .events(jpeg_events())
          .decodes({decode_jpeg_size_operator(), decode_jpeg_region_operator()})
          .decodes_rows(
              row_decoding(decode_jpeg_size_operator(), jpeg_rows_operator(), "decode_jpeg_end"))
          .runs([](SampleNotes& notes, const JpegFile& file, ColorSpace color, bool turned,
                   DamagePolicy damage, bool verify, JpegEntropyDecoder entropy,
                   std::int32_t max_scans, std::int64_t max_output_bytes, Image& out) {
            note_report(notes, decode_jpeg_image(file.bytes(),
                                                 {color, turned, damage, verify, entropy, max_scans,
                                                  max_output_bytes},
                                                 out));
          });
  return op;
}

const OperatorPtr& peek_jpeg_operator() {
  static const OperatorPtr op =
      declare_operator("peek_jpeg")
          .family("decode")
          .summary("Reads the header of a JPEG file: size, kind, orientation.")
          .in_cpp("peek_jpeg(jpeg)")
          .input<JpegFile>("jpeg")
          .output<JpegHeader>("header")
          .runs([](const JpegFile& file) { return peek_jpeg(file.bytes()); });
  return op;
}

}  // namespace detail

Value<JpegHeader> peek_jpeg(Value<Bytes> jpeg) {
  return apply_operator<JpegHeader>(detail::peek_jpeg_operator(), jpeg);
}
Value<JpegHeader> peek_jpeg(Value<ByteSpan> jpeg) {
  return apply_operator<JpegHeader>(detail::peek_jpeg_operator(), jpeg);
}
Value<Image> decode_jpeg(Value<Bytes> jpeg, const JpegOptions& options) {
  return detail::decode(jpeg, options);
}
Value<Image> decode_jpeg(Value<ByteSpan> jpeg, const JpegOptions& options) {
  return detail::decode(jpeg, options);
}
Value<Image> decode_jpeg(Value<Bytes> jpeg, Param<Rectangle> region, const JpegOptions& options) {
  return detail::decode(jpeg, region, options);
}
Value<Image> decode_jpeg(Value<ByteSpan> jpeg, Param<Rectangle> region,
                         const JpegOptions& options) {
  return detail::decode(jpeg, region, options);
}

namespace detail {
namespace {

template <class Source>
Value<Image> decode(const Value<Source>& file, const ImageOptions& o) {
  return apply_operator<Image>(decode_image_operator(), file, o.color, o.apply_orientation,
                               o.max_output_bytes, o.ids);
}
template <class Source>
Value<Image> decode(const Value<Source>& file, const Param<Rectangle>& region,
                    const ImageOptions& o) {
  return apply_as<Image>(require_builder("decode_image", file), "decode_image",
                         decode_image_region_operator(), file, o.color, o.apply_orientation,
                         o.max_output_bytes, o.ids, region);
}

template <class ImageType = Image>
OperatorDeclaration declare_image_decoder(const char* name, const char* summary) {
  const ImageOptions usual;
  OperatorDeclaration declaration(name);
  declaration.family("decode")
      .summary(summary)
      .input<JpegFile>("file")
      .choice("color", usual.color, {ColorSpace::rgb, ColorSpace::gray},
              "rgb: 3 channels; gray: only the luma")
      .constant<bool>("apply_orientation", {.value = usual.apply_orientation,
                                            .help = "applies the EXIF orientation of a JPEG file"})
      .constant<std::int64_t>("max_output_bytes", {.value = usual.max_output_bytes,
                                                   .help = "most bytes of the whole decoded image"})
      .constant<bool>(
          "ids",
          {.value = usual.ids,
           .help = "decodes a mask: one channel of ids, which are palette indices or gray values"})
      .output<ImageType>("image");
  return declaration;
}

int channels_of(ColorSpace color, bool ids) { return color == ColorSpace::rgb && !ids ? 3 : 1; }

void warn_of_ids(SampleNotes& notes, const JpegFile& file, const ImageOptions& options) {
  const std::string_view doubt = doubt_about_ids(file.bytes(), options);
  if (!doubt.empty()) notes.warn_once(doubt);
}

bool is_jpeg(const JpegFile& file) {
  return image_format(file.bytes().prefix()) == ImageFormat::jpeg;
}

// For the region decoder.
OperatorPtr image_region_size_operator() {
  return declare_image_decoder(
             "decode_image_region_size",
             "Returns the size of the region as an image without pixels; used by passes.")
      .parameter<Rectangle>("region")
      .runs([](const JpegFile& file, ColorSpace color, bool turned, std::int64_t max_output_bytes,
               bool ids, const Rectangle& region, Image& out) {
        if (region.height >= 1 && region.width >= 1) {
          out = Image::size_only(region.height, region.width, channels_of(color, ids));
        } else {  // the decoder has the better error message
          sluice::decode_image_region(file.bytes(), region, {color, turned, max_output_bytes, ids},
                                      out);
        }
      });
}
OperatorPtr image_region_rows_operator() {
  return declare_image_decoder<OpenImage>("decode_image_region_rows",
                                          "Begins to decode a region; used by passes.")
      .parameter<Rectangle>("region")
      .runs([](SampleNotes& notes, const JpegFile& file, ColorSpace color, bool turned,
               std::int64_t max_output_bytes, bool ids, const Rectangle& region, OpenImage& out) {
        const ImageOptions options{color, turned, max_output_bytes, ids};
        warn_of_ids(notes, file, options);
        if (is_jpeg(file)) {
          open_jpeg(notes, file.bytes(), region, jpeg_options(options), out);
        } else {
          sluice::decode_image_region(file.bytes(), region, options, out.whole);
        }
      });
}
OperatorPtr image_rows_operator() {
  return declare_image_decoder<OpenImage>("decode_image_rows", "Begins to decode; used by passes.")
      .runs([](SampleNotes& notes, const JpegFile& file, ColorSpace color, bool turned,
               std::int64_t max_output_bytes, bool ids, OpenImage& out) {
        const ImageOptions options{color, turned, max_output_bytes, ids};
        warn_of_ids(notes, file, options);
        if (is_jpeg(file)) {
          open_jpeg(notes, file.bytes(), {}, jpeg_options(options), out);
        } else {
          decode_image_file(file.bytes(), options, out.whole);
        }
      });
}

void note(SampleNotes& notes, const std::optional<JpegReport>& report) {
  if (report) note_report(notes, *report);
}

}  // namespace

const OperatorPtr& decode_image_size_operator() {
  static const OperatorPtr op =
      declare_image_decoder(
          "decode_image_size",
          "Returns the size of the image as an image without pixels; used by passes.")
          .runs([](const JpegFile& file, ColorSpace color, bool turned,
                   std::int64_t max_output_bytes, bool ids, Image& out) {
            const ImageOptions options{color, turned, max_output_bytes, ids};
            ImageSize size;
            try {
              size = peek_image(file.bytes(), options);
            } catch (const Error&) {
              // The decoder rejects the file too, with a better message.
              decode_image_file(file.bytes(), options, out);
              throw;
            }
            out = Image::size_only(size.height, size.width, channels_of(color, ids));
          });
  return op;
}

const OperatorPtr& decode_image_region_operator() {
  static const OperatorPtr op =
      declare_image_decoder(
          "decode_image_region",
          "Decodes a region of an image file; computes only that region of a JPEG file.")
          .in_cpp("decode_image(file, region)")
          .events(jpeg_events())
          .decodes_rows(row_decoding(image_region_size_operator(), image_region_rows_operator(),
                                     "decode_image_end"))
          .parameter<Rectangle>("region", {.help = "in the image after EXIF orientation"})
          .runs([](SampleNotes& notes, const JpegFile& file, ColorSpace color, bool turned,
                   std::int64_t max_output_bytes, bool ids, const Rectangle& region, Image& out) {
            const ImageOptions options{color, turned, max_output_bytes, ids};
            warn_of_ids(notes, file, options);
            note(notes, decode_image_region(file.bytes(), region, options, out));
          });
  return op;
}

const OperatorPtr& decode_image_operator() {
  static const OperatorPtr op =
      declare_image_decoder("decode_image",
                            "Decodes a JPEG, PNG, TIFF, WebP or GIF file to 8-bit pixels.")
          .in_cpp("decode_image(file)")
          .in_cpp("decode_image(file, {.color = ColorSpace::gray})")
          .in_cpp("decode_image(file, {.ids = true})")
          .events(jpeg_events())
          .decodes({decode_image_size_operator(), decode_image_region_operator()})
          .decodes_rows(
              row_decoding(decode_image_size_operator(), image_rows_operator(), "decode_image_end"))
          .runs([](SampleNotes& notes, const JpegFile& file, ColorSpace color, bool turned,
                   std::int64_t max_output_bytes, bool ids, Image& out) {
            const ImageOptions options{color, turned, max_output_bytes, ids};
            warn_of_ids(notes, file, options);
            note(notes, decode_image_file(file.bytes(), options, out));
          });
  return op;
}

const OperatorPtr& decode_tensor_operator() {
  static const OperatorPtr op =
      declare_operator("decode_tensor")
          .family("decode")
          .summary(
              "Decodes the numbers of a PNG or TIFF file, with all bits and channels, to a tensor "
              "of height x width x channels.")
          .in_cpp("decode_tensor(file)")
          .input<JpegFile>("file")
          .constant<std::int64_t>(
              "max_output_bytes",
              {.value = DecodeTensorOptions().max_output_bytes, .help = "most bytes of the tensor"})
          .output<Tensor>("tensor")
          .infers([](const Arguments&, const std::vector<TensorSpec>&) {
            return std::vector<TensorSpec>{
                {.dtype = {}, .layout = Layout::hwc, .rank = 3, .place = {}}};
          })
          .runs([](const JpegFile& file, std::int64_t max_output_bytes, Tensor& out) {
            decode_tensor_file(file.bytes(), max_output_bytes, out);
          });
  return op;
}

}  // namespace detail

Value<Tensor> decode_tensor(Value<Bytes> file, const DecodeTensorOptions& options) {
  return apply_operator<Tensor>(detail::decode_tensor_operator(), file, options.max_output_bytes);
}
Value<Tensor> decode_tensor(Value<ByteSpan> file, const DecodeTensorOptions& options) {
  return apply_operator<Tensor>(detail::decode_tensor_operator(), file, options.max_output_bytes);
}

Value<Image> decode_image(Value<Bytes> file, const ImageOptions& options) {
  return detail::decode(file, options);
}
Value<Image> decode_image(Value<ByteSpan> file, const ImageOptions& options) {
  return detail::decode(file, options);
}
Value<Image> decode_image(Value<Bytes> file, Param<Rectangle> region, const ImageOptions& options) {
  return detail::decode(file, region, options);
}
Value<Image> decode_image(Value<ByteSpan> file, Param<Rectangle> region,
                          const ImageOptions& options) {
  return detail::decode(file, region, options);
}

}  // namespace sluice
