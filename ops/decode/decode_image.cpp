#include <sluice/ops/decode.h>
#include <sluice/ops/decode/jpeg_input.h>
#include <sluice/ops/decode/open_picture.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice {

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
  return apply_as<Image>(require_recorder("decode_image", file), "decode_image",
                         decode_image_region_operator(), file, o.color, o.apply_orientation,
                         o.max_output_bytes, o.ids, region);
}

template <class Picture = Image>
OperatorDeclaration declare_image_decoder(const char* name, const char* summary) {
  const ImageOptions usual;
  OperatorDeclaration declaration(name);
  declaration.family("decode")
      .summary(summary)
      .input<JpegFile>("file")
      .choice("color", usual.color, {ColorSpace::rgb, ColorSpace::gray},
              "3 channels, or the luma alone")
      .constant<bool>("apply_orientation",
                      {.value = usual.apply_orientation,
                       .help = "turns the picture of a JPEG file as its EXIF data say"})
      .constant<std::int64_t>("max_output_bytes", {.value = usual.max_output_bytes,
                                                   .help = "that the whole picture may take"})
      .constant<bool>("ids", {.value = usual.ids,
                              .help = "the file is a mask: one channel of ids, indices of a "
                                      "palette or gray values"})
      .output<Picture>("image");
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
  return declare_image_decoder("decode_image_region_size",
                               "The size of the region, as an image without pixels; passes use it.")
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
  return declare_image_decoder<OpenPicture>("decode_image_region_rows",
                                            "Begins to decode a region; passes use it.")
      .parameter<Rectangle>("region")
      .runs([](SampleNotes& notes, const JpegFile& file, ColorSpace color, bool turned,
               std::int64_t max_output_bytes, bool ids, const Rectangle& region, OpenPicture& out) {
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
  return declare_image_decoder<OpenPicture>("decode_image_rows", "Begins to decode; passes use it.")
      .runs([](SampleNotes& notes, const JpegFile& file, ColorSpace color, bool turned,
               std::int64_t max_output_bytes, bool ids, OpenPicture& out) {
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
      declare_image_decoder("decode_image_size",
                            "The size of the picture, as an image without pixels; passes use it.")
          .runs([](const JpegFile& file, ColorSpace color, bool turned,
                   std::int64_t max_output_bytes, bool ids, Image& out) {
            const ImageOptions options{color, turned, max_output_bytes, ids};
            PictureSize size;
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
          "A rectangle of the picture in a file; of a JPEG file no more is computed.")
          .in_cpp("decode_image(file, region)")
          .events(jpeg_events())
          .decodes_rows(row_decoding(image_region_size_operator(), image_region_rows_operator(),
                                     "decode_image_end"))
          .parameter<Rectangle>("region", {.help = "in the picture as it is seen"})
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
      declare_image_decoder("decode_image", "The picture in a JPEG, PNG, WebP or GIF file.")
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

}  // namespace detail

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
