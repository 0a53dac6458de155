#include <sluice/ops/decode/decode.h>
#include <sluice/ops/decode/decode_step.h>

#include <memory>
#include <utility>

namespace sluice {
namespace {

template <class Source>
Value<JpegHeader> peek(Value<Source> jpeg) {
  return detail::graph_of(jpeg, "peek_jpeg")
      .map(
          "peek_jpeg", [](const Source& file) { return peek_jpeg(ByteSpan(file)); }, jpeg);
}

template <class Source>
detail::PictureMaker maker_of(Value<Source> jpeg, const JpegOptions& options,
                              const detail::DecodeNotes& note) {
  detail::PictureMaker makes;
  makes.size = [jpeg, options](detail::Sample& sample, detail::SlotId out) {
    const Source& file = sample.get<Source>(jpeg.slot());
    Image& size = sample.get<Image>(out);
    try {
      const JpegHeader header = peek_jpeg(ByteSpan(file));
      const bool turned = options.apply_orientation;
      size = Image::size_only(turned ? header.oriented_height() : header.height,
                              turned ? header.oriented_width() : header.width,
                              options.color == ColorSpace::rgb ? 3 : 1);
    } catch (const JpegError&) {
      // The decoder refuses it, too, and knows better what to say.
      decode_jpeg_image(file, options, size, detail::index_of(file));
    }
  };
  makes.part = [jpeg, options, note](detail::Sample& sample, const Rectangle& part,
                                     detail::SlotId out) {
    const Source& file = sample.get<Source>(jpeg.slot());
    note(sample,
         decode_jpeg_region(file, part, options, sample.get<Image>(out), detail::index_of(file)));
  };
  return makes;
}

template <class Source>
Value<Image> decode(Value<Source> jpeg, const JpegOptions& options) {
  const detail::DecodeNotes note;
  auto [step, image] =
      detail::begin_decode("decode_jpeg", jpeg, note, [options](const Source& file, Image& out) {
        return decode_jpeg_image(file, options, out, detail::index_of(file));
      });
  step.makes = std::make_shared<const detail::PictureMaker>(maker_of(jpeg, options, note));
  jpeg.recorder().add_step(std::move(step));
  return image;
}

template <class Source>
Value<Image> decode(Value<Source> jpeg, Param<Rectangle> window, const JpegOptions& options) {
  auto [step, image] = detail::begin_decode(
      "decode_jpeg", jpeg, detail::DecodeNotes(),
      [options](const Source& file, const Rectangle& part, Image& out) {
        return decode_jpeg_region(file, part, options, out, detail::index_of(file));
      },
      window);
  jpeg.recorder().add_step(std::move(step));
  return image;
}

}  // namespace

Value<JpegHeader> peek_jpeg(Value<Bytes> jpeg) { return peek(jpeg); }
Value<JpegHeader> peek_jpeg(Value<ByteSpan> jpeg) { return peek(jpeg); }
Value<Image> decode_jpeg(Value<Bytes> jpeg, const JpegOptions& options) {
  return decode(jpeg, options);
}
Value<Image> decode_jpeg(Value<ByteSpan> jpeg, const JpegOptions& options) {
  return decode(jpeg, options);
}
Value<Image> decode_jpeg(Value<Bytes> jpeg, Param<Rectangle> window, const JpegOptions& options) {
  return decode(jpeg, window, options);
}
Value<Image> decode_jpeg(Value<ByteSpan> jpeg, Param<Rectangle> window,
                         const JpegOptions& options) {
  return decode(jpeg, window, options);
}

}  // namespace sluice
