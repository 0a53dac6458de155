#include <sluice/ops/decode.h>
#include <sluice/ops/decode/jpeg_input.h>
#include <sluice/ops/decode/open_picture.h>

#include <iterator>
#include <string>

namespace sluice {

namespace detail {
namespace {

template <class Source>
Value<Image> decode(const Value<Source>& jpeg, const JpegOptions& o) {
  return apply_operator<Image>(decode_jpeg_operator(), jpeg, o.color, o.apply_orientation, o.damage,
                               o.verify, o.entropy, o.max_scans, o.max_output_bytes);
}
template <class Source>
Value<Image> decode(const Value<Source>& jpeg, const Param<Rectangle>& region,
                    const JpegOptions& o) {
  return apply_as<Image>(require_recorder("decode_jpeg", jpeg), "decode_jpeg",
                         decode_jpeg_region_operator(), jpeg, o.color, o.apply_orientation,
                         o.damage, o.verify, o.entropy, o.max_scans, o.max_output_bytes, region);
}

template <class Picture = Image>
OperatorDeclaration declare_decoder(const char* name, const char* summary) {
  OperatorDeclaration declaration(name);
  declaration.family("decode").summary(summary).input<JpegFile>("jpeg");
  declare_jpeg_options(declaration);
  declaration.output<Picture>("image");
  return declaration;
}

// For the region decoder.
OperatorPtr jpeg_region_size_operator() {
  return declare_decoder("decode_jpeg_region_size",
                         "The size of the region, as an image without pixels; passes use it.")
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
  return declare_decoder<OpenPicture>("decode_jpeg_region_rows",
                                      "Begins to decode a region; passes use it.")
      .parameter<Rectangle>("region")
      .runs([](SampleNotes& notes, const JpegFile& file, ColorSpace color, bool turned,
               DamagePolicy damage, bool verify, JpegEntropyDecoder entropy, std::int32_t max_scans,
               std::int64_t max_output_bytes, const Rectangle& region, OpenPicture& out) {
        open_jpeg(notes, file.bytes(), region,
                  {color, turned, damage, verify, entropy, max_scans, max_output_bytes}, out);
      });
}
OperatorPtr jpeg_rows_operator() {
  return declare_decoder<OpenPicture>("decode_jpeg_rows", "Begins to decode; passes use it.")
      .runs([](SampleNotes& notes, const JpegFile& file, ColorSpace color, bool turned,
               DamagePolicy damage, bool verify, JpegEntropyDecoder entropy, std::int32_t max_scans,
               std::int64_t max_output_bytes, OpenPicture& out) {
        open_jpeg(notes, file.bytes(), {},
                  {color, turned, damage, verify, entropy, max_scans, max_output_bytes}, out);
      });
}

}  // namespace

void declare_jpeg_options(OperatorDeclaration& declaration) {
  const JpegOptions usual;
  declaration
      .choice("color", usual.color, {ColorSpace::rgb, ColorSpace::gray},
              "3 channels, or the luma alone")
      .constant<bool>("apply_orientation", {.value = usual.apply_orientation,
                                            .help = "turns the picture as its EXIF data say"})
      .choice("damage", usual.damage, {DamagePolicy::strict, DamagePolicy::tolerant},
              "whether a damaged file is an error or a picture with a warning")
      .constant<bool>("verify",
                      {.value = usual.verify, .help = "reads to the end of the file in any case"})
      .choice("entropy", usual.entropy, {JpegEntropyDecoder::fast, JpegEntropyDecoder::library},
              "who reads the Huffman codes")
      .constant<std::int32_t>("max_scans", {.value = usual.max_scans,
                                            .help = "passes that a progressive file may have"})
      .constant<std::int64_t>("max_output_bytes", {.value = usual.max_output_bytes,
                                                   .help = "that the whole picture may take"});
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
  notes.warn_once(report.index_damage +
                  "; files are decoded without it where it is damaged, which is said this once");
}

const OperatorPtr& decode_jpeg_size_operator() {
  static const OperatorPtr op =
      declare_decoder("decode_jpeg_size",
                      "The size of the picture, as an image without pixels; passes use it.")
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
                      "A rectangle of the picture in a JPEG file; no more of it is computed.")
          .in_cpp("decode_jpeg(jpeg, region)")
          .events(jpeg_events())
          .decodes_rows(row_decoding(jpeg_region_size_operator(), jpeg_region_rows_operator(),
                                     "decode_jpeg_end"))
          .parameter<Rectangle>("region", {.help = "in the picture as it is seen"})
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
      declare_decoder("decode_jpeg", "The picture in a JPEG file.")
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
          .summary("What the header of a JPEG file says: size, kind, orientation.")
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

}  // namespace sluice
